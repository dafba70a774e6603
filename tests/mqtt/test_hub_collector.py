"""What a hub makes of the messages of its tables, without a broker."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec

from companion.mqtt.hub.collector import MOST_TABLES, Collector
from companion.mqtt.hub.forms import HubChange, TableLine
from companion.mqtt.hub.store import Held, HubStore
from companion.mqtt.tables.forms import Ask, GameList, Page, TableCard
from tests.mqtt.pages import paged, pages, row, tip_of
from tests.waiting import WITHIN_S

_ASK = msgspec.json.Decoder(Ask)


def card(**more: Any) -> TableCard:
    fields = {"title": "Window", "address": "", "log": "g1", "rows": 0, "tip": "", "at": ""}
    return msgspec.convert({**fields, **more}, TableCard)


@dataclass
class Heard:
    """A collector by a clock that stands, and what it has said."""

    store: HubStore
    asked: list[tuple[str, Ask]] = field(default_factory=list)
    changed: threading.Condition = field(default_factory=threading.Condition)
    clock: float = 0.0
    rounds: int = 0
    collector: Collector = field(init=False)

    def hear(self, *messages: TableCard | Page | msgspec.Struct, table: str = "window") -> None:
        """Take these messages in, one after the other."""
        for message in messages:
            kind = {"TableCard": "card", "Page": "rows"}.get(type(message).__name__, "games")
            self.say(table, kind, msgspec.json.encode(message))

    def say(self, table: str, kind: str, payload: bytes) -> None:
        """Take a message in, and wait until it has been, with what the collector asks then."""
        self.collector.hear(table, kind, payload)
        for _ in range(2):  # the first end may be that of a round before this message
            self._until_a_round_ends()

    def _until_a_round_ends(self) -> None:
        with self.changed:
            before = self.rounds
            self.collector.hear("z", "card", msgspec.json.encode(card()))
            assert self.changed.wait_for(lambda: self.rounds > before, WITHIN_S)

    def until(self, true: Any) -> HubChange:
        """Wait until this is true of what the page shows."""
        with self.changed:
            assert self.changed.wait_for(lambda: true(self.collector.since(-1)), WITHIN_S)
        return self.collector.since(-1)

    def held(self, log: str = "g1", table: str = "window") -> Held:
        """Return what the store holds of a game. Only one thread uses it: a look while the
        collector takes a page in may keep what was held before.
        """
        with self.collector._lock:
            return self.store.held(table, log)

    def is_looked_at(self, log: str = "g1", table: str = "window") -> bool:
        with self.collector._lock:
            return self.store.is_looked_at(table, log)

    def line(self, table: str = "window") -> TableLine:
        return next(one for one in self.collector.since(-1).tables if one.name == table)


@contextmanager
def collecting(folder: Path) -> Iterator[Heard]:
    store = HubStore(folder)
    changed = threading.Condition()

    def note() -> None:
        with changed:
            heard.rounds += 1
            changed.notify_all()

    def say(table: str, payload: bytes) -> None:
        with changed:
            heard.asked.append((table, _ASK.decode(payload)))
            changed.notify_all()

    heard = Heard(store, changed=changed)
    heard.collector = Collector(store, say, note, lambda: heard.clock)
    try:
        yield heard
    finally:
        heard.collector.close()
        store.close()


FAILING = """
import sys, threading
from pathlib import Path
from companion.mqtt.bounds import bound_process
from companion.mqtt.hub.collector import Collector
from companion.mqtt.hub.store import HubStore

def say(table, payload):
    raise RuntimeError("refused")

