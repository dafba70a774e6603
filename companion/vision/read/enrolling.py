"""Enrol the dice of a box: collect prints from labelled stills, and compare the prints of a box.

Each is held out once, and named by all others.
Prints come from stills or from the set-up (`companion.vision.camera_setup`). `reader` uses them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec
import numpy as np

from companion.engine import Face
from companion.vision.box import MOST_PRINTS
from companion.vision.networks.locate import sides
from companion.vision.pictures import Floats, Image, png
from companion.vision.read.reader import Expected, Reader, nearest
from companion.vision.read.seen import FEWEST, SeenDie, likeness
from companion.vision.readings import (
    READABLE,
    SAME_PLACE,
    ReadingProblem,
    Rect,
    VisionError,
    refusing,
)


class LabelledDie(msgspec.Struct, frozen=True):
    """One die in a line of a labels file (the form of `read --json`): its right face or None, its
    rectangle in the picture, whether it lies flat.
    """

    face: Face | None
    box: Rect
    flat: bool = True

    @property
    def centre(self) -> tuple[float, float]:
        """The centre of the rectangle, px."""
        x, y, width, height = self.box
        return x + width / 2, y + height / 2


class LabelledStill(msgspec.Struct, frozen=True):
    """A row as `read --json` prints it; other fields are skipped."""

    image: str
    """Its path from the folder of the labels."""
    dice: tuple[LabelledDie, ...]
    game: str | None = None


def load_labels(path: Path, game: str) -> list[LabelledStill]:
    """Read the stills of a game, and those without one, from a file of labels. VisionError, with
    the line, if one is malformed."""
    with refusing("error.unreadable", path=str(path)):
        lines = path.read_bytes().splitlines()
    found = []
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            row = msgspec.json.decode(line, type=LabelledStill)
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise VisionError(
                "error.labels.form", labels=str(path), line=number, reason=str(error)
            ) from error
        if row.game in {game, None}:
            found.append(row)
    return found


@dataclass(frozen=True, slots=True, eq=False)
class LabelledPrint:
    """A die that is said to show a face, as the reader saw it."""

    face: Face
    die: SeenDie
    picture: bytes
    """Its top, rectified, as a PNG."""
    origin: str | int
    """The picture of the still, or the number of the set-up's rest."""


def collect_prints(
    image: Image, still: LabelledStill, reader: Reader, expected: Expected
) -> list[LabelledPrint]:
    """Collect the prints of the still's labelled dice that lie flat and are clearly visible, from
    SMALLEST_PX on: less than what is read. VisionError if a label's face is not the game's."""
    for labelled in still.dice:
        if labelled.face is not None and labelled.face not in expected.rules.faces:
            game = expected.rules.game
            raise VisionError("error.labels.face", image=still.image, face=labelled.face, game=game)
    look = reader.look(image)
    read = reader.decide([look], expected, image).dice
    cut = reader.prints(image, look)
    found = []
    for labelled in still.dice:
        near = min(read, key=lambda die: die.distance(labelled.centre), default=None)
        if near is None or labelled.face is None or not labelled.flat:
            continue
        # Another look may have given the reading other corners, or a die that this one missed.
        place = nearest(near, look)
        if place is None:
            continue
        is_large = float(sides(look[place].quad[None])[0]) >= SMALLEST_PX
        is_clear = near.problem in {*READABLE, ReadingProblem.NOT_FLAT, ReadingProblem.SMALL}
        if not (is_large and is_clear) or near.distance(labelled.centre) > SAME_PLACE * max(
            near.box[2:]
        ):
            continue
        found.append(LabelledPrint(labelled.face, look[place], png(cut[place]), still.image))
    return found


SMALLEST_PX = 19.0
"""The side of a labelled die from which its print is kept."""
_GOOD = 0.8
"""The share of prints most like their own face below which labels are wrong, or faces too alike."""
_MOST_ODD = 0.34
"""The largest share of all prints that is set aside."""


@dataclass(frozen=True, slots=True)
class EnrolledFace:
    """The prints of one face, each compared with all others of the box but itself."""

    kept: tuple[LabelledPrint, ...]
    odd: tuple[LabelledPrint, ...]
    """Prints that are more like another face: mislabelled, or spoiled. They are left out."""
    taken_for: tuple[Face, ...]
    """The face that each of those kept is most like."""

    @property
    def right(self) -> int:
        """How many of those kept are most like their own face."""
        return sum(taken == one.face for taken, one in zip(self.taken_for, self.kept, strict=True))

    def is_enrolled(self) -> bool:
        """Whether there are enough prints, of which enough differ from all other faces."""
        return len(self.kept) >= FEWEST and self.right >= _GOOD * (len(self.kept) + len(self.odd))


def compare_prints(prints: Sequence[LabelledPrint]) -> dict[Face, EnrolledFace]:
    """Compare each print with all others, and set those aside that are more like another face.

    Wrong labels mislead their neighbours as well, so the print that stands out most is set aside
    first, and the others are compared again.
    """
    kept, odd = list(prints), list[LabelledPrint]()
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
    found = {}
    for face in dict.fromkeys(one.face for one in prints):
        mine = [(one, like) for one, like in zip(kept, likes, strict=True) if one.face == face]
        found[face] = EnrolledFace(
            kept=tuple(one for one, _ in mine),
            odd=tuple(one for one in odd if one.face == face),
            taken_for=tuple(max(like, key=like.__getitem__, default=face) for _, like in mine),
        )
    return found


def _likes(one: LabelledPrint, prints: Sequence[LabelledPrint]) -> dict[Face, float]:
    """The likeness of a print to each face of the others: to most prints of its own face, to the
    nearest ones of any other. Several dice with the same wrong label are like one another."""
    others: dict[Face, list[Floats]] = {}
    for other in prints:
        if other is not one:
            others.setdefault(other.face, []).append(other.die.embedding)
    mine = one.die.embedding[None]
    found = {face: float(likeness(mine, np.array(them))[0]) for face, them in others.items()}
    if one.face in others:
        found[one.face] = float(np.median(np.array(others[one.face]) @ one.die.embedding))
    return found


def looks_like(one: LabelledPrint, found: Mapping[Face, EnrolledFace]) -> Face:
    """The face whose kept prints a print is most like."""
    likes = _likes(one, [other for face in found.values() for other in face.kept])
    return max(likes, key=likes.__getitem__)


def select_prints(face: EnrolledFace) -> tuple[bytes, ...]:
    """Choose the prints to store of an enrolled face: at most MOST_PRINTS."""
    count = len(face.kept)
    places = np.linspace(0, count - 1, min(count, MOST_PRINTS)).round()
    return tuple(face.kept[int(place)].picture for place in places)
