"""Claims: requests of browsers for seats that others hold, one for each browser."""

from __future__ import annotations

from collections.abc import Callable

from companion.table import RefusedError


class Claims:
    """The open claims by browser key, oldest first, and those that were refused. A browser may
    repeat a refused claim after `again_s` seconds.
    """

    def __init__(self, again_s: float, now: Callable[[], float]) -> None:
        self._again_s, self._now = again_s, now
        self._seats: dict[str, int] = {}
        self._refused: dict[str, tuple[int, float]] = {}

    def all(self) -> tuple[tuple[str, int], ...]:
        """Return the askers and their seats."""
        return tuple(self._seats.items())

    def seat(self, key: str) -> int | None:
        """Return the seat this browser asks for."""
        return self._seats.get(key)

    def refused(self, key: str) -> int | None:
        """Return the seat that this browser was refused, until it asks again."""
        seat, _ = self._refused.get(key, (None, 0.0))
        return seat

    def ask(self, key: str, seat: int) -> None:
        """Replace the browser's claim; RefusedError where it was refused a short while ago."""
        refused, at = self._refused.get(key, (None, 0.0))
        if refused == seat and self._now() - at < self._again_s:
            raise RefusedError("error.seat_kept", outdated=True, seat=seat)
        self._refused.pop(key, None)
        if self._seats.get(key) != seat:
            self._seats.pop(key, None)
            self._seats[key] = seat

    def refuse(self, key: str) -> None:
        """Drop the claim; the browser may ask again after a while."""
        seat = self._seats.pop(key, None)
        if seat is not None:
            self._refused[key] = (seat, self._now())

    def drop(self, key: str) -> None:
        """Drop the browser's claim."""
        self._seats.pop(key, None)

    def forget(self, key: str) -> None:
        """Drop everything about a browser that is gone."""
        self._seats.pop(key, None)
        self._refused.pop(key, None)

    def clear(self) -> None:
        """Drop all claims."""
        self._seats.clear()
        self._refused.clear()
