"""What happened to the log and people should know: kept until somebody has seen it.

That it was seen is written as a hash over the notice, so that no damage can say so: in doubt a
notice is shown again. A release that reads a yes or no there takes the hash for a yes. What it says
is proven in the same way, and what does not fit is shown as a notice that cannot be read.
"""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime

import msgspec

Args = dict[str, str | int]
PROOF = "proof"
"""The hash over a notice stands with what fills its gaps; a release before finds no such gap."""
UNREADABLE = "log_notice.unreadable"
NOTICES = (
    "SELECT CAST(id AS BLOB), CAST(at AS BLOB), CAST(key AS BLOB), CAST(args AS BLOB), seen"
    " FROM notice ORDER BY at, id"
)
"""Bytes, since SQLite gives no text that is not UTF-8, nor any row after it."""
NOT_READ = (b"unreadable", b"", UNREADABLE.encode(), b"{}", 0)
"""In place of rows that the file does not give."""


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
            (one.id, one.at, one.key, _proven_args(one), _seal(one)),
        )


def _proven_args(notice: Notice) -> str:
    return msgspec.json.encode({**notice.args, PROOF: _hashed("said", notice)}).decode()


def parse_notices(rows: Iterable[tuple[object, ...]]) -> tuple[Notice, ...]:
    """The notices in rows of `notice`, as NOTICES asks for them, each seen or not."""
    return tuple(_seen(one, row[-1]) for row in rows for one in [_notice(row[:-1])])


_ARGS = msgspec.json.Decoder(Args)


def _notice(row: tuple[object, ...]) -> Notice:
    identity, at, key, args = (_text(field) for field in row)
    try:
        named = _ARGS.decode(args)
    except msgspec.MsgspecError:
        return Notice(identity, at, UNREADABLE, {})
    proof = named.pop(PROOF, None)
    one = Notice(identity, at, key, named)
    fits = proof is None or proof == _hashed("said", one)
    return one if fits else Notice(identity, at, UNREADABLE, {})


def _text(field: object) -> str:
    return field.decode(errors="replace") if isinstance(field, bytes) else str(field)


def _seen(notice: Notice, sealed: object) -> Notice:
    seen = msgspec.structs.replace(notice, seen=True)
    return seen if sealed == _seal(seen) else notice


def _seal(notice: Notice) -> int:
    """What stands for "seen"; else 0."""
    return _hashed("seen", notice) if notice.seen else 0


def _hashed(word: str, notice: Notice) -> int:
    """A positive number of 62 bits over all that the notice says."""
    said = (word, notice.id, notice.at, notice.key, sorted(notice.args.items()))
    return int.from_bytes(hashlib.sha256(msgspec.json.encode(said)).digest()[:8], "big") >> 2 or 1


def merge_notices(known: Iterable[Notice], mine: Mapping[str, Notice]) -> dict[str, Notice]:
    """Notices that a file holds and those in memory; what was seen in either has been seen."""
    both = {
        one.id: msgspec.structs.replace(one, seen=True) if _is_seen(mine, one.id) else one
        for one in known
    }
    return both | {identity: one for identity, one in mine.items() if identity not in both}


def _is_seen(notices: Mapping[str, Notice], identity: str) -> bool:
    return identity in notices and notices[identity].seen


def read_notices(db: sqlite3.Connection) -> tuple[Notice, ...]:
    """All that the file holds, oldest first. Raises sqlite3.Error."""
    return parse_notices(db.execute(NOTICES))
