"""The log: an append-only SQLite file whose rows are chained by their hashes. It is the save file.

Only events are written, with the digest of the position after each; everything else is replay.
Nothing is changed or deleted. Opening never fails: a damaged file is kept aside and replaced by one
with the rows that its hashes prove; while the disk refuses, rows wait in memory.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from itertools import islice
from pathlib import Path

from companion.storage.database.held import Memory, OpenedTables
from companion.storage.database.losses import Loss
from companion.storage.database.reading import (
    CannotOpenError,
    read_rows,
    saved_rows,
    saved_tables,
)
from companion.storage.database.writing import (
    insert_rows,
    missing_rows,
    put_head,
    write_if_possible,
    write_together,
)
from companion.storage.notices import Notice
from companion.storage.rows import COLUMNS, PendingRow, StoredRow, chain, table_number
from companion.storage.schema import (
    OPEN_ROW,
    Schema,
    Tip,
    put_mark,
    put_overall_seal,
    put_tip,
)
from companion.table.opening import CANNOT_BE_WRITTEN, FILE_NAME, ClaimedError, LogFile, no_claim

__all__ = [
    "COLUMNS",
    "FILE_NAME",
    "CannotOpenError",
    "ClaimedError",
    "EventLog",
    "Loss",
    "Notice",
    "StoredRow",
    "chain",
    "saved_rows",
    "saved_tables",
]


class EventLog(LogFile):
    """The rows of all tables in a data folder; `losses` are what opening could not save.

    A writer holds the table's lock; reading needs none. Opens the file as LogFile does.
    """

    def __init__(
        self, folder: Path, schema: Schema | None = None, claim: Callable[[], object] = no_claim
    ) -> None:
        self.reopened = 0
        """How often the file was opened after a failure; its tables may be others since."""
        self._waiting: list[PendingRow] = []
        self._to_mark: set[str] = set()
        super().__init__(folder, schema, claim)

    # -- reading ------------------------------------------------------------------------------

    @property
    def saved(self) -> bool:
        """Whether the disk has every row and the current table's mark; False while it refuses."""
        return self._db is not None and not self._waiting and not self._to_mark

    @property
    def tables(self) -> tuple[str, ...]:
        """The names of all tables, oldest first."""
        return tuple(self._ends)

    @property
    def by_use(self) -> tuple[str, ...]:
        """The names of all tables, last used at the end, by the log's own counter, since the clock
        may be wrong; read-only ones come first.
        """
        ends = dict(self._ends)
        return tuple(
            sorted(ends, key=lambda name: (name not in self.read_only, ends[name].counter))
        )

    @property
    def current(self) -> str:
        """The table being played: the one made current last, else the newest; else `g1`."""
        return self._current or next(reversed(self._ends), "g1")

    def next_name(self) -> str:
        """Return the name for a new table: numbered, and unused in every file of the folder."""
        return f"g{max(map(table_number, (*self._ends, *self._elsewhere)), default=0) + 1}"

    def count(self, table: str) -> int:
        """Return how many rows the table has."""
        return self._ends[table].seq if table in self._ends else 0

    def tip(self, table: str) -> str:
        """Return what names the table's rows up to now, their last hash in hex digits; "" where it
        is unknown."""
        return self._ends[table].hash.hex() if table in self._ends else ""

    def rows(self, table: str) -> tuple[StoredRow, ...]:
        """Return all rows of the table; none where it is unknown."""
        return tuple(self.read(table))

    def read(self, table: str) -> Iterator[StoredRow]:
        """Yield the rows of the table one by one, as far as they go now; from any thread."""
        held, count, waiting = self._in_memory.get(table), self.count(table), tuple(self._waiting)
        read = 0
        if held is not None:
            yield from held
            read = len(held)
        elif table in self._disk:
            for read, row in islice(read_rows(self.path, table), count):  # noqa: B007
                yield row
        for name, seq, row, _ in waiting:
            if name == table and seq > read:
                yield row

    # -- writing ------------------------------------------------------------------------------

    def append(self, table: str, rows: Iterable[StoredRow]) -> bool:
        """Append rows to the table; return whether the disk has them too (`saved`).

        The table may have another name afterwards (`current`): see `save`.
        """
        self._add(table, rows)
        self._current = table
        return self.save()

    def make_current(self, table: str) -> bool:
        """Make this the table being played, now and after the next start."""
        self._mark_current(table)
        self._current = table
        return self.save()

    def _add(self, table: str, rows: Iterable[StoredRow]) -> None:
        """Queue rows at the end of the table."""
        self._refuse_read_only(table)
        end = self._ends.get(table, Tip(0, b"", 0))
        written: list[PendingRow] = []
        for row in rows:
            seq = end.seq + 1
            end = Tip(seq, chain(end.hash, table, seq, row), end.counter)
            written.append((table, seq, row, end.hash))
        self._ends[table] = replace(end, counter=self._next_counter())
        self._waiting += written

    def _mark_current(self, table: str) -> None:
        """Give the table's end the newest counter."""
        self._refuse_read_only(table)
        self._ends[table] = replace(self._ends[table], counter=self._next_counter())
        self._to_mark.add(table)

    def _refuse_read_only(self, table: str) -> None:
        if table in self.read_only:
            raise ValueError(f"{table} can only be read")

    def save(self) -> bool:
        """Write the queued rows; return False where they still wait.

        Where the file that can be opened at last is another one than expected, a game that does not
        fit to it is saved whole under a new name, which is `current` where it is being played.
        """
        if self._db is None:
            self._open_again()
        if self._db is not None and (self._waiting or self._to_mark):
            try:
                self._write(self._db)
            except sqlite3.IntegrityError:
                self._drop_written_rows(self._db)
            except sqlite3.Error:
                return False
        return self.saved

    def probe(self) -> None:
        """Return once the database has answered; a refusal of the disk is an answer too."""
        if self._db is not None:
            with suppress(sqlite3.Error):
                self._db.execute("SELECT count(*) FROM sqlite_schema").fetchone()

    def close(self) -> None:
        """Close the file, after a last attempt to write the queued rows."""
        self.save()
        if self._db is not None:
            write_if_possible(self._db, lambda db: put_mark(db, OPEN_ROW, 0))
            self._db.close()

    def _next_counter(self) -> int:
        return max((end.counter for end in self._ends.values()), default=0) + 1

    def _write(self, db: sqlite3.Connection) -> None:
        """Write everything that is queued, in one transaction."""
        born = {table: place for place, table in enumerate(self._ends)}
        tables = dict.fromkeys([*(table for table, *_ in self._waiting), *sorted(self._to_mark)])

        def write(db: sqlite3.Connection) -> None:
            insert_rows(db, self._waiting)
            for table in tables:
                put_head(db, table, born[table], self._ends[table].seq)
                put_tip(db, table, self._ends[table])
            put_overall_seal(db, self._writable(self._ends))

        write_together(db, write)
        self._waiting.clear()
        self._to_mark.clear()
        self._disk = self._writable(self._ends)

    def _drop_written_rows(self, db: sqlite3.Connection) -> None:
        """Drop rows from the queue that the disk took although it reported a failure."""
        try:
            missing = missing_rows(db, self._waiting)
            if len(missing) < len(self._waiting):
                self._waiting = missing
                self._to_mark.update(self._writable(self._ends))
                self._write(db)
        except sqlite3.Error:
            return

    # -- opening again ------------------------------------------------------------------------

    def _open_again(self) -> None:
        """Try to open the file again and queue what only memory has; nothing changes on failure."""
        before = (self.path, self.read_only, dict(self._ends), self._disk, dict(self._in_memory))
        current, elsewhere = self._current, self._elsewhere
        memory = Memory(
            self._writable(self._ends), dict(self._in_memory), tuple(self._waiting), self._current
        )
        try:
            self._open()
        except (*CANNOT_BE_WRITTEN, ClaimedError):
            self._db, self._elsewhere, self._current = None, elsewhere, current
            self.path, self.read_only, self._ends, self._disk, self._in_memory = before
            return
        self.reopened += 1
        self._in_memory = {table: self._in_memory[table] for table in self.read_only}
        self._queue_missing(memory, before[3])

    def _queue_missing(self, memory: Memory, disk: Mapping[str, Tip]) -> None:
        """Queue what memory has and the opened file lacks. `disk`: the ends that the file was
        expected to have.
        """
        turned, self._to_mark, self._waiting = self._to_mark, set(), []
        names: dict[str, str] = {}
        there = OpenedTables(
            self._disk, lambda table: (row for _, row in read_rows(self.path, table))
        )
        for table, rows, fits in memory.missing_from(disk, there, self.read_only):
            name = table if fits or table not in self._ends else self.next_name()
            names[table] = name
            if rows:
                self._add(name, rows)
            elif table in turned and name in self._ends:
                self._mark_current(name)
        if memory.current in names:
            self._current = names[memory.current]
        elif memory.current in self.read_only:
            self._current = memory.current
