"""Values of the set-up, from the camera's process to the host's phone.

Nothing here loads NumPy or OpenCV, so that the service can do without them.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Final

from companion.engine import Face
from companion.vision.readings import ReadingValue
from companion.vision.states import ReadingProblem

Point = tuple[float, float]
"""x and y in shares of the picture's width and height, 0 to 1."""
Corners = tuple[Point, Point, Point, Point]
"""The corners of the tray, clockwise from the upper left."""
Area = tuple[float, float, float, float]
"""x, y, width, height in shares of the picture's width and height."""

NEED: Final = 10
"""The good views after which the next face is asked for by itself."""
FEWEST: Final = 5
"""The good views with which a face may be left."""


class Stage(StrEnum):
    """The steps of the set-up."""

    PLACE = "place"
    """The camera is put in its place."""
    FACES = "faces"
    """The faces are shown one after the other."""
    RESULT = "result"
    """All faces were shown, and the prints were tested."""
    TEST = "test"
    """A roll is read with the new prints."""


class CheckKey(StrEnum):
    """The properties of the picture that are checked."""

    SIZE = "size"
    """How large the dice are, so how far the camera is away."""
    TILT = "tilt"
    LIGHT = "light"
    GLARE = "glare"
    SHARP = "sharp"
    TRAY = "tray"


class Grade(StrEnum):
    """The verdict of a check, best first."""

    GOOD = "good"
    WARN = "warn"
    BAD = "bad"


class Quadrant(StrEnum):
    """A quarter of the picture."""

    TOP_LEFT = "top_left"
    TOP_RIGHT = "top_right"
    BOTTOM_LEFT = "bottom_left"
    BOTTOM_RIGHT = "bottom_right"


class Check(ReadingValue, frozen=True, kw_only=True):
    """One property of the picture. `reason` names the sentence: which way it fails."""

    key: CheckKey
    value: float
    unit: str
    """`px` of a picture 1280 wide, `degrees`, `percent`, or empty for a plain number."""
    verdict: Grade
    reason: str
    quadrant: Quadrant | None = None


class ViewProblem(StrEnum):
    """Why the view of a die is no good print."""

    CUT = "cut"
    """Part of it is outside the picture."""
    SMALL = "small"
    TOUCHING = "touching"
    LEANING = "leaning"
    BLURRED = "blurred"
    GLARE = "glare"
    DARK = "dark"
    OTHER = "other"
    """It does not look like the other dice, which show the face."""
    KNOWN = "known"
    """It looks like a face that was shown before."""


class DieView(ReadingValue, frozen=True, kw_only=True):
    """A die in the picture, and why its view does not count."""

    area: Area
    problem: ViewProblem | None = None


class FaceViews(ReadingValue, frozen=True, kw_only=True):
    """The good views of one face so far, and how many are asked for."""

    face: Face
    good: int
    need: int


class HeldOut(ReadingValue, frozen=True, kw_only=True):
    """The views of one face, each read without itself: how many were right with the reader's
    general knowledge (`before`) and with the other views (`after`)."""

    face: Face
    views: int
    before: int
    after: int


class Result(ReadingValue, frozen=True, kw_only=True):
    """What the new prints are worth."""

    faces: tuple[HeldOut, ...]
    low: float
    high: float
    """The 95 % interval of the share of right views with the prints (Wilson)."""
    alike: tuple[tuple[Face, Face], ...] = ()
    """Pairs of faces that were taken for each other, the most frequent first."""


class TestDie(ReadingValue, frozen=True, kw_only=True):
    """One die of a test roll as read."""

    face: Face | None
    area: Area
    problem: ReadingProblem | None


class TestRoll(ReadingValue, frozen=True, kw_only=True):
    """A test roll as read with the new prints."""

    dice: tuple[TestDie, ...]
    problems: tuple[ReadingProblem, ...]
    sure: bool


class SetupSeen(ReadingValue, frozen=True, kw_only=True):
    """The newest state of the set-up."""

    stage: Stage
    checks: tuple[Check, ...] = ()
    corners: Corners | None = None
    """The tray's corners as found, or as drawn."""
    is_drawn: bool = False
    """Whether the corners were drawn, so that only dice within them count."""
    size: tuple[int, int] = (0, 0)
    """Width and height of the camera's pictures, px."""
    face: Face | None = None
    """The face that is being shown."""
    views: tuple[FaceViews, ...] = ()
    dice: tuple[DieView, ...] = ()
    is_waiting: bool = False
    """Whether the dice must be moved before their views count."""
    result: Result | None = None
    roll: TestRoll | None = None
    seconds: float = 0.0
    """The time since the set-up began, by the camera's clock."""


def worst(checks: tuple[Check, ...]) -> Check | None:
    """Return the check that most needs an act; None where all are good. Of equal ones the first
    counts."""
    order = list(Grade)
    found = max(checks, key=lambda check: order.index(check.verdict), default=None)
    return None if found is None or found.verdict is Grade.GOOD else found
