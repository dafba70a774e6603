"""The rows of a table's log as they are published: without names of players who have not agreed,
and chained by hashes of their own.

Where everybody has agreed, rows and hashes are those of the log itself.
"""

from __future__ import annotations

import secrets
from collections.abc import Collection, Iterable, Iterator
from itertools import islice
from typing import Any, Final

import msgspec

from companion.mqtt.home.state import may_be_named
from companion.mqtt.tables.forms import (
    MOST_GAMES,
    MOST_ROWS,
    PAGE_BYTES,
    GameLine,
    GameList,
    Page,
)
from companion.table import Snapshot
from companion.table.database import StoredRow, chain
from companion.table.history import row_of
from companion.table.log import EventLog

NAMED: Final = '"TableSet"'
"""What is in every event that names players."""

MOST_HASHED: Final = 4096
"""Rows that are hashed for one list, since the service's other threads wait meanwhile."""


def published(row: StoredRow, names: Collection[str]) -> StoredRow:
    """Return the row without the names that may not be published."""
    if NAMED not in row.event:
        return row
    event: dict[str, Any] = msgspec.json.decode(row.event)
    if event.get("type") != "TableSet":
        return row
    seats = [
        {**seat, "player": seat["player"] if may_be_named(seat["player"], names) else ""}
        for seat in event.get("seats", ())
    ]
    if seats == event.get("seats"):
        return row
    cleaned = msgspec.json.encode({**event, "seats": seats}).decode()
    return msgspec.structs.replace(row, event=cleaned)


class PublishedRows:
    """The rows of one table; used by one thread."""

    def __init__(self, log: EventLog, names: Collection[str]) -> None:
        self._log, self._names = log, names
        self.origin = secrets.token_hex(4)
        """What tells this publisher of rows from all others."""
        self._key: tuple[str, int] = ("", 0)
        self._hashes: list[bytes] = []
        """The hash of each row of the game that is played."""
        self._asked: tuple[tuple[str, int], list[bytes]] = (("", 0), [])
        """Those of the game that was asked for last."""
        self._tips: dict[str, tuple[tuple[int, str], str]] = {}
        """The last hash of games that were listed, with the rows and the hash in the log then."""

    def tip(self, game: str, count: int) -> str | None:
        """Return the hash of row `count` of the game that is played, in hex digits, "" for none;
        None where it is unknown.
        """
        if game != self._key[0] or not 0 <= count <= len(self._hashes):
            return None
        return self._hashes[count - 1].hex() if count else ""

    def follow(self, snapshot: Snapshot) -> Iterator[Page]:
        """Yield pages of the rows that have come since the last call; none at the first call, and
        none where another game was taken up: a hub asks for what it lacks.
        """
        key = (snapshot.table, self._log.reopened)
        if key != self._key or len(self._hashes) > snapshot.rev:
            self._key = key
            rows = islice(self._log.read(snapshot.table), snapshot.rev)
            self._hashes = list(_hashes(snapshot.table, self._clean(rows), b"", 1))
            return
        known = len(self._hashes)
        fresh = tuple(self._clean(row_of(entry) for entry in snapshot.entries[known:]))
        before = self._hashes[-1] if self._hashes else b""
        self._hashes += _hashes(snapshot.table, fresh, before, known + 1)
        sent = 0
        while sent < len(fresh):
            first = known + sent + 1
            page = self._page(snapshot.table, first, fresh[sent:], self._hashes, snapshot.rev)
            sent += len(page.rows)
            yield page

    def page(self, game: str, first: int) -> Page | None:
        """Return a page of a game from the row `first` on; None where there are no such rows."""
        total = self._log.count(game)
        if not 0 < first <= total:
            return None
        if game == self._key[0]:
            hashes, total = self._hashes, min(total, len(self._hashes))
        else:
            key = (game, total)
            if self._asked[0] != key:
                rows = self._clean(islice(self._log.read(game), total))
                self._asked = (key, list(_hashes(game, rows, b"", 1)))
            hashes = self._asked[1]
        rows = self._clean(islice(self._log.read(game), first - 1, first - 1 + MOST_ROWS))
        found = tuple(rows)[: max(0, total - first + 1)]
        return self._page(game, first, found, hashes, total) if found else None

    def games(self, first: int = 1) -> GameList:
        """Return games of the log, last used first, from place `first` on. The hashes of games that
        were not listed before are found bit by bit: a tip that is None comes with a later call.
        """
        order = self._log.by_use[::-1]
        lines, left = [], MOST_HASHED
        for name in order[first - 1 : first - 1 + MOST_GAMES]:
            line, hashed = self._line(name, left)
            left -= hashed
            lines.append(line)
        return GameList(games=tuple(lines), first=first, total=len(order))

    def _line(self, game: str, most: int) -> tuple[GameLine, int]:
        """Return the line of a game in a list, and how many rows were hashed for it: at most
        `most`, but any number of a game that is the first to be hashed.
        """
        if game == self._key[0]:
            count = len(self._hashes)
            return GameLine(game, count, self.tip(game, count)), 0
        count, own = self._log.count(game), self._log.last_hash(game)
        known = self._tips.get(game)
        if known is not None and known[0] == (count, own):
            return GameLine(game, count, known[1]), 0
        if count > most and most < MOST_HASHED:
            return GameLine(game, count), 0
        hashes = list(_hashes(game, self._clean(islice(self._log.read(game), count)), b"", 1))
        tip = hashes[-1].hex() if hashes else ""
        self._tips[game] = ((count, own), tip)
        return GameLine(game, count, tip), count

    def _clean(self, rows: Iterable[StoredRow]) -> Iterator[StoredRow]:
        return (published(row, self._names) for row in rows)

    def _page(
        self, game: str, first: int, rows: tuple[StoredRow, ...], hashes: list[bytes], total: int
    ) -> Page:
        """Return a page of these rows, of at least one and as many as fit."""
        size, count = 0, 0
        for row in rows[:MOST_ROWS]:
            size += len(row.event) + len(row.position or "") + 300
            if count and size > PAGE_BYTES:
                break
            count += 1
        before = hashes[first - 2].hex() if first > 1 else ""
        return Page(log=game, first=first, before=before, rows=rows[:count], total=total)


def _hashes(game: str, rows: Iterable[StoredRow], before: bytes, first: int) -> Iterator[bytes]:
    for seq, row in enumerate(rows, first):
        before = chain(before, game, seq, row)
        yield before
