"""What kind of file a log is, whether it is whole, and what of it can be had where it is not."""

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
from companion.storage.files import is_there
from companion.storage.rows import (
    COLUMNS,
    LogRow,
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
"""Rows of a damaged file that can be named as lost: ten times those of its longest game. What a
file says of more was made up."""


class FileKind(Enum):
    """Whose file it is."""

    MISSING = auto()
    OURS = auto()
    """Of this major version, or of the release before there were any."""
    EMPTY = auto()
    """A database in which nothing was ever made: the journal that did so may be missing."""
    NEWER = auto()
    FOREIGN = auto()
    DAMAGED = auto()


@dataclass(frozen=True, slots=True)
class FileBytes:
    """A file with its journal, as they are on the disk."""

    main: bytes
    journal: Journal

    @classmethod
    def of(cls, path: Path) -> FileBytes:
        """What is there; nothing for a file that is not. Raises OSError."""
        main, wal = (p.read_bytes() if p.exists() else b"" for p in (path, wal_of(path)))
        return cls(main, parse_journal(wal, page_size_of(main, wal)))


NO_BYTES = FileBytes(b"", parse_journal(b""))


def read_if_possible(path: Path, schema: Schema) -> tuple[FileBytes, FileKind]:
    """The file as far as the machine gives it, and whose it is."""
    try:
        content = FileBytes.of(path)
        return content, kind_of(content, schema)
    except OSError:
        return NO_BYTES, FileKind.MISSING


def read_with_journal(path: Path) -> FileBytes | None:
    """The file where something stands in its journal, else None. Raises OSError."""
    wal = wal_of(path)
    return FileBytes.of(path) if wal.exists() and wal.stat().st_size else None


def wal_of(path: Path) -> Path:
    """The journal beside a database."""
    return Path(f"{path}-wal")


def has_journal(path: Path) -> bool:
    """Whether there is a journal beside a database, be it empty."""
    return is_there(wal_of(path))


def kind_at(path: Path, schema: Schema, written: FileBytes | None) -> FileKind:
    """Whose file lies there; `written` is the file where it has a journal. Raises OSError."""
    if written is not None:
        return kind_of(written, schema)
    if path.exists():
        with path.open("rb") as file:
            head = file.read(HEADER_LENGTH)
        own = (int.from_bytes(head[68:72], "big"), int.from_bytes(head[60:64], "big"))
        if head.startswith(FORMAT) and own == (APPLICATION_ID, schema.version):
            return FileKind.OURS
    return kind_of(FileBytes.of(path), schema)


def kind_of(content: FileBytes, schema: Schema) -> FileKind:
    """Whose file it is, by what stands in it. Raises OSError where the machine refuses to look: for
    want of memory, a file of a later version is no damaged one.
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


@dataclass(frozen=True, slots=True)
class VerifiedFile:
    """A file in which everything fits. `ends`: the last number and hash of each table, oldest
    first; `sealed` is None where the release before wrote it; `lost`: of each table the numbers of
    rows that stand for lost ones, each with the name of the file that was damaged.
    """

    ends: dict[str, Tip]
    sealed: SealedState | None
    version: int
    lost: LostRows

    @property
    def open(self) -> bool:
        """Whether it says that a journal belongs to it."""
        return self.sealed is not None and self.sealed.open


def verify(db: sqlite3.Connection) -> VerifiedFile:
    """The file, read from the first row to the last. DamagedError where something does not fit."""
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
    """The end of every table whose rows are all proven, and which of them stand for lost ones;
    DamagedError for any other.
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
) -> Iterator[tuple[str, int, LogRow, bytes]]:
    """Rows with their hashes, of all tables or of one, in order."""
    where = "" if table is None else "WHERE tbl = ?"
    query = f"SELECT tbl, seq, hash, {COLUMNS} FROM row {where} ORDER BY tbl, seq"
    for name, seq, hashed, *fields in db.execute(query, () if table is None else (table,)):
        yield name, seq, LogRow(**dict(zip(LogRow.__struct_fields__, fields, strict=True))), hashed


# -- a damaged one ----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Recovered:
    """What a damaged file still gives. `saved`: what is proven of each table; `end_unknown`: no
    seal says any more whether rows are missing at the end.
    """

    saved: dict[str, SalvagedTable]
    tips: dict[str, Tip]
    notices: tuple[tuple[object, ...], ...]
    end_unknown: bool

    def rows(self, table: str, aside: str) -> Iterator[LogRow]:
        """The rows of a table, with one in place of each that is lost."""
        saved, at = self.saved[table], ""
        for seq in range(1, saved.last + 1):
            row = saved.rows.get(seq)
            if row is None:
                why = "changed" if seq in saved.seen else "gone"
                row = placeholder(seq, at, why, aside)
            at = row.at
            yield row


def recover(content: FileBytes, others: Iterator[FileBytes]) -> Recovered:
    """What the bytes prove, gaps filled from other files where the hashes prove those as well."""
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
    """The tables with no more rows gone than a file may ever have held, since each gets a row in
    its place; and whether anything was cut off for that.
    """
    kept: dict[str, SalvagedTable] = {}
    left = MOST_LOST
    for table in in_order(saved):
        one = saved[table].within(left)
        left -= one.missing
        if one.last:
            kept[table] = one
    said = sum(one.last for one in saved.values())
    return kept, sum(one.last for one in kept.values()) < said


def _is_name(table: str) -> bool:
    """Whether a table may be called so: what was found in bytes may be anything."""
    return table.isprintable() and 0 < len(table) <= 64 and not table.startswith("#")


def _candidates(others: Iterator[FileBytes]) -> dict[str, list[Candidates]]:
    """What every other file has of each table."""
    found: dict[str, list[Candidates]] = {}
    for content in others:
        for table, rows in scan_file(content.main, content.journal).tables.items():
            found.setdefault(table, []).append(rows)
    return found
