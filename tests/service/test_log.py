"""The log in words; what two phones changed at once; what the log says was forgotten."""

from __future__ import annotations

import dataclasses
import random
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path

import msgspec
import pytest
from flask import Flask

from companion.engine import RULESETS, Corrected, Correction, Game, Number, Position, Seat
from companion.service import requests, wire, wire_pages
from companion.service.views import logbook, score_audit
from companion.service.views.logbook import LogRows, happened, row_words
from companion.service.views.tasks import task_views
from companion.service.views.view import NEWEST_ROWS
from companion.service.wire import QuestionKind
from companion.service.wire_pages import Conflict, MendKind
from companion.table import (
    Entry,
    GameStarted,
    Redone,
    Snapshot,
    Submission,
    Table,
    TableSet,
    Undone,
    history,
    redoable,
    undoable,
)
from companion.table.log import EventLog
from tests.sentences.play import Evening, next_event
from tests.service.phone import (
    Json,
    Phone,
    Start,
    app_state_of,
    corrected,
    decoded,
    key_of,
    play_until,
)
from tests.service.test_archive import begin_named
from tests.table.test_table import say


def energy(value: int) -> Corrected:
    return Corrected((Correction(Seat(0), Number.ENERGY, value),))


@pytest.fixture
def table(tmp_path: Path) -> Table:
    table = Table(EventLog(tmp_path))
    begin_named(table, "Ana", "Ben")
    return table


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
            fresh = LogRows().all(asked)
            assert kept.all(asked) == fresh
            assert len(fresh) == asked.rev
            assert kept.newest(asked, 16) == fresh[-16:]
    assert any(row.undone for row in fresh)


def test_another_table_and_another_name_are_not_mixed_up(table: Table) -> None:
    kept, first = LogRows(), table.snapshot()
    assert kept.all(first)[-1].by == ""
    now = table.snapshot()
    table.submit(Submission("by-the-first-seat", now.rev, (energy(3),), who="0"))
    assert kept.all(table.snapshot())[-1].by == "Ana"
    begin_named(table, "Eva", "Ben")
    table.submit(Submission("by-the-first-again", 2, (energy(4),), who="0"))
    assert kept.all(table.snapshot())[-1].by == "Eva"
    assert kept.all(first) == LogRows().all(first)


