"""Whether the dice that lie there are a new roll, or the one that was already read."""

from __future__ import annotations

from cmath import phase
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, permutations

from msgspec.structs import replace

from companion.vision.readings import DiceReading, DieReading
from companion.vision.states import Problem

NEAR = 0.2
"""A die that lies within so much of its width of where one lay has not moved."""

EXACT = 0.1
"""Less than this is no movement at all, only a measurement. More is one where something else
speaks for it: a die that leaned and now lies flat; dice that a knock has not shifted alike."""

KNOCK = 5.0
"""A knock against camera or tray shifts all dice alike, by at most so many widths."""

KNOCK_OF_FEW = 1.0
"""And by no more where there are only two dice: of fewer, a common shift proves nothing."""

TURNED = 0.14
"""And it turns the picture by no more than this, radians; nor makes it so much larger."""

_PHYSICAL = frozenset({Problem.NOT_FLAT, Problem.STACKED, Problem.CUT})


@dataclass(frozen=True, slots=True)
class Comparison:
    """How the dice lie beside how they lay before: pairs of (before, now) that have not moved."""

    before: int
    now: int
    stayed: tuple[tuple[int, int], ...]

    @property
    def is_same(self) -> bool:
        """Nothing has moved, nothing came, nothing left."""
        return self.before == self.now == len(self.stayed)

    @property
    def is_taken_up(self) -> bool:
        """Some dice are gone and the others lie as they lay: no roll, but the way to one."""
        return len(self.stayed) == self.now < self.before

    def order(self) -> tuple[int, ...]:
        """The dice of now in the order in which they are told: those that stayed keep theirs.

        The others take what is left, in the order in which they came.
        """
        kept = {was: now for was, now in self.stayed if was < self.now}
        stayed = set(kept.values())
        others = iter([now for now in range(self.now) if now not in stayed])
        return tuple(kept[was] if was in kept else next(others) for was in range(self.now))

    def moved(self) -> tuple[int, ...]:
        """The places in `order()` of the dice that were thrown."""
        stayed = {now for _, now in self.stayed}
        return tuple(place for place, now in enumerate(self.order()) if now not in stayed)


def compare(before: Sequence[DieReading], now: Sequence[DieReading]) -> Comparison:
    """How the dice of two rests differ."""
    stayed = _pairs(before, now, NEAR)
    if len(stayed) < len(now) <= len(before) and len(now) >= 2:
        for knock in _knocks(before, now):
            knocked = _pairs([knock.moved(die) for die in before], now, EXACT)
            if len(knocked) == len(now):
                return Comparison(len(before), len(now), knocked)
    return Comparison(len(before), len(now), stayed)


@dataclass(frozen=True, slots=True)
class _Knock:
    """What a knock did to the picture: each point, as a complex number, is turned and shifted."""

    turn: complex
    shift: complex

    def moved(self, die: DieReading) -> DieReading:
        """The die as it would be seen after the knock."""
        _, _, width, height = die.box
        away = self.turn * complex(*die.centre) + self.shift
        box = (round(away.real - width / 2), round(away.imag - height / 2), width, height)
        return replace(die, box=box)


def _knocks(before: Sequence[DieReading], now: Sequence[DieReading]) -> Iterator[_Knock]:
    """Yields every knock that brings two dice of before to the two of now that lie farthest apart.

    All dice of now must come of it, so any two of them will do, and these say best how it turned.
    """
    pairs = combinations(now, 2)
    one, two = max(pairs, key=lambda pair: abs(complex(*pair[1].centre) - complex(*pair[0].centre)))
    here, there = complex(*one.centre), complex(*two.centre)
    widest = (KNOCK if len(now) > 2 else KNOCK_OF_FEW) * max(one.box[2], two.box[2])
    for first, second in permutations(before, 2):
        was, other = complex(*first.centre), complex(*second.centre)
        if was == other or not (_agree(first, one) and _agree(second, two)):
            continue
        turn = (there - here) / (other - was)
        is_slight = abs(abs(turn) - 1) <= TURNED and abs(phase(turn)) <= TURNED
        if is_slight and max(abs(here - was), abs(there - other)) <= widest:
            yield _Knock(turn, here - turn * was)


