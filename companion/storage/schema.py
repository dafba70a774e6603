"""The tables of the log's file, their version, and what was sealed about them.

`head` is written for the release before, which reads it; nothing here does. What decides which rows
there should be stands in `tip`, sealed: a seal that does not fit is never believed. That release
writes rows and heads by position, so neither table may have another column before version 2.
"""

from __future__ import annotations

import hashlib
import os
import re
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import msgspec

from companion.storage.rows import in_order

APPLICATION_ID = 0x4D545442
"""`MTTB` in the header of the file."""
MAJOR, MINOR = 1, 0
"""A minor version adds tables or columns, which the one before leaves alone; a major one may change
what others must understand."""
A_MAJOR = 1000
"""`PRAGMA user_version` is major * A_MAJOR + minor."""

ROW = """
CREATE TABLE IF NOT EXISTS row (
    at TEXT NOT NULL, who TEXT NOT NULL, command_id TEXT NOT NULL, event TEXT NOT NULL,
    rules_version TEXT NOT NULL, digest TEXT NOT NULL, position TEXT,
    tbl TEXT NOT NULL, seq INTEGER NOT NULL, hash BLOB NOT NULL,
    PRIMARY KEY (tbl, seq)
) STRICT, WITHOUT ROWID;
"""
HEAD = """
CREATE TABLE IF NOT EXISTS head (
    tbl TEXT PRIMARY KEY, born INTEGER NOT NULL, seq INTEGER NOT NULL
) STRICT;
"""
TIP = """
CREATE TABLE IF NOT EXISTS tip (
    tbl TEXT PRIMARY KEY, seq INTEGER NOT NULL, hash BLOB NOT NULL, counter INTEGER NOT NULL,
    seal BLOB NOT NULL
) STRICT, WITHOUT ROWID;
"""
NOTICE = """
CREATE TABLE IF NOT EXISTS notice (
    id TEXT PRIMARY KEY, at TEXT NOT NULL, key TEXT NOT NULL, args TEXT NOT NULL,
    seen INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;
"""
TABLES = {"row": ROW, "head": HEAD, "tip": TIP, "notice": NOTICE}
BUSY_S = 5.0
DAMAGED = frozenset(
    {
        sqlite3.SQLITE_CORRUPT,
        sqlite3.SQLITE_NOTADB,
        sqlite3.SQLITE_ERROR,
        sqlite3.SQLITE_SCHEMA,
        sqlite3.SQLITE_MISMATCH,
        sqlite3.SQLITE_CONSTRAINT,
        sqlite3.SQLITE_FORMAT,
        sqlite3.SQLITE_INTERNAL,
        sqlite3.SQLITE_TOOBIG,
        sqlite3.SQLITE_RANGE,
        sqlite3.SQLITE_MISUSE,
    }
)
"""What SQLite says of a file that is not what it was, rather than of a disk that refuses."""


UNREADABLE = (sqlite3.Error, UnicodeDecodeError)
"""What reading a damaged file may raise: SQLite's own words may hold bytes of it."""


class DamagedError(Exception):
    """The file is not what was written; the text says what does not fit."""


def is_damage(error: sqlite3.Error, path: Path) -> bool:
    """Whether it is the file that is wrong, and not the disk that refuses."""
    if _code(error) in {sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN}:
        return all(os.access(one, os.W_OK) for one in (path, path.parent))  # it may be written
    return reports_damage(error)


def reports_damage(error: sqlite3.Error) -> bool:
    """Whether SQLite means the content of a file, not the disk or the memory."""
    return _code(error) in DAMAGED


def _code(error: sqlite3.Error) -> int:
    return getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & 0xFF


@dataclass(frozen=True, slots=True)
class Migration:
    """How a file gets from the version before to this one. `breaking`: it is kept as it was."""

    version: int
    migrate: Callable[[sqlite3.Connection], None]
    breaking: bool = False


@dataclass(frozen=True, slots=True)
class Schema:
    """The version a release writes and how older files get there, oldest step first."""

    major: int = MAJOR
    minor: int = MINOR
    migrations: tuple[Migration, ...] = ()

    @property
    def version(self) -> int:
        """As `PRAGMA user_version` holds it."""
        return self.major * A_MAJOR + self.minor


