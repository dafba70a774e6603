"""Compare the dice of two rests: a new roll, dice taken up, or the same roll again.

Pure functions of readings. When a rest is read: `watcher`.
"""

from __future__ import annotations

from cmath import phase
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from dataclasses import replace as dataclass_replace
from enum import Enum, auto
from itertools import combinations, permutations

import numpy as np
from msgspec.structs import replace

from companion.vision.networks.corners import yaws
from companion.vision.read.seen import SeenDie, distance
from companion.vision.readings import DiceReading, DieReading, ReadingProblem

NEAR = 0.2
"""The distance in widths up to which a die has not moved."""

EXACT = 0.1
"""The error of measurement, in widths. A larger distance is a movement if something else
supports it: a die that leaned now lies flat, or a knock shifted the other dice by another
amount."""

KNOCK = 5.0
"""The largest shift of all dice by a knock against camera or tray, in widths."""

KNOCK_OF_FEW = 1.0
"""As `KNOCK`, for two dice; a shift of a single die proves no knock."""

NUDGE = 0.5
"""The distance in widths up to which a single die with the same face was pushed, not rolled: a
rolling die shows another face after each width."""

MOST = 0.6
"""The share of dice with a face that must have moved alike in a knock, and all certain ones."""

TURNED = 0.14
"""The largest turn of the picture by a knock, radians; also its largest change of scale."""

FEWEST_SURE = 2
"""The certain dice that make a throw if the number is wrong; one may be a print on the table."""

UNMOVED, UNTURNED = 0.15, 6.0
"""The largest shift, in sides, and turn, degrees, between two looks at a die that lies still."""

_PHYSICAL = frozenset({ReadingProblem.NOT_FLAT, ReadingProblem.STACKED, ReadingProblem.CUT})


class Count(Enum):
    """Whether the number of dice is the expected one."""

    WRONG = auto()
    POSSIBLE = auto()
    """No number is expected, and the game allows this one."""
    EXPECTED = auto()


@dataclass(frozen=True, slots=True)
class RestComparison:
    """The dice of two rests, with the index pairs (before, now) of those that have not moved."""

    before: tuple[DieReading, ...]
    now: tuple[DieReading, ...]
    stayed: tuple[tuple[int, int], ...]
    count: Count

    @property
    def lost(self) -> tuple[DieReading, ...]:
        """The earlier dice that are no longer there."""
        stayed = {was for was, _ in self.stayed}
        return tuple(die for index, die in enumerate(self.before) if index not in stayed)

    @property
    def new(self) -> tuple[DieReading, ...]:
        """The dice that were not there before."""
        stayed = {now for _, now in self.stayed}
        return tuple(die for index, die in enumerate(self.now) if index not in stayed)

    @property
    def is_throw(self) -> bool:
        """Whether dice were thrown: certain ones lie elsewhere, or a possible one replaces a
        certain one.

        Shadows, coins and cards pass for dice too, and for different ones in each light; but they
        are few, or most have no face.
        """
        new = self.new
        if not new or 2 * len(_named(new)) < len(new):
            return False
        sure = sum(die.problem is None for die in new)
        is_added = not self.lost and bool(self.before)
        fits = self.count is Count.EXPECTED or (self.count is Count.POSSIBLE and not is_added)
        if sure and (fits or sure >= FEWEST_SURE):
            return True
        if sure and self.lost and len(self.before) <= len(self.now):
            return True
        was_solid = any(die.problem is None or _is_leaning(die) for die in self.lost)
        # The number says little here: the reader looks for as many as are expected.
        all_named = len(_named(new)) == len(new)
        return was_solid and all_named and len(self.now) == len(self.before)

    @property
    def is_taken_up(self) -> bool:
        """Whether some dice are gone and none was thrown, as before a roll."""
        return not self.is_throw and any(die.face is not None for die in self.lost)

    def order(self) -> tuple[int, ...]:
        """The order in which the current dice are reported: those that stayed keep their places,
        the others fill the rest in their own order.
        """
        kept = {was: now for was, now in self.stayed if was < len(self.now)}
        stayed = set(kept.values())
        others = iter([now for now in range(len(self.now)) if now not in stayed])
        places = range(len(self.now))
        return tuple(kept[was] if was in kept else next(others) for was in places)

    def moved(self) -> tuple[int, ...]:
        """The places in `order()` of the dice that were thrown."""
        stayed = {now for _, now in self.stayed}
        return tuple(place for place, now in enumerate(self.order()) if now not in stayed)

    def still(self, dice: Collection[int]) -> tuple[int, ...]:
        """The places in `order()` of the given earlier dice that stayed."""
        stayed = {now for was, now in self.stayed if was in dice}
        return tuple(place for place, now in enumerate(self.order()) if now in stayed)


