"""Home Assistant by a real broker: what is published, what comes back, what a lost broker does."""

from __future__ import annotations

import socket
from dataclasses import replace
from itertools import groupby
from pathlib import Path
from random import Random
from typing import cast

import msgspec
import paho.mqtt.client as paho
import pytest

from companion.engine import MOST_SEATS, RULESETS
from companion.mqtt.client import new_client
from companion.mqtt.discovery import Press
from companion.mqtt.messages import kinds
from companion.mqtt.publisher import press
from companion.mqtt.settings import Broker as Address
from companion.service.views.news import sentences_for
from companion.table import HOME, RefusedError
from tests.mqtt.broker import Broker, Watcher, watching
from tests.mqtt.table import Table, published
from tests.service.test_secret import CARD, PASS, Evening, names_it, shown
from tests.waiting import wait_until

GAME = max(RULESETS)
pytestmark = pytest.mark.broker


def play(table: Table, rolls: int = 1) -> None:
    """Start a game for two and enter a roll, which leaves throws."""
    table.phone.set_up(GAME, players=2)
    table.phone.say({"type": "PutOff"})
    dice = ["heal"] * table.phone.dice()
    for _ in range(rolls):
        table.phone.say({"type": "DiceRolled", "faces": dice, "final": False})


def rev(watcher: Watcher) -> int:
    return int(watcher.json(Table.state).get("rev", -1))


def is_right(watcher: Watcher, table: Table) -> bool:
    """Whether everything that is published is there, of the table as it is."""
    return (
        watcher.topics.get(table.status) == "online"
        and table.config in watcher.topics
        and rev(watcher) == table.app_state.table.snapshot().rev
    )


def test_a_table_is_published_and_follows_the_game(tmp_path: Path, broker: Broker) -> None:
    with published(tmp_path, broker) as table, watching(broker) as home:
        home.until(lambda seen: is_right(seen, table))
        config = home.json(table.config)
        parts = config["components"]
        assert {f"seat_{n + 1}_health" for n in range(MOST_SEATS)} < parts.keys()
        assert len({one["unique_id"] for one in parts.values()}) == len(parts)
        assert config["state_topic"] == table.state
        assert parts["undo"]["command_topic"] == table.press
        assert parts["said"]["state_topic"] == table.said
        assert home.json(table.state)["whose"] is None
        play(table)
        home.until(lambda seen: is_right(seen, table))
        state, game = home.json(table.state), table.phone.game()
        assert state["whose"]["seat"] == game.active + 1
        assert state["whose"]["color"].startswith("#")
        assert [one["health"] for one in state["seats"]] == [s.health for s in game.seats]
        assert [one["stars"] for one in state["seats"]] == [s.stars for s in game.seats]
        assert [one["energy"] for one in state["seats"]] == [s.energy for s in game.seats]
        assert state["camera"] == "none"
        assert state["winner"] is None


def test_a_killed_broker_comes_back_with_everything_right(tmp_path: Path, broker: Broker) -> None:
    with published(tmp_path, broker) as table:
        play(table)
        with watching(broker) as home:
            home.until(lambda seen: is_right(seen, table))
        broker.kill()
        table.phone.say({"type": "DiceRolled", "faces": ["energy"] * table.phone.dice()})
        broker.start()
        with watching(broker) as home:
            home.until(lambda seen: is_right(seen, table))
            assert home.json(table.state)["roll"]["faces"][0] == "energy"
        assert table.reported[0] == "mqtt.connected"
        assert "mqtt.lost" in table.reported


def cut(client: paho.Client) -> None:
    """End the connection as a power cut does, without a word."""
    sock = client.socket()
    assert isinstance(sock, socket.socket)
    sock.shutdown(socket.SHUT_RDWR)


def test_the_will_says_that_the_table_is_gone_and_one_that_stops_says_so_itself(
    tmp_path: Path, broker: Broker
) -> None:
    with watching(broker) as home:
        with published(tmp_path, broker) as table:
            home.until(lambda seen: is_right(seen, table))
            cut(table.publisher.link.client)
            home.until(lambda seen: seen.topics[table.status] == "offline")
            home.until(lambda seen: is_right(seen, table))
        home.until(lambda seen: seen.topics[table.status] == "offline")


