"""The database's schema, its version and migrations, and the seals over the ends of tables.

A seal is a hash over a row of `tip`; a row whose seal does not match is ignored. `tip` says which
rows there should be. `head` is written only for the previous release, which reads it. That release
inserts rows and heads by position, so neither table may get a column before version 2.
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
"""A minor version adds tables or columns, which older releases ignore; a major one changes what a
reader must understand.
"""
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
"""Error codes of SQLite that mean a damaged file rather than a disk that refuses."""


UNREADABLE = (sqlite3.Error, UnicodeDecodeError)
"""What reading a damaged file may raise; UnicodeDecodeError where SQLite's message holds bytes of
it.
"""


class DamagedError(Exception):
    """The file is not what was written; the message says what does not match."""


def is_damage(error: sqlite3.Error, path: Path) -> bool:
    """Return whether an error means that the file is damaged, not that the disk refuses."""
    if _code(error) in {sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN}:
        return all(os.access(one, os.W_OK) for one in (path, path.parent))  # it may be written
    return reports_damage(error)


def reports_damage(error: sqlite3.Error) -> bool:
    """Return whether SQLite's error code means damaged content, not the disk or memory."""
    return _code(error) in DAMAGED


def _code(error: sqlite3.Error) -> int:
    return getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & 0xFF


@dataclass(frozen=True, slots=True)
class Migration:
    """A step from the previous version to this one. `breaking`: the old file is copied first."""

    version: int
    migrate: Callable[[sqlite3.Connection], None]
    breaking: bool = False


@dataclass(frozen=True, slots=True)
class Schema:
    """The version that this release writes, and the migrations to it, oldest first."""

    major: int = MAJOR
    minor: int = MINOR
    migrations: tuple[Migration, ...] = ()

    @property
    def version(self) -> int:
        """The version as `PRAGMA user_version` holds it."""
        return self.major * A_MAJOR + self.minor


@dataclass(frozen=True, slots=True)
class Tip:
    """The end of a table as it was last written. `counter`: the number of the file's last command
    that changed this table.
    """

    seq: int
    hash: bytes
    counter: int


MOST_COMMANDS = 1 << 53
"""The largest counter that is believed."""
ALL, SCHEMA_ROW, OPEN_ROW = "", "#schema", "#open"
"""Names of rows in `tip` that are not ends of tables: the seal over all ends, the schema's version,
and whether a journal belongs to the file.
"""


def connect(path: Path) -> sqlite3.Connection:
    """Open the file for writing; a committed transaction survives a power cut."""
    db = sqlite3.connect(path, timeout=BUSY_S, check_same_thread=False, isolation_level=None)
    try:
        db.execute("PRAGMA journal_mode=WAL")
        db.execute("PRAGMA synchronous=FULL")
        # A checkpoint makes one command in so many wait for a second write to the disk.
        db.execute("PRAGMA wal_autocheckpoint=4000")
        keep_few_pages(db)
    except UNREADABLE:
        db.close()
        raise
    return db


def keep_few_pages(db: sqlite3.Connection) -> None:
    """Keep little of the file in memory: it is appended to, and read from the system's cache."""
    db.execute("PRAGMA cache_size=-256")  # KiB; SQLite's default is 2,000 a connection


def create(db: sqlite3.Connection, schema: Schema) -> None:
    """Create the tables that are missing, and write the application's id and the version."""
    for statement in TABLES.values():
        db.execute(statement)
    db.execute(f"PRAGMA application_id={APPLICATION_ID}")
    db.execute(f"PRAGMA user_version={schema.version}")
    put_mark(db, SCHEMA_ROW, schema.version)


def header(db: sqlite3.Connection) -> tuple[int, int]:
    """Return the application's id and the version of the schema."""
    (application,) = db.execute("PRAGMA application_id").fetchone()
    (version,) = db.execute("PRAGMA user_version").fetchone()
    return application, version


def tables_of(db: sqlite3.Connection) -> dict[str, str]:
    """Return the CREATE statement of each table."""
    found = db.execute("SELECT name, sql FROM sqlite_master WHERE type = 'table'")
    return {name: sql for name, sql in found if isinstance(name, str) and isinstance(sql, str)}


UNSAFE_CLAUSES = re.compile(r"\b(CHECK|COLLATE|CONFLICT|UNIQUE)\b", re.IGNORECASE)
"""SQL by which a table could refuse, change or replace what is written to it."""


