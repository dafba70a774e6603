"""Notices: what happened to the log and the host should know, kept until the host has seen it.

A notice is marked seen with a hash over its content, so that damage to the file cannot mark it: in
doubt it is shown again. An older release, which expects 0 or 1 there, reads the hash as 1. The
content is protected by a second hash; a notice that does not match it is shown as unreadable.
"""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Iterable, Mapping
from contextlib import suppress
from datetime import UTC, datetime, timedelta

import msgspec

Args = dict[str, str | int]
PROOF = "proof"
"""The key, among a notice's arguments, of the hash over the notice; older releases ignore it."""
UNREADABLE = "log_notice.unreadable"
NOTICES = (
    "SELECT CAST(id AS BLOB), CAST(at AS BLOB), CAST(key AS BLOB), CAST(args AS BLOB), seen"
    " FROM notice ORDER BY at, id"
)
"""Selects bytes: SQLite fails on text that is not UTF-8, and gives no row after it."""
NOT_READ = (b"unreadable", b"", UNREADABLE.encode(), b"{}", 0)
"""Placeholder for the rows that the file does not give."""


class Notice(msgspec.Struct, frozen=True):
    """A message for the host: a catalogue key and arguments. The same event has the same `id`."""

    id: str
    at: str
    key: str
    args: Args
    seen: bool = False


def new_notice(
    identity: str, key: str, args: Args, known: Iterable[Notice], now: datetime | None = None
) -> Notice:
    """Make a notice that is later than those known, by whose times they are ordered: the clock of a
    machine may be set back, or start in the past.
    """
    at = (now or datetime.now(UTC)).replace(microsecond=0)
    for one in known:
        with suppress(ValueError, TypeError, OverflowError):
            at = max(at, datetime.fromisoformat(one.at) + timedelta(seconds=1))
    return Notice(identity, at.isoformat(), key, args)


def put_notices(db: sqlite3.Connection, notices: Iterable[Notice]) -> None:
    """Insert or update notices, with what was seen of them."""
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
    """Parse rows of the table `notice`, selected by NOTICES."""
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
    """Return the hash that marks a notice as seen; 0 where it is not."""
    return _hashed("seen", notice) if notice.seen else 0


def _hashed(word: str, notice: Notice) -> int:
    """Return a positive 62-bit hash over a word and all fields of the notice."""
    fields = (word, notice.id, notice.at, notice.key, sorted(notice.args.items()))
    return int.from_bytes(hashlib.sha256(msgspec.json.encode(fields)).digest()[:8], "big") >> 2 or 1


def merge_notices(known: Iterable[Notice], mine: Mapping[str, Notice]) -> dict[str, Notice]:
    """Merge the notices of a file with those in memory; seen in one is seen in both."""
    both = {
        one.id: msgspec.structs.replace(one, seen=True) if _is_seen(mine, one.id) else one
        for one in known
    }
    return both | {identity: one for identity, one in mine.items() if identity not in both}


def _is_seen(notices: Mapping[str, Notice], identity: str) -> bool:
    return identity in notices and notices[identity].seen


def read_notices(db: sqlite3.Connection) -> tuple[Notice, ...]:
    """Read all notices of a file, oldest first. Raises sqlite3.Error."""
    return parse_notices(db.execute(NOTICES))
