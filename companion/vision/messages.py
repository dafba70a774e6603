"""What passes between the service and the camera's process, as frozen values. No behaviour.

Nothing here loads NumPy or OpenCV, so that the service can do without them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum, StrEnum, auto
from pathlib import Path
from typing import Final

from companion.engine import Face
from companion.vision.box import Corners, DiceRules, Lesson, Profile
from companion.vision.readings import (
    CameraState,
    DiceReading,
    ReaderError,
    ReadingProblem,
    ReadingValue,
    TrayReading,
    VisionError,
)
from companion.vision.report import Footage
from companion.vision.sources.kinds import FrameSource, Throw

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
    """As `DiceReading.sure`."""


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
    """Return the check that most needs an act; None if all are good. Of equal ones the first
    counts."""
    order = list(Grade)
    found = max(checks, key=lambda check: order.index(check.verdict), default=None)
    return None if found is None or found.verdict is Grade.GOOD else found


@dataclass(frozen=True, slots=True)
class CameraChanged:
    """A change of the camera's state; `problem` is the reason if it is lost."""

    state: CameraState
    problem: VisionError | None = None
    size: tuple[int, int] | None = None
    """Width and height of its pictures in pixels, once there is one."""


@dataclass(frozen=True, slots=True)
class TrayChanged:
    """A change of the tray's state."""

    tray: TrayReading


@dataclass(frozen=True, slots=True)
class DiceRead:
    """A reading of dice that have come to rest, sent once, with the tray's state."""

    reading: DiceReading
    tray: TrayReading
    is_new: bool = True
    """Whether to propose it. If not, too few dice can be named, or they pass for what is left of
    the last ones; but what the table enters by hand teaches what they show."""


@dataclass(frozen=True, slots=True)
class BoxRecognised:
    """The dice in the tray are those of another box that the table keeps."""

    game: str
    box: str
    """Its name on the shelf; "" for dice of no box."""


Report = CameraChanged | TrayChanged | DiceRead
"""Messages to the service."""


@dataclass(frozen=True, slots=True)
class LastPictures:
    """The `AnyFrame.checksum` of a source's newest pictures, oldest first: a picture with one of
    them is no new one, even from a reopened source."""

    checksums: tuple[int, ...] = ()
    is_blank: bool = False
    """Whether the last picture was all black or all white: such pictures may really be equal."""


@dataclass(frozen=True, slots=True)
class Alive:
    """Sent at short intervals while the process runs; `pictures` counts the new pictures from the
    source."""

    pictures: int
    open: bool
    """Whether the source is open or being opened, so that a picture is due."""
    dark: bool = False
    """Whether the last picture was black."""
    last: LastPictures = field(default_factory=LastPictures)


@dataclass(frozen=True, slots=True)
class PhotoBegun:
    """Reading of a photo has begun: `PhotoRead` is the next message."""

    number: int


@dataclass(frozen=True, slots=True)
class PhotoRead:
    """The answer to `ReadPhoto`."""

    number: int
    outcome: DiceReading | VisionError


@dataclass(frozen=True, slots=True)
class StartFailed:
    """The process cannot load what reading needs, and ends."""

    problem: ReaderError


@dataclass(frozen=True, slots=True)
class RestartMe:
    """The process asks to be replaced: its camera is to be opened again."""


@dataclass(frozen=True, slots=True)
class SetupState:
    """The newest state of the set-up; as a message, what is new in it."""

    seen: SetupSeen | None = None
    prints: dict[Face, tuple[bytes, ...]] = field(default_factory=dict)
    """PNGs by face, once all faces were shown."""

    def updated(self, news: SetupState) -> SetupState:
        """Return the state with what is new in it."""
        return SetupState(news.seen or self.seen, news.prints or self.prints)


@dataclass(frozen=True, slots=True)
class SmallPicture:
    """The answer to `ShowPicture`: the camera's picture, small, as a JPEG."""

    encoded: bytes


@dataclass(frozen=True, slots=True)
class FootageKept:
    """The answer to `SendFootage`; None if the pictures of no reading are kept."""

    number: int
    footage: Footage | None


ChildMessage = (
    SetupState
    | SmallPicture
    | Report
    | Alive
    | PhotoBegun
    | PhotoRead
    | FootageKept
    | BoxRecognised
    | RestartMe
    | StartFailed
)
"""Messages from the camera's process."""


KeptBoxes = tuple[tuple[str, Path], ...]
"""The names and files of the table's other boxes, whose dice may lie in the tray as well."""


@dataclass(frozen=True, slots=True)
class Expect:
    """Expect this number of dice; None for as many as the game allows."""

    count: int | None


@dataclass(frozen=True, slots=True)
class UseRules:
    """Read the dice of another game."""

    rules: DiceRules


@dataclass(frozen=True, slots=True)
class Learn:
    """Learn from this roll of the table, or withdraw it."""

    lesson: Lesson


@dataclass(frozen=True, slots=True)
class ReadNow:
    """Read the dice once they rest, even if nothing has moved."""


@dataclass(frozen=True, slots=True)
class ReadPhoto:
    """Read this photo, an encoded picture, unless `until` has passed."""

    number: int
    encoded: bytes
    until: float
    """`time.monotonic` in seconds, which all processes of a machine share."""


class SetupStep(Enum):
    """The steps of a set-up that the host takes."""

    BEGIN = auto()
    """Begin in the camera's place; no rolls are reported until `END`."""
    PLACE = auto()
    SHOW = auto()
    """Ask for a face; without one, for the first that lacks views."""
    SKIP = auto()
    UNDO = auto()
    TEST = auto()
    END = auto()


@dataclass(frozen=True, slots=True)
class TakeSetupStep:
    """Take a step of the set-up."""

    step: SetupStep
    face: Face | None = None


@dataclass(frozen=True, slots=True)
class ShowPicture:
    """Send the next picture of the camera, small."""


@dataclass(frozen=True, slots=True)
class UseProfile:
    """Use another tray or other dice, and of what play taught only this."""

    profile: Profile
    learned: tuple[Lesson, ...] = ()
    boxes: KeptBoxes = ()


@dataclass(frozen=True, slots=True)
class SendFootage:
    """Send the pictures that the last reported reading was decided from, or the last photo."""

    number: int
    of_photo: bool = False


@dataclass(frozen=True, slots=True)
class AcceptScene:
    """Take camera, light and dice as they are; with `reopen` a camera is opened again, so that it
    adjusts itself to the light and holds that."""

    reopen: bool = False


@dataclass(frozen=True, slots=True)
class ClearTray:
    """Take up all dice; for a source that throws dice of its own, as `Throw` is."""


ChildCommand = (
    Expect
    | UseRules
    | Learn
    | ReadNow
    | ReadPhoto
    | TakeSetupStep
    | ShowPicture
    | UseProfile
    | SendFootage
    | AcceptScene
    | Throw
    | ClearTray
)
"""Messages to the camera's process."""


@dataclass(frozen=True, slots=True)
class CameraSetup:
    """The first message to the camera's process: all that it starts with."""

    source: FrameSource | None
    rules: DiceRules
    expected: int | None = None
    known: DiceReading | None = None
    """The last reading of the previous process: its dice are not reported again."""
    profile: Profile = field(default_factory=Profile)
    last: LastPictures = field(default_factory=LastPictures)
    """The last pictures of the source in the previous process."""
    learned: tuple[Lesson, ...] = ()
    """What the table has taught so far."""
    boxes: KeptBoxes = ()
