"""A table: its events and log, the fold that gives its state, and commands that change it."""

from __future__ import annotations

from companion.table.branches import Branch, branches, moment, way_to
from companion.table.events import (
    HOME,
    TRAY,
    AheadSaid,
    AnsweredEarly,
    AnyTableEvent,
    GameStarted,
    Input,
    PhoneFreeSet,
    Redone,
    SeatSetup,
    TableEvent,
    TableSet,
    Undone,
)
from companion.table.history import (
    RULES_VERSION,
    Entries,
    Entry,
    Line,
    RefusedError,
    State,
    check_setup,
    replay,
    replay_all,
)
from companion.table.summaries import (
    GameSummary,
)
from companion.table.table import (
    Snapshot,
    Submission,
    Table,
    redoable,
    undoable,
)

__all__ = [
    "HOME",
    "RULES_VERSION",
    "TRAY",
    "AheadSaid",
    "AnsweredEarly",
    "AnyTableEvent",
    "Branch",
    "Entries",
    "Entry",
    "GameStarted",
    "GameSummary",
    "Input",
    "Line",
    "PhoneFreeSet",
    "Redone",
    "RefusedError",
    "SeatSetup",
    "Snapshot",
    "State",
    "Submission",
    "Table",
    "TableEvent",
    "TableSet",
    "Undone",
    "branches",
    "check_setup",
    "moment",
    "redoable",
    "replay",
    "replay_all",
    "undoable",
    "way_to",
]