def test_the_will_of_an_old_connection_does_not_take_the_table_away(
    tmp_path: Path, broker: Broker
) -> None:
    before = new_client("before-the-power-cut", Address("127.0.0.1", broker.port, tls=False))
    before.will_set(Table.status, "offline", qos=1, retain=True)
    before.connect("127.0.0.1", broker.port)
    before.loop()
    with published(tmp_path, broker) as table, watching(broker) as home:
        home.until(lambda seen: is_right(seen, table))
        count = home.count[table.status]
        cut(before)
        home.until(lambda seen: seen.count[table.status] > count + 1 and is_right(seen, table))
        with watching(broker, name="late") as late:
            late.until(lambda seen: is_right(seen, table) and table.status in seen.retained)
    before.loop()  # notices the end, and closes its socket


def test_two_tables_with_one_name_say_so_once(tmp_path: Path, broker: Broker) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    with published(tmp_path / "a", broker) as first, watching(broker) as home:
        home.until(lambda seen: is_right(seen, first))
        with published(tmp_path / "b", broker) as second:
            wait_until(lambda: "mqtt.doubled" in first.reported)
            play(second)
            home.until(lambda seen: is_right(seen, second))
        home.until(lambda seen: is_right(seen, first))
    assert first.reported == ["mqtt.connected", "mqtt.doubled"]


def test_a_table_that_home_assistant_may_not_find_leaves_its_list(
    tmp_path: Path, broker: Broker
) -> None:
    with published(tmp_path, broker) as table, watching(broker) as home:
        home.until(lambda seen: is_right(seen, table))
    with published(tmp_path, broker, "home_assistant = false") as table, watching(broker) as home:
        home.until(lambda seen: seen.topics.get(table.status) == "online")
        home.until(lambda seen: rev(seen) == table.app_state.table.snapshot().rev)
        assert not home.topics.get(table.config)


def test_a_fault_is_logged_and_the_table_stays_published(
    tmp_path: Path, broker: Broker, caplog: pytest.LogCaptureFixture
) -> None:
    with published(tmp_path, broker) as table, watching(broker) as home:
        faulty = cast("tuple[str]", (1,))  # no name: what reads it fails
        file = msgspec.structs.replace(table.publisher.settings.file, names=faulty)
        table.publisher.settings = replace(table.publisher.settings, file=file)
        table.phone.set_up(GAME)
        wait_until(lambda: "could not be published" in caplog.text)
        table.phone.say({"type": "Undone", "seq": 2})
        home.until(lambda seen: is_right(seen, table))


def test_the_start_of_a_game_is_not_undone_from_a_house(tmp_path: Path, broker: Broker) -> None:
    with published(tmp_path, broker) as table, watching(broker) as home:
        table.phone.set_up(GAME)
        home.until(lambda seen: is_right(seen, table))
        assert not home.json(table.state)["undo"]
        before = table.app_state.table.snapshot()
        # A refused press leaves nothing to wait for: here it is made where the broker's end up.
        for button in Press:
            with pytest.raises(RefusedError):
                press(table.app_state, button)
        assert table.app_state.table.snapshot() is before


NONSENSE = ("", "redo", "UNDO", "undo ", '{"press": "undo"}', "undo" * 1000, "\x00")


def test_a_press_of_undo_is_the_houses_own_row_and_other_words_do_nothing(
    tmp_path: Path, broker: Broker
) -> None:
    with published(tmp_path, broker) as table, watching(broker) as home:
        play(table)
        home.until(lambda seen: is_right(seen, table))
        before = table.app_state.table.snapshot().rev
        for payload in NONSENSE:
            home.say(table.press, payload)
        home.say(table.press, "undo")
        home.until(lambda seen: rev(seen) > before)
        assert table.app_state.table.snapshot().rev == before + 1
        assert table.app_state.table.snapshot().entries[-1].who == HOME
        assert table.phone.view().log[-1].by == "Home Assistant"


