"""The log in words: rows made once, whatever is undone, at no cost that grows with the log."""

from __future__ import annotations

import dataclasses
import random
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import msgspec
import pytest
from flask import Flask

from companion.engine import Corrected, Correction, Game, Number, Position, Seat
from companion.service import requests, wire
from companion.service.app import create_app
from companion.service.requests import Command
from companion.service.settings import Settings
from companion.service.views import logbook
from companion.service.views.logbook import LogRows, happened, row_words
from companion.service.views.news import IdentityCache
from companion.service.views.tasks import task_views
from companion.service.views.view import NEWEST_ROWS, Views
from companion.service.views.words import clauses
from companion.service.wire import QuestionKind
from companion.table import (
    Entry,
    GameStarted,
    Redone,
    SeatSetup,
    Snapshot,
    Submission,
    Table,
    TableSet,
    Undone,
    history,
    redoable,
    undoable,
)
from companion.table.database import StoredRow
from companion.table.history import State
from companion.table.log import EventLog
from tests.crowd import new_game
from tests.service.phone import Phone, app_state_of, next_event, play_until
from tests.service.test_commands import corrected
from tests.table.test_table import say


def energy(value: int) -> Corrected:
    return Corrected((Correction(Seat(0), Number.ENERGY, value),))


@pytest.fixture
def table(tmp_path: Path) -> Table:
    table = Table(EventLog(tmp_path))
    seats = (SeatSetup("Ana", "inkwell"), SeatSetup("Ben", "lampmoth"))
    say(table, TableSet("tokyo", "first", seats))
    say(table, GameStarted(0))
    return table


def in_full(rows: LogRows, snapshot: Snapshot) -> tuple[wire.LogRow, ...]:
    return msgspec.json.decode(rows.all_in_json(snapshot), type=tuple[wire.LogRow, ...])


def test_cached_rows_equal_new_ones_whatever_is_undone_between(table: Table) -> None:
    draw, kept, moments = random.Random(36), LogRows(), list[Snapshot]()
    for n in range(150):
        now = table.snapshot()
        undo, redo = undoable(now), redoable(now)
        what = draw.randrange(4)
        if what == 0 and undo is not None and not isinstance(undo.event, GameStarted):
            say(table, Undone(undo.seq))
        elif what == 1 and redo is not None:
            say(table, Redone(redo.seq))
        else:
            say(table, energy(n % 40))
        moments.append(table.snapshot())
        if draw.random() < 0.5:  # several commands between two looks
            asked = draw.choice(moments[-5:])  # two threads may look at different moments
            fresh = in_full(LogRows(), asked)
            assert in_full(kept, asked) == fresh
            assert len(fresh) == asked.rev
            assert kept.newest(asked, 16) == fresh[-16:]
    assert any(row.undone for row in fresh)


def test_another_table_and_another_name_are_not_mixed_up(table: Table) -> None:
    kept, first = LogRows(), table.snapshot()
    assert in_full(kept, first)[-1].by == ""
    now = table.snapshot()
    table.submit(Submission("by-the-first-seat", now.rev, (energy(3),), who="0"))
    assert in_full(kept, table.snapshot())[-1].by == "Ana"
    seats = (SeatSetup("Eva", "inkwell"), SeatSetup("Ben", "lampmoth"))
    say(table, TableSet("tokyo", "first", seats))
    say(table, GameStarted(1))
    table.submit(Submission("by-the-first-again", 2, (energy(4),), who="0"))
    assert in_full(kept, table.snapshot())[-1].by == "Eva"
    assert in_full(kept, first) == in_full(LogRows(), first)


