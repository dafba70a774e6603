"""Learn the prints of a box from what the table says of its rolls: faces in no order.

Every die looks like others with its face, whichever roll each is of. Of all ways to give the
faces of each roll to its dice, the one counts in which dice with one face are most alike. It is
found again after every roll, from the newest ones, so later rolls contradict what earlier ones
taught, and a roll that was entered wrongly is outvoted. A die becomes a print only if it is
seen well and its face leads clearly over every other.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise, permutations
from typing import Final

import numpy as np
import numpy.typing as npt

from companion.engine import Face
from companion.vision.box import MOST_PRINTS, MOST_ROLLS
from companion.vision.pictures import Floats
from companion.vision.read.seen import FEWEST, Views, likeness

Labels = npt.NDArray[np.int64]
"""(n,) the place of each die's face among the faces of the box; -1 for none."""

_NEUTRAL: Final = 0.35
"""The likeness to a face that no other die shows yet."""
_NAMED: Final = 0.3
"""The likeness that a face gains if the classifier is certain of it."""
_LEAD: Final = 0.05
"""The likeness by which a print's face leads over any other."""
_RIVAL: Final = 1.0
"""The likeness, over all dice, by which an assignment leads over one that need not be heard."""
_CUTS: Final = (0.8, 0.65, 0.5, 0.35)
"""How alike dice of one cluster are: some symbols look alike, and light changes prints."""
_KEPT: Final = 5
"""The assignments to begin with, of each."""
_CONFIRMED: Final = 6
"""Of how many newest rolls two in a row must confirm the prints."""
_SWEEPS: Final = 3
_GAIN: Final = 1e-4
"""The least gain of an exchange: less is rounding error."""


@dataclass(frozen=True, slots=True, eq=False)
class PlayedRoll:
    """The dice of a rest, and the faces that the table says they show, in no order."""

    vectors: Floats
    """(n, 64) unit vectors."""
    chances: Floats
    """(n, k) the classifier's probability of each of its faces."""
    clear: npt.NDArray[np.bool_]
    """(n,) which are seen well enough to be prints: under glare or in the dark all look alike."""
    faces: tuple[Face, ...]
    """Empty for a roll that the table took back."""
    roll: str = ""
    """Which roll it was: another one of the same name replaces it."""
    confirms: bool = False
    """Whether the prints that were known before named it as the table did."""


class Playing:
    """The newest rolls of one box that the table said the faces of, and the prints they teach."""

    def __init__(self, classes: Sequence[str]) -> None:
        """`classes`: the classifier's faces, in the order of `PlayedRoll.chances`."""
        self._classes = list(classes)
        self._rolls: list[PlayedRoll] = []
        self.views: dict[Face, Views] = {}
        """The views of each face, newest last; at most MOST_PRINTS."""
        self.taught: list[tuple[Face | None, ...]] = []
        """The face that each die of each of the newest rolls is a print of, or None."""

    @property
    def known(self) -> frozenset[Face]:
        """The faces of this box that are known by play."""
        return frozenset(face for face, one in self.views.items() if len(one.vectors) >= FEWEST)

    def learn(self, *rolls: PlayedRoll, fixed: Mapping[Face, Views] | None = None) -> None:
        """Add rolls, or withdraw them, one after the other, and learn again from the newest of all,
        beside `fixed` views of the box. A roll of another number of dice than faces teaches
        nothing."""
        for count, roll in enumerate(rolls, start=1):
            self._add(roll)
            if len(rolls) - count <= _CONFIRMED:  # what was known to older ones is not asked
                self._match(fixed or {})

    def _add(self, roll: PlayedRoll) -> None:
        rolls = [one for one in self._rolls if not one.roll or one.roll != roll.roll]
        if roll.faces and len(roll.faces) == len(roll.vectors):
            rolls.append(replace(roll, confirms=self._names(roll.vectors) == sorted(roll.faces)))
        self._rolls = rolls[-MOST_ROLLS:]

    def _match(self, fixed: Mapping[Face, Views]) -> None:
        """Find the prints that the rolls teach."""
        self.views, self.taught = {}, []
        if not self._rolls:
            return
        matcher = _Matcher(self._rolls, self._classes, fixed)
        faces, taught = matcher.faces, matcher.taught()
        self.taught = [
            tuple(faces[n] if n >= 0 else None for n in taught[rows]) for rows in matcher.rows
        ]
        for place, face in enumerate(faces):
            mine = np.flatnonzero(taught == place)[-MOST_PRINTS:]
            if len(mine):
                column = self._classes.index(face)
                self.views[face] = Views(matcher.vectors[mine], matcher.chances[mine, column])

    @property
    def is_confirmed(self) -> bool:
        """Whether the table has said of two rolls in a row what the prints said before: prints that
        were confused would be refuted."""
        return any(
            one.confirms and other.confirms for one, other in pairwise(self._rolls[-_CONFIRMED:])
        )

    def _names(self, vectors: Floats) -> list[Face]:
        """The faces of dice by the prints that are known so far, sorted."""
        if not self.known:
            return []
        faces = sorted(self.known)
        alike = [likeness(vectors, self.views[face].vectors) for face in faces]
        return sorted(faces[n] for n in np.argmax(alike, axis=0))


