"""Messages of the broker that wait to be taken in, within bounds of number and bytes."""

from __future__ import annotations

from collections import deque
from typing import Final

from companion.mqtt.tables.forms import LONGEST

MOST_NEWEST: Final = 600
"""Cards and statuses that wait; of each table the newest."""
LONGEST_NEWEST: Final = 32 * 1024
"""Bytes of a card or status, of which any number may come at once."""
MOST_BYTES: Final = 16 * 1024 * 1024
"""Of pages and lists that wait; the oldest are dropped, and asked for again."""
MOST_WAITING: Final = 1024
Message = tuple[str, str, bytes]
"""Table, kind, payload."""


class Inbox:
    """What waits; used under one lock."""

    def __init__(self) -> None:
        self._newest: dict[tuple[str, str], bytes] = {}
        self._others: deque[Message] = deque()
        self._bytes = 0

    def __len__(self) -> int:
        return len(self._newest) + len(self._others)

    def put(self, table: str, kind: str, payload: bytes) -> None:
        """Add a message; a newer `status` or `card` replaces one that still waits."""
        if kind in {"status", "card"}:
            is_known = (table, kind) in self._newest
            if len(payload) <= LONGEST_NEWEST and (is_known or len(self._newest) < MOST_NEWEST):
                self._newest[table, kind] = payload
        elif len(payload) <= LONGEST:
            self._others.append((table, kind, payload))
            self._bytes += len(payload)
            while self._bytes > MOST_BYTES or len(self._others) > MOST_WAITING:
                self._bytes -= len(self._others.popleft()[2])

    def take(self) -> list[Message]:
        """Return all that waits, cards and statuses first, and leave nothing."""
        found = [(table, kind, payload) for (table, kind), payload in self._newest.items()]
        found += self._others
        self._newest, self._others, self._bytes = {}, deque(), 0
        return found
