"""What passes between the service and the camera's process, as frozen values."""

from __future__ import annotations

from dataclasses import dataclass, field

from companion.vision.box.learning import Lesson
from companion.vision.box.profile import Dice, Profile
from companion.vision.box.rules import DiceRules
from companion.vision.errors import ReaderError, VisionError
from companion.vision.readings import DiceReading, Tray
from companion.vision.sources.kinds import Source
from companion.vision.states import CameraState


@dataclass(frozen=True, slots=True)
class CameraSeen:
    """The camera is in another state. `problem` says why where it is lost."""

    state: CameraState
    problem: VisionError | None = None


@dataclass(frozen=True, slots=True)
class TraySeen:
    """The tray is in another state."""

    tray: Tray


@dataclass(frozen=True, slots=True)
class DiceRead:
    """Dice have come to rest and were read, once."""

    reading: DiceReading


Report = CameraSeen | TraySeen | DiceRead
"""Messages to the service."""


@dataclass(frozen=True, slots=True)
class LastShown:
    """By what a source's next picture is known to be none, however often it is opened: the
    `Shot.trace` of the newest few, oldest first."""

    traces: tuple[int, ...] = ()
    is_blank: bool = False
    """Whether the last one was all black or all white, as others may rightly be to the last bit."""


@dataclass(frozen=True, slots=True)
class Alive:
    """The process runs; `pictures` counts the new ones it has had from its source."""

    pictures: int
    open: bool
    """Whether the source is open, or being opened: a picture may be waited for. Not while it says
    itself that it is being started."""
    dark: bool = False
    """Whether its last picture was black."""
    last: LastShown = field(default_factory=LastShown)


@dataclass(frozen=True, slots=True)
class PhotoBegun:
    """The photo is being read: nothing more is said before `PhotoRead`."""

    number: int


@dataclass(frozen=True, slots=True)
class PhotoRead:
    """The answer to `ReadPhoto`."""

    number: int
    outcome: DiceReading | VisionError


@dataclass(frozen=True, slots=True)
class Unfit:
    """The process cannot read with what it has, and ends, for this reason."""

    problem: ReaderError


@dataclass(frozen=True, slots=True)
class Spent:
    """The process has read enough: another is to do what comes next."""


Said = Report | Alive | PhotoBegun | PhotoRead | Spent | Unfit
"""What the camera's process says."""


@dataclass(frozen=True, slots=True)
class Expect:
    """So many dice are expected; None: as many as the game allows."""

    count: int | None


@dataclass(frozen=True, slots=True)
class Play:
    """Dice by these rules lie on the table."""

    rules: DiceRules


@dataclass(frozen=True, slots=True)
class Learn:
    """The table has said what these dice show."""

    lesson: Lesson


@dataclass(frozen=True, slots=True)
class ReadNow:
    """Read what lies there once it rests, whether it has moved or not."""


@dataclass(frozen=True, slots=True)
class ReadPhoto:
    """Read this photo, an encoded picture, unless it is too late: nobody waits for it then, and
    another may."""

    number: int
    encoded: bytes
    until: float
    """`time.monotonic` in seconds, which all processes of a machine share."""


Command = Expect | Play | Learn | ReadNow | ReadPhoto
"""Messages to the camera's process."""


@dataclass(frozen=True, slots=True)
class Setup:
    """With what the camera's process starts."""

    source: Source | None
    rules: DiceRules
    expected: int | None = None
    known: DiceReading | None = None
    """The last reading of the process before: those dice are not read again."""
    profile: Profile = field(default_factory=Profile)
    last: LastShown = field(default_factory=LastShown)
    """What the source showed last, in the process before."""
    learnt: Dice = field(default_factory=dict)
    """What the table has taught before."""