class _Matcher:
    """Gives the faces of rolls to their dice."""

    def __init__(
        self, rolls: Sequence[PlayedRoll], classes: Sequence[str], fixed: Mapping[Face, Views]
    ) -> None:
        self.faces = sorted({face for roll in rolls for face in roll.faces} | fixed.keys())
        self.vectors = np.concatenate([roll.vectors for roll in rolls])
        self.chances = np.concatenate([roll.chances for roll in rolls])
        self._clear = np.concatenate([roll.clear for roll in rolls])
        ends = np.cumsum([0, *(len(roll.faces) for roll in rolls)])
        self.rows = [slice(int(a), int(b)) for a, b in pairwise(ends)]
        columns = [classes.index(face) for face in self.faces]
        self._named = np.float32(_NAMED) * self.chances[:, columns]
        self._places = [np.array([self.faces.index(face) for face in roll.faces]) for roll in rolls]
        self._fixed = {self.faces.index(face): one.vectors for face, one in fixed.items()}

    def taught(self) -> Labels:
        """(n,) the faces of the dice that are good prints, -1 for the others."""
        totals, found = self._swept(self._seeds())
        near = found[totals > totals.max() - _RIVAL]
        agreed = (near == near[0]).all(axis=0) & self._clear
        labels = np.where(agreed, found[totals.argmax()], -1)
        for _ in range(2):  # what was learned wrongly misleads no longer in the second
            likes = self._likes(labels)
            # Likeness to other dice with its face suffices, even against the classifier.
            alone = np.where(likes.max(axis=1) > _NEUTRAL, _lead(likes, labels), 0.0)
            lead = np.maximum(alone, _lead(likes + self._named, labels))
            labels = np.where((labels >= 0) & (lead >= _LEAD), labels, -1)
        return labels

    def _seeds(self) -> Labels:
        """(s, n) the assignments to begin with: a cluster of like dice for each face, and with it
        the face whose numbers in each roll it matches best."""
        faces = len(self.faces)
        said = np.array([[(places == place).sum() for places in self._places]
                         for place in range(faces)])  # fmt: skip
        likes = self._named + self._likes(np.full(len(self.vectors), -1))
        ways = np.array(list(permutations(range(faces))))
        seeds = []
        for clusters in self._clusters():
            found = np.array([[(clusters[rows] == cluster).sum() for rows in self.rows]
                              for cluster in range(faces)])  # fmt: skip
            costs = np.abs(found[:, None] - said).sum(axis=2, dtype=np.float32)
            for cluster in range(faces):
                costs[cluster] -= likes[clusters == cluster].sum(axis=0)
            best = ways[np.argsort(costs[np.arange(faces), ways].sum(axis=1))[:_KEPT]]
            seeds.append(np.where(clusters < faces, best[:, np.minimum(clusters, faces - 1)], -1))
        return np.concatenate(seeds)

    def _clusters(self) -> Iterator[Labels]:
        """Yields for each of _CUTS (n,) the clusters of dice that are more alike than that (average
        linkage), from 0, the largest first."""
        alike = self.vectors @ self.vectors.T
        np.fill_diagonal(alike, -2.0)
        clusters, sizes = np.arange(len(alike)), np.ones(len(alike))
        for cut in _CUTS:
            while alike.max() > cut:
                one, other = np.unravel_index(int(alike.argmax()), alike.shape)
                joined = (alike[one] * sizes[one] + alike[other] * sizes[other]) / (
                    sizes[one] + sizes[other]
                )
                alike[one], alike[:, one] = joined, joined
                alike[other], alike[:, other], alike[one, one] = -2.0, -2.0, -2.0
                sizes[one] += sizes[other]
                clusters[clusters == other] = one
            _, places, counts = np.unique(clusters, return_inverse=True, return_counts=True)
            yield np.argsort(np.argsort(-counts, kind="stable"))[places]

    def _swept(self, labels: Labels) -> tuple[Floats, Labels]:
        """Give every roll its best order, again and again, in each of (s, n) assignments: (s,) the
        sums of likenesses, and (s, n) the faces."""
        labels = labels.copy()
        sums, counts = self._shown(labels, slice(0, labels.shape[1]))
        for place, vectors in self._fixed.items():
            sums[:, place] += vectors.sum(axis=0)
            counts[:, place] += len(vectors)
        totals = np.zeros(len(labels), np.float32)
        for _ in range(_SWEEPS):
            totals[:] = 0
            for rows, places in zip(self.rows, self._places, strict=True):
                before = self._shown(labels, rows)
                sums, counts = sums - before[0], counts - before[1]
                means = sums / np.maximum(counts, 1)[..., None]
                alike = (means @ self.vectors[rows].T).transpose(0, 2, 1)
                likes = np.where(counts[:, None] > 0, alike, np.float32(_NEUTRAL))
                likes = likes + self._named[rows]
                labels[:, rows] = _given(places, likes)
                totals += np.take_along_axis(likes, labels[:, rows, None], axis=2).sum(axis=(1, 2))
                now = self._shown(labels, rows)
                sums, counts = sums + now[0], counts + now[1]
        return totals, labels

    def _shown(self, labels: Labels, rows: slice) -> tuple[Floats, Floats]:
        """(s, k, 64) the sums of the vectors of some dice by their faces, and (s, k) how many."""
        given = labels[:, None, rows] == np.arange(len(self.faces))[:, None]
        one = given.astype(np.float32)
        return one @ self.vectors[rows], one.sum(axis=2)

    def _likes(self, labels: Labels) -> Floats:
        """(n, k) how much the dice are like the nearest with each face in other rolls."""
        likes = np.zeros((len(self.vectors), len(self.faces)), np.float32)
        for place in range(len(self.faces)):
            fixed = self._fixed.get(place, self.vectors[:0])
            for rows in self.rows:
                mine = labels == place
                mine[rows] = False
                shown = np.concatenate([self.vectors[mine], fixed])
                has = likeness(self.vectors[rows], shown) if len(shown) else _NEUTRAL
                likes[rows, place] = has
        return likes


def _lead(likes: Floats, labels: Labels) -> Floats:
    """(n,) how much more dice are like their faces, (n,), than like any other, (n, k)."""
    others = likes.copy()
    np.put_along_axis(others, labels[:, None], -2.0, axis=1)
    return np.asarray(likes[np.arange(len(labels)), labels] - others.max(axis=1), np.float32)


def _given(places: Labels, likes: Floats) -> Labels:
    """(s, n) the faces of n dice: these places, (n,), exchanged between two dice for as long as
    that makes them more like their faces, (s, n, k)."""
    count, every = len(places), np.arange(len(likes))
    labels = np.repeat(places[None], len(likes), axis=0)
    while True:
        like = np.take_along_axis(likes, labels[:, None].repeat(count, axis=1), axis=2)
        own = np.diagonal(like, axis1=1, axis2=2)
        gains = like + like.transpose(0, 2, 1) - own[:, None] - own[..., None]
        one, other = np.divmod(gains.reshape(len(likes), -1).argmax(axis=1), count)
        better = every[gains[every, one, other] > _GAIN]
        if not len(better):
            return labels
        first, second = labels[better, one[better]], labels[better, other[better]]
        labels[better, one[better]], labels[better, other[better]] = second, first