@dataclass(frozen=True, slots=True)
class Tip:
    """The end of a table as it was written last; `counter` counts the commands of the file."""

    seq: int
    hash: bytes
    counter: int


MOST_COMMANDS = 1 << 53
"""No file has seen so many; SQLite holds larger numbers, but not much larger ones."""
ALL, SCHEMA_ROW, OPEN_ROW = "", "#schema", "#open"
"""Names under which `tip` holds more than ends: all seals together, the version, and whether a
journal beside the file belongs to it."""


def connect(path: Path) -> sqlite3.Connection:
    """The file, open for writing: nothing acknowledged is lost with the power."""
    db = sqlite3.connect(path, timeout=BUSY_S, check_same_thread=False, isolation_level=None)
    try:
        db.execute("PRAGMA journal_mode=WAL")
        db.execute("PRAGMA synchronous=FULL")
        # A checkpoint makes one command in so many wait for a second write to the disk.
        db.execute("PRAGMA wal_autocheckpoint=4000")
    except sqlite3.Error:
        db.close()
        raise
    return db


def create(db: sqlite3.Connection, schema: Schema) -> None:
    """All tables are there, the file says whose it is."""
    for statement in TABLES.values():
        db.execute(statement)
    db.execute(f"PRAGMA application_id={APPLICATION_ID}")
    db.execute(f"PRAGMA user_version={schema.version}")
    put_mark(db, SCHEMA_ROW, schema.version)


def header(db: sqlite3.Connection) -> tuple[int, int]:
    """The application's id and the version of the schema."""
    (application,) = db.execute("PRAGMA application_id").fetchone()
    (version,) = db.execute("PRAGMA user_version").fetchone()
    return application, version


def tables_of(db: sqlite3.Connection) -> dict[str, str]:
    """The statement that made each table."""
    found = db.execute("SELECT name, sql FROM sqlite_master WHERE type = 'table'")
    return {name: sql for name, sql in found if isinstance(name, str) and isinstance(sql, str)}


UNSAFE_CLAUSES = re.compile(r"\b(CHECK|COLLATE|CONFLICT|UNIQUE)\b", re.IGNORECASE)
"""Words by which a table would refuse, change or replace what is written to it."""


def plain_tables(db: sqlite3.Connection) -> frozenset[str]:
    """Names of tables whose rows lie in the file, so that reading them comes to an end. No other
    text is asked for: that of a damaged file may be none.
    """
    found = db.execute(
        "SELECT CAST(name AS BLOB) FROM sqlite_master"
        " WHERE type = 'table' AND sql LIKE 'CREATE TABLE%'"
    )
    return frozenset(name.decode(errors="replace") for (name,) in found if name is not None)


def unsafe_objects(db: sqlite3.Connection) -> Iterator[str]:
    """What may act by itself when rows are written, by name. No release makes triggers, views or
    indexes, nor tables of its own with other keys or with constraints.
    """
    for kind, name, sql in db.execute("SELECT type, name, sql FROM sqlite_master"):
        if kind != "table" and not (kind == "index" and sql is None):
            yield f"{kind} {name}"
    tables, plain = tables_of(db), plain_tables(db)
    with closing(sqlite3.connect(":memory:")) as own:
        for table in TABLES.keys() & tables.keys():
            own.execute(TABLES[table])
            if (
                table not in plain
                or UNSAFE_CLAUSES.search(tables[table])
                or _keys(db, table) != _keys(own, table)
            ):
                yield f"table {table}"


def _keys(db: sqlite3.Connection, table: str) -> dict[str, int]:
    """The columns of the primary key, each with its place in it."""
    return {name: key for _, name, _, _, _, key in db.execute(f"PRAGMA table_info({table})") if key}


def missing_columns(db: sqlite3.Connection) -> Iterator[str]:
    """The columns that the file should have and has not, as `table.column`."""
    with closing(sqlite3.connect(":memory:")) as own:
        for table, statement in TABLES.items():
            own.execute(statement)
            there = _columns(db, table)
            yield from (f"{table}.{name}" for name in _columns(own, table) if name not in there)


