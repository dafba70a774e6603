"""Phones that opened the page and did not arrive: what a service can know of a join that failed."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

MOST = 64
"""Addresses remembered at once; beyond it the oldest is dropped."""
FORGET_S = 600.0
"""After so long nobody is waiting at the table for that phone any more."""


class Arrivals:
    """Addresses that fetched the page, until a stream comes from them; safe from all threads.

    A phone that the Wi-Fi keeps away never fetches the page: no service can know of it.
    """

    def __init__(self, late_s: float, now: Callable[[], float] = time.monotonic) -> None:
        self._late_s, self._now = late_s, now
        self._lock = threading.Lock()
        self._opened: dict[str, float] = {}
        self._streams: dict[str, int] = {}

    def opened(self, address: str) -> None:
        """Note that a page was sent to this address; nothing where a phone there is connected."""
        with self._lock:
            if address not in self._streams:
                self._opened.setdefault(address, self._now())
            while len(self._opened) > MOST:
                del self._opened[next(iter(self._opened))]

    def arrived(self, address: str) -> None:
        """Note that a stream was opened by a phone at this address."""
        with self._lock:
            self._streams[address] = self._streams.get(address, 0) + 1
            self._opened.pop(address, None)

    def left(self, address: str) -> None:
        """Note that a stream of this address has ended."""
        with self._lock:
            streams = self._streams.pop(address, 0) - 1
            if streams > 0:
                self._streams[address] = streams

    @property
    def late(self) -> int:
        """How many addresses have had the page for `late_s` seconds, and no stream."""
        with self._lock:
            now = self._now()
            for address, since in tuple(self._opened.items()):
                if now - since >= FORGET_S:
                    del self._opened[address]
            return sum(now - since >= self._late_s for since in self._opened.values())
