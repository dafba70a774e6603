"""The speed of the rules: replaying a log, the digest of a position.

Each beside the bare decoding of the same events or position, without which nothing is replayed.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from random import Random

import msgspec

from companion.engine import RULESETS, AnyEvent, Game, Position, Seat, Setup, new_game
from companion.virtual import random_event
from tests.bench import Figure

EVENTS = 600
ROUNDS = 7
OFFERED = 0.2


@dataclass(frozen=True, slots=True)
class Log:
    """A random game of four: its first position, its events, its last position."""

    start: Game
    events: tuple[AnyEvent, ...]
    end: Game

    def replay(self) -> None:
        """Replay the game from its events."""
        game = self.start
        for event in self.events:
            game = Position.of(game).apply(event).game


def figures() -> Iterator[Figure]:
    """Return medians of several rounds, for each game."""
    for game in RULESETS:
        logs = _logs(game)
        decode = _median_ms(partial(_decode_all, [msgspec.json.encode(log.events) for log in logs]))
        replay = _median_ms(partial(_replay_all, logs))
        yield Figure(f"{game}.decode_{EVENTS}_events", decode, "ms")
        yield _beside(f"{game}.replay_{EVENTS}_events", replay, f"decode_{EVENTS}_events", decode)
        end = logs[0].end
        read = _median_ms(partial(msgspec.json.decode, msgspec.json.encode(end), type=Game))
        yield Figure(f"{game}.decode_position", read, "ms")
        yield _beside(
            f"{game}.digest", _median_ms(Position.of(end).digest), "decode_position", read
        )


def _beside(name: str, value: float, other: str, against: float) -> Figure:
    game = name.partition(".")[0]
    return Figure(name, value, "ms", f"{game}.{other}", round(value / against, 2))


def _logs(game: str) -> list[Log]:
    """Play games until there are so many events; the last one is cut off."""
    logs: list[Log] = []
    while (left := EVENTS - sum(len(log.events) for log in logs)) > 0:
        logs.append(_played(game, Random(f"bench/{len(logs)}"), left))
    return logs


def _played(name: str, chance: Random, most: int) -> Log:
    outcome = new_game(Setup(name, 4, Seat(0), "first"))
    start = outcome.game
    events: list[AnyEvent] = []
    while outcome.question is not None and len(events) < most:
        events.append(random_event(outcome.position, chance, OFFERED))
        outcome = outcome.position.apply(events[-1])
    return Log(start, tuple(events), outcome.game)


def _decode_all(texts: list[bytes]) -> None:
    for text in texts:
        msgspec.json.decode(text, type=tuple[AnyEvent, ...])


def _replay_all(logs: list[Log]) -> None:
    for log in logs:
        log.replay()


def _median_ms(work: Callable[[], object]) -> float:
    work()
    times = []
    for _ in range(ROUNDS):
        began = time.perf_counter()
        work()
        times.append((time.perf_counter() - began) * 1000)
    return round(statistics.median(times), 3)
