"""The bodies of requests: read whole before a worker starts, and bounded in memory together."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, MutableMapping
from contextlib import asynccontextmanager
from typing import Any

from companion.service.refusals import HttpError

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]


class DisconnectedError(Exception):
    """The sender has hung up."""


class BodyTooLargeError(Exception):
    """The body is longer than it may be."""


class RequestBody:
    """The body of one request, as it arrives. `declared`: its length in bytes; None: chunked."""

    def __init__(self, receive: Receive, declared: int | None) -> None:
        self._receive, self.declared = receive, declared
        self.is_over = declared == 0

    async def whole(self, most: int) -> bytes:
        """Return all of it; raise BodyTooLargeError above `most` bytes."""
        body = bytearray()
        while not self.is_over:
            body += await self._next()
            if len(body) > most:
                raise BodyTooLargeError
        return bytes(body)

    async def skip(self, most: int) -> None:
        """Read and drop up to `most` bytes.

        Closing a connection with unread bytes resets it, and the answer may be lost.
        """
        while most > 0 and not self.is_over:
            most -= len(await self._next())

    async def gone(self) -> None:
        """Wait until the sender has hung up."""
        while (await self._receive())["type"] != "http.disconnect":
            continue

    async def _next(self) -> bytes:
        message = await self._receive()
        if message["type"] == "http.disconnect":
            self.is_over = True
            raise DisconnectedError
        self.is_over = not message.get("more_body", False)
        piece: bytes = message.get("body", b"")
        return piece


class MemoryBudget:
    """Memory for all bodies of a kind at once, in bytes: at most `per_sender` for one sender and
    `per_address` for all senders of one address. Used on the server's event loop alone.
    """

    def __init__(self, in_all: int, per_sender: int, per_address: int, patience_s: float) -> None:
        self._in_all, self._patience_s = in_all, patience_s
        self._most = (per_sender, per_address)
        self._taken = 0
        self._held: Counter[tuple[str, str]] = Counter()
        self._freed = asyncio.Condition()

    @asynccontextmanager
    async def reserve(self, sender: str, address: str, size: int) -> AsyncIterator[None]:
        """Reserve `size` bytes for as long as the block lasts.

        HttpError: 429 where the sender or its address has reserved too much, or waits for it; 503
        where nothing becomes free in time.
        """
        holders = (("sender", sender), ("address", address))
        pairs = zip(holders, self._most, strict=True)
        if any(self._held[holder] + size > most for holder, most in pairs):
            raise HttpError(429)
        self._held.update(dict.fromkeys(holders, size))
        try:
            async with self._taking(size):
                yield
        finally:
            for holder in holders:
                self._held[holder] -= size
                if not self._held[holder]:
                    del self._held[holder]

    @asynccontextmanager
    async def _taking(self, size: int) -> AsyncIterator[None]:
        if not size:
            yield
            return
        await self._wait_for(size)
        self._taken += size
        try:
            yield
        finally:
            self._taken -= size
            async with self._freed:
                self._freed.notify_all()

    async def _wait_for(self, size: int) -> None:
        try:
            async with asyncio.timeout(self._patience_s), self._freed:
                await self._freed.wait_for(lambda: self._taken + size <= self._in_all)
        except TimeoutError:
            raise HttpError(503) from None
