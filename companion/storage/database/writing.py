"""SQL statements that write rows and ends of tables, in one transaction."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Iterator

import msgspec

from companion.storage.database.opening import Recovered
from companion.storage.rows import COLUMNS, PendingRow, chain, in_order
from companion.storage.schema import Tip, put_tip


def insert_rows(db: sqlite3.Connection, rows: Iterable[PendingRow]) -> None:
    """Insert rows; columns are named, as a later version may have more."""
    for table, seq, row, hashed in rows:
        db.execute(
            f"INSERT INTO row ({COLUMNS}, tbl, seq, hash) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (*msgspec.structs.astuple(row), table, seq, hashed),
        )


def missing_rows(db: sqlite3.Connection, rows: Iterable[PendingRow]) -> list[PendingRow]:
    """Return those rows that the file does not have. Raises sqlite3.Error."""
    query = "SELECT hash FROM row WHERE tbl = ? AND seq = ?"
    return [row for row in rows if db.execute(query, row[:2]).fetchone() != (row[3],)]


def put_head(db: sqlite3.Connection, table: str, born: int, seq: int) -> None:
    """Insert or update the row of `head`, which only the previous release reads."""
    db.execute(
        "INSERT INTO head (tbl, born, seq) VALUES (?, ?, ?)"
        " ON CONFLICT DO UPDATE SET seq = excluded.seq",
        (table, born, seq),
    )


def insert_recovered(
    db: sqlite3.Connection, found: Recovered, aside: str
) -> Iterator[tuple[str, Tip]]:
    """Insert the recovered rows of every table, chained again where one is missing; yield each
    table and its end.
    """
    for born, table in enumerate(in_order(found.saved)):
        seq, hashed = 0, b""
        for seq, row in enumerate(found.rows(table, aside), start=1):
            hashed = chain(hashed, table, seq, row)
            insert_rows(db, ((table, seq, row, hashed),))
        tip = found.tips.get(table)
        end = Tip(seq, hashed, tip.counter if tip is not None else 0)
        put_head(db, table, born, seq)
        put_tip(db, table, end)
        yield table, end


def write_together(db: sqlite3.Connection, write: Callable[[sqlite3.Connection], None]) -> None:
    """Run `write` in one transaction. Raises sqlite3.Error."""
    db.execute("BEGIN IMMEDIATE")
    try:
        write(db)
        db.execute("COMMIT")
    except sqlite3.Error:
        if db.in_transaction:
            db.rollback()
        raise


def write_if_possible(db: sqlite3.Connection, write: Callable[[sqlite3.Connection], None]) -> None:
    """Run `write` in one transaction; ignore an error of the disk."""
    try:
        write_together(db, write)
    except sqlite3.Error:
        return
