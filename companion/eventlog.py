"""The log: an append-only SQLite file whose rows are chained by their hashes. It is the save file.

Only input is written down, with the digest of the position after it; everything else is replay.
Nothing is ever changed or deleted. A damaged file is kept aside, and the longest true prefix is
served from a new one.
"""

from __future__ import annotations

import hashlib
import os
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import msgspec

FILE_NAME = "table.db"
SCHEMA = """
CREATE TABLE IF NOT EXISTS row (
    at TEXT NOT NULL, who TEXT NOT NULL, command_id TEXT NOT NULL, event TEXT NOT NULL,
    rules_version TEXT NOT NULL, digest TEXT NOT NULL, position TEXT,
    tbl TEXT NOT NULL, seq INTEGER NOT NULL, hash BLOB NOT NULL,
    PRIMARY KEY (tbl, seq)
) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS head (
    tbl TEXT PRIMARY KEY, born INTEGER NOT NULL, seq INTEGER NOT NULL
) STRICT;
"""
COLUMNS = "at, who, command_id, event, rules_version, digest, position"


class CannotOpenError(Exception):
    """The folder or file refuses: `path` and the system's own `reason`."""

    def __init__(self, path: Path, reason: str) -> None:
        super().__init__(f"{path}: {reason}")
        self.path, self.reason = path, reason


class Row(msgspec.Struct, frozen=True, kw_only=True):
    """One input of one table; its sequence number is its place, counted from 1."""

    at: str
    """ISO 8601 wall time, for reading only: order is the sequence."""
    who: str
    command_id: str
    event: str
    """The event's JSON as it came."""
    rules_version: str
    digest: str
    """Of the position after it; empty before the game has started."""
    position: str | None = None
    """JSON of the whole position, where this row ends a turn."""


Written = tuple[str, int, Row, bytes]
"""A row on its way to the file: table, sequence number, row, hash."""


@dataclass(frozen=True, slots=True)
class Loss:
    """What a damaged file cost: rows of `table` after `kept` are gone; the file lies at `aside`."""

    table: str
    kept: int
    lost: int
    aside: Path


def chain(previous: bytes, table: str, seq: int, row: Row) -> bytes:
    """SHA-256 over the hash before and everything in the row."""
    return hashlib.sha256(previous + msgspec.json.encode((table, seq, row))).digest()


class EventLog:
    """Rows of all tables of one data folder; `losses` says what opening it could not save.

    Whoever writes holds the table's lock; reading needs none. Raises CannotOpenError.
    """

    def __init__(self, folder: Path) -> None:
        self.path = folder / FILE_NAME
        self.losses: tuple[Loss, ...] = ()
        self._counts: dict[str, int] = {}
        self._hashes: dict[str, bytes] = {}
        self._waiting: list[Written] = []
        self._current = ""
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self._open()
        except (OSError, sqlite3.Error) as refusal:
            raise CannotOpenError(self.path, str(refusal)) from refusal

    @property
    def saved(self) -> bool:
        """Whether every row is on the disk. False: the disk refuses, rows wait in memory."""
        return not self._waiting

    @property
    def tables(self) -> tuple[str, ...]:
        """All tables, oldest first."""
        return tuple(self._counts)

    @property
    def current(self) -> str:
        """The table that is played: the one taken up last, else the newest; `g1` where none is."""
        return self._current or next(reversed(self._counts), "g1")

    def take_up(self, table: str) -> None:
        """The table is the one that is played."""
        self._current = table

    def next_name(self) -> str:
        """The name of the table after the newest one: names are numbered, and never used again."""
        return f"g{max(map(_number, self._counts), default=0) + 1}"

    def count(self, table: str) -> int:
        """How many rows the table has."""
        return self._counts.get(table, 0)

    def rows(self, table: str) -> tuple[Row, ...]:
        """Rows of the table from the first on; empty for an unknown one."""
        return tuple(self.read(table))

    def read(self, table: str) -> Iterator[Row]:
        """The same one after the other, as far as they go now; from any thread."""
        count, waiting, read = self.count(table), tuple(self._waiting), 0
        for read, row, _ in islice(_readable(self.path, table), count):  # noqa: B007
            yield row
        for name, seq, row, _ in waiting:
            if name == table and seq > read:
                yield row

    def append(self, table: str, rows: Iterable[Row]) -> bool:
        """All rows stand at the end of the table; whether the disk has them too (`saved`)."""
        self._current = table
        for row in rows:
            seq = self._counts[table] = self._counts.get(table, 0) + 1
            self._hashes[table] = chain(self._hashes.get(table, b""), table, seq, row)
            self._waiting.append((table, seq, row, self._hashes[table]))
        return self.save()

    def save(self) -> bool:
        """What waited is on the disk, or still waits (False)."""
        if self._waiting:
            try:
                self._write(self._db, self._waiting)
            except sqlite3.Error:
                return False
            self._waiting.clear()
        return True

    def close(self) -> None:
        """The file is closed; rows still waiting get a last chance."""
        self.save()
        self._db.close()

    def _write(self, db: sqlite3.Connection, rows: Iterable[Written]) -> None:
        born = {table: place for place, table in enumerate(self._counts)}
        with db:
            db.execute("BEGIN IMMEDIATE")
            for table, seq, row, hashed in rows:
                values = (*msgspec.structs.astuple(row), table, seq, hashed)
                db.execute("INSERT INTO row VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", values)
                db.execute(
                    "INSERT INTO head VALUES (?, ?, ?)"
                    " ON CONFLICT DO UPDATE SET seq = excluded.seq",
                    (table, born[table], seq),
                )

    def _open(self) -> None:
        """The file is open and its true prefix known; a damaged one was moved aside first."""
        fresh = _fresh_name(self.path)
        if fresh.exists():  # somebody pulled the plug while a damaged file was being replaced
            fresh.unlink() if self.path.exists() else fresh.rename(self.path)
        heads, sound = _look(self.path)
        for table in heads or _tables_without_heads(self.path):
            self._verify(table)
        lost = {table: max(heads.get(table, 0) - n, 0) for table, n in self._counts.items()}
        if not sound or any(lost.values()):
            self._start_over(lost)
        self._db = _connect(self.path)

    def _verify(self, table: str) -> None:
        """How long the prefix is whose chain holds, and its last hash, are known."""
        self._counts[table], hashed = 0, b""
        for seq, row, claimed in _readable(self.path, table):
            hashed = chain(hashed, table, seq, row)
            if seq != self._counts[table] + 1 or hashed != claimed:
                break
            self._counts[table], self._hashes[table] = seq, hashed

    def _start_over(self, lost: dict[str, int]) -> None:
        """A new file holds what is true; the old one, with its WAL, lies beside it."""
        fresh, aside = _fresh_name(self.path), _free_name(self.path)
        with closing(_connect(fresh)) as db:
            self._write(db, self._true_rows())
        for suffix in ("-wal", "-shm", ""):
            part = Path(f"{self.path}{suffix}")
            if part.exists():
                part.rename(f"{aside}{suffix}")
        fresh.rename(self.path)
        _sync_folder(self.path.parent)
        self.losses = tuple(
            Loss(table, self._counts.get(table, 0), count, aside)
            for table, count in (lost or {"": 0}).items()
        )

    def _true_rows(self) -> Iterator[Written]:
        """Every row of every true prefix, read from the damaged file."""
        for table, count in self._counts.items():
            for seq, row, hashed in islice(_readable(self.path, table), count):
                yield table, seq, row, hashed


