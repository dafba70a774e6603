"""Enumerations: states of the camera and the tray, problems of a reading, colours of dice."""

from __future__ import annotations

from enum import StrEnum


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


class ReadingProblem(StrEnum):
    """Why a reading, or a die in it, is not sure."""

    NOT_FLAT = "die_not_flat"
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
