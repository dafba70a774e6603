"""What the reader knows of a table: its dice, the prints of a box, the tray.

Prints are kept as pictures and not as embeddings, so that other networks can use them. Nothing here
loads NumPy or OpenCV: the service does without them. How prints are used:
`companion.vision.read.reader`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Final

import msgspec

from companion.engine import RULESETS, Face
from companion.files import open_regular, write_atomically
from companion.vision.readings import READABLE, DiceReading, ReadingProblem, VisionError, refusing


@dataclass(frozen=True, slots=True)
class DiceRules:
    """The dice of a game: their faces, and the fewest and most of a roll."""

    game: str
    faces: tuple[Face, ...]
    fewest: int
    most: int

    def allow(self, count: int, expected: int | None) -> bool:
        """Whether this number of dice is the expected one, or one that the game allows."""
        if expected is not None:
            return count == expected
        return self.fewest <= count <= self.most


def rules_of(game: str) -> DiceRules:
    """Look up the dice of a game. VisionError if there is no such game."""
    ruleset = RULESETS.get(game)
    if ruleset is None:
        raise VisionError("error.game.unknown", game=game, games=", ".join(RULESETS))
    return DiceRules(game, ruleset.faces, ruleset.dice_min, ruleset.dice_max)


Point = tuple[float, float]
"""x and y in shares of the picture's width and height, 0 to 1."""
Corners = tuple[Point, Point, Point, Point]
"""The corners of the tray, clockwise from the upper left."""
_SMALLEST: Final = 0.02
"""The smallest area of a tray, in shares of the picture."""

MOST_PRINTS: Final = 16
"""The most prints of a face: an even selection of enrolled ones, and beside them the newest that
play taught, since light and camera change over an evening."""

Dice = dict[str, dict[Face, tuple[bytes, ...]]]
"""By game and face: PNGs of the prints of a box, rectified as the classifier takes them."""


LARGEST_PICTURE: Final = 1 << 14
"""Bytes of one print's PNG; 64 × 64 px without any compression have 12,288."""
Picture = Annotated[bytes, msgspec.Meta(min_length=1, max_length=LARGEST_PICTURE)]
"""A PNG of the top face, rectified as the classifier takes it."""
MOST_DICE: Final = 40
"""Of one reading."""
MOST_ROLLS: Final = 24
"""The newest rolls of a game that are learned from: later ones may contradict."""


@dataclass(frozen=True, slots=True)
class Lesson:
    """The dice of a rest as PNGs of their prints, and the faces that the table says they show, in
    no order. How they are matched: `companion.vision.read.playing`."""

    game: str
    prints: Annotated[tuple[Picture, ...], msgspec.Meta(max_length=MOST_DICE)]
    faces: Annotated[tuple[Face, ...], msgspec.Meta(max_length=MOST_DICE)]
    """Empty for a roll that the table took back."""
    roll: Annotated[str, msgspec.Meta(max_length=80, pattern=r"^(.+-[0-9]{1,9})?$")] = ""
    """Which roll it was, as its game and row: another lesson of the same roll replaces it."""


