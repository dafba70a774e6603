"""When each browser was heard: how many streams it has, since when it is silent, from where."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable


class Heard:
    """By the key of a browser; `now` counts seconds and never goes back."""

    def __init__(self, now: Callable[[], float]) -> None:
        self._now, self._started = now, now()
        self._streams: Counter[str] = Counter()
        self._last: dict[str, float] = {}
        self._addresses: dict[str, str] = {}

    def note(self, key: str, *, ago_s: float = 0.0, address: str | None = None) -> None:
        """The browser was heard, so long ago."""
        self._last[key] = self._now() - ago_s
        if address is not None:
            self._addresses[key] = address

    def change(self, key: str, streams: int) -> None:
        """The browser has so many streams more."""
        self._streams[key] += streams
        if self._streams[key] <= 0:
            del self._streams[key]

    def forget(self, key: str) -> None:
        """The browser is gone; streams that are still open end by themselves."""
        self._last.pop(key, None)
        self._addresses.pop(key, None)

    def streams(self, key: str) -> int:
        """How many streams it has."""
        return self._streams[key]

    def address(self, key: str) -> str:
        """Where it was heard from; empty where that is not known since the service started."""
        return self._addresses.get(key, "")

    def last(self, key: str) -> float:
        """When it was heard, by `now`."""
        return self._now() if self._streams[key] else self._last[key]

    def age_s(self, key: str) -> float:
        """So long ago it was heard, restarts of the service included."""
        return self._now() - self.last(key)

    def silent_s(self, key: str) -> float:
        """So long it has had no stream while there was a service to listen to."""
        return min(self.age_s(key), self._now() - self._started)

    def is_silent(self, key: str, seconds: float) -> bool:
        """Whether it has had no stream for so long."""
        return not self._streams[key] and self.silent_s(key) >= seconds

    def old(self, seconds: float) -> list[str]:
        """Those that were not heard for so long."""
        return [k for k in self._last if not self._streams[k] and self.age_s(k) >= seconds]
