"""What happened to the log and people should know: kept until somebody has seen it.

That it was seen is written as a hash over the notice, so that no damage can say so: in doubt a
notice is shown again. A release that reads a yes or no there takes the hash for a yes.
"""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime

import msgspec

Args = dict[str, str | int]


class Notice(msgspec.Struct, frozen=True):
    """Something to be said. `key` and `args` make a sentence; the same thing has the same `id`."""

    id: str
    at: str
    key: str
    args: Args
    seen: bool = False


def new_notice(identity: str, key: str, args: Args) -> Notice:
    """What has just been found."""
    return Notice(identity, datetime.now(UTC).isoformat(timespec="seconds"), key, args)


def put_notices(db: sqlite3.Connection, notices: Iterable[Notice]) -> None:
    """They are in the file, seen or not."""
    for one in notices:
        db.execute(
            "INSERT INTO notice (id, at, key, args, seen) VALUES (?, ?, ?, ?, ?)"
            " ON CONFLICT DO UPDATE SET at = excluded.at, key = excluded.key,"
            " args = excluded.args, seen = excluded.seen",
            (one.id, one.at, one.key, msgspec.json.encode(one.args).decode(), _seal(one)),
        )


def read_notices(rows: Iterable[tuple[object, ...]]) -> tuple[Notice, ...]:
    """Rows of `notice` (id, at, key, args, seen), as far as they can be read."""
    return tuple(one for one in map(_notice, rows) if one is not None)


def _notice(row: tuple[object, ...]) -> Notice | None:
    named = dict(zip(("id", "at", "key", "args", "seen"), row, strict=True))
    try:
        named["args"] = msgspec.json.decode(str(named["args"]), type=Args)
        sealed = named.pop("seen")
        one = msgspec.convert(named, Notice)
        seen = msgspec.structs.replace(one, seen=True)
        return seen if sealed == _seal(seen) else one
    except msgspec.MsgspecError:
        return None


def _seal(notice: Notice) -> int:
    """What stands for "seen": a positive number of 62 bits over all the notice says; else 0."""
    if not notice.seen:
        return 0
    said = ("seen", notice.id, notice.at, notice.key, sorted(notice.args.items()))
    return int.from_bytes(hashlib.sha256(msgspec.json.encode(said)).digest()[:8], "big") >> 2 or 1


def merged(known: Iterable[Notice], mine: Mapping[str, Notice]) -> dict[str, Notice]:
    """Notices that a file holds and those in memory; what was seen in either has been seen."""
    both = {
        one.id: msgspec.structs.replace(one, seen=True) if _is_seen(mine, one.id) else one
        for one in known
    }
    return both | {identity: one for identity, one in mine.items() if identity not in both}


def _is_seen(notices: Mapping[str, Notice], identity: str) -> bool:
    return identity in notices and notices[identity].seen


def notices_of(db: sqlite3.Connection) -> tuple[Notice, ...]:
    """All that the file holds, oldest first."""
    return read_notices(db.execute("SELECT id, at, key, args, seen FROM notice ORDER BY at, id"))
