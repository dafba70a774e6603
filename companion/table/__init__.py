"""One table: the events it logs, what counts after them, and the only writer of its log."""

from __future__ import annotations

from companion.table.events import (
    AheadSaid,
    AnyTableEvent,
    GameStarted,
    Input,
    Record,
    Redone,
    RowLost,
    SeatSetup,
    TableEvent,
    TableSet,
    Undone,
)
from companion.table.history import (
    RULES_VERSION,
    Entries,
    Entry,
    RefusedError,
    State,
    check_setup,
    replay,
    replayed,
)
from companion.table.line import Line
from companion.table.summaries import (
    GameSummary,
)
from companion.table.table import (
    Proposal,
    Snapshot,
    Submission,
    Table,
    effects_since_roll,
    redoable,
    undoable,
)

__all__ = [
    "RULES_VERSION",
    "AheadSaid",
    "AnyTableEvent",
    "Entries",
    "Entry",
    "GameStarted",
    "GameSummary",
    "Input",
    "Line",
    "Proposal",
    "Record",
    "Redone",
    "RefusedError",
    "RowLost",
    "SeatSetup",
    "Snapshot",
    "State",
    "Submission",
    "Table",
    "TableEvent",
    "TableSet",
    "Undone",
    "check_setup",
    "effects_since_roll",
    "redoable",
    "replay",
    "replayed",
    "undoable",
]