def compare(
    before: Sequence[DieReading], now: Sequence[DieReading], count: Count = Count.POSSIBLE
) -> RestComparison:
    """Compare the dice of two rests; a common shift by a knock is no movement."""
    found = RestComparison(tuple(before), tuple(now), _pairs(before, now, NEAR), count)
    if not found.is_throw:
        return found
    named = _named(now)
    for knocked in _knocked(before, named):
        explained = dataclass_replace(found, stayed=_pairs(knocked, now, EXACT))
        stay = len(named) - len(_named(explained.new))
        if all(die.problem is not None for die in explained.new) and stay >= MOST * len(named):
            return explained
    return found


def _is_nudge(before: Sequence[DieReading], now: Sequence[DieReading]) -> bool:
    """Whether a single die was pushed: a thrown one hardly ever lands like this. If it was thrown
    after all, people can read it again; a false roll would be counted."""
    if len(before) != 1 or len(now) != 1:
        return False
    (was,), (die,) = before, now
    is_sure = was.problem is None and die.problem is None
    return is_sure and was.face == die.face and widths_apart(was, die) <= NUDGE


def _named(dice: Sequence[DieReading]) -> list[DieReading]:
    return [die for die in dice if die.face is not None]


def _is_leaning(die: DieReading) -> bool:
    return die.face is not None and die.problem in _PHYSICAL


def _moved(die: DieReading, centre: complex) -> DieReading:
    _, _, width, height = die.box
    box = (round(centre.real - width / 2), round(centre.imag - height / 2), width, height)
    return replace(die, box=box)


def _knocked(before: Sequence[DieReading], now: Sequence[DieReading]) -> Iterator[list[DieReading]]:
    """Yields the earlier dice as they would be seen after each knock that moves two of them onto
    two current ones; pairs far apart first, as they measure the turn best."""
    pairs = [
        (one.distance(two.centre), n, m) for (n, one), (m, two) in combinations(enumerate(now), 2)
    ]
    for _, n, m in sorted(pairs, reverse=True):
        one, two = now[n], now[m]
        here, there = complex(*one.centre), complex(*two.centre)
        widest = (KNOCK if len(now) > 2 else KNOCK_OF_FEW) * max(one.box[2], two.box[2])
        for first, second in permutations(before, 2):
            was, other = complex(*first.centre), complex(*second.centre)
            if was == other or not (_agree(first, one) and _agree(second, two)):
                continue
            turn = (there - here) / (other - was)
            is_slight = abs(abs(turn) - 1) <= TURNED and abs(phase(turn)) <= TURNED
            if is_slight and max(abs(here - was), abs(there - other)) <= widest:
                yield [_moved(die, here + turn * (complex(*die.centre) - was)) for die in before]


