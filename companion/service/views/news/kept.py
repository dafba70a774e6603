"""Results kept for values that never change: a new view works out only what is new in it."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Generic, TypeVar

K = TypeVar("K")
T = TypeVar("T")
MOST = 128
"""How many results are kept of each function; more than a turn has rows."""


class Kept(Generic[K, T]):
    """The newest results of a function of values; `of` may be called from any thread.

    The identity of the values is the key: comparing rows or positions would compare whole games.
    """

    def __init__(self, most: int = MOST) -> None:
        self._most = most
        self._lock = threading.Lock()
        self._kept: dict[tuple[int, ...], tuple[tuple[K, ...], T]] = {}
        """Each result with its values, whose identities stay theirs while they are held here."""

    def of(self, values: tuple[K, ...], make: Callable[[], T]) -> T:
        """Return the result for these values, made where it is not kept."""
        key = tuple(map(id, values))
        kept = self._kept.get(key)
        if kept is not None:
            return kept[1]
        made = make()
        with self._lock:
            self._kept[key] = values, made
            while len(self._kept) > self._most:
                del self._kept[next(iter(self._kept))]
        return made