bound_process(2**30)
Collector(HubStore(Path(sys.argv[1])), say, lambda: None).hear("window", "status", b"online")
threading.Event().wait()
"""


def test_a_hub_ends_where_its_collector_does(tmp_path: Path) -> None:
    command = [sys.executable, "-c", FAILING, str(tmp_path)]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=WITHIN_S, check=False)
    assert ended.returncode == 1
    assert "RuntimeError: refused" in ended.stderr


@contextmanager
def refusing(store: HubStore) -> Iterator[None]:
    """Have the store's file refuse to be written, as a full disk does."""
    store._db.execute("PRAGMA busy_timeout=0")
    with closing(sqlite3.connect(store.path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        yield
        other.execute("ROLLBACK")


def test_a_disk_that_refuses_is_shown_and_the_boards_follow(tmp_path: Path) -> None:
    mine, other = pages(3), pages(3, salt="x")
    with collecting(tmp_path) as heard:
        heard.hear(card(rows=3, tip=tip_of(mine)), *mine)
        with refusing(heard.store):
            heard.hear(card(rows=3, tip=tip_of(other), turn=2))
            assert heard.until(lambda seen: seen.full).tables[0].card.turn == 2
            heard.hear(other[0])
            heard.hear(card(rows=3, tip=tip_of(other), turn=3))
            seen = heard.collector.since(-1)
            assert (seen.full, seen.tables[0].card.turn) == (True, 3)
        heard.hear(card(rows=3, tip=tip_of(other), turn=4), *other)
        assert not heard.until(lambda seen: not seen.full).full
        assert heard.held().tip == tip_of(other)


def test_rows_that_no_rules_can_play_end_nothing(tmp_path: Path) -> None:
    rows = [row("1", event='{"type":"TableSet","game":"x","seats":[]}'), row("2", digest="no")]
    rows.append(row("3", event="[" * 5_000, position='{"game": 1}'))
    (page,) = paged(rows)
    with collecting(tmp_path) as heard:
        heard.say("window", "status", b"online")
        heard.hear(card(rows=3, tip=tip_of([page]), reason="stars"), page, GameList(games=()))
        heard.hear(card(rows=3, tip=tip_of([page]), reason="stars", turn=2))
        assert heard.line().card.turn == 2
        assert heard.collector.results_after(None, 9) == []


def test_a_status_without_a_card_keeps_no_table_out(tmp_path: Path) -> None:
    with collecting(tmp_path) as heard:
        for number in range(2 * MOST_TABLES + 10):
            heard.say(f"ghost{number}", "status", b"online")
        heard.say("window", "status", b"online")
        heard.hear(card())
        assert heard.line().online
        assert not heard.collector.since(-1).too_many


def test_a_table_too_many_is_said_until_there_is_room_for_it(tmp_path: Path) -> None:
    with collecting(tmp_path) as heard:
        for number in range(MOST_TABLES - 1):  # and the one of `Heard.say`
            heard.hear(card(), table=f"t{number}")
        assert not heard.collector.since(-1).too_many
        heard.hear(card(turn=1), table="t0")
        heard.hear(card())
        seen = heard.collector.since(-1)
        assert (seen.too_many, len(seen.tables)) == (True, MOST_TABLES)
        assert heard.line("t0").card.turn == 1
        heard.say("t1", "card", b"")
        assert not heard.collector.since(-1).too_many
        heard.hear(card(turn=1))
        assert heard.line().card.turn == 1
        assert not heard.collector.since(-1).too_many


def test_two_tables_with_one_name_are_shown(tmp_path: Path) -> None:
    with collecting(tmp_path) as heard:
        for number, (origin, doubled) in enumerate(
            [("", False), ("a", False), ("a", False), ("", False), ("b", False), ("a", True)]
        ):
            heard.hear(card(origin=origin, turn=number))
            assert (number, heard.line().doubled) == (number, doubled)
        heard.clock += 600
        heard.hear(card(origin="a"))
        assert not heard.line().doubled


def test_a_table_that_starts_again_and_again_is_one(tmp_path: Path) -> None:
    with collecting(tmp_path) as heard:
        for number in range(20):
            heard.hear(card(origin=f"{number}"))
            assert not heard.line().doubled


def test_a_table_whose_card_is_deleted_is_gone_until_it_has_one_again(tmp_path: Path) -> None:
    with collecting(tmp_path) as heard:
        heard.hear(card())
        number = heard.collector.since(-1).number
        heard.say("window", "card", b"")
        change = heard.collector.since(number)
        assert (change.gone, "window" in [one.name for one in change.tables]) == (
            ("window",),
            False,
        )
        assert heard.collector.since(-1).gone == heard.collector.since(change.number).gone == ()
        heard.hear(card())
        change = heard.collector.since(number)
        assert (change.gone, "window" in [one.name for one in change.tables]) == ((), True)
