"""The page of all tables: by a real broker, and what it makes of each message."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import msgspec
import pytest

from companion.engine import RULESETS
from companion.mqtt.hub import HERE, LONGEST, MOST_TABLES, QUIET_MIN, Board, Boards
from companion.mqtt.messages import TableStatus, table_status
from companion.mqtt.settings import MqttFile
from companion.service.app import create_app
from companion.service.settings import Settings
from tests.mqtt.broker import Broker, watching
from tests.mqtt.hub import serving_hub
from tests.mqtt.table import Table, published
from tests.service.phone import Phone, app_state_of
from tests.waiting import WITHIN_S

GAME = max(RULESETS)
SIGNS = Path(__file__).parent.parent.parent / "webui" / "src" / "art" / "signs.tsx"
BOARD = '<li class="hub-board'
"""How the board of a table begins; that of one that is connected ends its class there."""


def shown(page: str) -> str:
    """Return the words of the page."""
    return " ".join(re.sub(r"<[^>]*>", " ", page.partition("<main")[2]).split())


@pytest.mark.broker
def test_a_board_follows_the_game_and_names_who_agreed(tmp_path: Path, broker: Broker) -> None:
    title = "By the <b>window</b>"
    with serving_hub(tmp_path, broker) as hub:
        assert "No table has reported yet" in hub.get()[1]
        with published(tmp_path, broker, 'names = ["P1"]', title=title) as table:
            hub.until(lambda page: "no game" in page)
            table.phone.set_up(GAME, players=2)
            table.phone.say({"type": "PutOff"})
            page = hub.until(lambda page: "turn 1" in page)
            seat = table.phone.game().seats[1]
            numbers = f"P1 {seat.health} {seat.stars} {seat.energy}"
            assert numbers in shown(page).replace("(has the turn) ", "")
            assert "P0" not in page
            assert "By the &lt;b&gt;window&lt;/b&gt;" in page
        page = hub.until(lambda page: "not connected in the middle of a game" in page)
        assert "P1" in page


@pytest.mark.broker
def test_a_hub_that_starts_later_shows_all_and_says_that_the_broker_is_lost(
    tmp_path: Path, broker: Broker
) -> None:
    with published(tmp_path, broker) as table, watching(broker) as home:
        home.until(lambda seen: Table.state in seen.topics and Table.status in seen.topics)
        with serving_hub(tmp_path, broker) as hub:
            hub.until(lambda page: f'{BOARD}"' in page)
            broker.kill()
            hub.until(lambda page: "no connection to the broker" in page)
            table.phone.set_up(GAME)
            broker.start()
            hub.until(lambda page: "turn " in page and "no connection" not in page)


@pytest.mark.broker
def test_what_is_no_status_of_a_table_is_left_out(tmp_path: Path, broker: Broker) -> None:
    with serving_hub(tmp_path, broker) as hub:
        for payload in (b"nonsense", b'{"form": 2}', b"[" * 10_000, b"\xff", bytes(4_000_000)):
            broker.retain("monster-table/x/state", payload)
        broker.retain("monster-table/y/status", b"online")
        with published(tmp_path, broker):
            page = hub.until(lambda page: BOARD in page)
            assert len(re.findall(f'{BOARD}[ "]', page)) == 1


ANSWERS = (
    ("GET", "/", "evil.example", 421),
    ("POST", "/", "127.0.0.1", 405),
    ("GET", "/assets/../index.html", "127.0.0.1", 404),
    ("GET", "/assets/", "127.0.0.1", 404),
    ("GET", "/hub.html", "127.0.0.1", 404),
    ("GET", "/hub.js", "127.0.0.1", 200),
    ("HEAD", "/", "127.0.0.1", 200),
)


@pytest.mark.broker
def test_the_hub_answers_only_for_itself_and_in_the_readers_language(
    tmp_path: Path, broker: Broker
) -> None:
    with serving_hub(tmp_path, broker) as hub:
        for method, path, host, status in ANSWERS:
            assert (path, hub.get(path, host, method)[0]) == (path, status)
        for link in re.findall(r'(?:href|src)="(/[^"]+)"', hub.get()[1]):
            assert (link, hub.get(link)[0]) == (link, 200)
        assert "Toutes les tables" in hub.get(language="fr-CA,en;q=0.5")[1]


@pytest.mark.broker
def test_the_command_says_where_the_page_is_and_ends_by_a_signal(
    tmp_path: Path, broker: Broker
) -> None:
    settings = tmp_path / "hub.toml"
    settings.write_text(f'broker = "mqtt://127.0.0.1:{broker.port}"')
    command = [sys.executable, "-c", "from companion.cli import main; main()", "hub", "--mqtt"]
    options = [str(settings), "--host", "127.0.0.1", "--port", "0"]
    with subprocess.Popen([*command, *options], stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        line = next(line for line in process.stderr if "All tables" in line)
        assert re.search(r"http://\S+:\d+$", line)
        process.send_signal(signal.SIGTERM)
        assert process.wait(WITHIN_S) == 0


@pytest.fixture
def status(tmp_path: Path) -> TableStatus:
    """The status of a table with a game of two."""
    app = create_app(Settings(data=tmp_path))
    phone = Phone(app).join()
    phone.set_up(GAME, players=2)
    state = app_state_of(app)
    view = state.hub.newest.numbered.view
    state.close()
    return table_status(view, MqttFile(broker="mqtt://broker.lan"), "Table", "http://table.test")


def test_a_game_that_has_stood_still_needs_help(status: TableStatus) -> None:
    now = time.monotonic()
    moved = Board("a", status, online=True, heard_at=now - 60 * (QUIET_MIN - 1))
    assert moved.help() == []
    still = Board("a", status, online=True, heard_at=now - 60 * QUIET_MIN)
    assert still.help() == [("hub.help.quiet", QUIET_MIN)]
    over = msgspec.structs.replace(status, winner="Ann")
    assert Board("a", over, online=True, heard_at=still.heard_at).help() == []
    assert Board("a", over).help() == []
    assert Board("a", status).help() == [("hub.help.offline", 0)]


def test_a_status_counts_until_it_is_deleted_and_the_oldest_tables_are_left_out(
    status: TableStatus,
) -> None:
    boards, content = Boards("monster-table"), msgspec.json.encode(status)
    assert len(content) < LONGEST / 8
    for number in range(MOST_TABLES + 1):
        boards.hear(f"monster-table/t{number}/state", content, True)
    assert {one.name for one in boards.shown()} == {f"t{n + 1}" for n in range(MOST_TABLES)}
    boards.hear("monster-table/t1/state", b"", False)
    assert {one.name for one in boards.shown()} == {f"t{n + 2}" for n in range(MOST_TABLES - 1)}


def test_the_signs_are_those_of_the_phone_app() -> None:
    drawn = set(re.findall(r' d="([^"]+)"', (HERE / "hub.html").read_text("utf-8")))
    assert len(drawn) == 3
    assert all(one in SIGNS.read_text("utf-8") for one in drawn)
