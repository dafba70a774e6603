"""A row of the log, and the chain of hashes that proves it."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence

import msgspec

COLUMNS = "at, who, command_id, event, rules_version, digest, position"
"""The columns that make a row, by name: a file of a later version may have more."""
NAMED = 5
"""No more tables are named in one sentence."""


class LogRow(msgspec.Struct, frozen=True, kw_only=True):
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


PendingRow = tuple[str, int, LogRow, bytes]
"""A row on its way to the file: table, sequence number, row, hash."""


def chain(previous: bytes, table: str, seq: int, row: LogRow) -> bytes:
    """SHA-256 over the hash before and everything in the row."""
    return hashlib.sha256(previous + msgspec.json.encode((table, seq, row))).digest()


def table_number(table: str) -> int:
    """Which table it is, by its name `gN`; 0 for a name that no table is given."""
    number = table.removeprefix("g")
    return int(number) if number.isascii() and number.isdecimal() and len(number) < 10 else 0


def in_order(tables: Iterable[str]) -> tuple[str, ...]:
    """Names of tables, oldest first."""
    return tuple(sorted(tables, key=lambda name: (table_number(name), name)))


def table_names(tables: Sequence[str]) -> dict[str, str | int]:
    """For a sentence: how many tables there are (`count`), and the newest of them (`known`)."""
    newest = in_order(tables)[: -NAMED - 1 : -1]
    return {"count": len(tables), "known": ", ".join(newest)}


def placeholder(seq: int, at: str, why: str, aside: str) -> LogRow:
    """The row in place of row `seq`, so that those after it keep their numbers. `why`: a word;
    `aside`: the name of the file that it was in.
    """
    event = msgspec.json.encode({"type": "RowLost", "why": why, "aside": aside}).decode()
    return LogRow(at=at, who="", command_id=f"lost-{seq}", event=event, rules_version="", digest="")


def is_placeholder(row: LogRow) -> bool:
    """Whether the row stands for one that is gone."""
    return row.event.startswith('{"type":"RowLost"')


class _Lost(msgspec.Struct, frozen=True):
    aside: str = ""


_LOST = msgspec.json.Decoder(_Lost)


def damaged_file_of(row: LogRow) -> str:
    """The name of the file that a lost row was in, "" where its stand-in does not say."""
    try:
        return _LOST.decode(row.event).aside
    except (msgspec.MsgspecError, RecursionError):
        return ""
