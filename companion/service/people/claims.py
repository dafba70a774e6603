"""Seats that browsers ask for while somebody else holds them: one claim a browser."""

from __future__ import annotations

from collections.abc import Callable

from companion.table import RefusedError


class Claims:
    """Who asks for which seat, oldest first, and who was refused a short while ago."""

    def __init__(self, again_s: float, now: Callable[[], float]) -> None:
        self._again_s, self._now = again_s, now
        self._seats: dict[str, int] = {}
        self._refused: dict[str, tuple[int, float]] = {}

    def all(self) -> tuple[tuple[str, int], ...]:
        """Askers and seats."""
        return tuple(self._seats.items())

    def seat(self, key: str) -> int | None:
        """The seat this browser asks for."""
        return self._seats.get(key)

    def refused(self, key: str) -> int | None:
        """The seat this browser asked for in vain, until it asks again."""
        seat, _ = self._refused.get(key, (None, 0.0))
        return seat

    def ask(self, key: str, seat: int) -> None:
        """The browser asks for the seat and no other; RefusedError: it was refused just now."""
        kept, at = self._refused.get(key, (None, 0.0))
        if kept == seat and self._now() - at < self._again_s:
            raise RefusedError("error.seat_kept", outdated=True, seat=seat)
        self._refused.pop(key, None)
        if self._seats.get(key) != seat:
            self._seats.pop(key, None)
            self._seats[key] = seat

    def refuse(self, key: str) -> None:
        """The seat is kept from this browser, which may ask again after a while."""
        seat = self._seats.pop(key, None)
        if seat is not None:
            self._refused[key] = (seat, self._now())

    def drop(self, key: str) -> None:
        """The browser asks for nothing any more."""
        self._seats.pop(key, None)

    def forget(self, key: str) -> None:
        """The browser is gone."""
        self._seats.pop(key, None)
        self._refused.pop(key, None)

    def clear(self) -> None:
        """Nobody asks."""
        self._seats.clear()
        self._refused.clear()