def test_a_row_is_put_in_words_once(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    kept, worded, word = LogRows(), list[int](), logbook.log_row

    def counted(entry: Entry, setup: TableSet | None, entries: Sequence[Entry]) -> wire.LogRow:
        worded.append(entry.seq)
        return word(entry, setup, entries)

    monkeypatch.setattr(logbook, "log_row", counted)
    for n in range(20):
        say(table, energy(n))
        kept.all(table.snapshot())
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


def test_what_is_kept_equals_what_is_made_anew_in_a_whole_game(game: str) -> None:
    chance = random.Random(3)
    evening = Evening.of(game, RULESETS[game].editions[0], chance)
    while evening.state.question is not None and len(evening.entries) < 120:
        evening.say(*next_event(evening, chance))
        now = evening.snapshot()
        assert _news(now) == _news(_copied(now))
    assert len(evening.entries) > 50


def _news(snapshot: Snapshot) -> tuple[object, object]:
    return happened(snapshot), task_views(snapshot)


def _copied(snapshot: Snapshot) -> Snapshot:
    """Return the same moment with rows of which nothing is kept."""
    return dataclasses.replace(snapshot, entries=tuple(map(dataclasses.replace, snapshot.entries)))


MANY = 30


def dice_applied(phone: Phone) -> None:
    app_state_of(phone.app).tray.teach(None, MANY)


def this_game(phone: Phone) -> None:
    assert phone.get(f"/api/games/{phone.view().table}").status_code == 200


LOOKS: dict[str, Callable[[Phone], object]] = {
    "a command": lambda phone: phone.say(corrected(1, "energy", 7)),
    "a row taken back": lambda phone: phone.say({"type": "Undone", "seq": MANY + 3}),
    "the log": lambda phone: phone.get("/api/log"),
    "this game": this_game,
    "the list of games": lambda phone: phone.get("/api/games"),
    "an explanation": lambda phone: phone.get("/api/explain/1/energy"),
    "dice applied": dice_applied,
}


def test_no_question_of_long_ago_is_asked_again(
    host: Phone, game: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In a turn with many corrections: of most rows no question is kept."""
    monkeypatch.setattr(history, "KEPT_POSITIONS", 3)
    monkeypatch.setattr(history, "KEPT_OUTCOMES", 3)
    host.set_up(game)
    for n in range(MANY):
        host.say(corrected(0, "energy", n))
    assert host.get("/api/log").status_code == 200  # each row is put in words once
    asked, of = list[Game](), Position.of

    def counted(game: Game) -> Position:
        asked.append(game)
        return of(game)

    monkeypatch.setattr(Position, "of", counted)
    seen = {}
    for name, look in LOOKS.items():
        asked.clear()
        look(host)
        seen[name] = len(asked)
    assert max(seen.values()) <= 3, seen


def test_the_whole_log_can_be_read_and_a_view_carries_its_end(host: Phone, game: str) -> None:
    host.set_up(game, first=1)
    play_until(host, QuestionKind.ROLL, random.Random(1))
    for n in range(NEWEST_ROWS):
        host.say(corrected(0, "energy", n % 3))
    view = host.view()
    rows = host.read("/api/log", requests.LogAnswer).rows
    assert [row.seq for row in rows] == list(range(1, view.rev + 1))
    assert rows[-NEWEST_ROWS:] == view.log
    # A correction is of the first Monster's energy, and of the second one's turn.
    assert {(row.seat, row.active) for row in rows[-NEWEST_ROWS:]} == {(0, 1)}


def test_the_log_is_written_out_once_for_all_who_look(host: Phone, game: str, app: Flask) -> None:
    host.set_up(game)
    app_state = app_state_of(app)
    first = app_state.log_answer()
    assert app_state.log_answer() is first
    assert host.get("/api/log").data == first
    host.say(corrected(1, "energy", 3))
    rows = host.read("/api/log", requests.LogAnswer).rows
    assert len(rows) == app_state.table.snapshot().rev


def refused(host: Phone, base_rev: int, *events: Json) -> requests.ErrorAnswer:
    answer = host.command(*events, base_rev=base_rev, table=host.view().table)
    assert answer.status_code == 409
    found = msgspec.json.decode(answer.data, type=requests.ErrorAnswer)
    assert found.update is not None
    assert found.update.view.rev == host.view().rev
    return found


def conflict(host: Phone, base_rev: int, *events: Json) -> Conflict:
    found = refused(host, base_rev, *events).conflict
    assert found is not None
    return found


def test_both_sides_and_both_results_are_said(host: Phone, game: str) -> None:
    host.set_up(game)
    rev = host.say(corrected(0, "health", 7))
    theirs = host.say(corrected(0, "health", 6))
    found = conflict(host, rev, corrected(0, "health", 6))
    assert (found.seat, found.what, found.knew, found.mine, found.step) == (0, "health", 7, 6, -1)
    assert (found.same, found.both) == (6, 5)
    (one,) = found.theirs
    assert (one.change.before, one.change.after) == (7, 6)
    assert one.words.key == "did.corrected.health"
    assert 0 <= one.ago_s < 60
    assert (host.game().seats[0].health, host.view().rev) == (6, theirs)


def test_the_result_of_both_stays_within_the_limits(host: Phone, game: str) -> None:
    host.set_up(game)
    rev = host.say(corrected(0, "health", 2))
    host.say(corrected(0, "health", 1))
    assert conflict(host, rev, corrected(0, "health", 0)).both == 0
    rev = host.say(corrected(0, "health", 8))
    host.say(corrected(0, "health", 9))
    found = conflict(host, rev, corrected(0, "health", 10))
    assert (found.step, found.both, found.most) == (2, 10, 10)


def test_changes_back_and_forth_that_came_to_nothing_are_no_conflict(
    host: Phone, game: str
) -> None:
    host.set_up(game)
    rev = host.say(corrected(0, "energy", 3))
    host.say(corrected(0, "energy", 4))
    host.say(corrected(0, "energy", 3))
    assert host.command(corrected(0, "energy", 2), base_rev=rev).status_code == 200


def test_the_newest_of_many_changes_and_what_else_is_new_are_named(host: Phone, game: str) -> None:
    host.set_up(game)
    rev = host.say(corrected(0, "energy", 3))
    for value in (4, 5, 6):
        host.say(corrected(0, "energy", value))
    host.say(corrected(1, "stars", 2))
    found = conflict(host, rev, corrected(0, "energy", 2))
    assert [one.change.after for one in found.theirs] == [5, 6]
    assert [words.args["seat"] for words in found.also] == [1]
    assert found.both == 5


def test_an_undo_is_such_a_change_too(host: Phone, game: str) -> None:
    host.set_up(game)
    rev = host.say(corrected(0, "energy", 3))
    host.say({"type": "Undone", "seq": rev})
    found = conflict(host, rev, corrected(0, "energy", 4))
    assert (found.knew, found.same, found.both) == (3, 0, 1)
    assert [(one.change.before, one.change.after) for one in found.theirs] == [(3, 0)]


def test_other_commands_and_other_tables_get_no_conflict(
    app: Flask, host: Phone, game: str
) -> None:
    host.set_up(game)
    rev = host.say(corrected(0, "energy", 3))
    host.say(corrected(0, "energy", 4))
    two = corrected(0, "energy", 5), corrected(1, "energy", 5)
    assert refused(host, rev, *two).conflict is None
    assert refused(host, 0, corrected(0, "energy", 5)).conflict is None
    answer = host.command(corrected(0, "energy", 5), table="another")
    assert (answer.status_code, key_of(answer)) == (409, "error.stale")
    assert msgspec.json.decode(answer.data, type=requests.ErrorAnswer).conflict is None


PLAYERS = 3
DULL = ("stay", "end")


def look(phone: Phone) -> wire_pages.ForgottenView:
    return phone.read("/api/forgotten", wire_pages.ForgottenView)


def act(phone: Phone, what: str) -> wire_pages.ForgottenView:
    return decoded(phone.post("/api/forgotten", {"act": what}), wire_pages.ForgottenView)


@pytest.fixture
def others(app: Flask, host: Phone, game: str) -> list[Phone]:
    """The host at the first seat, and a phone at each other one; somebody's roll is next."""
    found = [host, *(Phone(app).join() for _ in range(1, PLAYERS))]
    host.set_up(game, PLAYERS)
    play_until(host, QuestionKind.ROLL, random.Random(1))
    for seat, phone in enumerate(found):
        phone.sit(seat)
    return found


def roll(host: Phone, *faces: str) -> int:
    """Roll these faces for the turn; return whose it was."""
    active = host.game().active
    rolled = [*faces, *["heal"] * (host.dice() - len(faces))]
    host.say({"type": "DiceRolled", "faces": rolled, "final": True})
    while (question := host.game().question) is not None and question.kind != QuestionKind.ROLL:
        event = host.next_event(random.Random(1))
        assert event is not None
        quiet = [option.key for option in question.options if option.key in DULL]
        host.say({**event, "option": quiet[0]} if quiet else event)
    return active


def forget_energy(host: Phone) -> int:
    """Three energy that the dice brought, and the dial was turned back; return the seat."""
    before = host.game().seats[host.game().active].energy
    seat = roll(host, "energy", "energy", "energy")
    assert host.game().seats[seat].energy == before + 3
    host.say(corrected(seat, "energy", before))
    return seat


def test_a_game_by_the_rules_has_no_finding_and_a_number_without_a_cause_is_not_mended(
    host: Phone, others: list[Phone]
) -> None:
    roll(host, "attack", "energy")
    found = look(host)
    assert (found.findings, found.by_hand, found.left, found.cannot) == ((), (), 0, None)
    assert found.since == 0
    assert found.turns == host.game().turn
    host.say(corrected(1, "stars", 4))
    (one,) = look(host).by_hand
    assert (one.seat, one.mend, one.fix) == (1, MendKind.NONE, None)


def test_what_only_gives_is_mended_at_once_and_taken_back_by_name(
    host: Phone, others: list[Phone]
) -> None:
    seat = forget_energy(host)
    before = host.game().seats[seat].energy
    (found,) = [one for one in look(host).findings if one.seat == seat]
    assert found.mend is MendKind.GIVE
    assert (found.turn, found.clause is not None) == (1, True)
    (change,) = found.changes
    assert (change.seat, change.before, change.after) == (seat, before, before + 3)
    host.say(dict(msgspec.to_builtins(found.fix)))
    assert host.game().seats[seat].energy == before + 3
    assert not [one for one in look(host).findings if one.seat == seat]
    undo = host.view().undo
    assert undo is not None
    host.say({"type": "Undone", "seq": undo.seq})
    assert [one.id for one in look(host).findings if one.seat == seat] == [found.id]


def test_what_costs_somebody_is_mended_at_once_too(host: Phone, others: list[Phone]) -> None:
    before = {seat.seat: seat.health for seat in host.game().seats}
    hit: list[int] = []
    while not hit:
        roll(host, "attack", "attack")
        hit = [one.seat for one in host.game().seats if one.health < before[one.seat]]
    seat = hit[0]
    host.say(corrected(seat, "health", before[seat]))
    (found,) = [one for one in look(others[seat]).findings if one.seat == seat]
    assert found.mend is MendKind.DO
    others[1].say(dict(msgspec.to_builtins(found.fix)))
    assert host.game().seats[seat].health == found.changes[0].after < before[seat]
    assert not [one for one in look(host).findings if one.seat == seat]


def test_what_is_left_is_asked_no_more_until_somebody_wants_it(
    start: Start, host: Phone, others: list[Phone]
) -> None:
    seat = forget_energy(host)
    left = act(host, "leave")
    assert (left.findings, left.left) == ((), 1)
    late = host.at(start())
    assert look(late).left == 1
    asked = act(late, "ask")
    assert asked.left == 0
    assert [one.seat for one in asked.findings] == [seat]


@pytest.mark.parametrize(
    ("body", "status", "key"),
    [
        ({"act": "leave", "table": "another"}, 409, "error.stale"),
        ({"act": "maybe"}, 400, "error.form.wrong"),
        ({"act": "leave", "table": "x" * 81}, 400, "error.form.long"),
        ({}, 400, "error.form.missing"),
    ],
)
def test_a_form_that_fits_nothing_is_refused(
    host: Phone, others: list[Phone], body: Json, status: int, key: str
) -> None:
    before = host.view()
    answer = host.post("/api/forgotten", body)
    assert (answer.status_code, key_of(answer)) == (status, key)
    assert host.view().rev == before.rev


def test_before_a_game_nothing_is_compared(host: Phone) -> None:
    assert key_of(host.get("/api/forgotten")) == "error.not_started"


@pytest.mark.parametrize("content", [{}, [{"table": 3, "ids": []}], [{"table": "a"}]])
def test_what_cannot_be_read_means_that_nothing_was_left(
    start: Start, tmp_path: Path, content: object
) -> None:
    with closing(EventLog(tmp_path)) as log:
        log.put_state(score_audit.KEY, content)
    host = Phone(start()).join()
    host.set_up("tokyo", 2)
    assert look(host).left == 0
    assert act(host, "leave").left == 0
