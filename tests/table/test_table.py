"""A table: commands, undo and redo, earlier games, and logs of other rules."""

from __future__ import annotations

import json
import random
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import pytest
from msgspec import structs

from companion.engine import (
    RULESETS,
    AnyEvent,
    Choice,
    Chosen,
    Corrected,
    Correction,
    DiceRolled,
    Number,
    OrderChosen,
    Position,
    PutOff,
    Roll,
    Seat,
)
from companion.table import (
    RULES_VERSION,
    ActiveRows,
    Entry,
    GameStarted,
    GameSummary,
    Input,
    Redone,
    RefusedError,
    SeatSetup,
    State,
    Submission,
    Table,
    TableSet,
    Undone,
    branches,
    history,
    undoable,
    way_to,
)
from companion.table.database import FILE_NAME, ChainEnd, StoredRow, chain, put_end, put_row
from companion.table.history import apply_event
from companion.table.log import EventLog
from tests.waiting import Disk, failing, wait_until

_, TOKYO = RULESETS


def say(table: Table, *events: Input) -> int:
    rev = table.snapshot().rev
    who = f"{table.snapshot().game_id}-{rev}-{len(events)}"
    return table.submit(Submission(f"say-{who}", rev, events))


def started(folder: Path, game: str, players: int = 2) -> Table:
    table = Table(EventLog(folder))
    begin(table, game, players)
    return table


def table_set(game: str, players: int) -> TableSet:
    seats = tuple(SeatSetup(f"P{n}", f"M{n}") for n in range(players))
    return TableSet(game, RULESETS[game].editions[0], seats)


def begin(table: Table, game: str, players: int = 2) -> None:
    say(table, table_set(game, players), GameStarted(0))


def step(table: Table) -> AnyEvent | None:
    """Return the first legal event; None: the game is over."""
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
            say(table, Position.of(state.game).legal_events()[0])
    raise AssertionError("the turns do not end")