def plain_tables(db: sqlite3.Connection) -> frozenset[str]:
    """Return the names of ordinary tables, whose rows are in the file, so that reading them ends.

    Selects names as bytes: text in a damaged file may be invalid.
    """
    found = db.execute(
        "SELECT CAST(name AS BLOB) FROM sqlite_master"
        " WHERE type = 'table' AND sql LIKE 'CREATE TABLE%'"
    )
    return frozenset(name.decode(errors="replace") for (name,) in found if name is not None)


def unsafe_objects(db: sqlite3.Connection) -> Iterator[str]:
    """Yield the names of schema objects that act by themselves when rows are written.

    No release makes triggers, views or indexes, nor its own tables with other keys or with
    constraints.
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
    """Return the columns of the primary key, each with its place in it."""
    return {name: key for _, name, _, _, _, key in db.execute(f"PRAGMA table_info({table})") if key}


def missing_columns(db: sqlite3.Connection) -> Iterator[str]:
    """Yield the columns that the file should have and has not, as `table.column`."""
    with closing(sqlite3.connect(":memory:")) as own:
        for table, statement in TABLES.items():
            own.execute(statement)
            there = _columns(db, table)
            yield from (f"{table}.{name}" for name in _columns(own, table) if name not in there)


def _columns(db: sqlite3.Connection, table: str) -> tuple[str, ...]:
    return tuple(name for _, name, *_ in db.execute(f"PRAGMA table_info({table})"))


# -- seals ------------------------------------------------------------------------------------


def seal(table: str, tip: Tip) -> bytes:
    """Return the SHA-256 over a tip and its table's name."""
    content = ("tip", table, tip.seq, tip.hash.hex(), tip.counter)
    return hashlib.sha256(msgspec.json.encode(content)).digest()


def put_tip(db: sqlite3.Connection, table: str, tip: Tip) -> None:
    """Insert or update a tip with its seal."""
    db.execute(
        "INSERT INTO tip (tbl, seq, hash, counter, seal) VALUES (?, ?, ?, ?, ?)"
        " ON CONFLICT DO UPDATE SET seq = excluded.seq, hash = excluded.hash,"
        " counter = excluded.counter, seal = excluded.seal",
        (table, tip.seq, tip.hash, tip.counter, seal(table, tip)),
    )


def put_mark(db: sqlite3.Connection, name: str, value: int) -> None:
    """Store a number, sealed like a tip."""
    put_tip(db, name, Tip(value, b"", 0))


def put_overall_seal(db: sqlite3.Connection, tips: dict[str, Tip]) -> None:
    """Seal all tips together, so that a missing one is noticed."""
    put_tip(db, ALL, overall_tip(tips))


def same_tip(one: Tip | None, other: Tip) -> bool:
    """Return whether both are the same end of a table."""
    return one is not None and (one.seq, one.hash) == (other.seq, other.hash)


def overall_tip(tips: dict[str, Tip]) -> Tip:
    """Return the tip that seals all others: their number, a hash over their seals, the newest
    counter.
    """
    over = hashlib.sha256(b"".join(seal(table, tips[table]) for table in sorted(tips)))
    newest = max((tip.counter for tip in tips.values()), default=0)
    return Tip(len(tips), over.digest(), newest)


def current_table(ends: Mapping[str, Tip], unsealed: Iterable[str]) -> str:
    """Return the table being played: the newest that the previous release wrote to (it seals
    nothing), else the one with the newest counter.
    """
    written = list(in_order(unsealed))
    if written:
        return written[-1]
    newest = max((end.counter for end in ends.values()), default=0)
    return next((table for table, end in reversed(list(ends.items())) if end.counter == newest), "")


def newest_counter(ends: Mapping[str, Tip]) -> int:
    """Return the newest counter of all tables; 0 where there is none."""
    return max((end.counter for end in ends.values()), default=0)


@dataclass(frozen=True, slots=True)
class SealedState:
    """The sealed content of a file. `tips`: ends by table; `version`: None where unknown; `open`: a
    journal belongs to the file; `broken`: some seal is missing or does not match.
    """

    tips: dict[str, Tip]
    version: int | None
    open: bool
    broken: bool


TipRow = tuple[object, ...]
"""A row of `tip` as found, unchecked: tbl, seq, hash, counter, seal."""


def check_seals(rows: Iterable[TipRow]) -> SealedState:
    """Check rows of `tip` against their seals and return what they hold; of several rows for one
    table the newest counts.
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
    """Read and check the sealed content of a file."""
    return check_seals(db.execute("SELECT tbl, seq, hash, counter, seal FROM tip").fetchall())