def _pairs(
    before: Sequence[DieReading], now: Sequence[DieReading], near: float
) -> tuple[tuple[int, int], ...]:
    """Which die of now is which of before; nearest first."""
    distances = sorted(
        (_apart(was, die), b, n)
        for b, was in enumerate(before)
        for n, die in enumerate(now)
        if _agree(was, die)
    )
    pairs: dict[int, int] = {}
    taken: set[int] = set()
    for distance, b, n in distances:
        is_put_right = before[b].problem in _PHYSICAL and now[n].problem is None
        if distance > (EXACT if is_put_right else near):
            continue
        if b not in pairs and n not in taken:
            pairs[b] = n
            taken.add(n)
    return tuple(sorted(pairs.items()))


def _apart(was: DieReading, die: DieReading) -> float:
    """How far the die lies from where the other lay, in widths."""
    apart = abs(complex(*die.centre) - complex(*was.centre))
    return apart / max(1.0, min(was.box[2], die.box[2]))


def _agree(was: DieReading, die: DieReading) -> bool:
    """Whether it can be the same die: doubt about its face is not a change of it."""
    doubt = was.problem is not None or die.problem is not None
    return doubt or was.face is None or die.face is None or was.face == die.face


@dataclass(frozen=True, slots=True)
class Lay:
    """What a rest means beside what was told before."""

    reading: DiceReading
    """With its dice in the order in which they are told, and which of them were thrown."""
    is_news: bool
    is_taken_up: bool
    known: DiceReading
    """What later rests are compared with."""


def first_lay(reading: DiceReading, expected: int | None) -> Lay:
    """The first dice of all, or the first after the tray was empty: all of them were thrown."""
    thrown = replace(reading, moved=tuple(range(len(reading.dice))))
    return Lay(thrown, _is_roll(thrown.dice, thrown.dice, expected), False, thrown)


def next_lay(
    before: DiceReading, reading: DiceReading, expected: int | None, *, was_empty: bool
) -> Lay:
    """What the dice are that lie there after those of before.

    `was_empty`: no dice were seen meanwhile. Where some of those before lie there still, they
    were only not seen, for the light went out.
    """
    comparison = compare(before.dice, reading.dice)
    number = before.roll + 1
    if comparison.is_taken_up:
        return Lay(reading, False, True, before)
    if comparison.is_same:
        dice = tuple(reading.dice[index] for index in comparison.order())
        told = replace(reading, dice=dice, moved=before.moved, roll=before.roll)
        kept = tuple(map(_remembered, before.dice, dice))
        return Lay(told, False, False, replace(told, dice=kept))
    if was_empty:
        thrown = replace(first_lay(reading, expected).reading, roll=number)
        is_roll = _is_roll(thrown.dice, thrown.dice, expected)
        return Lay(thrown, is_roll, False, thrown if is_roll else before)
    dice = tuple(reading.dice[index] for index in comparison.order())
    told = replace(reading, dice=dice, moved=comparison.moved(), roll=number)
    moved = [dice[place] for place in told.moved]
    is_rethrow = bool(comparison.stayed) and len(dice) == len(before.dice)
    is_roll = is_rethrow or _is_roll(moved, dice, expected)
    return Lay(told, is_roll, False, told if is_roll else before)


def _is_roll(moved: Sequence[DieReading], dice: Sequence[DieReading], expected: int | None) -> bool:
    """Whether these are dice thrown, and not coins and cards that somebody has put there.

    One die that is beyond doubt is enough; else as many must lie there as are waited for, and
    most of them have a face.
    """
    named = sum(die.face is not None for die in dice)
    return any(die.problem is None for die in moved) or (
        len(dice) == expected and 2 * named > len(dice)
    )


def _remembered(was: DieReading, die: DieReading) -> DieReading:
    """The die where it lies now; a doubt that came later does not take its face away."""
    return die if was.problem is not None else replace(was, box=die.box)
