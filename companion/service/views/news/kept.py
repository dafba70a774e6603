"""Results kept for rows of the log, so that a new view works out only what is new in it."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Generic, TypeVar

from companion.table import Entry

T = TypeVar("T")
MOST = 128
"""How many results are kept of each function; more than a turn has rows."""


class KeptOfRows(Generic[T]):
    """The newest results of a function of rows; `of` may be called from any thread.

    Rows never change, so their identity is the key: comparing them would compare whole positions.
    """

    def __init__(self, most: int = MOST) -> None:
        self._most = most
        self._lock = threading.Lock()
        self._kept: dict[tuple[int, ...], tuple[tuple[Entry, ...], T]] = {}
        """Each result with its rows, whose identities stay theirs while they are held here."""

    def of(self, rows: tuple[Entry, ...], make: Callable[[], T]) -> T:
        """Return the result for these rows, made where it is not kept."""
        key = tuple(map(id, rows))
        kept = self._kept.get(key)
        if kept is not None:
            return kept[1]
        made = make()
        with self._lock:
            self._kept[key] = rows, made
            while len(self._kept) > self._most:
                del self._kept[next(iter(self._kept))]
        return made
