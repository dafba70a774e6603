"""The table: replay, and what a log from other rules may not do to it."""

from __future__ import annotations

import sqlite3
import threading
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
    GameSummary,
    Input,
    Line,
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


def test_a_look_at_the_table_does_not_wait_for_a_row_that_is_being_written(
    tmp_path: Path, game: str
) -> None:
    table = started(tmp_path, game)
    before = table.snapshot()
    with closing(sqlite3.connect(tmp_path / FILE_NAME, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")  # the disk is busy with something else
        writer = threading.Thread(target=say, args=(table, Corrected()))
        writer.start()
        while table._log.saved:  # until it waits for the file
            pass
        assert table.snapshot() is before
        assert table.look_at("g1") is before
        assert writer.is_alive()
        other.execute("ROLLBACK")
    writer.join()
    assert table.snapshot().rev == before.rev + 1
    table.close()


def test_earlier_games_are_listed_looked_at_and_taken_up(tmp_path: Path, game: str) -> None:
    table = started(tmp_path, game, 3)
    play(table, 2)
    first = table.snapshot()
    seats = (SeatSetup("A", "M0"), SeatSetup("B", "M1"))
    say(table, TableSet(game, RULESETS[game].editions[0], seats))
    at = table.snapshot().entries[-1].at
    assert table.games() == (
        GameSummary(
            "g1", first.state.setup, first.rev, True, False, (), first.entries[-1].at, False
        ),
        GameSummary("g2", table.snapshot().state.setup, 1, False, False, (), at, True),
    )
    look = table.look_at("g1")
    assert (look.table, look.rev, look.state.game) == ("g1", first.rev, first.state.game)
    assert table.snapshot().table == "g2"
    heard: list[str] = []
    table.subscribe(lambda: heard.append(table.snapshot().table))
    table.take_up("g1")
    table.take_up("g1")
    assert heard == ["g1"]
    assert (table.snapshot().rev, table.snapshot().state.game) == (first.rev, first.state.game)
    assert [one.current for one in table.games()] == [True, False]
    say(table, Corrected(), Corrected())
    assert len(EventLog(tmp_path).rows("g1")) == first.rev + 2
    for unknown in (table.look_at, table.take_up):
        with pytest.raises(RefusedError, match="no_such_table"):
            unknown("g9")
    say(table, TableSet(game, RULESETS[game].editions[0], seats))
    assert table.snapshot().table == "g3"
    table.close()


def test_a_game_that_ended_is_listed_with_its_winners_until_the_end_is_undone(
    tmp_path: Path,
) -> None:
    table = started(tmp_path, "tokyo")
    play(table, 1)
    stars = Corrected((Correction(Seat(1), Number.HEALTH, 0),))
    rev = say(table, stars)
    while (event := step(table)) is not None:
        say(table, event)
    (one,) = table.games()
    assert (one.started, one.ended, one.winners) == (True, True, (0,))
    say(table, Undone(rev))
    (one,) = table.games()
    assert (one.started, one.ended, one.winners) == (True, False, ())
    say(table, Undone(2))
    (one,) = table.games()
    assert (one.started, one.ended) == (False, False)
    table.close()


def test_a_line_is_its_rows_and_shares_what_it_grew_from() -> None:
    line = Line.of([1, 2, 5, 6])
    more = line.plus(9).plus(12)
    assert (list(line), len(line), list(reversed(line))) == ([1, 2, 5, 6], 4, [6, 5, 2, 1])
    assert [seq for seq in range(14) if seq in more] == [1, 2, 5, 6, 9, 12]
    assert (more.since(6), more.since(0), more.since(13)) == ((6, 9, 12), tuple(more), ())
    assert more.grew_from(line)
    assert more.grew_from(Line.of([1, 2]))
    assert not line.grew_from(more)
    assert not more.grew_from(Line.of([1, 3]))
    assert line == Line.of([1, 2, 5, 6])
    assert line != more
    assert not Line()
    long = Line.of(range(1, 300_000))
    del long  # freed without a deep recursion
