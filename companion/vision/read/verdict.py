"""What the judge says of a rest, and whether a closer look takes its doubts away."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from companion.vision.readings import SAME_PLACE, DieReading
from companion.vision.states import Problem

LIFTED = frozenset({Problem.NOT_FLAT, Problem.DOUBTFUL, Problem.STACKED})
"""What a closer look at the same picture may take away. A die that is cut, small, dark, blurred or
another game's is so however closely it is looked at."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """The dice as they lie, left to right, and every reason for doubt."""

    dice: tuple[DieReading, ...]
    problems: tuple[Problem, ...]
    chance: float
    """The probability, at least, that the faces of all dice are right and of this game."""
    is_plain: bool = True
    """Whether all looks showed the same dice and faces, and nothing is wrong with any die but what
    a closer look may take away."""

    @property
    def sure(self) -> bool:
        """Whether it may be applied without a tap."""
        return not self.problems

    @property
    def is_open(self) -> bool:
        """Whether a closer look at the dice could take every doubt away."""
        return self.is_plain and bool(self.problems) and LIFTED.issuperset(self.problems)

    def is_lifted_by(self, closer: Verdict) -> bool:
        """Whether the closer look leaves no doubt of what was seen: the same dice at their places,
        with the faces that were likeliest, said or not."""
        if not closer.sure or len(closer.dice) != len(self.dice):
            return False
        mates = [_nearest(die, closer.dice) for die in self.dice]
        if len(set(mates)) < len(mates):
            return False
        pairs = zip(self.dice, (closer.dice[mate] for mate in mates), strict=True)
        return all(_is_same(die, other) for die, other in pairs)


def _apart(die: DieReading, other: DieReading) -> float:
    """How far apart their middles are, px."""
    return float(np.hypot(*np.subtract(other.centre, die.centre)))


def _nearest(die: DieReading, others: Sequence[DieReading]) -> int:
    """Which of the others lies nearest to it."""
    return int(np.argmin([_apart(die, other) for other in others]))


def _is_same(die: DieReading, other: DieReading) -> bool:
    """Whether it is that die, looked at closer: at its place, with its likeliest face."""
    is_there = _apart(die, other) < SAME_PLACE * min(die.box[2:])
    likeliest = die.face or next((offered.face for offered in die.alternatives), None)
    return is_there and other.face == likeliest