def saved_tables(path: Path) -> tuple[str, ...]:
    """The tables of a log file, oldest first; nothing is written. Raises CannotOpenError."""
    return tuple(name for (name,) in _look_in(path, "SELECT tbl FROM head ORDER BY born"))


def saved_rows(path: Path, table: str) -> tuple[Row, ...]:
    """The longest true prefix of a table's rows; nothing is written. Raises CannotOpenError."""
    query = f"SELECT {COLUMNS}, hash FROM row WHERE tbl = ? ORDER BY seq"
    rows: list[Row] = []
    hashed = b""
    for *fields, claimed in _look_in(path, query, table):
        row = Row(**dict(zip(Row.__struct_fields__, fields, strict=True)))
        hashed = chain(hashed, table, len(rows) + 1, row)
        if hashed != claimed:
            break
        rows.append(row)
    return tuple(rows)


def _look_in(path: Path, query: str, *params: str) -> list[tuple[Any, ...]]:
    """The answer of a file that may be another program's to write."""
    try:
        with closing(sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)) as db:
            return db.execute(query, params).fetchall()
    except sqlite3.Error as refusal:
        raise CannotOpenError(path, str(refusal)) from refusal


DAMAGED = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_ERROR)


def _connect(path: Path) -> sqlite3.Connection:
    db = sqlite3.connect(path, check_same_thread=False, isolation_level=None)
    try:
        db.execute("PRAGMA journal_mode=WAL")
        db.execute("PRAGMA synchronous=FULL")
        # A checkpoint makes one command in so many wait for a second write to the disk.
        db.execute("PRAGMA wal_autocheckpoint=4000")
        db.executescript(SCHEMA)
    except sqlite3.Error:
        db.close()
        raise
    return db


def _look(path: Path) -> tuple[dict[str, int], bool]:
    """How many rows each table should have, and whether SQLite calls the file sound."""
    try:
        with closing(_connect(path)) as db:
            heads = dict(db.execute("SELECT tbl, seq FROM head ORDER BY born"))
            return heads, db.execute("PRAGMA quick_check").fetchone() == ("ok",)
    except sqlite3.Error as damage:
        if (damage.sqlite_errorcode & 0xFF) not in DAMAGED:
            raise
        return {}, False


def _readable(path: Path, table: str) -> Iterator[tuple[int, Row, bytes]]:
    """Rows by sequence, up to the first that the file cannot give."""
    query = f"SELECT {COLUMNS}, seq, hash FROM row WHERE tbl = ? ORDER BY seq"
    with closing(sqlite3.connect(path)) as db:
        try:
            for *fields, seq, hashed in db.execute(query, (table,)):
                yield seq, Row(**dict(zip(Row.__struct_fields__, fields, strict=True))), hashed
        except sqlite3.Error:
            return


def _tables_without_heads(path: Path) -> tuple[str, ...]:
    """Tables found in the rows themselves, where the heads cannot be read."""
    try:
        with closing(sqlite3.connect(path)) as db:
            return tuple(name for (name,) in db.execute("SELECT DISTINCT tbl FROM row"))
    except sqlite3.Error:
        return ()


def _number(table: str) -> int:
    """Which table it is, by its name; 0 for a name that no table is given."""
    number = table.removeprefix("g")
    return int(number) if number.isascii() and number.isdecimal() else 0


def _fresh_name(path: Path) -> Path:
    """Where a file is made that will replace the damaged one."""
    return Path(f"{path}.new")


def _free_name(path: Path) -> Path:
    """`path` with the first free `.damaged-N` behind it."""
    numbers = (Path(f"{path}.damaged-{n}") for n in range(1, 10_000))
    return next(name for name in numbers if not name.exists())


def _sync_folder(folder: Path) -> None:
    """Renames in the folder have reached the disk."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
