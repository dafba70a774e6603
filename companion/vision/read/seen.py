"""A die in one look (`SeenDie`), the same die in all looks at one rest (`TrackedDie`), and how much
it is like the known prints of a box.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from companion.engine import Face
from companion.vision.networks.locate import sides
from companion.vision.pictures import Floats
from companion.vision.readings import Colour, Rect


@dataclass(frozen=True, slots=True, eq=False)
class SeenDie:
    """One die in one look. `quad`, `base` (4, 2) float32 px: top corners and those under them."""

    quad: Floats
    base: Floats
    score: float
    """The detector's score, 0 to 1; not a probability."""
    top: float
    """The probability of being the top face of a die."""
    flat: float
    spread: float
    """The typical error of its upward axis, degrees."""
    faces: Mapping[Face, float]
    """The probability of each face of either game; what is left is `reject`."""
    reject: float
    """The probability that this is no readable top face."""
    embedding: Floats
    """(64,) a unit vector; dice with the same print have similar ones."""
    colour: Colour
    contrast: float
    clipped: float
    sharpness: float

    def extent(self) -> tuple[Floats, Floats]:
        """The lowest and the highest x, y of the whole die, px."""
        points = np.concatenate((self.quad, self.base))
        return points.min(axis=0), points.max(axis=0)

    def middle(self) -> tuple[float, float]:
        """The middle of the whole die's box, px."""
        low, high = self.extent()
        return float(low[0] + high[0]) / 2, float(low[1] + high[1]) / 2

    def box(self) -> Rect:
        """The box of the whole die in whole px; it may exceed the picture."""
        low, high = self.extent()
        x, y = int(np.floor(low[0])), int(np.floor(low[1]))
        return x, y, int(np.ceil(high[0])) - x, int(np.ceil(high[1])) - y


@dataclass(frozen=True, slots=True, eq=False)
class TrackedDie:
    """One die in all looks of a rest: each of them, and their mean."""

    looks: tuple[SeenDie, ...]
    mean: SeenDie
    presence: float
    """The share of all looks that show the die."""

    @staticmethod
    def of(looks: Sequence[SeenDie], count: int) -> TrackedDie:
        """Average these looks at one die, out of `count` looks in all."""
        first = looks[0]
        if len(looks) == 1:
            return TrackedDie(tuple(looks), first, 1 / count)
        # Still pictures repeat their errors, so votes are averaged and never multiplied up.
        weights = {
            face: float(np.exp(_mean(np.log(max(d.faces[face], 1e-6)) for d in looks)))
            for face in first.faces
        }
        reject = float(np.exp(_mean(np.log(max(d.reject, 1e-6)) for d in looks)))
        total = sum(weights.values()) + reject
        colours = [d.colour for d in looks]
        corners = [_turned_like(first, d) for d in looks]
        mean = SeenDie(
            quad=np.median([quad for quad, _ in corners], axis=0).astype(np.float32),
            base=np.median([base for _, base in corners], axis=0).astype(np.float32),
            score=_mean(d.score for d in looks),
            top=_mean(d.top for d in looks),
            flat=_mean(d.flat for d in looks),
            spread=_mean(d.spread for d in looks),
            faces={face: weight / total for face, weight in weights.items()},
            reject=reject / total,
            embedding=_mean_direction([d.embedding for d in looks]),
            colour=max(set(colours), key=colours.count),
            contrast=_mean(d.contrast for d in looks),
            clipped=_mean(d.clipped for d in looks),
            sharpness=_mean(d.sharpness for d in looks),
        )
        return TrackedDie(tuple(looks), mean, len(looks) / count)

    def agreement(self) -> float:
        """The share of its looks that agree with their mean: on a face of either game, or on no
        readable face."""
        agreed = _likeliest(self.mean)
        return [_likeliest(look) for look in self.looks].count(agreed) / len(self.looks)


def _likeliest(die: SeenDie) -> Face | None:
    face = max(die.faces, key=lambda face: die.faces[face])
    return face if die.faces[face] >= die.reject else None


def _mean(values: Iterable[float]) -> float:
    return float(np.mean(list(values)))


def _mean_direction(vectors: Sequence[Floats]) -> Floats:
    total = np.sum(vectors, axis=0)
    return np.asarray(total / max(float(np.linalg.norm(total)), 1e-6), np.float32)


def _turned_like(first: SeenDie, die: SeenDie) -> tuple[Floats, Floats]:
    """The die's corners, top and base, in the corner order of the first look."""
    turns = range(4)
    best = min(turns, key=lambda k: float(np.abs(np.roll(die.quad, k, axis=0) - first.quad).sum()))
    return np.roll(die.quad, best, axis=0), np.roll(die.base, best, axis=0)


def distance(one: SeenDie, other: SeenDie) -> float:
    """The distance between the centres of two tops, in sides; corner order does not matter."""
    side = float(sides(one.quad[None])[0]) or 1.0
    return float(np.linalg.norm(one.quad.mean(axis=0) - other.quad.mean(axis=0))) / side


Prints = Mapping[Face, Floats]
"""By known face the embeddings (n, 64) of its prints, unit vectors."""

NEAREST: Final = 3
"""The number of most similar prints of a face whose mean similarity counts."""


def likeness(embedding: Floats, prints: Floats) -> float:
    """The mean cosine between an embedding and the nearest of the prints (n, d)."""
    return float(np.sort(prints @ embedding)[-NEAREST:].mean())
