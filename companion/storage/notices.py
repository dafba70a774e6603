"""What happened to the log and people should know: kept until somebody has seen it."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable

import msgspec

Args = dict[str, str | int]


class Notice(msgspec.Struct, frozen=True):
    """Something to be said. `key` and `args` make a sentence; the same thing has the same `id`."""

    id: str
    at: str
    key: str
    args: Args
    seen: bool = False


def put_notices(db: sqlite3.Connection, notices: Iterable[Notice]) -> None:
    """They are in the file, seen or not."""
    for one in notices:
        db.execute(
            "INSERT INTO notice (id, at, key, args, seen) VALUES (?, ?, ?, ?, ?)"
            " ON CONFLICT DO UPDATE SET seen = max(seen, excluded.seen)",
            (one.id, one.at, one.key, msgspec.json.encode(one.args).decode(), one.seen),
        )


def read_notices(rows: Iterable[tuple[object, ...]]) -> tuple[Notice, ...]:
    """Rows of `notice` (id, at, key, args, seen), as far as they can be read."""
    return tuple(one for one in map(_notice, rows) if one is not None)


def _notice(row: tuple[object, ...]) -> Notice | None:
    named = dict(zip(("id", "at", "key", "args", "seen"), row, strict=True))
    try:
        named["args"] = msgspec.json.decode(str(named["args"]), type=Args)
        named["seen"] = bool(named["seen"])
        return msgspec.convert(named, Notice)
    except msgspec.MsgspecError:
        return None


def notices_of(db: sqlite3.Connection) -> tuple[Notice, ...]:
    """All that the file holds, oldest first."""
    return read_notices(db.execute("SELECT id, at, key, args, seen FROM notice ORDER BY at, id"))
