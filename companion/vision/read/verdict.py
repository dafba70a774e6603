"""The verdict on a rest, and whether a closer look confirms it. `decision` makes verdicts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from companion.vision.readings import SAME_PLACE, DieReading
from companion.vision.states import ReadingProblem

RESOLVABLE = frozenset({ReadingProblem.NOT_FLAT, ReadingProblem.DOUBTFUL, ReadingProblem.STACKED})
"""Problems that a closer look at the same picture can solve. It cannot help a die that is cut,
small, dark, blurred or of another game."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """The dice of a rest, left to right, and every reason for doubt."""

    dice: tuple[DieReading, ...]
    problems: tuple[ReadingProblem, ...]
    chance: float
    """A lower bound of the probability that all faces are right and of this game."""
    is_clear: bool = True
    """Whether all looks showed the same dice and faces, and no die has a fault that a closer look
    cannot solve."""

    @property
    def sure(self) -> bool:
        """Whether the reading may be applied without a tap."""
        return not self.problems

    @property
    def may_resolve(self) -> bool:
        """Whether a closer look at the dice could solve every problem."""
        return self.is_clear and bool(self.problems) and RESOLVABLE.issuperset(self.problems)

    def is_confirmed_by(self, closer: Verdict) -> bool:
        """Whether the closer look confirms what was seen: the same dice at the same places, with
        the faces that were likeliest before."""
        if not closer.sure or len(closer.dice) != len(self.dice):
            return False
        mates = [_nearest(die, closer.dice) for die in self.dice]
        if len(set(mates)) < len(mates):
            return False
        pairs = zip(self.dice, (closer.dice[mate] for mate in mates), strict=True)
        return all(_is_same(die, other) for die, other in pairs)


def _apart(die: DieReading, other: DieReading) -> float:
    """The distance between the middles of two dice, px."""
    return float(np.hypot(*np.subtract(other.centre, die.centre)))


def _nearest(die: DieReading, others: Sequence[DieReading]) -> int:
    """The index of the die nearest to this one."""
    return int(np.argmin([_apart(die, other) for other in others]))


def _is_same(die: DieReading, other: DieReading) -> bool:
    """Whether a closer look shows the same die: at its place, with its likeliest face."""
    is_there = _apart(die, other) < SAME_PLACE * min(die.box[2:])
    likeliest = die.face or next((offered.face for offered in die.alternatives), None)
    return is_there and other.face == likeliest
