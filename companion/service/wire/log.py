"""Lines of the log, what undo and redo would do, and what happened to the log."""

from __future__ import annotations

from companion.engine import Change
from companion.service.wire.words import Wire, Words


class LogRow(Wire, frozen=True):
    """One line of the log."""

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
    ahead: bool = False
    """The seat had set this answer ahead."""


class Undoable(Wire, frozen=True):
    """What undo or redo would do next, by name."""

    seq: int
    words: Words
    seat: int | None = None
    host_only: bool = False
    """The start of the game: taken back, the table is set again."""


class LogNotice(Wire, frozen=True):
    """Something that happened to the log; shown until the host has seen it."""

    id: str
    words: Words
