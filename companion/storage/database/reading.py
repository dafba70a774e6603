"""Reading a log's file that somebody else may be writing; nothing in it is changed."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

from companion.storage.database.opening import stored_rows
from companion.storage.rows import COLUMNS, Row, chain, in_order
from companion.storage.schema import UNREADABLE, plain_tables


class CannotOpenError(Exception):
    """The folder or file refuses: `path` and the system's own `reason`."""

    def __init__(self, path: Path, reason: str) -> None:
        super().__init__(f"{path}: {reason}")
        self.path, self.reason = path, reason


def looking(path: Path) -> sqlite3.Connection:
    """A connection that changes nothing, whose closing leaves the journal where it is."""
    return sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True, check_same_thread=False)


def rows_of(path: Path, table: str) -> Iterator[tuple[int, Row]]:
    """Rows by number, up to the first that the file cannot give."""
    try:
        with closing(looking(path)) as db:
            for _, seq, row, _ in stored_rows(db, table):
                yield seq, row
    except UNREADABLE:
        return


def saved_tables(path: Path) -> tuple[str, ...]:
    """The tables of a log file, oldest first; nothing is written. Raises CannotOpenError."""
    query = "SELECT DISTINCT tbl FROM row"
    return in_order(name for (name,) in _look_in(path, query))


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
        with closing(looking(path)) as db:
            if "row" not in plain_tables(db):
                raise CannotOpenError(path, "no table of rows")
            return db.execute(query, params).fetchall()
    except UNREADABLE as refusal:
        raise CannotOpenError(path, str(refusal)) from refusal
