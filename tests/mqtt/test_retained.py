"""What stays at the broker when the settings change: nothing of what is no longer published."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from companion.mqtt.retained import FILE_NAME, RetainedTopics
from tests.mqtt.broker import Broker, Watcher, watching
from tests.mqtt.hub import serving_hub
from tests.mqtt.table import Table, published

HUB, ALL = "hub = true", 'names = ["*"]'
CARD = "monster-table/window/card"
BAR = "monster-table/bar/status"
GONE = {
    "home_assistant = false": {Table.config, Table.state},
    "hub = false": {CARD},
    'table = "bar"': {Table.config, Table.state, Table.status, CARD},
}
ALL_OF_THEM = {Table.config, Table.state, Table.status, CARD}


def held(watcher: Watcher) -> set[str]:
    """Return the topics of which the broker holds something."""
    return {topic for topic, content in watcher.topics.items() if content}


def noted(folder: Path) -> set[str]:
    return set(json.loads((folder / "data" / FILE_NAME).read_bytes()))


@pytest.mark.broker
@pytest.mark.parametrize("line", GONE)
def test_what_is_no_longer_published_is_deleted_at_the_broker(
    tmp_path: Path, broker: Broker, line: str
) -> None:
    with published(tmp_path, broker, HUB), watching(broker) as home:
        home.until(lambda seen: held(seen) == ALL_OF_THEM)
    settings = [line, ALL] if line.startswith("hub") else [line, ALL, HUB]
    with published(tmp_path, broker, *settings) as table:
        table.until(lambda: not GONE[line] & noted(tmp_path))
        with watching(broker) as home:
            home.until(lambda seen: seen.retained >= ALL_OF_THEM - GONE[line])
            assert not held(home) & GONE[line]


@pytest.mark.broker
def test_a_hub_forgets_the_board_of_a_table_that_is_no_longer_published(
    tmp_path: Path, broker: Broker
) -> None:
    with serving_hub(tmp_path / "h", broker) as hub:
        with published(tmp_path, broker, HUB):
            hub.until(lambda seen: "window" in seen["tables"])
        with published(tmp_path, broker) as table:
            table.until(lambda: CARD not in noted(tmp_path))
            table.until(lambda: not hub.table())


@pytest.mark.broker
def test_a_broker_that_is_away_is_cleared_when_it_is_back(tmp_path: Path, broker: Broker) -> None:
    with published(tmp_path, broker, HUB), watching(broker) as home:
        home.until(lambda seen: CARD in held(seen))
    broker.kill()
    with published(tmp_path, broker) as table:
        table.until(lambda: "mqtt.lost" in table.reported)
        assert CARD in noted(tmp_path)
    broker.start()
    with watching(broker) as home:
        home.say(CARD, "of before", retain=True)
    with published(tmp_path, broker) as table:
        table.until(lambda: CARD not in noted(tmp_path))
    with watching(broker) as home:
        home.until(lambda seen: Table.status in seen.topics)
        assert CARD not in held(home)


@pytest.mark.broker
def test_two_tables_that_swap_their_names_do_not_delete_each_other(
    tmp_path: Path, broker: Broker
) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    first.mkdir()
    second.mkdir()
    window, bar = ('table = "window"', HUB), ('table = "bar"', HUB)
    with (
        published(first, broker, *window),
        published(second, broker, *bar),
        watching(broker) as home,
    ):
        home.until(lambda seen: len(held(seen)) == 2 * len(ALL_OF_THEM))
        of_both = held(home)
    with published(first, broker, *bar) as one, published(second, broker, *window) as two:
        one.until(lambda: len(noted(first)) == len(noted(second)) == len(ALL_OF_THEM))
        with watching(broker) as home:
            home.until(lambda seen: held(seen) == of_both)
            home.until(lambda seen: {seen.topics[one.status], seen.topics[BAR]} == {"online"})
        two.until(lambda: "mqtt.connected" in two.reported)


def test_the_status_of_a_name_is_deleted_last(tmp_path: Path) -> None:
    RetainedTopics(tmp_path, {"a/x/status", "a/x/card", "homeassistant/device/x/config"})
    renamed = RetainedTopics(tmp_path, {"b/status"})
    assert renamed.unused == ("a/x/card", "homeassistant/device/x/config", "a/x/status")


def test_a_topic_is_deleted_once_as_another_table_may_take_it(tmp_path: Path) -> None:
    RetainedTopics(tmp_path, {"a/status", "a/card"})
    renamed = RetainedTopics(tmp_path, {"b/status"})
    assert renamed.unused == ("a/card", "a/status")
    renamed.forget("a/card")
    renamed.forget("b/status")
    assert RetainedTopics(tmp_path, {"b/status"}).unused == ("a/status",)
    assert RetainedTopics(tmp_path, {"a/status"}).unused == ("b/status",)


@pytest.mark.parametrize(
    "content",
    [b"", b"{}", b'["#"]', b'["a/+"]', b'["a/"]', b"[1]", b'["a\\n"]', b'["a",' * 9_000,
     json.dumps(["a"] * 65).encode(), json.dumps(["a" * 257]).encode()],
)  # fmt: skip
def test_a_file_of_another_form_deletes_nothing(tmp_path: Path, content: bytes) -> None:
    (tmp_path / FILE_NAME).write_bytes(content)
    assert RetainedTopics(tmp_path, {"b/status"}).unused == ()
    assert RetainedTopics(tmp_path, set()).unused == ("b/status",)


def test_a_disk_that_refuses_does_not_keep_the_table_from_being_published(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    RetainedTopics(tmp_path, {"a/status"})
    (tmp_path / f"{FILE_NAME}.new").mkdir()
    renamed = RetainedTopics(tmp_path, {"b/status"})
    renamed.forget("a/status")
    assert renamed.unused == ()
    assert FILE_NAME in caplog.text
    assert RetainedTopics(tmp_path, {"a/status"}).unused == ()
