"""Enrol the dice of a box from labelled stills: collect their prints. Comparing them is in
`comparing`, using them in `enrolled`.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import msgspec
import numpy as np

from companion.engine import Face
from companion.vision.errors import VisionError
from companion.vision.pictures.decoding import Image
from companion.vision.read.reader import Expected, Reader, png
from companion.vision.read.seen import SeenDie
from companion.vision.readings import SAME_PLACE, DieReading, PixelBox
from companion.vision.states import READABLE


class LabelledDie(msgspec.Struct, frozen=True):
    """One die in a line of a labels file (the form of `read --json`): its right face or None, its
    rectangle in the picture, whether it lies flat.
    """

    face: Face | None
    box: PixelBox
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
    the line, where one is malformed."""
    try:
        lines = path.read_bytes().splitlines()
    except OSError as error:
        reason = error.strerror or ""
        raise VisionError("error.unreadable", path=str(path), reason=reason) from error
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


@dataclass(frozen=True, slots=True)
class LabelledPrint:
    """A labelled die as the reader detected it, with the picture of its top face (the print) as a
    PNG.
    """

    still: str
    """The picture of the still."""
    face: Face
    die: SeenDie
    picture: bytes
    """Its top, rectified, as a PNG."""


def collect_prints(
    image: Image, still: LabelledStill, reader: Reader, expected: Expected
) -> list[LabelledPrint]:
    """Collect the prints of the still's labelled dice that lie flat and are clearly visible.

    VisionError where a label's face is not the game's.
    """
    for labelled in still.dice:
        if labelled.face is not None and labelled.face not in expected.rules.faces:
            game = expected.rules.game
            raise VisionError("error.labels.face", image=still.image, face=labelled.face, game=game)
    look = reader.look(image)
    read = reader.decide([look], expected, image).dice
    cut = reader.prints(image, look)
    found = []
    for labelled in still.dice:
        near = min(read, key=lambda die: _apart(die, labelled), default=None)
        if near is None or labelled.face is None or not labelled.flat:
            continue
        if near.problem not in READABLE or _apart(near, labelled) > SAME_PLACE * max(near.box[2:]):
            continue
        # A closer look may have given the reading other corners, by a pixel or two.
        away = [float(np.hypot(*np.subtract(die.middle(), near.centre))) for die in look]
        place = int(np.argmin(away))
        found.append(LabelledPrint(still.image, labelled.face, look[place], png(cut[place])))
    return found


def _apart(die: DieReading, other: LabelledDie) -> float:
    """The distance between the middles of a die and a label, px."""
    return float(np.hypot(*np.subtract(other.centre, die.centre)))