class Profile(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A table's tray as drawn, its enrolled dice, and the rolls that play taught; all may be
    missing."""

    tray: Corners | None = None
    dice: Dice = {}
    played: tuple[Lesson, ...] = ()


def load_profile(path: Path) -> Profile:
    """Load a profile. VisionError if the file cannot be read or is malformed."""
    with refusing("error.unreadable", path=str(path)):
        content = path.read_bytes()
    try:
        return msgspec.json.decode(content, type=Profile)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        reason = str(error)
        raise VisionError("error.profile.form", profile=str(path), reason=reason) from error


def save_profile(profile: Profile, path: Path) -> None:
    """Write a profile; after a power cut the file holds the old one or the new one. VisionError,
    with the file unchanged, if it cannot be written."""
    with refusing("error.profile.unwritable", profile=str(path)):
        write_atomically(path, msgspec.json.encode(profile) + b"\n")


LONGEST_SIDE: Final = 256
"""Of a print, px."""
LONGEST_NAME: Final = 40
LARGEST_FILE: Final = 8 << 20
"""Bytes; six faces with as many prints as can be, and rolls of eight dice, have at most 6.3 MB."""
_FORMAT: Final = 1
_SIGNATURE: Final = b"\x89PNG\r\n\x1a\n"


class Print(msgspec.Struct, frozen=True, omit_defaults=True):
    """One picture of a face of the box."""

    picture: Picture


Name = Annotated[
    str, msgspec.Meta(min_length=1, max_length=LONGEST_NAME, pattern=r"^\S([^\x00-\x1f\x7f]*\S)?$")
]
"""What people call a box: one line, no space at its ends."""


class DiceSet(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A set of dice: by face of the game the prints that stand for it. ValueError for a game or
    face that does not exist, and for more prints than are kept.

    Any six-sided dice may stand in for the game's: `faces` says which print counts as which face.
    """

    name: Name
    game: str
    faces: dict[Face, tuple[Print, ...]] = {}
    network: str = ""
    """The `commit` of the networks that cut the pictures; empty if it is not known."""
    played: Annotated[tuple[Lesson, ...], msgspec.Meta(max_length=MOST_ROLLS)] = ()
    """The rolls that it was learned from in play, newest last."""
    format: Annotated[int, msgspec.Meta(ge=1, le=_FORMAT)] = _FORMAT

    def __post_init__(self) -> None:
        if self.game not in RULESETS:
            raise ValueError(f"there is no game {self.game!r}")
        for face, prints in self.faces.items():
            if face not in RULESETS[self.game].faces:
                raise ValueError(f"{face} is no face of {self.game}")
            if len(prints) > MOST_PRINTS:
                raise ValueError(f"more than {MOST_PRINTS} prints of {face}")
        if any(not set(one.faces) <= set(RULESETS[self.game].faces) for one in self.played):
            raise ValueError(f"a roll shows what is no face of {self.game}")

    def pictures(self) -> dict[Face, tuple[bytes, ...]]:
        """The PNGs of each face, in order."""
        return {face: tuple(one.picture for one in prints) for face, prints in self.faces.items()}


class _Header(msgspec.Struct, frozen=True):
    format: int = _FORMAT


_DECODER: Final = msgspec.json.Decoder(DiceSet)
_HEADER_DECODER: Final = msgspec.json.Decoder(_Header)
"""Made on import: msgspec crashes if two threads use a type for the first time."""


def decode_box(content: bytes, source: str) -> DiceSet:
    """Decode the content of a box's file; `source` names it in sentences. VisionError if it is
    malformed, too large or of a newer version."""
    if len(content) > LARGEST_FILE:
        raise VisionError("error.box.large", box=source, most=LARGEST_FILE >> 20)
    try:
        if _HEADER_DECODER.decode(content).format > _FORMAT:
            raise VisionError("error.box.newer", box=source)
        return _DECODER.decode(content)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise VisionError("error.box.form", box=source, reason=str(error)) from error


def encode_box(box: DiceSet) -> bytes:
    """Encode a box as the content of its file."""
    return msgspec.json.encode(box) + b"\n"


def load_box(path: Path) -> DiceSet:
    """Load a box. VisionError if the file cannot be read, or as `decode_box`."""
    with refusing("error.box.unreadable", box=str(path)), open_regular(path) as file:
        content = file.read(LARGEST_FILE + 1)
    return decode_box(content, str(path))


def is_small_png(content: bytes) -> bool:
    """Whether this begins as a PNG with sides up to LONGEST_SIDE px. The reader leaves out prints
    that cannot be decoded."""
    if not content.startswith(_SIGNATURE) or content[12:16] != b"IHDR":
        return False
    sides = int.from_bytes(content[16:20]), int.from_bytes(content[20:24])
    return min(sides) > 0 and max(sides) <= LONGEST_SIDE


def lesson_of(reading: DiceReading, faces: Sequence[Face], roll: str = "") -> Lesson | None:
    """Make a lesson of a reading and the faces that the table applied; None for nothing to learn:
    another number, or a die that is not in full view."""
    if not faces or len(faces) != len(reading.prints) or not all(reading.prints):
        return None
    if any(die.problem not in READABLE | {ReadingProblem.NOT_FLAT} for die in reading.dice):
        return None
    return Lesson(reading.game, reading.prints, tuple(faces), roll)


def add_lesson(lessons: Sequence[Lesson], lesson: Lesson) -> tuple[Lesson, ...]:
    """Add a lesson to known ones, or withdraw it; of each game the newest MOST_ROLLS are kept."""
    others = [one for one in lessons if not one.roll or one.roll != lesson.roll]
    same = [one for one in others if one.game == lesson.game]
    gone = same[0] if len(same) >= MOST_ROLLS else None
    kept = (one for one in others if one is not gone)
    return (*kept, lesson) if lesson.faces else tuple(others)


def check_tray(corners: Corners) -> None:
    """Check that a tray was drawn. VisionError if the corners are no convex one of some size."""
    turns = [_turn(corners[n], corners[(n + 1) % 4], corners[(n + 2) % 4]) for n in range(4)]
    area = (turns[0] + turns[2]) / 2  # of two triangles
    if min(turns) <= 0 or area < _SMALLEST:
        raise VisionError("error.setup.corners")


def _turn(a: Point, b: Point, c: Point) -> float:
    """Twice the area of a triangle; positive if the way from a over b to c turns right, with y
    pointing down."""
    return (b[0] - a[0]) * (c[1] - b[1]) - (b[1] - a[1]) * (c[0] - b[0])
