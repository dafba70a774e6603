"""The camera, what it sees, and the dice that are proposed."""

from __future__ import annotations

from enum import StrEnum

from companion.engine import Change, Face, PreviewRow
from companion.service.wire.words import Wire, Words
from companion.vision.readings import CameraState, Drift, TrayState


class Alternative(Wire, frozen=True):
    """Another face that a die may show, and its probability."""

    face: Face
    probability: float


class ProposedDie(Wire, frozen=True):
    """One die as read."""

    face: Face | None
    confidence: float
    sure: bool
    colour: str
    box: tuple[int, int, int, int]
    """x, y, width, height in pixels of the tray picture."""
    alternatives: tuple[Alternative, ...] = ()
    problem: str | None = None
    crop: str = ""
    """Address of its picture."""


class Proposal(Wire, frozen=True):
    """A settled reading. Never an event: a tap applies it, or a fuse where the table wants one."""

    id: str
    dice: tuple[ProposedDie, ...]
    expected: int
    sure: bool
    problems: tuple[str, ...]
    roll: int
    """The number of this rest of the dice in the turn, from 1: a hint, never a limit."""
    picture: str
    picture_size: tuple[int, int]
    source: str
    """`camera` or `photo`."""
    rows: tuple[PreviewRow, ...] = ()
    """What Apply would do with the faces as read; empty where a face is missing."""
    merges: bool = False
    """Apply would also end the turn."""
    entering: tuple[Change, ...] = ()
    """What taking the city would bring."""
    outcomes: tuple[Words, ...] = ()
    """Who falls by it, and who wins."""
    ends: tuple[str, ...] = ()
    """The answers with which the same command can end the turn; empty where something is asked
    before."""


class FuseKind(StrEnum):
    """What a fuse does when it has burnt down."""

    APPLY = "apply"
    """It applies the proposal."""
    END = "end"
    """It ends the turn, since the tray was cleared."""


class Fuse(Wire, frozen=True):
    """What happens without a tap in a moment, unless somebody touches a phone."""

    id: str
    kind: FuseKind
    seat: int
    """Whose turn it is."""
    seconds: float
    left_s: float
    """How much of it is left when the view was made."""


class PhoneFree(Wire, frozen=True):
    """What the table has switched on to happen without a tap."""

    fuse: bool = False
    """A sure reading of the last roll applies itself."""
    tray_ends: bool = False
    """Clearing the tray ends the turn."""


class Tray(Wire, frozen=True):
    """The camera and what it sees."""

    camera: CameraState
    state: TrayState
    problem: Words | None = None
    roll: int = 0
    since_s: float = 0.0
    """Seconds since the last sign of the camera, where it is lost."""
    proposal: Proposal | None = None
    box: str | None = None
    """The name of the box in use; None: any dice are read."""
    drift: Drift | None = None
    """What has changed since the camera was set up."""
    phone_free: PhoneFree = PhoneFree()
    fuse: Fuse | None = None
    """The fuse that burns now."""
    demo: bool = False
    """Whether the dice are demo dice, which `/api/demo/throw` throws."""
    found: str = ""
    """The name of a camera that was plugged in while the table has none that works; else empty."""
    misread: str = ""
    """The proposal of the last roll that was applied with other faces than were read, while a
    report of it can be made; else empty."""
