"""Compare the prints of a box with one another: each is held out once, and named by all others.

Prints come from labelled stills (`enrolling`) or from the set-up (`vision.setup`). Using them is in
`enrolled`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

import numpy as np

from companion.engine import Face
from companion.vision.box.profile import MOST_PRINTS
from companion.vision.read.enrolled import FEWEST
from companion.vision.read.prints import likeness
from companion.vision.read.seen import Floats, SeenDie

_GOOD = 0.8
"""The share of prints most like their own face below which labels are wrong, or faces too alike."""
_MOST_ODD = 0.34
"""The largest share of all prints that is set aside."""


class Labelled(Protocol):
    """A print that is said to show a face."""

    @property
    def face(self) -> Face:
        """The face."""

    @property
    def die(self) -> SeenDie:
        """The die as the reader saw it."""

    @property
    def picture(self) -> bytes:
        """The die's top, rectified, as a PNG."""


OnePrint = TypeVar("OnePrint", bound=Labelled)


@dataclass(frozen=True, slots=True)
class EnrolledFace(Generic[OnePrint]):
    """The prints of one face, each compared with all others of the box but itself."""

    kept: tuple[OnePrint, ...]
    odd: tuple[OnePrint, ...]
    """Prints that are more like another face: mislabelled, or spoiled. They are left out."""
    taken_for: tuple[Face, ...]
    """The face that each of those kept is most like."""
    alike: float
    """The median likeness of those kept to the others of this face; a cosine."""
    nearest: Face | None
    """The face that they are most like but their own; None where no other has prints."""
    nearest_alike: float
    """The median likeness to that face."""

    @property
    def right(self) -> int:
        """How many of those kept are most like their own face."""
        return sum(taken == one.face for taken, one in zip(self.taken_for, self.kept, strict=True))

    def is_enrolled(self) -> bool:
        """Whether there are enough prints, of which enough differ from all other faces."""
        return len(self.kept) >= FEWEST and self.right >= _GOOD * (len(self.kept) + len(self.odd))


def compare_prints(prints: Sequence[OnePrint]) -> dict[Face, EnrolledFace[OnePrint]]:
    """Compare each print with all others, and set those aside that are more like another face.

    Wrong labels mislead their neighbours as well, so the print that stands out most is set aside
    first, and the others are compared again.
    """
    kept, odd = list(prints), list[OnePrint]()
    while True:
        likes = [_likes(one, kept) for one in kept]
        leads = [
            like.get(one.face, -1.0)
            - max((v for f, v in like.items() if f != one.face), default=-1.0)
            for one, like in zip(kept, likes, strict=True)
        ]
        worst = int(np.argmin(leads)) if leads else -1
        if worst < 0 or leads[worst] >= 0 or len(odd) >= _MOST_ODD * len(prints):
            break
        odd.append(kept.pop(worst))
    return {
        face: _enrolled(face, kept, [one for one in odd if one.face == face], likes)
        for face in dict.fromkeys(one.face for one in prints)
    }


def _likes(one: Labelled, prints: Sequence[Labelled]) -> dict[Face, float]:
    """The likeness of a print to each face of the others: to most prints of its own face, to the
    nearest ones of any other. Several dice with the same wrong label are like one another."""
    others: dict[Face, list[Floats]] = {}
    for other in prints:
        if other is not one:
            others.setdefault(other.face, []).append(other.die.embedding)
    found = {face: likeness(one.die.embedding, np.array(them)) for face, them in others.items()}
    if one.face in others:
        found[one.face] = float(np.median(np.array(others[one.face]) @ one.die.embedding))
    return found


def looks_like(one: OnePrint, found: Mapping[Face, EnrolledFace[OnePrint]]) -> Face:
    """The face whose kept prints a print is most like."""
    likes = _likes(one, [other for face in found.values() for other in face.kept])
    return max(likes, key=likes.__getitem__)


def _enrolled(
    face: Face,
    kept: Sequence[OnePrint],
    odd: Sequence[OnePrint],
    likes: Sequence[Mapping[Face, float]],
) -> EnrolledFace[OnePrint]:
    """Sum up the prints of one face from the likenesses of all that were kept."""
    mine = [(one, like) for one, like in zip(kept, likes, strict=True) if one.face == face]
    taken_for = tuple(max(like, key=like.__getitem__, default=face) for _, like in mine)
    others = {other for _, like in mine for other in like} - {face}
    medians = {
        other: float(np.median([like[other] for _, like in mine if other in like]))
        for other in others
    }
    nearest = max(medians, key=medians.__getitem__) if medians else None
    own = [like[face] for _, like in mine if face in like]
    return EnrolledFace(
        tuple(one for one, _ in mine),
        tuple(odd),
        taken_for,
        float(np.median(own)) if own else 0.0,
        nearest,
        medians[nearest] if nearest is not None else 0.0,
    )


def select_prints(face: EnrolledFace[OnePrint]) -> tuple[bytes, ...]:
    """Choose the prints to store of an enrolled face: at most MOST_PRINTS."""
    return tuple(face.kept[place].picture for place in _spread(len(face.kept)))


def _spread(count: int) -> list[int]:
    """At most MOST_PRINTS indices, spread evenly over `count`."""
    return sorted({round(place) for place in np.linspace(0, count - 1, min(count, MOST_PRINTS))})
