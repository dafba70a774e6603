"""The arithmetic of dice: every throw of a number of dice, and what keeping some of them is worth.

Dice are alike, so a throw is how many of them show each face. What a throw is worth comes from
outside; nothing here knows a rule.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from itertools import combinations_with_replacement
from random import Random
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

Doubles = NDArray[np.float64]
Indices = NDArray[np.intp]
Counts = tuple[int, ...]
"""How many dice show each face, in the ruleset's order."""

_STEPS: Final = 5
"""So many dice of a face, or more, are one step."""
_DRAWN_WITH: Final = (2, 3, 4, 5)
"""How many dice of one face the sampled throws have, the others being drawn."""
_RIDGE: Final = 1.0
_SEED: Final = 1


@dataclass(frozen=True, slots=True, eq=False)
class Level:
    """All multisets of one size. `more[i, f]`: the index, one level up, of multiset i with another
    die of face f; `fewer[i, f]`: of it without one, one level down, or -1.
    """

    index: dict[Counts, int]
    more: Indices
    fewer: Indices


@dataclass(frozen=True, slots=True, eq=False)
class Throws:
    """All throws of `dice` dice, in levels of 0 to `dice` kept dice.

    `sample`: throws to be valued; `spread`: (throws, sample) turns their values into estimates for
    all throws.
    """

    dice: int
    levels: tuple[Level, ...]
    sample: tuple[Counts, ...]
    spread: Doubles

    def index(self, counts: Counts) -> int:
        """Return the index of a throw, or of kept dice within their level."""
        return self.levels[sum(counts)].index[counts]

    def estimate(self, values: Doubles) -> Doubles:
        """Return a value for every throw, given those of the sample.

        What a face adds depends on how many dice show it, in steps; faces add up (a ridge
        regression). So sets of different faces are not seen.
        """
        mean = values.mean()
        found: Doubles = np.clip(mean + self.spread @ (values - mean), 0, 1)
        return found

    def worth_of_keeping(self, final: Doubles, rolls: int) -> tuple[Doubles, ...]:
        """Return, for each level, the mean value of keeping a multiset and throwing the rest.

        `final`: the value of each throw once the rolling ends; `rolls`: throws left, this one
        among them, after each of which the best dice are kept or the rolling ends.
        """
        after = final
        for left in range(rolls, 0, -1):
            worth = [after]
            for level in reversed(self.levels[:-1]):
                worth.append(worth[-1][level.more].mean(axis=1))
            worth.reverse()
            if left > 1:
                after = np.maximum(final, self._best_kept(worth))
        return tuple(worth)

    def _best_kept(self, worth: list[Doubles]) -> Doubles:
        """Return, for each throw, the worth of the best dice to keep, at least one being thrown."""
        best = worth[0]
        for level, own in zip(self.levels[1:], [*worth[1:-1], None], strict=True):
            below = np.append(best, -np.inf)[level.fewer].max(axis=1)
            best = below if own is None else np.maximum(own, below)
        return best


@cache
def throws(dice: int, faces: int, draws: int) -> Throws:
    """Return all throws of `dice` dice (1 to 8) with `faces` faces. `draws`: how many throws of
    the sample have two of a face, how many have three, and so on.
    """
    counted = [_multisets(size, faces) for size in range(dice + 1)]
    indices = [{counts: i for i, counts in enumerate(level)} for level in counted]
    levels = []
    for size, level in enumerate(counted):
        above = indices[size + 1] if size < dice else {}
        below = indices[size - 1] if size else {}
        more = [[above.get(_with(one, face, 1), -1) for face in range(faces)] for one in level]
        fewer = [[below.get(_with(one, face, -1), -1) for face in range(faces)] for one in level]
        levels.append(Level(indices[size], np.array(more, np.intp), np.array(fewer, np.intp)))
    sample = _sample(dice, faces, draws)
    return Throws(dice, tuple(levels), sample, _spread(counted[-1], sample))


def _multisets(size: int, faces: int) -> list[Counts]:
    return [
        tuple(drawn.count(face) for face in range(faces))
        for drawn in combinations_with_replacement(range(faces), size)
    ]


def _with(counts: Counts, face: int, change: int) -> Counts:
    return (*counts[:face], counts[face] + change, *counts[face + 1 :])


def _sample(dice: int, faces: int, draws: int) -> tuple[Counts, ...]:
    """Draw throws that have few and many of every face; always the same ones."""
    chance = Random(_SEED)
    found: dict[Counts, None] = {}
    for _ in range(draws):
        for face in range(faces):
            for many in _DRAWN_WITH:
                alike = min(many, dice)
                others = [other for other in range(faces) if other != face]
                shown = [face] * alike + chance.choices(others, k=dice - alike)
                found[tuple(shown.count(one) for one in range(faces))] = None
    return tuple(found)


def _spread(all_throws: list[Counts], sample: tuple[Counts, ...]) -> Doubles:
    """Return the matrix that turns values of the sample, less their mean, into estimates of all."""
    seen, every = _steps(sample), _steps(all_throws)
    middle = seen.mean(axis=0)
    seen, every = seen - middle, every - middle
    square: Any = seen.T @ seen + _RIDGE * np.eye(seen.shape[1])
    found: Doubles = every @ np.linalg.solve(square, seen.T)
    return found


def _steps(counted: list[Counts] | tuple[Counts, ...]) -> Doubles:
    """Return, for each throw and face, whether at least 1, 2 … dice show it."""
    counts = np.array(counted)[:, :, None]
    return (counts >= np.arange(1, _STEPS + 1)).reshape(len(counted), -1).astype(np.float64)
