"""Readings and states: frozen values from the camera's process to the table and to JSON.

Errors of cameras, photos and networks are here too. Nothing here loads NumPy or OpenCV, so that the
service can do without them.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from enum import StrEnum

import msgspec
from msgspec import UNSET, UnsetType

from companion.engine import Face
from companion.errors import KeyedError


class VisionError(KeyedError):
    """An error of a camera, a photo, a report or a network."""


class SourceError(VisionError):
    """A source cannot be opened or has stopped."""


class PhotoError(VisionError):
    """A photo cannot be read as a picture."""


class ReaderError(VisionError):
    """The networks are missing or do not fit their contract, or their process has died."""


@contextmanager
def refusing(key: str, **params: str | int) -> Iterator[None]:
    """Raise VisionError with this sentence and the system's `reason` if the block's file cannot be
    read or written."""
    try:
        yield
    except OSError as error:
        raise VisionError(key, **params, reason=error.strerror or "") from error


class CameraState(StrEnum):
    """The states of a camera."""

    NONE = "none"
    STARTING = "starting"
    OK = "ok"
    LOST = "lost"
    ENDED = "ended"
    """A file has played to its end."""


class TrayState(StrEnum):
    """The states of the tray, shown to players.

    A throw goes from `ROLLING` by `SETTLING` to `READ`, or to `UNSURE` or `COUNT`, which are
    read with doubt; then to `TAKEN`, and `ROLLING` again.
    """

    EMPTY = "empty"
    ROLLING = "rolling"
    """Something moves."""
    SETTLING = "settling"
    """Nothing moves, and the dice are being looked at."""
    HAND = "hand"
    """A hand is in view."""
    TAKEN = "taken"
    """Some dice of the last reading were taken up; the others have not moved."""
    READ = "read"
    UNSURE = "unsure"
    COUNT = "count"
    PROBLEM = "problem"
    """The picture cannot be read at all: too dark, too bright, or the reader has failed."""


class Drift(StrEnum):
    """What has changed since the camera was set up, noticed between rolls."""

    MOVED = "moved"
    """The camera, or the tray."""
    LIGHT = "light"
    """Brighter or darker."""
    COLOUR = "colour"
    """Light of another colour."""
    GLARE = "glare"
    """A lamp is reflected, or shines into the camera."""
    BOX = "box"
    """The dice are not of the known box."""
    FLICKER = "flicker"
    """The picture does not come to rest: the lamp flickers."""
    RESTLESS = "restless"
    """The picture does not come to rest: shadows of leaves, the glow of a television."""


class ReadingProblem(StrEnum):
    """Why a reading, or a die in it, is not sure, or what else a person should look at."""

    NOT_FLAT = "die_not_flat"
    """A hint, which does not make a reading unsure."""
    CUT = "die_cut"
    """Part of the die is outside the picture: seen, but not read."""
    DOUBTFUL = "die_doubtful"
    SMALL = "die_small"
    STACKED = "die_stacked"
    COUNT = "count"
    TOO_DARK = "too_dark"
    GLARE = "glare"
    BLURRED = "blurred"
    WRONG_GAME = "wrong_game"
    READER = "reader"
    """The networks failed to run."""


READABLE = frozenset({None, ReadingProblem.DOUBTFUL, ReadingProblem.WRONG_GAME})
"""Problems of a die that lies flat and is visible: only its face may be in doubt."""


class Colour(StrEnum):
    """The colour of a die's body."""

    BLACK = "black"
    GREEN = "green"


SAME_PLACE = 0.3
"""The largest distance between two looks at one die, in shares of its box."""
Rect = tuple[int, int, int, int]
"""x, y, width, height of the whole die, px of the picture as given."""


class ReadingValue(msgspec.Struct, frozen=True, kw_only=True):
    """The base of the frozen values here; unknown fields of JSON are skipped, so that newer rows
    can be read."""


