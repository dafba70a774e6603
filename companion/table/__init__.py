"""A table: its events and log, the fold that gives its state, and commands that change it."""

from __future__ import annotations

from companion.table.history import HOME as HOME
from companion.table.history import RULES_VERSION as RULES_VERSION
from companion.table.history import TRAY as TRAY
from companion.table.history import ActiveRows as ActiveRows
from companion.table.history import AheadSaid as AheadSaid
from companion.table.history import AnsweredEarly as AnsweredEarly
from companion.table.history import AnyTableEvent as AnyTableEvent
from companion.table.history import Entries as Entries
from companion.table.history import Entry as Entry
from companion.table.history import GameStarted as GameStarted
from companion.table.history import GameSummary as GameSummary
from companion.table.history import Input as Input
from companion.table.history import PhoneFreeSet as PhoneFreeSet
from companion.table.history import Redone as Redone
from companion.table.history import RefusedError as RefusedError
from companion.table.history import SeatSetup as SeatSetup
from companion.table.history import State as State
from companion.table.history import TableSet as TableSet
from companion.table.history import Undone as Undone
from companion.table.history import replay_all as replay_all
from companion.table.history import set_ahead as set_ahead
from companion.table.table import Branch as Branch
from companion.table.table import Snapshot as Snapshot
from companion.table.table import Submission as Submission
from companion.table.table import Table as Table
from companion.table.table import branches as branches
from companion.table.table import redoable as redoable
from companion.table.table import snapshot_at as snapshot_at
from companion.table.table import undoable as undoable
from companion.table.table import way_to as way_to
