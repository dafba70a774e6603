"""Rows of the log as phones get them: the newest in a view, and all of them in JSON.

A row says the same for ever, but for whether it counts and what a player is called.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Sequence

import msgspec
from msgspec.structs import replace

from companion.service import wire
from companion.service.logbook import log_row
from companion.table import Entry, Redone, Snapshot, TableSet, Undone


class LogRows:
    """Makes rows of one table at a time, each once. Threads may share it."""

    def __init__(self) -> None:
        self._newest: tuple[object, dict[int, wire.LogRow]] = (None, {})
        self._all = _Encoded("", None)
        self._encoding = threading.Lock()

    def newest(self, snapshot: Snapshot, most: int) -> tuple[wire.LogRow, ...]:
        """The newest rows, `most` of them, oldest first."""
        entries = snapshot.entries[-most:]
        key = (snapshot.table, snapshot.state.setup)
        known = self._newest[1] if self._newest[0] == key else {}
        worded = {
            entry.seq: known.get(entry.seq) or log_row(entry, snapshot.state.setup)
            for entry in entries
        }
        self._newest = (key, worded)
        return tuple(
            replace(worded[entry.seq], undone=True) if undone else worded[entry.seq]
            for entry, undone in zip(entries, _undone(entries, snapshot), strict=True)
        )

    def all_in_json(self, snapshot: Snapshot) -> bytes:
        """All rows, oldest first: an array of `LogRow`. Costs little beside the copy of its bytes,
        however long the log is, where it was asked for before.
        """
        with self._encoding:
            if (self._all.table, self._all.setup) != (snapshot.table, snapshot.state.setup):
                self._all = _Encoded(snapshot.table, snapshot.state.setup)
            return self._all.rows(snapshot)


class _Encoded:
    """All rows of a table in JSON, kept apart, and whether each is undone."""

    def __init__(self, table: str, setup: TableSet | None) -> None:
        self.table, self.setup = table, setup
        self._rows: list[bytes] = []
        self._undone: list[bool] = []

    def rows(self, snapshot: Snapshot) -> bytes:
        """All rows of this moment of the table, as an array."""
        known, count = len(self._rows), len(snapshot.entries)
        del self._rows[count:], self._undone[count:]  # a moment before the one last asked for
        fresh = snapshot.entries[known:]
        if count < known or any(_takes_back(entry) for entry in fresh):
            self._mark(snapshot)
        for entry, undone in zip(fresh, _undone(fresh, snapshot), strict=True):
            self._rows.append(self._encoded(entry, undone=undone))
            self._undone.append(undone)
        return b"[" + b",".join(self._rows) + b"]"

    def _mark(self, snapshot: Snapshot) -> None:
        """Of the rows that are known, others may count than before."""
        entries = snapshot.entries[: len(self._rows)]
        for at, undone in enumerate(_undone(entries, snapshot)):
            if undone != self._undone[at]:
                self._rows[at] = self._encoded(entries[at], undone=undone)
                self._undone[at] = undone

    def _encoded(self, entry: Entry, *, undone: bool) -> bytes:
        return msgspec.json.encode(replace(log_row(entry, self.setup), undone=undone))


def _undone(entries: Sequence[Entry], snapshot: Snapshot) -> Iterable[bool]:
    """Of each of these entries in a row, whether it was taken back."""
    counting = frozenset(snapshot.state.line.since(entries[0].seq)) if entries else frozenset()
    return (entry.seq not in counting and not _takes_back(entry) for entry in entries)


def _takes_back(entry: Entry) -> bool:
    return isinstance(entry.event, Undone | Redone)