class Alternative(ReadingValue, frozen=True, kw_only=True):
    """Another face that the die may show, and its probability."""

    face: Face
    probability: float


class DieReading(ReadingValue, frozen=True, kw_only=True):
    """One die. `face` is None if no face of this game can be named."""

    face: Face | None
    confidence: float
    """The calibrated probability of `face`, or of the likeliest face if it is None."""
    colour: Colour
    box: Rect
    flat: bool
    """False for one that leans: its face is the one turned most upwards."""
    problem: ReadingProblem | None = None
    alternatives: tuple[Alternative, ...] = ()
    """The game's other faces worth offering, likeliest first."""

    @property
    def centre(self) -> tuple[float, float]:
        """The middle of the box, px."""
        x, y, width, height = self.box
        return x + width / 2, y + height / 2

    @property
    def sure(self) -> bool:
        """Whether the face is certain, of a die that may lean."""
        return self.face is not None and self.problem in {None, ReadingProblem.NOT_FLAT}

    def distance(self, point: tuple[float, float]) -> float:
        """The distance from the centre to a point, px."""
        return abs(complex(*self.centre) - complex(*point))


class DiceReading(ReadingValue, frozen=True, kw_only=True):
    """The dice of one rest, from left to right unless reordered to keep places; never an event.

    `sure` means: the faces and the number of the dice are right. A die that leans is no doubt of
    that: it is `not flat`, and among `problems`, also in a sure reading.
    """

    game: str
    dice: tuple[DieReading, ...]
    problems: tuple[ReadingProblem, ...]
    sure: bool
    frame: int
    """The last frame that was looked at, counted from 0."""
    at_s: float
    """The source's time of that frame."""
    size: tuple[int, int]
    """Width and height of the picture, px."""
    roll: int = 0
    """The number of the roll; a reading with the number of the previous one is of the same dice,
    read again on request."""
    moved: tuple[int, ...] = ()
    """The indices of the dice that were thrown last."""
    picture: bytes = b""
    """The tray as a JPEG; empty in a reading without pictures."""
    crops: tuple[bytes, ...] = ()
    """A JPEG of each die, in the order of `dice`."""
    prints: tuple[bytes, ...] = ()
    """A PNG of each die's top as the classifier takes it, to learn from (`read.playing`), in the
    order of `dice`; empty for a die that was not found again."""


class ReadingRow(ReadingValue, frozen=True, kw_only=True, omit_defaults=True):
    """A reading as `companion read` and `companion watch` print it, one a line."""

    image: str | UnsetType = UNSET
    frame: int | UnsetType = UNSET
    at_s: float | UnsetType = UNSET
    emitted_s: float | UnsetType = UNSET
    """The source's clock when the line was printed."""
    game: str
    sure: bool
    problems: tuple[ReadingProblem, ...]
    dice: tuple[DieReading, ...]
    same: bool | UnsetType = UNSET
    """Of a report: whether faces, problems and certainty are those of the table's reader."""
    put_right: tuple[Face | None, ...] | UnsetType = UNSET
    """Of a report: the face of each die as a person gave it; null for one that is no die."""
    applied: tuple[Face, ...] | UnsetType = UNSET
    """Of a report: the faces that the table applied, in an order of its own."""


class TrayReading(ReadingValue, frozen=True, kw_only=True):
    """The tray's state, for phones to show."""

    state: TrayState
    problem: ReadingProblem | None = None
    drift: Drift | None = None
    """What has changed since the camera was set up."""
    known: int | None = None
    """How many faces of dice with unknown symbols play has taught; None once the table has
    confirmed them, and for dice that are read without."""
    is_strange: bool = False
    """Whether other symbols stand in for some faces, and the table has not confirmed them yet."""


def row_of(reading: DiceReading) -> ReadingRow:
    """Make the row of a reading that commands print, without what names its picture."""
    return ReadingRow(
        game=reading.game,
        sure=reading.sure,
        problems=reading.problems,
        dice=reading.dice,
    )
