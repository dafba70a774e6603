"""A die in one look (`SeenDie`), the same die in all looks at one rest (`TrackedDie`), and how much
it is like the known prints of a box.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
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
        logs = np.log(np.maximum([[*die.faces.values(), die.reject] for die in looks], 1e-6))
        weights = np.exp(logs.mean(axis=0))
        *chances, reject = (weights / weights.sum()).tolist()
        score, top, flat, spread, contrast, clipped, sharpness = np.mean(
            [(d.score, d.top, d.flat, d.spread, d.contrast, d.clipped, d.sharpness) for d in looks],
            axis=0,
        ).tolist()
        colours = [d.colour for d in looks]
        vector = np.sum([d.embedding for d in looks], axis=0)
        corners = _turned_alike(looks)
        mean = SeenDie(
            quad=corners[:4],
            base=corners[4:],
            score=score,
            top=top,
            flat=flat,
            spread=spread,
            faces=dict(zip(first.faces, chances, strict=True)),
            reject=reject,
            embedding=np.asarray(vector / max(float(np.linalg.norm(vector)), 1e-6), np.float32),
            colour=max(set(colours), key=colours.count),
            contrast=contrast,
            clipped=clipped,
            sharpness=sharpness,
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


_TURNS: Final = np.array([np.roll(np.arange(4), turn) for turn in range(4)])


def _turned_alike(looks: Sequence[SeenDie]) -> Floats:
    """(8, 2) the median corners of looks, top then base, in the corner order of the first."""
    quads, bases = np.array([d.quad for d in looks]), np.array([d.base for d in looks])
    away = np.abs(quads[:, _TURNS] - quads[0]).sum(axis=(2, 3))
    order = _TURNS[away.argmin(axis=1)][..., None]
    turned = [np.take_along_axis(one, order, axis=1) for one in (quads, bases)]
    return np.asarray(np.median(np.concatenate(turned, axis=1), axis=0), np.float32)


def distance(one: SeenDie, other: SeenDie) -> float:
    """The distance between the centres of two tops, in sides; corner order does not matter."""
    side = float(sides(one.quad[None])[0]) or 1.0
    return float(np.linalg.norm(one.quad.mean(axis=0) - other.quad.mean(axis=0))) / side


_SAME: Final = 0.4
"""The largest distance between looks of one die, in sides."""


def tracked(looks: Sequence[Sequence[SeenDie]]) -> list[TrackedDie]:
    """Group looks by die: dice at rest keep their places, so places match them."""
    tracks: list[list[SeenDie]] = []
    places: list[tuple[complex, float]] = []
    for look in looks:
        if not look:
            continue
        quads = np.array([die.quad for die in look])
        middles = (quads.mean(axis=1) @ np.array([1, 1j])).tolist()
        free = list(range(len(tracks)))
        for die, middle, side in zip(look, middles, sides(quads).tolist(), strict=True):
            away = [(abs(places[n][0] - middle) / places[n][1], n) for n in free]
            nearest, track = min(away, default=(_SAME, -1))
            if nearest < _SAME:
                tracks[track].append(die)
                free.remove(track)
            else:
                tracks.append([die])
                places.append((middle, side or 1.0))
    return [TrackedDie.of(track, len(looks)) for track in tracks]


NEAREST: Final = 3
"""The number of most similar prints of a face whose mean similarity counts."""
FEWEST = 3
"""Prints needed before a face counts as known: fewer do not show how they vary."""
_ENOUGH: Final = 5
"""The number of prints from which a face needs no other knowledge."""
CLEAR: Final = 2.0
"""The contrast, in multiples of `DieLimits.dark`, from which a face is seen well: in play nothing
paler becomes a print."""
_APART: Final = 0.4
"""The cosine by which prints must be more like each other than like another face's, for the same.
"""


@dataclass(frozen=True, slots=True, eq=False)
class Views:
    """Pictures of one face of a box as the classifier sees them: `vectors` (n, 64) unit vectors,
    `chances` (n,) the probability that it gives this face for each."""

    vectors: Floats
    chances: Floats

    def joined(self, other: Views | None) -> Views:
        """These views and the others."""
        if other is None:
            return self
        return Views(
            np.concatenate([self.vectors, other.vectors]),
            np.concatenate([self.chances, other.chances]),
        )


@dataclass(frozen=True, slots=True, eq=False)
class FacePrints:
    """The prints of one known face of a box: (n, 64) unit vectors."""

    vectors: Floats
    trust: float = 1.0
    """How far they decide, 0 to 1; what is left is the classifier's share."""
    is_strange: bool = False
    """Whether the classifier does not know this drawing as that face."""


Prints = Mapping[Face, FacePrints]


def prints_of(views: Mapping[Face, Views]) -> Prints:
    """Make the prints of a box, of each face with at least FEWEST views.

    What shipped with the reader still counts as far as it names these prints rightly, and they are
    few or not much more like each other than like another face's: so knowing a box never makes it
    worse. Any other symbol may stand in for a face; then prints decide alone.
    """
    known = {face: one for face, one in views.items() if len(one.vectors) >= FEWEST}
    found = {}
    for face, one in known.items():
        alike = one.vectors @ one.vectors.T
        np.fill_diagonal(alike, -1.0)
        own = float(np.median(_nearest(alike, len(alike) - 1)))
        others = [_nearest(one.vectors @ o.vectors.T) for f, o in known.items() if f is not face]
        apart = own - max((float(np.median(other)) for other in others), default=0.0)
        named = float(one.chances.mean())
        few = min(1.0, (len(alike) - 1) / (_ENOUGH - 1))
        trust = 1 - named * (1 - few * float(np.clip(apart / _APART, 0.0, 1.0)))
        found[face] = FacePrints(one.vectors, trust, named < 0.5)
    return found


def _nearest(alike: Floats, most: int = NEAREST) -> Floats:
    """(n,) the mean of the highest cosines of each of (n, m)."""
    count = min(NEAREST, most, alike.shape[1])
    return np.asarray(np.partition(alike, -count, axis=1)[:, -count:].mean(axis=1), np.float32)


def likeness(embeddings: Floats, prints: Floats) -> Floats:
    """(n,) the mean cosine between each embedding (n, d) and the nearest of the prints (m, d)."""
    return _nearest(embeddings @ prints.T)