def _columns(db: sqlite3.Connection, table: str) -> tuple[str, ...]:
    return tuple(name for _, name, *_ in db.execute(f"PRAGMA table_info({table})"))


# -- seals ------------------------------------------------------------------------------------


def seal(table: str, tip: Tip) -> bytes:
    """SHA-256 over all that the tip says."""
    said = ("tip", table, tip.seq, tip.hash.hex(), tip.counter)
    return hashlib.sha256(msgspec.json.encode(said)).digest()


def put_tip(db: sqlite3.Connection, table: str, tip: Tip) -> None:
    """The tip is written with its seal."""
    db.execute(
        "INSERT INTO tip (tbl, seq, hash, counter, seal) VALUES (?, ?, ?, ?, ?)"
        " ON CONFLICT DO UPDATE SET seq = excluded.seq, hash = excluded.hash,"
        " counter = excluded.counter, seal = excluded.seal",
        (table, tip.seq, tip.hash, tip.counter, seal(table, tip)),
    )


def put_mark(db: sqlite3.Connection, name: str, value: int) -> None:
    """A number that is sealed like a tip."""
    put_tip(db, name, Tip(value, b"", 0))


def put_overall_seal(db: sqlite3.Connection, tips: dict[str, Tip]) -> None:
    """All tips together are sealed, so that none can be missing unseen."""
    put_tip(db, ALL, overall_tip(tips))


def same_tip(one: Tip | None, other: Tip) -> bool:
    """Whether both are the same end of a table."""
    return one is not None and (one.seq, one.hash) == (other.seq, other.hash)


def overall_tip(tips: dict[str, Tip]) -> Tip:
    """What seals so many tips: their number, a hash over all of them, the newest counter."""
    over = hashlib.sha256(b"".join(seal(table, tips[table]) for table in sorted(tips)))
    newest = max((tip.counter for tip in tips.values()), default=0)
    return Tip(len(tips), over.digest(), newest)


def current_table(ends: Mapping[str, Tip], unsealed: Iterable[str]) -> str:
    """The table that is played: the newest that the release before wrote to, which seals nothing;
    else the one with the newest counter.
    """
    written = list(in_order(unsealed))
    if written:
        return written[-1]
    newest = max((end.counter for end in ends.values()), default=0)
    return next((table for table, end in reversed(list(ends.items())) if end.counter == newest), "")


def newest_counter(ends: Mapping[str, Tip]) -> int:
    """The newest counter of all tables; 0 where there is none."""
    return max((end.counter for end in ends.values()), default=0)


@dataclass(frozen=True, slots=True)
class SealedState:
    """What the file says of itself under seal. `broken`: some of it cannot be believed."""

    tips: dict[str, Tip]
    version: int | None
    open: bool
    broken: bool


TipRow = tuple[object, ...]
"""A row of `tip` as it was found: tbl, seq, hash, counter, seal."""


def check_seals(rows: Iterable[TipRow]) -> SealedState:
    """What rows of `tip` (tbl, seq, hash, counter, seal) say, as far as their seals fit; of several
    about one table the newest.
    """
    found: dict[str, Tip] = {}
    broken = False
    for table, seq, hashed, counter, sealing in rows:
        if not (
            isinstance(table, str)
            and isinstance(seq, int)
            and isinstance(hashed, bytes)
            and isinstance(counter, int)
            and 0 <= counter < MOST_COMMANDS
            and seal(table, Tip(seq, hashed, counter)) == sealing
        ):
            broken = True
        elif table not in found or found[table].counter <= counter:
            found[table] = Tip(seq, hashed, counter)
    everything, version = found.pop(ALL, None), found.pop(SCHEMA_ROW, None)
    opened = found.pop(OPEN_ROW, None)
    broken = broken or version is None or everything != overall_tip(found)
    is_open = opened is not None and opened.seq > 0
    return SealedState(found, None if version is None else version.seq, is_open, broken)


def read_sealed_state(db: sqlite3.Connection) -> SealedState:
    """What the file says of itself under seal."""
    return check_seals(db.execute("SELECT tbl, seq, hash, counter, seal FROM tip").fetchall())
