"""The set-up of camera and dice as the host's phone shows it, and the boxes that are kept."""

from __future__ import annotations

from companion.engine import Face
from companion.service.wire.words import Wire
from companion.vision.messages import Check, SetupSeen
from companion.vision.readings import CameraState


class BoxLine(Wire, frozen=True):
    """A box of dice that is kept."""

    id: str
    name: str
    game: str
    prints: int
    chosen: bool
    """Whether it is in use for its game."""


class SetupView(Wire, frozen=True):
    """The state of the set-up. `seen` is None before the first look, and where none runs."""

    running: bool
    camera: CameraState
    game: str
    faces: tuple[Face, ...]
    least: int
    """The good views with which a face may be left."""
    boxes: tuple[BoxLine, ...]
    worst: Check | None = None
    """The check that most needs an act."""
    seen: SetupSeen | None = None
    complete: bool = False
    """Whether the prints of all faces are there, so that they can be kept as a box."""
