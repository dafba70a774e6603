"""Rate limits: how often, and how many requests at once, one sender is answered."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field

from companion.service.refusals import HttpError

QUIET_S = 60.0
"""A sender without requests for so long is forgotten: its balance is full again."""


@dataclass(frozen=True, slots=True)
class Allowance:
    """A sender's limits: `burst` requests, `per_s` more each second, `at_once` at a time."""

    per_s: float
    burst: float
    at_once: int


class SenderSlots:
    """Places for `count` senders at once, one each; a request without a place is refused at once
    with `key`.
    """

    def __init__(self, count: int, key: str) -> None:
        self._count, self._key = count, key
        self._senders: set[str] = set()

    @contextmanager
    def take(self, sender: str) -> Iterator[None]:
        """Take a place for as long as the block lasts; HttpError (429) where none is free, or the
        sender has one.
        """
        if sender in self._senders or len(self._senders) >= self._count:
            raise HttpError(429, self._key)
        self._senders.add(sender)
        try:
            yield
        finally:
            self._senders.remove(sender)


@dataclass(slots=True)
class _Sender:
    """The balance of one sender: requests left at the time `at`, and those running and waiting."""

    left: float
    at: float
    running: int = 0
    waiting: deque[asyncio.Future[None]] = field(default_factory=deque)


class RateLimiter:
    """Delays the requests of each sender that exceeds its allowance, and keeps their order; used on
    the server's event loop alone.

    The limits are a token bucket and a number of requests at once. HttpError (429) where the delay
    would exceed `patience_s`.
    """

    def __init__(self, patience_s: float, now: Callable[[], float] = time.monotonic) -> None:
        self._patience_s, self._now = patience_s, now
        self._senders: dict[str, _Sender] = {}
        self._forgot = now()

    @asynccontextmanager
    async def acquire(
        self, name: str, allowance: Allowance, cost: float = 1
    ) -> AsyncIterator[None]:
        """Wait until the sender may go on, and count its request as running within the block."""
        sender = self._sender(name, allowance)
        delay = self._pay(sender, allowance, cost)
        try:
            await self._enter(sender, allowance)
        except TimeoutError:
            sender.left += cost
            raise HttpError(429) from None
        try:
            if delay > 0:
                await asyncio.sleep(delay)
            yield
        finally:
            self._leave(sender)

    def _sender(self, name: str, allowance: Allowance) -> _Sender:
        if self._now() - self._forgot > QUIET_S:
            self._forget()
        return self._senders.setdefault(name, _Sender(allowance.burst, self._now()))

    def _pay(self, sender: _Sender, allowance: Allowance, cost: float) -> float:
        """Charge the request to the balance; return the seconds until that is not negative."""
        now = self._now()
        left = min(allowance.burst, sender.left + (now - sender.at) * allowance.per_s)
        delay = max(0.0, (cost - left) / allowance.per_s)
        if delay > self._patience_s:
            raise HttpError(429)
        sender.left, sender.at = left - cost, now
        return delay

    async def _enter(self, sender: _Sender, allowance: Allowance) -> None:
        """Wait until fewer than `at_once` requests run; TimeoutError where that takes too long."""
        if sender.running < allowance.at_once and not sender.waiting:
            sender.running += 1
            return
        place: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        sender.waiting.append(place)
        entered = False
        try:
            async with asyncio.timeout(self._patience_s):
                await place
            entered = True
        finally:
            if not entered:
                self._give_up(sender, place)

    def _give_up(self, sender: _Sender, place: asyncio.Future[None]) -> None:
        """Leave the queue; the place may have been given just now."""
        if place.done() and not place.cancelled():
            self._leave(sender)
        elif place in sender.waiting:
            sender.waiting.remove(place)

    def _leave(self, sender: _Sender) -> None:
        """Give the place to the next in the queue."""
        while sender.waiting:
            place = sender.waiting.popleft()
            if not place.done():
                place.set_result(None)
                return
        sender.running -= 1

    def _forget(self) -> None:
        """Drop senders that neither run, nor wait, nor asked in the last minute."""
        self._forgot = self._now()
        self._senders = {
            name: sender
            for name, sender in self._senders.items()
            if sender.running or sender.waiting or self._forgot - sender.at < QUIET_S
        }
