"""Whether the dice that lie there are a new roll, or the one that was already read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from companion.vision.readings import DieReading
from companion.vision.states import Problem

NEAR = 0.2
"""A die that lies within so much of its width of where one lay has not moved."""

EXACT = 0.1
"""Less than this is no movement at all, only a measurement. More is one where something else
speaks for it: a die that leaned and now lies flat; dice that a knock has not shifted alike."""

KNOCK = 2.0
"""A knock against camera or tray shifts all dice alike, by at most so many widths."""

FEWEST_KNOCKED = 3
"""Of fewer dice, a common shift proves nothing."""

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
    stayed = _pairs(before, now, (0.0, 0.0), NEAR)
    if len(stayed) < len(now) == len(before) >= FEWEST_KNOCKED:
        x, y = before[0].centre
        for die in now:
            shift = (die.centre[0] - x, die.centre[1] - y)
            knocked = _pairs(before, now, shift, EXACT)
            if max(map(abs, shift)) <= KNOCK * die.box[2] and len(knocked) == len(now):
                return Comparison(len(before), len(now), knocked)
    return Comparison(len(before), len(now), stayed)


def _pairs(
    before: Sequence[DieReading],
    now: Sequence[DieReading],
    shift: tuple[float, float],
    near: float,
) -> tuple[tuple[int, int], ...]:
    """Which die of now is which of before, all of them shifted; nearest first."""
    distances = sorted(
        (_apart(was, die, shift), b, n)
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


def _apart(was: DieReading, die: DieReading, shift: tuple[float, float]) -> float:
    """How far the die lies from where the other would be, in widths."""
    x = die.centre[0] - was.centre[0] - shift[0]
    y = die.centre[1] - was.centre[1] - shift[1]
    return float((x * x + y * y) ** 0.5 / max(1.0, min(was.box[2], die.box[2])))


def _agree(was: DieReading, die: DieReading) -> bool:
    """Whether it can be the same die: doubt about its face is not a change of it."""
    doubt = was.problem is not None or die.problem is not None
    return doubt or was.face is None or die.face is None or was.face == die.face
