"""Rows of the log as phones get them: the newest in a view, and all of them in JSON.

The wire form of a row changes only in `undone` and in players' names.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Sequence

import msgspec
from msgspec.structs import replace

from companion.service import wire
from companion.service.views.logbook import log_row
from companion.table import Entry, PhoneFreeSet, Redone, Snapshot, TableSet, Undone


class LogRows:
    """Cache of one table's rows in wire form; every method may be called from any thread."""

    def __init__(self) -> None:
        self._newest: tuple[object, dict[int, wire.LogRow]] = (None, {})
        self._all = _Encoded("", None)
        self._encoding = threading.Lock()

    def newest(self, snapshot: Snapshot, most: int) -> tuple[wire.LogRow, ...]:
        """Return the newest `most` rows, oldest first."""
        entries = snapshot.entries[-most:]
        key = (snapshot.game_id, snapshot.state.setup)
        kept = self._newest  # read once: another thread may put another table's rows there
        known = kept[1] if kept[0] == key else {}
        worded = {
            entry.seq: known.get(entry.seq)
            or log_row(entry, snapshot.state.setup, snapshot.entries)
            for entry in entries
        }
        self._newest = (key, worded)
        return tuple(
            replace(worded[entry.seq], undone=True) if undone else worded[entry.seq]
            for entry, undone in zip(entries, _undone_flags(entries, snapshot), strict=True)
        )

    def all_in_json(self, snapshot: Snapshot) -> bytes:
        """Return all rows, oldest first: an array of `LogRow`.

        Encodes only rows that are new, or whose `undone` flag changed, since the last call.
        """
        with self._encoding:
            if (self._all.table, self._all.setup) != (snapshot.game_id, snapshot.state.setup):
                self._all = _Encoded(snapshot.game_id, snapshot.state.setup)
            return self._all.rows(snapshot)


class _Encoded:
    """The rows of one table in JSON, one by one, with the `undone` flag of each."""

    def __init__(self, table: str, setup: TableSet | None) -> None:
        self.table, self.setup = table, setup
        self._rows: list[bytes] = []
        self._undone: list[bool] = []

    def rows(self, snapshot: Snapshot) -> bytes:
        """Return all rows of this moment of the table, as an array."""
        known, count = len(self._rows), len(snapshot.entries)
        del self._rows[count:], self._undone[count:]  # this snapshot may be older than the last
        fresh = snapshot.entries[known:]
        if count < known or any(_takes_back(entry) for entry in fresh):
            self._encode_changed(snapshot)
        for entry, undone in zip(fresh, _undone_flags(fresh, snapshot), strict=True):
            self._rows.append(self._encoded(entry, snapshot.entries, undone=undone))
            self._undone.append(undone)
        return b"[" + b",".join(self._rows) + b"]"

    def _encode_changed(self, snapshot: Snapshot) -> None:
        """Encode the cached rows again whose `undone` flag has changed."""
        entries = snapshot.entries[: len(self._rows)]
        for at, undone in enumerate(_undone_flags(entries, snapshot)):
            if undone != self._undone[at]:
                self._rows[at] = self._encoded(entries[at], snapshot.entries, undone=undone)
                self._undone[at] = undone

    def _encoded(self, entry: Entry, entries: Sequence[Entry], *, undone: bool) -> bytes:
        return msgspec.json.encode(replace(log_row(entry, self.setup, entries), undone=undone))


def _undone_flags(entries: Sequence[Entry], snapshot: Snapshot) -> Iterable[bool]:
    """Yield for each of these consecutive entries whether it is undone at this moment."""
    counting = frozenset(snapshot.state.line.since(entries[0].seq)) if entries else frozenset()
    return (entry.seq not in counting and not _is_never_undone(entry) for entry in entries)


def _takes_back(entry: Entry) -> bool:
    return isinstance(entry.event, Undone | Redone)


def _is_never_undone(entry: Entry) -> bool:
    return _takes_back(entry) or isinstance(entry.event, PhoneFreeSet)
