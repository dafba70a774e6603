"""The time machine: turns and branches of a game, and the table as it was after any row."""

from __future__ import annotations

from companion.service.wire.game import SeatView
from companion.service.wire.log import Happened
from companion.service.wire.words import Cause, Wire, Words
from companion.table import Redone, Undone


class TimeTurn(Wire, frozen=True):
    """A turn: `row` is the last that belongs to it, `at` when that was written."""

    turn: int
    """0: the set-up."""
    seat: int
    """Whose turn it was."""
    row: int
    at: str


class TimeLine(Wire, frozen=True):
    """Rows to stop at, oldest first."""

    turns: tuple[TimeTurn, ...]
    steps: tuple[int, ...]
    """The last row of each command."""


class BranchView(Wire, frozen=True):
    """A line that was left and is kept; it parts from the one that counts after row `fork`."""

    row: int
    """Its last row."""
    fork: int
    line: TimeLine
    """What it alone has."""
    words: Words
    """Its first act, by name."""
    why: tuple[Cause, ...]
    at: str
    """When it was left, and by which player."""
    by: str


class TimeView(Wire, frozen=True):
    """The game as a line of moments to look at."""

    table: str
    rev: int
    """What was newest when this was made: playing on is a command for that revision."""
    line: TimeLine
    branches: tuple[BranchView, ...]
    """Newest first."""
    seats: tuple[SeatView, ...]
    """Now."""
    may: bool
    """Whether this phone may play on from another moment."""


class TimeMoment(Wire, frozen=True):
    """The table as it was after a row, and what playing on from there takes."""

    row: int
    turn: int
    seat: int
    """Whose turn it was."""
    at: str
    seats: tuple[SeatView, ...]
    act: Words
    """What was done last, by name."""
    why: tuple[Cause, ...]
    happened: tuple[Happened, ...]
    """What came of the turn, what matters most first."""
    way: tuple[Undone | Redone, ...]
    """The events that go there, as one command; none: the table is there."""
    leaves: int
    """How many commands that leaves, which a branch then keeps."""
    turns: tuple[int, int] | None
    """The first and the last turn of those."""
