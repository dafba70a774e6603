"""The story of a finished game: its chances turn by turn, and what was remarkable."""

from __future__ import annotations

from companion.engine import Face
from companion.service.wire.log import Happened
from companion.service.wire.words import Cause, Wire, Words


class ChanceView(Wire, frozen=True):
    """The win chances when a turn began, or when the game ended; by seat, 1 in all."""

    turn: int
    seat: int
    """Whose turn it was."""
    chances: tuple[float, ...]
    ended: bool = False


class TurningPoint(Wire, frozen=True):
    """The turn in which most of the chances changed hands. `faces`: its last roll."""

    turn: int
    seat: int
    faces: tuple[Face, ...]
    happened: tuple[Happened, ...]
    """What came of it, what matters most first."""


class BestMoment(Wire, frozen=True):
    """A seat's best turn of its own."""

    seat: int
    turn: int
    faces: tuple[Face, ...]
    words: Words


class OutView(Wire, frozen=True):
    """Who was eliminated, when, and by what."""

    seat: int
    turn: int
    words: Words
    why: tuple[Cause, ...] = ()


class FaceCount(Wire, frozen=True):
    """How many dice showed a face."""

    face: Face
    count: int


class LuckView(Wire, frozen=True):
    """How the dice of one seat fell, or those of the whole table (None)."""

    seat: int | None
    dice: int
    words: Words
    faces: tuple[FaceCount, ...]


class StoryView(Wire, frozen=True):
    """The story of a game. `chance`: empty where no forecast could be made; `problem` says why."""

    id: str
    turns: int
    minutes: int | None
    chance: tuple[ChanceView, ...]
    turning_point: TurningPoint | None
    best: tuple[BestMoment, ...]
    fallen: tuple[OutView, ...]
    """The last to go first."""
    luck: tuple[LuckView, ...]
    closest: Words | None
    measured: Words | None = None
    """How good the network of the chances is."""
    problem: Words | None = None
