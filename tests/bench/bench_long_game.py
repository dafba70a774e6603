"""A long game: the cost of undo, replay and memory, and of late turns compared with early ones."""

from __future__ import annotations

import statistics
import tempfile
import time
import tracemalloc
from collections.abc import Iterator
from pathlib import Path
from random import Random

from companion.engine import (
    RULESETS,
    AnyEvent,
    Corrected,
    Correction,
    Game,
    Number,
    Outcome,
    Position,
    Seat,
    Setup,
    new_game,
)
from companion.service.views.view import MONSTERS
from companion.table import (
    GameStarted,
    SeatSetup,
    Submission,
    Table,
    TableSet,
    Undone,
    undoable,
)
from companion.table.log import EventLog
from companion.virtual import random_event
from tests.bench import Figure

EVENTS = 500
ROUNDS = 7
PLAYERS = 4
OFFERED = 0.2
EARLY, LATE = 6, 60
"""Turns whose events are compared, with the two turns around each."""
GAMES = 40
UNDOS = 40


def figures() -> Iterator[Figure]:
    """Measure for each game: replay and memory of 500 events, an undo, late turns against early
    ones.
    """
    for game in RULESETS:
        start, events = _longest(game)
        yield Figure(f"{game}.replay_{EVENTS}_event_game", _replay_ms(start, events), "ms")
        yield Figure(f"{game}.all_states_of_{EVENTS}_events", _memory_mb(start, events), "MB")
        yield Figure(f"{game}.undo", _undo_ms(game, events), "ms")
        early, late = _cost_us(game)
        name = f"{game}.event_at_turn"
        yield Figure(f"{name}_{EARLY}", early, "us")
        yield Figure(f"{name}_{LATE}", late, "us", f"{name}_{EARLY}", round(late / early, 2))


def _game(game: str, chance: Random) -> Iterator[tuple[Outcome[Position], AnyEvent]]:
    """Play a random game; yield each outcome with the event that follows."""
    outcome = new_game(Setup(game, PLAYERS, Seat(0), "first"))
    while outcome.question is not None:
        event = random_event(outcome.position, chance, OFFERED)
        yield outcome, event
        outcome = outcome.position.apply(event)


def _longest(game: str) -> tuple[Game, tuple[AnyEvent, ...]]:
    """Return the first random game that is long enough, cut to the length."""
    for seed in range(10_000):
        played = list(_game(game, Random(f"long/{seed}")))
        if len(played) >= EVENTS:
            return played[0][0].game, tuple(event for _, event in played[:EVENTS])
    raise LookupError(game)


def _replay_ms(start: Game, events: tuple[AnyEvent, ...]) -> float:
    times = []
    for _ in range(ROUNDS):
        began = time.process_time()
        _replayed(start, events)
        times.append((time.process_time() - began) * 1000)
    return round(statistics.median(times), 2)


def _replayed(start: Game, events: tuple[AnyEvent, ...]) -> list[Game]:
    outcome, games = Position.of(start).apply(events[0]), [start]
    for event in events[1:]:
        games.append(outcome.game)
        outcome = outcome.position.apply(event)
    return [*games, outcome.game]


def _memory_mb(start: Game, events: tuple[AnyEvent, ...]) -> float:
    """Return the memory of all positions of the game, shared parts counted once."""
    _replayed(start, events)
    tracemalloc.start()
    try:
        before, _ = tracemalloc.get_traced_memory()
        games = _replayed(start, events)
        after, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert len(games) == EVENTS + 1
    return round((after - before) / 1e6, 3)


def _undo_ms(game: str, events: tuple[AnyEvent, ...]) -> float:
    """Time an undo at a table with the whole game in its log, the write to the disk included."""
    with tempfile.TemporaryDirectory() as folder:
        table = Table(EventLog(Path(folder)))
        seats = tuple(SeatSetup(f"P{n}", MONSTERS[n]) for n in range(PLAYERS))
        _say(table, TableSet(game, "first", seats))
        _say(table, GameStarted(0))
        for event in events:
            _say(table, event)
        times = []
        for _ in range(UNDOS):
            last = undoable(table.snapshot())
            assert last is not None
            began = time.perf_counter()
            _say(table, Undone(last.seq))
            times.append((time.perf_counter() - began) * 1000)
        table.close()
    return round(statistics.median(times), 2)


def _say(table: Table, event: AnyEvent | TableSet | GameStarted | Undone) -> None:
    rev = table.snapshot().rev
    table.submit(Submission(f"bench-{rev:06}", rev, (event,)))


def _cost_us(game: str) -> tuple[float, float]:
    """Return the processor time of an event near the early and near the late turn of the same
    games: each the mean of the middle half.
    """
    times: dict[int, list[float]] = {EARLY: [], LATE: []}
    for seed in range(GAMES):
        for outcome, event in _kept_alive(game, Random(f"cost/{seed}")):
            turn = outcome.game.turn.number
            if turn > LATE + 1:
                break
            near = next((each for each in times if abs(turn - each) <= 1), None)
            if near is not None:
                began = time.process_time_ns()
                outcome.position.apply(event)
                times[near].append((time.process_time_ns() - began) / 1000)
    return _middle(times[EARLY]), _middle(times[LATE])


def _middle(times: list[float]) -> float:
    quarter = len(times) // 4
    return round(statistics.mean(sorted(times)[quarter:-quarter]), 1)


def _kept_alive(game: str, chance: Random) -> Iterator[tuple[Outcome[Position], AnyEvent]]:
    """Play a random game that nobody wins: at each turn's beginning the numbers are reset."""
    outcome = new_game(Setup(game, PLAYERS, Seat(0), "first"))
    turn = 0
    while outcome.question is not None:
        if outcome.game.turn.number != turn:
            turn = outcome.game.turn.number
            outcome = outcome.position.apply(_set_back(outcome.game))
        assert outcome.question is not None
        event = random_event(outcome.position, chance, OFFERED)
        yield outcome, event
        outcome = outcome.position.apply(event)


def _set_back(game: Game) -> Corrected:
    """Set health 10 and no stars for everybody alive."""
    living = [monster.seat for monster in game.monsters if monster.alive]
    dials = ((Number.HEALTH, 10), (Number.STARS, 0))
    return Corrected(tuple(Correction(s, what, value) for s in living for what, value in dials))