def test_a_press_that_the_broker_retained_is_none(tmp_path: Path, broker: Broker) -> None:
    with watching(broker) as home:
        home.say(Table.press, "undo", retain=True)
        with published(tmp_path, broker) as table:
            play(table)
            before = table.app_state.table.snapshot().rev
            home.until(lambda seen: is_right(seen, table))
            home.say(table.press, "undo")
            home.until(lambda seen: rev(seen) > before)
            assert table.app_state.table.snapshot().rev == before + 1


def acts(table: Table, since: int) -> list[int]:
    """The first rows of the commands since a revision of which anything is to be said."""
    entries = table.app_state.table.snapshot().entries
    by_command = groupby(entries[since:], key=lambda row: row.command_id)
    commands = [tuple(rows) for _, rows in by_command]
    return [rows[0].seq for rows in commands if sentences_for(rows, entries)]


def test_each_act_of_a_game_is_said_in_order_also_while_the_broker_restarts(
    tmp_path: Path, broker: Broker
) -> None:
    chance = Random("an evening with sentences")
    with published(tmp_path, broker) as table:
        table.phone.set_up(GAME, players=3)
        since = table.app_state.table.snapshot().rev

        def play_on() -> int:
            """Play until somebody has something to say of it; return how many acts have."""
            before = len(acts(table, since))
            while len(found := acts(table, since)) < before + 8:
                event = table.phone.next_event(chance)
                assert event is not None
                table.phone.say(event)
            return len(found)

        with watching(broker) as home:
            home.until(lambda seen: table.status in seen.topics)
            count = play_on()
            home.until(lambda seen: len(seen.said) == count)
            first = home.said
        # What the broker had not acknowledged would be said again.
        wait_until(lambda: not table.publisher._unsaid)
        broker.kill()
        play_on()
        wait_until(lambda: len(table.publisher._unsaid) >= 8)
        broker.start()
        # Home Assistant comes back later than the table, and the broker says that nobody listens.
        wait_until(lambda: False in table.publisher._answers.values())
        count = play_on() - count
        with watching(broker) as home:
            home.until(lambda seen: len(seen.said) == count)
            said = [*first, *home.said]
    assert [one["seq"] for one in said] == acts(table, since)
    assert {one["event_type"] for one in said} <= {*kinds()}
    assert all(one["text"].endswith(".") and "{" not in one["text"] for one in said)
    assert max(one["late_s"] for one in first) == 0


def test_no_message_names_a_card_that_one_seat_alone_has_looked_at(
    tmp_path: Path, broker: Broker
) -> None:
    with published(tmp_path, broker) as table, watching(broker) as home:
        evening = Evening(table.phone.app, host=table.phone)
        evening.look()
        looked = evening.host.view().rev
        home.until(lambda seen: rev(seen) == looked)
        wait_until(lambda: not table.publisher._speaker.waiting)
        evening.host.say({"type": "Undone", "seq": looked})
        evening.teller.say(shown(CARD))
        evening.teller.say(PASS)
        evening.end()
        last = evening.host.view().rev
        home.until(lambda seen: "wins" in [one["event_type"] for one in seen.said[-1:]])
        home.until(lambda seen: rev(seen) == last)
        came = [*home.topics.values(), *map(str, home.said)]
    assert any("undone" in one for one in came)
    assert not any(names_it(one) or "Jet Fighters" in one for one in came)


def test_a_sentence_says_in_the_tables_language_what_somebody_did_who_agreed_to_be_named(
    tmp_path: Path, broker: Broker
) -> None:
    lines = ('names = ["p1"]', 'language = "is"')
    with published(tmp_path, broker, *lines) as table, watching(broker) as home:
        table.phone.set_up(GAME, first=1)
        table.phone.say({"type": "PutOff"})
        dice = ["energy"] * table.phone.dice()
        table.phone.say({"type": "DiceRolled", "faces": dice, "final": True})
        home.until(lambda seen: seen.said and table.status in seen.topics)
        said, (other, who) = home.said[0], home.json(table.state)["seats"]
        assert not any("P0" in content for content in home.topics.values())
    assert said["text"] == f"P1 tekur {len(dice)} orku."
    assert said["event_type"] == "gains"
    assert (other["name"], who["name"]) == (other["monster"], "P1")
    assert said["who"] == {one: who[one] for one in ("seat", "name", "monster", "color", "rgb")}
