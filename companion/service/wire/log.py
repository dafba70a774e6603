"""Lines of the log, what undo and redo would do, and what happened to the log."""

from __future__ import annotations

from companion.engine import Change
from companion.service.wire.words import Cause, Wire, Words


class Happened(Wire, frozen=True):
    """Something that came of an event, in one sentence."""

    sign: str
    words: Words
    why: tuple[Cause, ...] = ()
    """What led to it, or what it brought, in short clauses."""
    changes: tuple[Change, ...] = ()
    """The numbers that it changed."""
    hurt: tuple[int, ...] = ()
    """The seats that lost health, or the game."""
    act: int = 0
    """The first row of the command it came of; what came of one command came at once."""
    turn: int = 0
    active: int = 0
    """Whose turn it was, which may have begun in the same event."""


class LogRow(Wire, frozen=True):
    """One line of the log: what somebody did, and what came of it."""

    seq: int
    turn: int
    active: int
    """Whose turn it was."""
    seat: int | None
    sign: str
    words: Words
    changes: tuple[Change, ...]
    at: str
    """ISO 8601 wall time, for reading only; order is `seq`."""
    by: str
    undone: bool = False
    corrected: bool = False
    why: tuple[Cause, ...] = ()
    """What led to it, or what it brought, in short clauses."""
    happened: tuple[Happened, ...] = ()
    """What else came of it, oldest first."""
    quiet: bool = False
    """Nobody chose it for itself: it came with another answer of the same command."""
    joins: bool = False
    """It continues the row before it: the same person turned the same dial on."""
    ahead: bool = False
    """The seat had set this answer ahead."""
    tray: bool = False
    """The dice tray sent it, without a tap."""


class Undoable(Wire, frozen=True):
    """What undo or redo would do next, by name."""

    seq: int
    words: Words
    why: tuple[Cause, ...] = ()
    seat: int | None = None
    more: int = 0
    """How many further commands come back with it."""
    host_only: bool = False
    """The start of the game: taken back, the table is set again."""


class LogNotice(Wire, frozen=True):
    """Something that happened to the log; shown until the host has seen it."""

    id: str
    words: Words
