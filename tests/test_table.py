"""The table: replay, and what a log from other rules may not do to it."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import msgspec
import pytest

from companion import engine
from companion.engine import RULESETS
from companion.engine.changes import Number
from companion.engine.events import (
    AnyEvent,
    Chosen,
    Corrected,
    Correction,
    DiceRolled,
    OrderChosen,
    PutOff,
)
from companion.engine.game import Game
from companion.engine.questions import Choice, Roll
from companion.engine.values import Seat
from companion.eventlog import FILE_NAME, EventLog, chain
from companion.table import (
    GameStarted,
    Input,
    RefusedError,
    SeatSetup,
    Submission,
    Table,
    TableSet,
    Undone,
    undoable,
)


def say(table: Table, *events: Input) -> int:
    rev = table.snapshot().rev
    who = f"{table.snapshot().table}-{rev}-{len(events)}"
    return table.submit(Submission(f"say-{who}", rev, events))


def started(folder: Path, game: str, players: int = 2) -> Table:
    table = Table(EventLog(folder))
    seats = tuple(SeatSetup(f"P{n}", f"M{n}") for n in range(players))
    say(table, TableSet(game, RULESETS[game].editions[0], seats), GameStarted(0))
    return table


def step(table: Table) -> AnyEvent | None:
    """The first thing that may be said; None: the game is over."""
    state = table.snapshot().state
    match state.question:
        case Roll(dice=dice):
            assert state.game is not None
            faces = RULESETS[state.game.rules].faces
            return DiceRolled(tuple(faces[n % len(faces)] for n in range(dice)), final=True)
        case Choice() as choice:
            return Chosen(choice.seat, choice.open()[-1].key)  # the last one goes on
        case None:
            return None
    return PutOff()


def play(table: Table, turns: int) -> None:
    for _ in range(60 * (turns + 1)):
        game = table.snapshot().state.game
        if game is None or game.turn.number > turns:
            return
        event = step(table)
        if event is None:
            return
        try:
            say(table, event)
        except RefusedError:  # what is asked for may not be put off: the first name there is
            state = table.snapshot().state
            assert state.game is not None
            say(table, engine.legal_events(state.game)[0])
    raise AssertionError("the turns do not end")


@pytest.fixture(params=sorted(RULESETS))
def game(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def test_replay_is_the_game(tmp_path: Path, game: str) -> None:
    table = started(tmp_path, game, 3)
    play(table, 6)
    before = table.snapshot()
    table.close()
    again = Table(EventLog(tmp_path))
    after = again.snapshot()
    assert after.state.game == before.state.game
    assert after.state.line == before.state.line
    assert not after.state.pinned
    again.close()


def test_the_last_row_of_a_turn_holds_the_position(tmp_path: Path, game: str) -> None:
    table = started(tmp_path, game)
    play(table, 4)
    rows = EventLog(tmp_path).rows("g1")
    entries = table.snapshot().entries
    for row, entry in zip(rows, entries, strict=True):
        before, after = entry.before.game, entry.after.game
        ends = after is not None and (before is None or before.turn.number != after.turn.number)
        assert (row.position is not None) == ends
        if row.position is not None:
            assert msgspec.json.decode(row.position, type=Game) == after
    assert sum(row.position is not None for row in rows) >= 4
    table.close()


def rewrite(folder: Path, seq: int, **changed: str) -> None:
    """Changes a row and mends the chain after it: as if other rules had written it."""
    log = EventLog(folder)
    rows = list(log.rows("g1"))
    log.close()
    rows[seq - 1] = msgspec.structs.replace(rows[seq - 1], **changed)
    with closing(sqlite3.connect(folder / FILE_NAME)) as db, db:
        hashed = b""
        for n, row in enumerate(rows, start=1):
            hashed = chain(hashed, "g1", n, row)
            db.execute(
                "UPDATE row SET event = ?, digest = ?, hash = ? WHERE seq = ?",
                (row.event, row.digest, hashed, n),
            )


@pytest.mark.parametrize(
    "event",
    ['{"type":"DiceRolled","faces":[],"final":true}', '{"type":"SomethingNew"}'],
    ids=["illegal", "unknown"],
)
def test_a_log_of_other_rules_goes_on_from_the_position_it_holds(
    tmp_path: Path, game: str, event: str
) -> None:
    table = started(tmp_path, game)
    play(table, 3)
    before = table.snapshot()
    rolls = [e.seq for e in before.entries if isinstance(e.event, DiceRolled)]
    table.close()
    rewrite(tmp_path, rolls[0], event=event)
    again = Table(EventLog(tmp_path))
    after = again.snapshot()
    assert after.rev == before.rev
    assert after.state.pinned
    assert after.state.game == before.state.game, "a later row holds the position"
    said = step(again)
    assert said is not None
    say(again, said)
    again.close()


def test_a_changed_digest_pins_the_stored_position(tmp_path: Path, game: str) -> None:
    table = started(tmp_path, game)
    play(table, 2)
    ends = [e.seq for e in table.snapshot().entries if e.after.game is not None][-1:]
    table.close()
    rewrite(tmp_path, ends[0], digest="0" * 32)
    again = Table(EventLog(tmp_path))
    assert again.snapshot().state.pinned
    again.close()


def test_a_listener_hears_every_change_once(tmp_path: Path, game: str) -> None:
    table = started(tmp_path, game)
    heard: list[int] = []
    table.subscribe(lambda: heard.append(table.snapshot().rev))
    say(table, Corrected((Correction(Seat(0), Number.ENERGY, 3),)))
    with pytest.raises(RefusedError):
        say(table, Undone(99))
    assert heard == [3]
    table.close()


def test_undo_stops_at_the_table_itself(tmp_path: Path, game: str) -> None:
    table = started(tmp_path, game)
    entry = undoable(table.snapshot())
    assert entry is not None
    say(table, Undone(entry.seq))
    assert undoable(table.snapshot()) is None
    with pytest.raises(RefusedError, match="cannot_undo"):
        say(table, Undone(1))
    table.close()


def test_a_question_keeps_its_id_through_what_is_said_beside_it(tmp_path: Path, game: str) -> None:
    table = started(tmp_path, game)
    play(table, 0)
    before = table.snapshot().state
    assert isinstance(before.question, Roll)
    table.propose(tuple([RULESETS[game].faces[0]] * before.question.dice))
    say(table, Corrected((Correction(Seat(0), Number.ENERGY, 3),)))
    say(table, OrderChosen(Seat(0), RULESETS[game].faces))
    after = table.snapshot()
    assert after.state.question_id == before.question_id
    assert after.proposal is not None
    event = step(table)
    assert event is not None
    say(table, event)
    assert table.snapshot().state.question_id != before.question_id
    assert table.snapshot().proposal is None
    table.close()
