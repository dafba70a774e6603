"""What kind of file a log is, its verification, and recovery of a damaged one."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from enum import Enum, auto
from pathlib import Path

from companion.storage.damaged.journal import (
    FORMAT,
    Journal,
    database_image,
    page_size_of,
    parse_journal,
)
from companion.storage.damaged.salvage import (
    Candidates,
    SalvagedTable,
    prove_table,
    scan_file,
    scanned_tables,
)
from companion.storage.files import is_there, open_regular
from companion.storage.rows import (
    COLUMNS,
    StoredRow,
    chain,
    damaged_file_of,
    in_order,
    is_placeholder,
    placeholder,
)
from companion.storage.schema import (
    A_MAJOR,
    APPLICATION_ID,
    UNREADABLE,
    DamagedError,
    Schema,
    SealedState,
    Tip,
    header,
    missing_columns,
    read_sealed_state,
    reports_damage,
    tables_of,
    unsafe_objects,
)

HEADER_LENGTH = 100
MOST_LOST = 100_000
"""Bound on placeholders for lost rows: ten times the rows of the longest game. A damaged file that
claims more is not believed.
"""


class FileKind(Enum):
    """Whose file it is, and whether it can be used."""

    MISSING = auto()
    OURS = auto()
    """Of this major version, or of the release before versions existed."""
    EMPTY = auto()
    """A database without tables: the journal that created them may be missing."""
    NEWER = auto()
    FOREIGN = auto()
    DAMAGED = auto()


@dataclass(frozen=True, slots=True)
class FileBytes:
    """The bytes of a file, and its parsed journal."""

    main: bytes
    journal: Journal

    @classmethod
    def of(cls, path: Path) -> FileBytes:
        """Read the file and its journal; empty where missing. Raises OSError."""
        main, wal = (_content(p) if p.exists() else b"" for p in (path, wal_of(path)))
        return cls(main, parse_journal(wal, page_size_of(main, wal)))


def _content(path: Path) -> bytes:
    with open_regular(path) as file:
        return file.read()


NO_BYTES = FileBytes(b"", parse_journal(b""))


def read_if_possible(path: Path, schema: Schema) -> tuple[FileBytes, FileKind]:
    """Return the file and its kind; nothing and MISSING where the machine refuses."""
    try:
        content = FileBytes.of(path)
        return content, kind_of(content, schema)
    except OSError:
        return NO_BYTES, FileKind.MISSING


def read_with_journal(path: Path) -> FileBytes | None:
    """Return the file where its journal is not empty, else None. Raises OSError."""
    wal = wal_of(path)
    return FileBytes.of(path) if wal.exists() and wal.stat().st_size else None


def wal_of(path: Path) -> Path:
    """Return the path of the journal beside a database."""
    return Path(f"{path}-wal")


def has_journal(path: Path) -> bool:
    """Return whether there is a journal beside a database, even an empty one."""
    return is_there(wal_of(path))


def kind_at(path: Path, schema: Schema, written: FileBytes | None) -> FileKind:
    """Return the kind of the file at this path; `written` is its content where it has a journal.
    Raises OSError.
    """
    if written is not None:
        return kind_of(written, schema)
    if path.exists():
        with open_regular(path) as file:
            head = file.read(HEADER_LENGTH)
        own = (int.from_bytes(head[68:72], "big"), int.from_bytes(head[60:64], "big"))
        if head.startswith(FORMAT) and own == (APPLICATION_ID, schema.version):
            return FileKind.OURS
    return kind_of(FileBytes.of(path), schema)


def kind_of(content: FileBytes, schema: Schema) -> FileKind:
    """Return the kind of a file by its content.

    Raises OSError where SQLite fails for another reason than the content: a file of a later version
    is not damaged for want of memory.
    """
    if not content.main and not content.journal.frames:
        return FileKind.MISSING
    if not content.main.startswith(FORMAT):
        return FileKind.DAMAGED if content.main else FileKind.EMPTY
    try:
        with closing(sqlite3.connect(":memory:")) as db:
            db.deserialize(database_image(content.main, content.journal))
            application, version = header(db)
            tables = tables_of(db)
            sealed = _sealed(db, tables)
    except UNREADABLE as wrong:
        if isinstance(wrong, sqlite3.Error) and not reports_damage(wrong):
            raise OSError(str(wrong)) from wrong
        return FileKind.DAMAGED
    return _kind(application, version, tables, sealed, schema)


def _kind(
    application: int,
    version: int,
    tables: Mapping[str, str],
    sealed: SealedState | None,
    schema: Schema,
) -> FileKind:
    """Classify a file by its header, its tables and the seal of its last write."""
    if sealed is not None and sealed.version is not None:
        matches = (APPLICATION_ID, sealed.version) == (application, version)
        if sealed.version // A_MAJOR > schema.major:
            return FileKind.NEWER
        return FileKind.OURS if matches else FileKind.DAMAGED
    if application == APPLICATION_ID:
        return FileKind.NEWER if version // A_MAJOR > schema.major else FileKind.DAMAGED
    if "row" in tables:  # of the release before, whatever a header says
        return FileKind.OURS
    return FileKind.EMPTY if not tables and not application and not version else FileKind.FOREIGN


def _sealed(db: sqlite3.Connection, tables: Mapping[str, str]) -> SealedState | None:
    if "tip" not in tables:
        return None
    try:
        return read_sealed_state(db)
    except UNREADABLE as wrong:
        if isinstance(wrong, sqlite3.Error) and not reports_damage(wrong):
            raise
        return None


# -- a whole file -----------------------------------------------------------------------------


LostRows = dict[str, dict[int, str]]
"""Per table: the numbers of lost rows, each with the name of the damaged file."""


@dataclass(frozen=True, slots=True)
class VerifiedFile:
    """A file in which everything matches. `ends`: the last number and hash of each table, oldest
    first; `sealed`: None where the previous release wrote it; `lost`: the placeholders of lost
    rows.
    """

    ends: dict[str, Tip]
    sealed: SealedState | None
    version: int
    lost: LostRows

    @property
    def open(self) -> bool:
        """Whether a journal belongs to the file."""
        return self.sealed is not None and self.sealed.open


def verify(db: sqlite3.Connection) -> VerifiedFile:
    """Read the file from the first row to the last and return its ends. Raises DamagedError where
    something does not match.
    """
    application, version = header(db)
    tables = tables_of(db)
    if "row" not in tables:
        raise DamagedError("no table of rows")
    if (strange := next(unsafe_objects(db), None)) is not None:
        raise DamagedError(strange)
    if (found := db.execute("PRAGMA quick_check").fetchone()) != ("ok",):
        raise DamagedError(str(found))
    sealed = read_sealed_state(db) if "tip" in tables else None
    if sealed is not None and (
        sealed.broken or (application, version) != (APPLICATION_ID, sealed.version)
    ):
        raise DamagedError("a seal does not fit")
    if sealed is None and application == APPLICATION_ID:
        raise DamagedError("no seals")
    if sealed is not None and (missing := next(missing_columns(db), None)) is not None:
        raise DamagedError(f"no {missing}")
    tips = sealed.tips if sealed is not None else {}
    ends, lost = _ends(db, tips)
    for table, tip in tips.items():
        if table not in ends or ends[table].seq < tip.seq:
            raise DamagedError(f"rows of {table} are missing")
    return VerifiedFile({table: ends[table] for table in in_order(ends)}, sealed, version, lost)


def _ends(db: sqlite3.Connection, tips: Mapping[str, Tip]) -> tuple[dict[str, Tip], LostRows]:
    """Return the end of every table and the placeholders of lost rows; DamagedError where a row's
    hash does not match.
    """
    ends: dict[str, Tip] = {}
    lost: LostRows = {}
    for table, seq, row, stored in stored_rows(db):
        last = ends.get(table, Tip(0, b"", 0))
        hashed = chain(last.hash, table, seq, row)
        if seq != last.seq + 1 or hashed != stored:
            raise DamagedError(f"{table}, row {seq}")
        tip = tips.get(table)
        if tip is not None and tip.seq == seq and tip.hash != hashed:
            raise DamagedError(f"{table}, row {seq} is another")
        ends[table] = Tip(seq, hashed, tip.counter if tip is not None else 0)
        if is_placeholder(row):
            lost.setdefault(table, {})[seq] = damaged_file_of(row)
    return ends, lost


def stored_rows(
    db: sqlite3.Connection, table: str | None = None
) -> Iterator[tuple[str, int, StoredRow, bytes]]:
    """Yield rows with their stored hashes, of all tables or of one, in order."""
    where = "" if table is None else "WHERE tbl = ?"
    query = f"SELECT tbl, seq, hash, {COLUMNS} FROM row {where} ORDER BY tbl, seq"
    for name, seq, hashed, *fields in db.execute(query, () if table is None else (table,)):
        yield (
            name,
            seq,
            StoredRow(**dict(zip(StoredRow.__struct_fields__, fields, strict=True))),
            hashed,
        )


# -- a damaged one ----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Recovered:
    """What a damaged file still proves. `saved`: the proven rows of each table; `end_unknown`: no
    seal tells whether rows are missing at the ends.
    """

    saved: dict[str, SalvagedTable]
    tips: dict[str, Tip]
    notices: tuple[tuple[object, ...], ...]
    end_unknown: bool

    def rows(self, table: str, aside: str) -> Iterator[StoredRow]:
        """Yield the rows of a table, with a placeholder for each lost one."""
        saved, at = self.saved[table], ""
        for seq in range(1, saved.last + 1):
            row = saved.rows.get(seq)
            if row is None:
                why = "changed" if seq in saved.seen else "gone"
                row = placeholder(seq, at, why, aside)
            at = row.at
            yield row


def recover(content: FileBytes, others: Iterator[FileBytes]) -> Recovered:
    """Return what the bytes prove; gaps are filled from other files where hashes prove those rows
    as well.
    """
    found = scan_file(content.main, content.journal)
    tips = found.sealed.tips
    names = [table for table in scanned_tables(found) if _is_name(table)]
    saved = {
        table: prove_table(table, found.tables.get(table, {}), (), tips.get(table))
        for table in names
    }
    if any(one.missing for one in saved.values()):
        more = _candidates(others)
        saved = {
            table: prove_table(
                table, found.tables.get(table, {}), more.get(table, ()), tips.get(table)
            )
            for table in names
        }
    there = {table: one for table, one in saved.items() if one.rows or table in tips}
    kept, cut = _credible(there)
    return Recovered(kept, tips, found.notices, found.sealed.broken or cut)


def _credible(saved: Mapping[str, SalvagedTable]) -> tuple[dict[str, SalvagedTable], bool]:
    """Drop what needs more than MOST_LOST placeholders in all; return the tables, and whether any
    was cut.
    """
    kept: dict[str, SalvagedTable] = {}
    left = MOST_LOST
    for table in in_order(saved):
        one = saved[table].within(left)
        left -= one.missing
        if one.last:
            kept[table] = one
    before = sum(one.last for one in saved.values())
    return kept, sum(one.last for one in kept.values()) < before


def _is_name(table: str) -> bool:
    """Return whether this can be a table's name: names found in raw bytes may be anything."""
    return table.isprintable() and 0 < len(table) <= 64 and not table.startswith("#")


def _candidates(others: Iterator[FileBytes]) -> dict[str, list[Candidates]]:
    """Return the candidates that every other file has for each table."""
    found: dict[str, list[Candidates]] = {}
    for content in others:
        for table, rows in scan_file(content.main, content.journal).tables.items():
            found.setdefault(table, []).append(rows)
    return found
