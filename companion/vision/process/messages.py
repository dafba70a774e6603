"""Messages between the service and the camera's process, as frozen values. No behaviour."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum, auto

from companion.engine import Face
from companion.vision.box.learning import Lesson
from companion.vision.box.profile import Dice, Profile
from companion.vision.box.rules import DiceRules
from companion.vision.errors import ReaderError, VisionError
from companion.vision.readings import DiceReading, TrayReading
from companion.vision.report.form import Footage
from companion.vision.setup.values import SetupSeen
from companion.vision.sources.kinds import FrameSource, Throw
from companion.vision.states import CameraState


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
    """A reading of dice that have come to rest, sent once."""

    reading: DiceReading


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
    """Whether the source is open or being opened, so that a picture is due. False while the source
    reports that it is starting."""
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
class HandOver:
    """The process asks to be replaced: it has used up its memory for photos, or its camera is to be
    opened again."""


@dataclass(frozen=True, slots=True)
class SetupLook:
    """The newest state of the set-up."""

    seen: SetupSeen


@dataclass(frozen=True, slots=True)
class SetupPicture:
    """The camera's picture, small, as a JPEG: the answer to `ShowPicture`."""

    picture: bytes


@dataclass(frozen=True, slots=True)
class SetupPrints:
    """The prints of the set-up, once all faces were shown: PNGs by face."""

    prints: dict[Face, tuple[bytes, ...]]


@dataclass(frozen=True, slots=True)
class FootageKept:
    """The answer to `SendFootage`; None where the pictures of no reading are kept."""

    number: int
    footage: Footage | None


ChildMessage = (
    SetupLook
    | SetupPicture
    | SetupPrints
    | Report
    | Alive
    | PhotoBegun
    | PhotoRead
    | FootageKept
    | HandOver
    | StartFailed
)
"""Messages from the camera's process."""


@dataclass(frozen=True, slots=True)
class Expect:
    """Expect this number of dice; None for as many as the game allows."""

    count: int | None


@dataclass(frozen=True, slots=True)
class Play:
    """Read the dice of another game."""

    rules: DiceRules


@dataclass(frozen=True, slots=True)
class Learn:
    """Add the prints of a lesson."""

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
class SetUp:
    """Take a step of the set-up."""

    step: SetupStep
    face: Face | None = None


@dataclass(frozen=True, slots=True)
class ShowPicture:
    """Send the next picture of the camera, small."""


@dataclass(frozen=True, slots=True)
class UseProfile:
    """Use another sheet, or other prints, and forget what play taught about those before."""

    profile: Profile


@dataclass(frozen=True, slots=True)
class SendFootage:
    """Send the pictures that the last reported reading was decided from."""

    number: int


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
    | Play
    | Learn
    | ReadNow
    | ReadPhoto
    | SetUp
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
    learnt: Dice = field(default_factory=dict)
    """The prints learned so far."""