@pytest.fixture(params=sorted(RULESETS))
def game(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def rewrite(folder: Path, seq: int, **changed: str) -> None:
    """Change a row and the chain after it, as if other rules had written it."""
    rewrite_all(folder, lambda n, row: structs.replace(row, **changed) if n == seq else row)


def rewrite_all(folder: Path, change: Callable[[int, StoredRow], StoredRow]) -> None:
    """Do the same to every row of g1."""
    log = EventLog(folder)
    rows = [change(n, row) for n, row in enumerate(log.read("g1"), start=1)]
    log.close()
    with closing(sqlite3.connect(folder / FILE_NAME)) as db, db:
        hashed = b""
        for n, row in enumerate(rows, start=1):
            hashed = chain(hashed, "g1", n, row)
            put_row(db, "g1", n, row, hashed)
        put_end(db, "g1", ChainEnd(len(rows), hashed, 1))


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
    following = step(again)
    assert following is not None
    say(again, following)
    again.close()


def test_a_listener_hears_every_change_once(tmp_path: Path, game: str) -> None:
    table = started(tmp_path, game)
    published: list[int] = []
    table.subscribe(lambda: published.append(table.snapshot().rev))
    say(table, Corrected((Correction(Seat(0), Number.ENERGY, 3),)))
    with pytest.raises(RefusedError):
        say(table, Undone(99))
    assert published == [3]
    table.close()


def test_a_question_keeps_its_id_through_what_is_said_beside_it(tmp_path: Path, game: str) -> None:
    table = started(tmp_path, game)
    play(table, 0)
    before = table.snapshot().state
    assert isinstance(before.question, Roll)
    say(table, Corrected((Correction(Seat(0), Number.ENERGY, 3),)))
    say(table, OrderChosen(Seat(0), RULESETS[game].faces))
    after = table.snapshot()
    assert after.state.question_id == before.question_id
    event = step(table)
    assert event is not None
    say(table, event)
    assert table.snapshot().state.question_id != before.question_id
    table.close()


def test_earlier_games_are_listed_looked_at_and_taken_up(tmp_path: Path, game: str) -> None:
    table = started(tmp_path, game, 3)
    play(table, 2)
    first = table.snapshot()
    new = table_set(game, 2)
    say(table, new)
    at = table.snapshot().entries[-1].at
    assert table.games() == (
        GameSummary(
            "g1", first.state.setup, first.rev, True, False, (), first.entries[-1].at, False
        ),
        GameSummary("g2", table.snapshot().state.setup, 1, False, False, (), at, True),
    )
    look = table.snapshot_of("g1")
    assert (look.game_id, look.rev, look.state.game) == ("g1", first.rev, first.state.game)
    assert table.snapshot().game_id == "g2"
    published: list[str] = []
    table.subscribe(lambda: published.append(table.snapshot().game_id))
    table.resume("g1")
    table.resume("g1")
    assert published == ["g1"]
    assert (table.snapshot().rev, table.snapshot().state.game) == (first.rev, first.state.game)
    assert [(one.id, one.current) for one in table.games()] == [("g2", False), ("g1", True)]
    say(table, Corrected(), Corrected())
    assert len(tuple(EventLog(tmp_path).read("g1"))) == first.rev + 2
    for ask in (table.snapshot_of, table.resume):
        with pytest.raises(RefusedError, match="no_such_table"):
            ask("g9")
    say(table, new)
    assert table.snapshot().game_id == "g3"
    table.close()


def test_a_log_without_games_says_so_and_names_no_other(tmp_path: Path) -> None:
    with closing(Table(EventLog(tmp_path))) as table:
        for ask in (table.snapshot_of, table.resume):
            with pytest.raises(RefusedError, match=r"games\.none"):
                ask("g9")


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


def other_game(row: StoredRow, change: Callable[[dict[str, Any]], object]) -> StoredRow:
    """Make a row whose position was changed by hand, with a digest that no rules give."""
    if row.position is None:
        return row
    position = json.loads(row.position)
    change(position)
    return structs.replace(row, position=json.dumps(position), digest="0" * 32)


UNUSABLE: dict[str, Callable[[dict[str, Any]], object]] = {
    "place": lambda game: game["monsters"][0].update(place="atlantis"),
    "edition": lambda game: game.update(edition="third"),
    "house rule": lambda game: game.update(house=["no_rules"]),
    "game": lambda game: game.update(rules="king-of-mars"),
    "seat": lambda game: game["turn"].update(active=7),
    "seats": lambda game: game["monsters"].pop(0),
    "card": lambda game: game["deck"].append("no_such_card"),
    "number": lambda game: game["monsters"][0].update(energy=1 << 40),
    "dice": lambda game: game["turn"].update(dice=1 << 20),
    "type": lambda game: game["monsters"][0].update(health="ten"),
    "field": lambda game: game.update(weather="rain"),
    "ids": lambda game: game["in_play"].update(
        shop=[{"id": 90, "name": name} for name in game["deck"][:2]] + [None]
    ),
}


@pytest.mark.parametrize("what", UNUSABLE)
def test_a_table_that_cannot_be_played_on_is_set_aside_and_every_other_one_served(
    tmp_path: Path, game: str, what: str
) -> None:
    table = started(tmp_path, game)
    play(table, 2)
    rev = table.snapshot().rev
    begin(table, game)
    table.close()
    rewrite_all(tmp_path, lambda _, row: other_game(row, UNUSABLE[what]))
    table = Table(EventLog(tmp_path))
    assert (table.snapshot().game_id, table.set_aside) == ("g2", ())
    assert table.snapshot_of("g1").rev == rev
    key = "unknown_game" if what == "game" else "unusable_position"
    with pytest.raises(RefusedError, match=key) as refusal:
        table.resume("g1")
    assert refusal.value.params["game" if what == "game" else "reason"]
    assert [one.rows for one in table.games()] == [rev, 2]
    table.close()


@pytest.mark.parametrize("newer", [True, False])
def test_where_the_played_table_is_set_aside_a_new_one_lies_ready(
    tmp_path: Path, game: str, newer: bool
) -> None:
    table = started(tmp_path, game)
    play(table, 2)
    table.close()
    version = str(int(RULES_VERSION) + newer)

    def written_by_others(n: int, row: StoredRow) -> StoredRow:
        event = row.event if n == 1 else '{"type":"Yawned"}'
        other = other_game(row, lambda position: position.update(weather="rain"))
        return structs.replace(other, event=event, rules_version=version, digest="1" * 32)

    rewrite_all(tmp_path, written_by_others)
    table = Table(EventLog(tmp_path))
    ((name, reason),) = table.set_aside
    assert (name, reason.key) == ("g1", f"error.{'newer' if newer else 'unusable'}_position")
    assert (table.snapshot().game_id, table.snapshot().rev) == ("g2", 0)
    begin(table, game)
    table.close()
    again = Table(EventLog(tmp_path))
    assert (again.snapshot().game_id, again.snapshot().rev, again.set_aside) == ("g2", 2, ())
    again.close()


def test_a_game_whose_set_up_is_lost_has_nameless_seats(tmp_path: Path, game: str) -> None:
    table = started(tmp_path, game, 3)
    play(table, 2)
    table.close()
    for row in (1, 2):
        rewrite(tmp_path, row, event='{"type":"Corrected"}')
    table = Table(EventLog(tmp_path))
    setup = table.snapshot().state.setup
    assert setup is not None
    assert (setup.game, [seat.player for seat in setup.seats]) == (game, ["", "", ""])
    table.close()


def test_undoing_back_over_what_cannot_be_used_leads_to_a_table_that_reopens() -> None:
    state = State(unplayable=RefusedError("error.unusable_position"))
    entry = Entry(1, "", "", "", Corrected(), state, state)
    undone, _ = apply_event(State(active=ActiveRows().plus(1)), Undone(1), 2, [entry])
    assert undone.unplayable is None


def test_entries_of_long_ago_ask_again_and_are_undone_alike(
    tmp_path: Path, game: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = started(tmp_path, game, 3)
    play(table, 5)
    whole, first = table.snapshot(), table.snapshot().entries[5]
    table.close()
    monkeypatch.setattr(history, "KEPT_POSITIONS", 3)
    again = Table(EventLog(tmp_path))
    assert [entry.after.kept is None for entry in again._entries[-5:]] == [True] * 2 + [False] * 3
    for one, other in zip(again.snapshot().entries, whole.entries, strict=True):
        assert (one.seq, one.event, one.performed) == (other.seq, other.event, other.performed)
        for mine, true in ((one.before, other.before), (one.after, other.after)):
            assert (mine.game, mine.active, mine.question_id) == (
                true.game,
                true.active,
                true.question_id,
            )
            assert history._question_identity(mine.question) == history._question_identity(
                true.question
            )
    say(again, Undone(first.seq))
    now, then = again.snapshot().state, first.before
    assert now.game == then.game
    assert history._question_identity(now.question) == history._question_identity(then.question)
    event = step(again)
    assert event is not None
    say(again, event)
    again.close()


def test_undo_and_redo_of_an_older_moment_change_nothing_that_was_played_since(
    tmp_path: Path, game: str
) -> None:
    table = started(tmp_path, game)
    play(table, 1)
    entry = undoable(table.snapshot())
    assert entry is not None
    seen = table.snapshot().rev
    undoing = say(table, Undone(entry.seq))
    say(table, Corrected((Correction(Seat(0), Number.ENERGY, 3),)))
    now = table.snapshot()
    stale: tuple[Input, ...] = (Undone(entry.seq), Undone(2), Redone(undoing))
    for n, event in enumerate(stale):
        for base in (seen, undoing, now.rev + 1, 0):
            with pytest.raises(RefusedError, match="stale") as refusal:
                table.submit(Submission(f"stale-{n}-{base}", base, (event,)))
            assert refusal.value.outdated
    assert table.snapshot() is now
    table.close()


@pytest.mark.parametrize("seed", range(4))
def test_of_commands_of_two_phones_none_is_lost_or_twice_or_over_a_change_not_seen(
    tmp_path: Path, seed: int
) -> None:
    """Stale, doubled and out of order: some are late, and some sent again."""
    chance, table = random.Random(seed), started(tmp_path, TOKYO, 3)
    late: list[Submission] = []
    bases: dict[str, int] = {}
    answers: dict[str, set[int]] = {}
    for n in range(150):
        now = table.snapshot()
        numbers = (Correction(Seat(chance.randrange(3)), Number.ENERGY, chance.randrange(9)),)
        entry = undoable(now)
        event: Input = Corrected(numbers)
        if entry is not None and entry.seq > 2 and chance.random() < 0.2:
            event = Undone(entry.seq)
        base = max(2, now.rev - chance.choice((0, 0, 0, 1, 2)))
        sent = [Submission(f"command-{n}", base, (event,)), *late]
        late = [one for one in sent if chance.random() < 0.3]
        for one in sent if chance.random() < 0.8 else sent[1:]:
            bases[one.command_id] = one.base_rev
            with suppress(RefusedError):
                rev = table.submit(one)
                answers.setdefault(one.command_id, set()).add(rev)
    entries = table.snapshot().entries
    applied = [entry.command_id for entry in entries if entry.command_id in bases]
    assert len(applied) > 50
    assert sorted(applied) == sorted(answers), "each once"
    assert all(len(revs) == 1 for revs in answers.values()), "sent again, answered alike"
    for entry in entries:
        if entry.command_id in bases and isinstance(entry.event, Corrected):
            then, before = entries[bases[entry.command_id] - 1].after.game, entry.before.game
            assert then is not None
            assert before is not None
            for number in entry.event.numbers:
                assert then.monsters[number.seat].energy == before.monsters[number.seat].energy
    table.close()


def test_a_redo_of_a_line_that_was_left_strands_no_row(tmp_path: Path, game: str) -> None:
    table = started(tmp_path, game)
    play(table, 1)
    entry = undoable(table.snapshot())
    assert entry is not None
    undoing = say(table, Undone(entry.seq))
    say(table, Corrected((Correction(Seat(0), Number.ENERGY, 3),)))
    with pytest.raises(RefusedError, match="cannot_redo"):
        say(table, Redone(undoing))
    for event in way_to(table.snapshot(), entry.seq):
        say(table, event)
    (left,) = branches(table.snapshot())
    assert left.undo > undoing, "what was played after the undo can be taken up again"
    table.close()


def test_the_same_id_with_another_content_is_refused_after_a_restart_too(
    tmp_path: Path, game: str
) -> None:
    table = started(tmp_path, game)
    one = Submission("the-same-id", 2, (Corrected((Correction(Seat(0), Number.ENERGY, 3),)),))
    other = Submission("the-same-id", 2, (Corrected((Correction(Seat(1), Number.ENERGY, 3),)),))
    rev = table.submit(one)
    for _ in range(2):
        before = table.snapshot()
        assert table.submit(one) == rev
        with pytest.raises(RefusedError, match="other_command"):
            table.submit(other)
        assert table.snapshot() is before
        table.close()
        table = Table(EventLog(tmp_path))
    table.close()


@pytest.mark.parametrize(
    ("way", "before"), [(["new"], "g1"), (["new", "new", "g1"], "g3"), (["new", "g1", "new"], "g1")]
)
def test_a_command_of_the_game_played_before_is_known_after_a_restart_and_none_of_older_ones(
    tmp_path: Path, way: list[str], before: str
) -> None:
    """Whichever game that was: not the one begun last, if an older one was taken up."""
    table = started(tmp_path, TOKYO)

    def go_to(game: str) -> None:
        if game == "new":
            begin(table, TOKYO)
        else:
            table.resume(game)

    for turn in way[:-1]:
        go_to(turn)
    now = table.snapshot()
    assert now.game_id == before
    command = Submission("the-command", now.rev, (Corrected(),))
    rev = table.submit(command)
    go_to(way[-1])
    for _ in range(2):
        now = table.snapshot()
        assert now.game_id != before
        assert table.submit(command) == rev
        assert table.snapshot() is now, "nothing happens"
        table.close()
        table = Table(EventLog(tmp_path))
    begin(table, TOKYO)
    assert table.rev_of(command.command_id, command.events) is None
    table.close()


def test_a_closed_table_opens_no_file_again(tmp_path: Path) -> None:
    log = EventLog(tmp_path)
    table = Table(log)
    table.close()
    log.put_state("people", ())  # a phone that joins as the service ends
    assert [table.save() for _ in range(2)] == [False, False]
    assert log.reopened == 0


def test_what_the_disk_refused_waits_until_it_is_saved(tmp_path: Path, game: str) -> None:
    """A command, and a game that is taken up: the next start would not go on with it."""
    disk = Disk()
    with failing(disk):
        table = started(tmp_path / "data", game)
        begin(table, game)
        for n in range(12):
            disk.left = 4 if n % 2 else 1  # a game that is taken up is read first
            if n % 2:
                table.resume(f"g{1 + n % 4 // 2}")
            else:
                say(table, Corrected())
            assert table.needs_saving
            wait_until(table.save)
            assert (table.needs_saving, table.snapshot().saved) == (False, True)
            assert disk.left <= 0, "nothing was refused"
            shutil.copytree(tmp_path / "data", tmp_path / f"killed-{n}")
            now, killed = table.snapshot(), EventLog(tmp_path / f"killed-{n}")
            assert (killed.current, killed.count(now.game_id)) == (now.game_id, now.rev)
            killed.close()
        table.close()


def test_a_game_that_the_disk_does_not_give_is_not_taken_up_in_part(
    tmp_path: Path, game: str
) -> None:
    table = started(tmp_path, game)
    play(table, 1)
    begin(table, game)
    now = table.snapshot()
    reader = table._log._reader
    table._log._reader = sqlite3.connect(":memory:")
    for ask in (table.snapshot_of, table.resume):
        with pytest.raises(RefusedError, match="log_unreadable"):
            ask("g1")
    table._log._reader.close()
    table._log._reader = reader
    assert table.snapshot() is now
    table.resume("g1")
    table.close()


def test_a_game_goes_on_in_an_older_copy_of_a_file_that_cannot_be_read(
    tmp_path: Path, game: str
) -> None:
    folder, aside = tmp_path / "data", tmp_path / "aside"
    table = started(folder, game)
    play(table, 3)
    table._log.save()
    shutil.copytree(folder, aside)
    play(table, 5)
    rev = table.snapshot().rev
    table._log._reader.close()
    table._log._reader = sqlite3.connect(":memory:", check_same_thread=False)
    shutil.rmtree(folder)
    say(table, Corrected((Correction(Seat(0), Number.ENERGY, 3),)))
    shutil.copytree(aside, folder)
    assert table.save()
    assert (table.snapshot().game_id, table.snapshot().rev) == ("g1", rev + 1)
    table.close()
    again = Table(EventLog(folder))
    assert (again.snapshot().game_id, again.snapshot().rev) == ("g1", rev + 1)
    again.close()
