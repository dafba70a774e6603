"""Presence: how many streams each browser has, when it was last seen, and from where."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable


class Presence:
    """Presence by browser key; `now` counts seconds and never goes back."""

    def __init__(self, now: Callable[[], float]) -> None:
        self._now, self._started = now, now()
        self._streams: Counter[str] = Counter()
        self._last: dict[str, float] = {}
        self._addresses: dict[str, str] = {}

    def note(self, key: str, *, ago_s: float = 0.0, address: str | None = None) -> None:
        """Note that the browser was seen, `ago_s` seconds ago."""
        self._last[key] = self._now() - ago_s
        if address is not None:
            self._addresses[key] = address

    def change(self, key: str, streams: int) -> None:
        """Change the number of the browser's streams."""
        self._streams[key] += streams
        if self._streams[key] <= 0:
            del self._streams[key]

    def forget(self, key: str) -> None:
        """Drop a browser that is gone; streams that are still open end by themselves."""
        self._last.pop(key, None)
        self._addresses.pop(key, None)

    def streams(self, key: str) -> int:
        """Return how many streams it has."""
        return self._streams[key]

    def address(self, key: str) -> str:
        """Return the address it was last seen from; empty where unknown since the start."""
        return self._addresses.get(key, "")

    def last(self, key: str) -> float:
        """Return when it was last seen, by `now`."""
        return self._now() if self._streams[key] else self._last[key]

    def age_s(self, key: str) -> float:
        """Return the seconds since it was last seen, restarts of the service included."""
        return self._now() - self.last(key)

    def silent_s(self, key: str) -> float:
        """Return the seconds without a stream, counted only while the service ran."""
        return min(self.age_s(key), self._now() - self._started)

    def is_silent(self, key: str, seconds: float) -> bool:
        """Whether it has had no stream for so many seconds."""
        return not self._streams[key] and self.silent_s(key) >= seconds

    def old(self, seconds: float) -> list[str]:
        """Return the browsers that were not seen for so many seconds."""
        return [k for k in self._last if not self._streams[k] and self.age_s(k) >= seconds]
