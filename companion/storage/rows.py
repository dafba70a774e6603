"""`StoredRow`: a row of the log, and the hash chain over the rows."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence

import msgspec

COLUMNS = "at, who, command_id, event, rules_version, digest, position"
"""The columns of a row, by name: a later version may have added more."""
NAMED = 5
"""The most tables that one sentence names."""


class StoredRow(msgspec.Struct, frozen=True, kw_only=True):
    """One event of one table; its sequence number is its place, counted from 1."""

    at: str
    """ISO 8601 wall time, for reading only: order is the sequence."""
    who: str
    command_id: str
    event: str
    """The event's JSON as it was sent."""
    rules_version: str
    digest: str
    """The digest of the position after it; empty before the game has started."""
    position: str | None = None
    """JSON of the whole position, where this row ends a turn."""


PendingRow = tuple[str, int, StoredRow, bytes]
"""A row that is to be written: table, sequence number, row, hash."""


def chain(previous: bytes, table: str, seq: int, row: StoredRow) -> bytes:
    """Return the SHA-256 over the previous hash and all fields of the row."""
    return hashlib.sha256(previous + msgspec.json.encode((table, seq, row))).digest()


def table_number(table: str) -> int:
    """Return N of a table's name `gN`; 0 for any other name."""
    number = table.removeprefix("g")
    return int(number) if number.isascii() and number.isdecimal() and len(number) < 10 else 0


def in_order(tables: Iterable[str]) -> tuple[str, ...]:
    """Sort names of tables, oldest first."""
    return tuple(sorted(tables, key=lambda name: (table_number(name), name)))


def table_names(tables: Sequence[str]) -> dict[str, str | int]:
    """Return parameters for a sentence: the number of tables (`count`) and the newest names
    (`known`).
    """
    newest = in_order(tables)[: -NAMED - 1 : -1]
    return {"count": len(tables), "known": ", ".join(newest)}


def placeholder(seq: int, at: str, why: str, aside: str) -> StoredRow:
    """Make the row that replaces the lost row `seq`, so that later rows keep their numbers. `why`:
    `gone` or `changed`; `aside`: the name of the damaged file.
    """
    event = msgspec.json.encode({"type": "RowLost", "why": why, "aside": aside}).decode()
    return StoredRow(
        at=at, who="", command_id=f"lost-{seq}", event=event, rules_version="", digest=""
    )


def is_placeholder(row: StoredRow) -> bool:
    """Return whether the row replaces a lost one."""
    return row.event.startswith('{"type":"RowLost"')


class _Lost(msgspec.Struct, frozen=True):
    aside: str = ""


_LOST = msgspec.json.Decoder(_Lost)


def damaged_file_of(row: StoredRow) -> str:
    """Return the name of the file that a lost row was in; "" where its placeholder does not name
    one.
    """
    try:
        return _LOST.decode(row.event).aside
    except (msgspec.MsgspecError, RecursionError):
        return ""