def test_a_row_is_put_in_words_once(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    kept, worded, word = LogRows(), list[int](), logbook.log_row

    def counted(entry: Entry, setup: TableSet | None, entries: Sequence[Entry]) -> wire.LogRow:
        worded.append(entry.seq)
        return word(entry, setup, entries)

    monkeypatch.setattr(logbook, "log_row", counted)
    for n in range(20):
        say(table, energy(n))
        kept.all_in_json(table.snapshot())
    assert sorted(worded) == list(range(1, table.snapshot().rev + 1))


@pytest.mark.parametrize("kind", [Undone, Redone])
@pytest.mark.parametrize("away", [0, 1, 5000])
def test_a_row_that_undoes_no_row_before_it_is_shown_without_a_name(
    table: Table, kind: type[Undone] | type[Redone], away: int
) -> None:
    say(table, energy(3))
    entries = list(table.snapshot().entries)
    last = entries[-1]
    entries[-1] = dataclasses.replace(last, event=kind(last.seq + away))
    assert row_words(entries[-1], entries)[1] == ()


def a_row(seq: int) -> Entry:
    return Entry(seq, "", "", "a-command", TableSet("tokyo", "first", ()), State(), State())


def test_a_result_is_made_once_for_the_same_rows_and_again_for_equal_ones() -> None:
    kept, made = IdentityCache[Entry, int](), iter(range(9))
    one, two = a_row(1), a_row(2)
    alike = dataclasses.replace(one)
    assert alike == one
    assert [kept.of(rows, lambda: next(made)) for rows in ((one,), (one, two), (one,))] == [0, 1, 0]
    assert kept.of((alike,), lambda: next(made)) == 2
    assert kept.of((two, one), lambda: next(made)) == 3


def test_what_is_kept_equals_what_is_made_anew_in_a_whole_game(tmp_path: Path) -> None:
    table, views, chance = Table(EventLog(tmp_path)), Views("tokyo", anyone=True), random.Random(3)
    for n in range(120):
        now = table.snapshot()
        game = views.of(now, {}).game
        events = [next_event(game, chance)] if game is not None else new_game(4)
        if None in events:
            break
        body = {"command_id": f"a-command-{n}", "base_rev": now.rev, "events": events}
        command = msgspec.convert(body, Command)
        table.submit(Submission(command.command_id, now.rev, tuple(command.events)))
        assert _news(table.snapshot()) == _news(_copied(table.snapshot()))
    assert n > 50


def _news(snapshot: Snapshot) -> tuple[object, object]:
    return happened(snapshot), task_views(snapshot)


def _copied(snapshot: Snapshot) -> Snapshot:
    """Return the same moment with rows of which nothing is kept."""
    return dataclasses.replace(snapshot, entries=tuple(map(dataclasses.replace, snapshot.entries)))


MANY = 30
Look = Callable[[Phone], object]


@pytest.fixture
def reopened(tmp_path: Path, game: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[Phone]:
    """A turn with many corrections, after a restart: of most rows no question is kept."""
    monkeypatch.setattr(history, "KEPT_POSITIONS", 3)
    settings = Settings(data=tmp_path, anyone_may_edit=True)
    first = create_app(settings)
    host = Phone(first)
    host.join()
    host.set_up(game)
    for n in range(MANY):
        host.say(corrected(0, "energy", n))
    app_state_of(first).close()
    app = create_app(settings)
    phone = Phone(app)
    phone.join()
    phone.sit(1)
    yield phone
    app_state_of(app).close()


def dice_applied(phone: Phone) -> None:
    app_state_of(phone.app).tray.keep_lesson("none", "another-command", MANY)


def this_game(phone: Phone) -> None:
    assert phone.get(f"/api/games/{phone.view().table}").status_code == 200


LOOKS: dict[str, Look] = {
    "a command": lambda phone: phone.say(corrected(1, "energy", 7)),
    "a row taken back": lambda phone: phone.say({"type": "Undone", "seq": MANY + 3}),
    "the log": lambda phone: phone.get("/api/log"),
    "this game": this_game,
    "the list of games": lambda phone: phone.get("/api/games"),
    "an explanation": lambda phone: phone.get("/api/explain/1/energy"),
    "dice dice_applied": dice_applied,
}


def test_no_question_of_long_ago_is_asked_again(
    reopened: Phone, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert reopened.get("/api/log").status_code == 200  # each row is put in words once
    asked, of = list[Game](), Position.of

    def counted(game: Game) -> Position:
        asked.append(game)
        return of(game)

    monkeypatch.setattr(Position, "of", counted)
    seen = {}
    for name, look in LOOKS.items():
        asked.clear()
        look(reopened)
        seen[name] = len(asked)
    assert max(seen.values()) <= 3, seen


def test_the_list_of_games_does_not_read_the_one_that_is_played(
    host: Phone, app: Flask, game: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    host.set_up(game)
    left = host.view().table
    host.set_up(game)
    log, read = app_state_of(app).log, list[str]()
    rows_of = log.read

    def counted(table: str) -> Iterator[StoredRow]:
        read.append(table)
        return rows_of(table)

    monkeypatch.setattr(log, "read", counted)
    for n in range(3):
        host.say(corrected(0, "energy", n))
        (line, _) = host.get("/api/games").get_json()["games"]
        assert line["current"]
    assert read == [left]


def test_what_came_of_a_roll_is_not_looked_for_among_corrections(host: Phone, game: str) -> None:
    host.set_up(game)
    while not app_state_of(host.app).table.snapshot().state.since_roll:
        event = host.next_event(random.Random(1))
        assert event is not None
        host.say(event)
    rolled = app_state_of(host.app).table.snapshot().state.since_roll
    for n in range(MANY):
        host.say(corrected(1, "energy", n))
    assert app_state_of(host.app).table.snapshot().state.since_roll == rolled


def test_the_whole_log_can_be_read_and_a_view_carries_its_end(host: Phone, game: str) -> None:
    host.set_up(game, first=1)
    play_until(host, QuestionKind.ROLL, random.Random(1))
    for n in range(NEWEST_ROWS):
        host.say(corrected(0, "energy", n % 3))
    view = host.view()
    rows = msgspec.json.decode(host.get("/api/log").data, type=requests.LogAnswer).rows
    assert [row.seq for row in rows] == list(range(1, view.rev + 1))
    assert rows[-NEWEST_ROWS:] == view.log
    # A correction is of the first Monster's energy, and of the second one's turn.
    assert {(row.seat, row.active) for row in rows[-NEWEST_ROWS:]} == {(0, 1)}


def test_a_clause_is_sent_in_the_rulebooks_words(host: Phone, game: str) -> None:
    host.set_up(game)
    clause = next(iter(clauses().values()))
    answer = msgspec.json.decode(
        host.get(f"/api/clause/{clause.id}").data, type=requests.ClauseAnswer
    )
    assert (answer.id, answer.text, answer.status) == (clause.id, clause.text, clause.status)
    assert host.get("/api/clause/NY-0.0").status_code == 404
    assert host.get("/api/clause/..%2f..%2fetc").status_code == 404


MOST_EVENTS = 3_000
"""A game by chance takes some hundreds."""


def test_every_number_of_a_log_row_is_one_that_changed(host: Phone, game: str) -> None:
    chance = random.Random(1)
    host.set_up(game, 3)
    for _ in range(60):
        before = {s.seat: s for s in host.game().seats}
        event = host.next_event(chance)
        if event is None:
            break
        host.say(event)
        after = {s.seat: s for s in host.game().seats}
        row = host.view().log[-1]
        changes = {(int(c.seat), c.what.value): (c.before, c.after) for c in row.changes}
        for seat, old in before.items():
            for what in ("health", "stars", "energy"):
                pair = (getattr(old, what), getattr(after[seat], what))
                assert changes.get((seat, what), (pair[0], pair[0])) == pair


def test_the_log_is_written_out_once_for_all_who_look(host: Phone, game: str, app: Flask) -> None:
    host.set_up(game)
    app_state = app_state_of(app)
    first = app_state.log_answer()
    assert app_state.log_answer() is first
    assert host.get("/api/log").data == first
    host.say(corrected(1, "energy", 3))
    answer = msgspec.json.decode(host.get("/api/log").data, type=requests.LogAnswer)
    assert len(answer.rows) == app_state.table.snapshot().rev
