"""Random play of the pairs without a test: differences under rotation and exchange."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from random import Random
from typing import TypeVar

from companion.engine import RULESETS, CardKind
from tests.engine.tables import TOKYO
from tests.pairs import drawn, exchange, rotation
from tests.pairs.drawn import Pair
from tests.pairs.meetings import has_test, meetings

D = TypeVar("D")

MOST_FAULTS = 20
"""The most differences that are printed."""


@dataclass
class Played:
    """How many positions were compared, how many were rejected, and the differences."""

    compared: int = 0
    passed_over: int = 0
    faults: list[str] = field(default_factory=list)


def untested(game: str) -> tuple[Pair, ...]:
    """Return the pairs of a game that can meet and have no test."""
    rules = RULESETS[game]
    return tuple(pair for pair in meetings(rules) if not has_test(rules, pair))


def rotated(game: str, count: int, seed: int) -> Played:
    """Compare so many positions of a game with their seats moved by one."""
    pairs = shuffled(untested(game), seed)
    return _played(drawn.positions(game, seed, pairs), rotation.difference, count)


def exchanged(count: int, seed: int) -> Played:
    """Compare so many positions of King of Tokyo with a card and its copy exchanged: each card with
    its copy, then the pairs without a test. Which pairs those are changes with the tests.
    """
    keeps = (c for c in RULESETS[TOKYO].cards.values() if c.kind is CardKind.KEEP and not c.copier)
    copies = tuple((card.name, card.name) for card in keeps)
    pairs = (*shuffled(copies, seed), *shuffled(untested(TOKYO), seed))
    return _played(exchange.positions(seed, pairs), exchange.difference, count)


def shuffled(pairs: tuple[Pair, ...], seed: int) -> tuple[Pair, ...]:
    """Return the pairs in the order in which they are played."""
    return tuple(Random(seed).sample(pairs, len(pairs)))


def _played(positions: Iterator[D], difference: Callable[[D], str | None], count: int) -> Played:
    played = Played()
    for position in positions:
        if played.compared == count or len(played.faults) == MOST_FAULTS:
            break
        wrong = difference(position)
        if wrong is None:
            played.passed_over += 1
            continue
        played.compared += 1
        if wrong:
            played.faults.append(f"{position}: {wrong}")
    return played
