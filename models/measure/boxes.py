"""Enrolled boxes, read as after a set-up: some views of each face, then rolls of the same box.

The views are the first dice of a box's pictures that lie flat, whole and clear in sight, as people
would show them; the pictures that they are from are not read again.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np

from companion.engine import RULESETS, Face
from companion.vision.box import Profile, rules_of
from companion.vision.networks.classify import Networks
from companion.vision.pictures import png
from companion.vision.read.reader import Expected, Reader
from models.arrays import Floats
from models.measure.counting import ENROL, Results, Still, count, evenings_of, roll_lines

VIEWS: Final = (3, 5, 10)
_SAME: Final = 0.4
"""The largest distance between a label and the find that is its die, in sides."""


@dataclass
class Boxes:
    """The results after each number of views of a face, and with none."""

    enrolled: dict[int, Results]
    boxes: int = 0


def read_boxes(
    stills: Iterable[Still], networks: Networks, numbers: tuple[int, ...] = VIEWS
) -> Boxes:
    """Enrol each box from these numbers of views, and read its other rolls, with a known number of
    dice. A box has some stills to enrol it from, if any, and EVENING others (`evenings_of`)."""
    found = Boxes({views: Results() for views in (0, *numbers)})
    for evening in evenings_of(stills, lambda still: still.tags):
        found.boxes += 1
        plain = Reader(networks)
        shown = [list(_views(still, plain)) for still in evening]
        # Every number of views is tried on the same rolls: those that the most views leave.
        first = sum(ENROL in still.tags for still in evening)
        first = first or _enough(shown, evening[0].game, max(numbers))
        for views, results in found.enrolled.items():
            reader = Reader(networks, Profile(dice={evening[0].game: _box(shown[:first], views)}))
            for still in evening[first:]:
                expected = Expected(rules_of(still.game), still.thrown)
                count(results, still, reader.read(still.image, expected))
    return found


def _views(still: Still, reader: Reader) -> Iterator[tuple[Face, bytes]]:
    """Yields the prints of the dice that are well seen, with their faces."""
    look = reader.look(still.image)
    cut = reader.prints(still.image, look)
    middles = np.array([die.quad.mean(axis=0) for die in look]).reshape(-1, 2)
    for die in still.dice:
        if not (die.countable and die.is_own() and die.quad is not None and len(look)):
            continue
        away = np.linalg.norm(middles - die.quad.mean(axis=0), axis=1)
        place = int(np.argmin(away))
        if away[place] < _SAME * _side(die.quad):
            yield Face(die.face), png(cut[place])


def _side(quad: Floats) -> float:
    return float(np.linalg.norm(quad - np.roll(quad, -1, axis=0), axis=1).mean())


def _enough(shown: list[list[tuple[Face, bytes]]], game: str, views: int) -> int:
    """How many stills it takes until each face of the game was seen so often."""
    left = dict.fromkeys(RULESETS[game].faces, views)
    for number, prints in enumerate(shown):
        if all(count <= 0 for count in left.values()):
            return number
        for face, _ in prints:
            left[face] -= 1
    return len(shown)


def _box(shown: list[list[tuple[Face, bytes]]], views: int) -> dict[Face, tuple[bytes, ...]]:
    """The first so many views of each face."""
    box: dict[Face, tuple[bytes, ...]] = {}
    for face, print_ in (one for prints in shown for one in prints):
        if len(box.get(face, ())) < views:
            box[face] = (*box.get(face, ()), print_)
    return box


def box_lines(found: Boxes) -> Iterator[str]:
    """Yields the results after each number of views as lines."""
    yield f"{found.boxes} boxes; the number of dice is known"
    for views, results in found.enrolled.items():
        yield f"{views} views of each face:"
        yield from roll_lines(results)
