"""Views of dice that show one face: which of them are good prints, and what the prints are worth.

Pure functions of what the reader saw. When views are taken: `session`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from companion.engine import Face
from companion.intervals import wilson
from companion.vision.networks.contract import DieLimits
from companion.vision.networks.corners import sides, yaws
from companion.vision.opencv import cv2
from companion.vision.read.comparing import compare_prints, looks_like
from companion.vision.read.prints import NEAREST
from companion.vision.read.prints import likeness as likeness_to_prints
from companion.vision.read.seen import Floats, SeenDie
from companion.vision.setup.values import HeldOut, Result, ViewProblem

_FLAT: Final = 0.5
"""The probability of lying flat below which a die leans."""
_WASHED: Final = 0.03
"""The overexposed share of a top above which low contrast means glare."""
_APART: Final = 1.06
"""The size, in its own, at which a top must not reach another one."""
_SAME_PLACE, _SAME_YAW = 0.15, 6.0
"""The largest shift, in sides, and turn, degrees, of a die that was not moved."""
_ODD: Final = 0.25
"""The cosine by which a die may be less similar to the others than they are to each other."""
_CLEARLY: Final = 0.02
"""The cosine by which a die must resemble its own face more than one that was shown before. Six
dice of that face resemble each other no more than their face."""


@dataclass(frozen=True, slots=True, eq=False)
class View:
    """A good view of a face. `rest` counts the rests at which views were taken."""

    face: Face
    die: SeenDie
    picture: bytes
    """The print as a PNG."""
    rest: int


def plain_problem(
    die: SeenDie, others: Sequence[SeenDie], size: tuple[int, int], limits: DieLimits
) -> ViewProblem | None:
    """Return why a die's view is no good print, in a picture of `size` (width, height), whatever
    it shows; None where it is good."""
    low, high = die.quad.min(axis=0), die.quad.max(axis=0)
    if (low < 0).any() or (high > size).any():
        return ViewProblem.CUT
    if float(sides(die.quad[None])[0]) < limits.smallest_px:
        return ViewProblem.SMALL
    if any(_touch(die, other) for other in others if other is not die):
        return ViewProblem.TOUCHING
    if die.flat < _FLAT:
        return ViewProblem.LEANING
    if die.contrast < limits.dark:
        return ViewProblem.GLARE if die.clipped > _WASHED else ViewProblem.DARK
    return ViewProblem.BLURRED if die.sharpness < limits.blurred else None


def is_unmoved(die: SeenDie, before: Sequence[SeenDie]) -> bool:
    """Whether the die lies as one of the earlier ones did: its view shows nothing new."""
    return any(_lies_alike(die, other) for other in before)


def face_problem(
    die: SeenDie, mine: Sequence[SeenDie], shown: Mapping[Face, Sequence[SeenDie]]
) -> ViewProblem | None:
    """Return why a die may not show the face that is asked for; None where it may.

    `mine`: other dice that should show it; `shown`: those of the faces that were shown before. A
    die that resembles one of those more than its own was not turned yet.
    """
    if len(mine) < NEAREST:
        return None
    own = likeness(die, mine)
    if any(
        len(dice) >= NEAREST and likeness(die, dice) > own - _CLEARLY for dice in shown.values()
    ):
        return ViewProblem.KNOWN
    typical = float(np.median([likeness(one, [d for d in mine if d is not one]) for one in mine]))
    return ViewProblem.OTHER if own < typical - _ODD else None


def likeness(die: SeenDie, others: Sequence[SeenDie]) -> float:
    """Return how alike a die and the others are (`prints.likeness`); -1 for none."""
    if not others:
        return -1.0
    return likeness_to_prints(die.embedding, np.stack([other.embedding for other in others]))


def worth(views: Sequence[View], faces: Sequence[Face]) -> Result:
    """Compare the views with one another (`comparing`), and with the reader's general knowledge of
    the faces."""
    compared = compare_prints(views)
    found, mistaken = [], Counter[tuple[Face, Face]]()
    for face in faces:
        mine = [view for view in views if view.face is face]
        one = compared.get(face)
        before = sum(_known_as(view.die, faces) is face for view in mine)
        after = one.right if one else 0
        found.append(HeldOut(face=face, views=len(mine), before=before, after=after))
        taken = (*one.taken_for, *(looks_like(view, compared) for view in one.odd)) if one else ()
        for other in taken:
            if other is not face:
                first, second = sorted((face, other), key=list(faces).index)
                mistaken[first, second] += 1
    low, high = wilson(sum(one.after for one in found), sum(one.views for one in found))
    pairs = tuple(pair for pair, _ in mistaken.most_common())
    return Result(faces=tuple(found), low=low, high=high, alike=pairs)


def _known_as(die: SeenDie, faces: Sequence[Face]) -> Face:
    """The face of this game that the reader takes a die for without prints."""
    return max(faces, key=lambda face: die.faces.get(face, 0.0))


def _touch(die: SeenDie, other: SeenDie) -> bool:
    """Whether two tops touch or nearly do."""
    area, _ = cv2.intersectConvexConvex(_grown(die.quad), _grown(other.quad))
    return float(area) > 0


def _grown(quad: Floats) -> Floats:
    middle = quad.mean(axis=0)
    return np.asarray(middle + (quad - middle) * _APART, np.float32)


def _lies_alike(die: SeenDie, other: SeenDie) -> bool:
    """Whether both lie at the same place, turned alike."""
    side = float(sides(die.quad[None])[0])
    away = float(np.linalg.norm(die.quad.mean(axis=0) - other.quad.mean(axis=0)))
    turn = float(np.degrees(yaws(die.quad[None])[0] - yaws(other.quad[None])[0]))
    turn = abs((turn + 45) % 90 - 45)
    return away < _SAME_PLACE * side and turn < _SAME_YAW
