"""Enrol the dice of a box from labelled stills: collect prints, and test whether they help.

Every still is held out once: its dice are read without prints and with the prints of all other
stills, and the results are compared. Using prints is in `enrolled`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec
import numpy as np

from companion.engine import Face
from companion.vision.box.profile import MOST_PRINTS
from companion.vision.errors import VisionError
from companion.vision.pictures.decoding import Image
from companion.vision.read.enrolled import FEWEST, fuse_with_prints
from companion.vision.read.reader import Expected, Reader, png
from companion.vision.read.seen import SeenDie
from companion.vision.readings import SAME_PLACE, DieReading, PixelBox
from companion.vision.states import READABLE

_GOOD = 0.8
"""The share of correctly named dice below which labels are wrong or prints too different."""
_WORSE = 0.01
"""The increase of the mean log loss that may be chance."""


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
        raise VisionError("error.labels.unreadable", labels=str(path), reason=reason) from error
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


@dataclass(frozen=True, slots=True)
class HeldOutResult:
    """Held-out dice of one face: their number, how many were correctly named and the mean log
    loss, each without prints and with those of other stills."""

    dice: int
    right: tuple[int, int]
    loss: tuple[float, float]

    def helps(self) -> bool:
        """Whether the prints may be used: reading is good with them, and no worse than without."""
        (before, after), (was, now) = self.right, self.loss
        return before <= after >= _GOOD * self.dice and now <= was + _WORSE


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
        place = next(n for n, die in enumerate(look) if die.box() == near.box)
        found.append(LabelledPrint(still.image, labelled.face, look[place], png(cut[place])))
    return found


def compare_held_out(
    prints: Sequence[LabelledPrint], reader: Reader, expected: Expected
) -> dict[Face, HeldOutResult]:
    """Compare reading with and without prints for each face, holding out every still once."""
    seen: dict[Face, list[tuple[_Outcome, _Outcome]]] = {}
    for still in {one.still for one in prints}:
        others = [one for one in prints if one.still != still]
        box = {
            face: np.array([one.die.embedding for one in others if one.face == face], np.float32)
            for face in {one.face for one in others}
        }
        for one in prints:
            if one.still == still:
                now = fuse_with_prints(one.die, box, reader.contract)
                both = _outcome(one.die, one.face, expected), _outcome(now, one.face, expected)
                seen.setdefault(one.face, []).append(both)
    return {face: _comparison(seen[face]) for face in expected.rules.faces if face in seen}


def select_prints(
    prints: Sequence[LabelledPrint], found: Mapping[Face, HeldOutResult]
) -> dict[Face, tuple[bytes, ...]]:
    """Choose the prints to store for each face: at most MOST_PRINTS, and none where they do not
    help or are too few.
    """
    pictures: dict[Face, list[bytes]] = {}
    for one in prints:
        pictures.setdefault(one.face, []).append(one.picture)
    return {
        face: tuple(pictures[face][place] for place in _spread(len(pictures[face])))
        for face, comparison in found.items()
        if comparison.helps() and len(pictures[face]) >= FEWEST
    }


_Outcome = tuple[bool, float]
"""Whether the likeliest face is the right one, and the log loss."""


def _outcome(die: SeenDie, face: Face, expected: Expected) -> _Outcome:
    """Return whether the likeliest face is the labelled one, and the log loss of that label."""
    likeliest = max(expected.rules.faces, key=lambda other: die.faces[other])
    return likeliest == face, -float(np.log(max(die.faces[face], 1e-7)))


def _comparison(rows: Sequence[tuple[_Outcome, _Outcome]]) -> HeldOutResult:
    """Summarise the outcomes (without, with prints) of one face's dice."""
    (was_right, was), (is_right, now) = (
        zip(*(row[place] for row in rows), strict=True) for place in (0, 1)
    )
    return HeldOutResult(
        len(rows), (sum(was_right), sum(is_right)), (float(np.mean(was)), float(np.mean(now)))
    )


def _spread(count: int) -> list[int]:
    """At most MOST_PRINTS indices, spread evenly over `count`."""
    return sorted({round(place) for place in np.linspace(0, count - 1, min(count, MOST_PRINTS))})


def _apart(die: DieReading, other: LabelledDie) -> float:
    """The distance between the middles of a die and a label, px."""
    return float(np.hypot(*np.subtract(other.centre, die.centre)))