def _pairs(
    before: Sequence[DieReading], now: Sequence[DieReading], near: float
) -> tuple[tuple[int, int], ...]:
    """Match earlier dice with current ones at most `near` widths away, nearest pairs first."""
    distances = sorted(
        (widths_apart(was, die), b, n)
        for b, was in enumerate(before)
        for n, die in enumerate(now)
        if _agree(was, die)
    )
    pairs: dict[int, int] = {}
    taken: set[int] = set()
    for widths, b, n in distances:
        is_put_right = before[b].problem in _PHYSICAL and now[n].problem is None
        if widths > (EXACT if is_put_right else near):
            continue
        if b not in pairs and n not in taken:
            pairs[b] = n
            taken.add(n)
    return tuple(sorted(pairs.items()))


def widths_apart(was: DieReading, die: DieReading) -> float:
    """Return the distance between two looks at a die, in its widths."""
    return was.distance(die.centre) / max(1.0, min(was.box[2], die.box[2]))


def _agree(was: DieReading, die: DieReading) -> bool:
    """Whether both can be the same die; doubt about a face is no change of it."""
    doubt = was.problem is not None or die.problem is not None
    return doubt or was.face is None or die.face is None or was.face == die.face


@dataclass(frozen=True, slots=True)
class Rest:
    """A rest of the dice compared with the last one reported."""

    reading: DiceReading
    """The reading, its dice in order, with those that were thrown."""
    is_news: bool
    is_taken_up: bool
    known: DiceReading
    """The reading that later rests are compared with."""


def first_rest(reading: DiceReading, expected: int | None) -> Rest:
    """Compare the first rest, or the first after an empty tray: all dice were thrown. If all are
    doubtful, they count if their number is the expected one and most have a face."""
    dice = reading.dice
    thrown = replace(reading, moved=tuple(range(len(dice))))
    named = sum(die.face is not None for die in dice)
    is_all = len(dice) == expected and 2 * named > len(dice)
    first = RestComparison((), dice, (), _count(reading, expected))
    return Rest(thrown, is_all or first.is_throw, False, thrown)


def _count(reading: DiceReading, expected: int | None) -> Count:
    if ReadingProblem.COUNT in reading.problems:
        return Count.WRONG
    return Count.POSSIBLE if expected is None else Count.EXPECTED


def compare_with_last(
    before: DiceReading | None, reading: DiceReading, expected: int | None, *, was_empty: bool
) -> Rest:
    """Compare this rest with the last one reported, if any. `was_empty`: no dice were seen in
    between; if the earlier ones are still there, they were only invisible, for lack of light."""
    if before is None:
        return first_rest(reading, expected)
    comparison = compare(before.dice, reading.dice, _count(reading, expected))
    if not was_empty and _is_nudge(before.dice, reading.dice):
        comparison = dataclass_replace(comparison, stayed=((0, 0),))
    dice = tuple(reading.dice[index] for index in comparison.order())
    ordered = replace(reading, dice=dice, moved=comparison.moved(), roll=before.roll + 1)
    if comparison.is_throw and not was_empty:
        return Rest(ordered, True, False, ordered)
    first = first_rest(ordered, expected)
    if first.is_news and (comparison.is_throw or not comparison.stayed):
        return first
    if comparison.is_taken_up:
        return Rest(ordered, False, True, before)
    again = replace(ordered, moved=comparison.still(before.moved), roll=before.roll)
    at = dict(comparison.stayed)
    kept = (
        _remembered(die, reading.dice[at[index]]) if index in at else die
        for index, die in enumerate(before.dice)
    )
    return Rest(again, False, False, replace(before, dice=tuple(kept)))


def _remembered(was: DieReading, die: DieReading) -> DieReading:
    """The earlier die at its current place; a later doubt does not remove its face."""
    return die if was.problem is not None else replace(was, box=die.box)


def is_unmoved(die: SeenDie, before: Sequence[SeenDie]) -> bool:
    """Whether the die lies as one of the earlier ones did: its look shows nothing new."""

    def lies_alike(other: SeenDie) -> bool:
        turn = float(np.degrees(yaws(die.quad[None])[0] - yaws(other.quad[None])[0]))
        return distance(die, other) < UNMOVED and abs((turn + 45) % 90 - 45) < UNTURNED

    return any(map(lies_alike, before))
