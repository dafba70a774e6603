"""Reading a log's file that another process may be writing, without changing it."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

from companion.storage.damaged.journal import database_image
from companion.storage.database.opening import FileBytes, VerifiedFile, has_journal, stored_rows
from companion.storage.files import is_there, refuse_irregular
from companion.storage.rows import COLUMNS, StoredRow, chain, in_order
from companion.storage.schema import UNREADABLE, keep_few_pages, plain_tables


class CannotOpenError(Exception):
    """The folder or file cannot be opened: `path` and the system's `reason`."""

    def __init__(self, path: Path, reason: str) -> None:
        super().__init__(f"{path}: {reason}")
        self.path, self.reason = path, reason


def open_read_only(path: Path) -> sqlite3.Connection:
    """Open the file read-only, in a folder that may be written: SQLite creates a journal where
    there is none. Closing leaves the journal.
    """
    return _connect(path, "mode=ro")


def open_untouched(path: Path) -> sqlite3.Connection:
    """Open the file read-only and create no file beside it, not even an empty journal: the journal
    tells a whole log from an incomplete copy. Raises OSError, UNREADABLE.
    """
    if not has_journal(path):
        return _connect(path, "mode=ro&immutable=1")
    if is_there(Path(f"{path}-shm")):
        return _connect(path, "mode=ro")
    content = FileBytes.of(path)  # nobody has it open
    db = sqlite3.connect(":memory:", check_same_thread=False)
    try:
        db.deserialize(database_image(content.main, content.journal))
    except UNREADABLE:
        db.close()
        raise
    return db


def is_incomplete(path: Path, whole: VerifiedFile, *, had_journal: bool) -> bool:
    """Return whether a journal belongs to the file and is absent: the newest rows may be missing.
    `had_journal`: there was one before the file was read; a service may have closed it since.
    """
    return whole.open and not had_journal and not has_journal(path)


def _connect(path: Path, how: str) -> sqlite3.Connection:
    refuse_irregular(path)
    address = f"{path.resolve().as_uri()}?{how}"
    db = sqlite3.connect(address, uri=True, check_same_thread=False)
    try:
        keep_few_pages(db)
    except UNREADABLE:
        db.close()
        raise
    return db


def read_rows(path: Path, table: str) -> Iterator[tuple[int, StoredRow]]:
    """Yield a table's rows by number, up to the first that the file cannot give."""
    try:
        with closing(open_untouched(path)) as db:
            for _, seq, row, _ in stored_rows(db, table):
                yield seq, row
    except (OSError, *UNREADABLE):
        return


def saved_tables(path: Path) -> tuple[str, ...]:
    """Return the tables of a log file, oldest first; write nothing. Raises CannotOpenError."""
    query = "SELECT DISTINCT tbl FROM row"
    return in_order(name for (name,) in _query(path, query))


def saved_rows(path: Path, table: str) -> tuple[StoredRow, ...]:
    """Return the longest prefix of a table's rows whose hashes match; write nothing. Raises
    CannotOpenError.
    """
    query = f"SELECT {COLUMNS}, hash FROM row WHERE tbl = ? ORDER BY seq"
    rows: list[StoredRow] = []
    hashed = b""
    for *fields, claimed in _query(path, query, table):
        row = StoredRow(**dict(zip(StoredRow.__struct_fields__, fields, strict=True)))
        hashed = chain(hashed, table, len(rows) + 1, row)
        if hashed != claimed:
            break
        rows.append(row)
    return tuple(rows)


def _query(path: Path, query: str, *params: str) -> list[tuple[Any, ...]]:
    """Run a query on a file that another program may be writing."""
    try:
        with closing(open_untouched(path)) as db:
            if "row" not in plain_tables(db):
                raise CannotOpenError(path, "no table of rows")
            return db.execute(query, params).fetchall()
    except OSError as refusal:
        raise CannotOpenError(path, refusal.strerror or str(refusal)) from refusal
    except UNREADABLE as refusal:
        raise CannotOpenError(path, str(refusal)) from refusal
