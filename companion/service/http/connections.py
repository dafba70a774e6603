"""Connections: how many an address may have, and which are dropped first."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from enum import IntEnum
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from companion.service.http.bodies import DisconnectedError
from companion.service.network.addresses import canonical_address
from companion.service.settings import Limits

Peer = tuple[str, int]
"""Address and port of the other end: no two open connections have the same."""
PIECE = 16_384
"""Bytes that are parsed in one go, and about as many as the head of a request may have."""


class Priority(IntEnum):
    """What a connection is for; those of the lowest priority are dropped first."""

    IDLE = 0
    """No request has come, not all of its head, or the last one is answered."""
    ASKING = 1
    WATCHING = 2
    """The stream of somebody without a seat."""
    SEATED = 3
    """The stream of a seated phone."""


def _never() -> bool:
    return False


@dataclass(slots=True)
class _Connection:
    """One open connection. `since`: when it got its priority; `has_seat`: whether the browser that
    watches by it has a seat now; `cancellable`: the task to cancel when the connection closes.
    """

    address: str
    transport: asyncio.Transport
    since: float
    priority: Priority = Priority.IDLE
    has_seat: Callable[[], bool] = _never
    cancellable: asyncio.Task[object] | None = None

    @property
    def current_priority(self) -> Priority:
        """The priority by the seat that the browser has now."""
        seated = self.priority is Priority.WATCHING and self.has_seat()
        return Priority.SEATED if seated else self.priority


class Connections:
    """All open connections of one service; used on the server's event loop alone."""

    def __init__(self, limits: Limits, now: Callable[[], float] = time.monotonic) -> None:
        self._limits, self._now = limits, now
        self._open: dict[Peer, _Connection] = {}
        self._crowd: Counter[str] = Counter()

    def admit(self, peer: Peer, transport: asyncio.Transport) -> bool:
        """Admit a new connection, or return False: its address has its share, or the service is
        full, and no connection of the address with most can be dropped for it.
        """
        address = canonical_address(peer[0])
        if self._crowd[address] >= self._limits.connections_per_address:
            return False
        if len(self._open) >= self._limits.connections and not self._make_room(address):
            return False
        self._open[peer] = _Connection(address, transport, self._now())
        self._crowd[address] += 1
        return True

    def forget(self, peer: Peer) -> None:
        """Remove a connection that closed."""
        gone = self._open.pop(peer, None)
        if gone is not None:
            if gone.cancellable is not None:
                gone.cancellable.cancel()
            self._crowd[gone.address] -= 1
            if not self._crowd[gone.address]:
                del self._crowd[gone.address]

    def set_priority(self, peer: Peer, priority: Priority) -> None:
        """Set what the connection is for from now on."""
        found = self._open.get(peer)
        if found is not None:
            found.priority, found.since = priority, self._now()

    def watch(self, peer: Peer, has_seat: Callable[[], bool]) -> None:
        """Count the connection as a stream whose browser may sit down or stand up later."""
        self.set_priority(peer, Priority.WATCHING)
        found = self._open.get(peer)
        if found is not None:
            found.has_seat = has_seat

    @contextmanager
    def while_connected(self, peer: Peer) -> Iterator[None]:
        """Cancel the block, as DisconnectedError, when the connection closes.

        Without it, requests of connections that come and go would wait in memory for seconds.
        """
        found, task = self._open.get(peer), asyncio.current_task()
        if found is None or task is None:
            raise DisconnectedError
        found.cancellable = task
        try:
            yield
        except asyncio.CancelledError:
            if self._open.get(peer) is found:
                raise
            task.uncancel()
            raise DisconnectedError from None
        finally:
            found.cancellable = None

    async def drop(self, peer: Peer) -> None:
        """Disconnect, whatever is still to be sent."""
        found = self._open.get(peer)
        if found is not None:
            found.transport.abort()
            await asyncio.sleep(0)  # lets asyncio call the protocol's connection_lost

    def drop_the_slow(self) -> None:
        """Drop connections that take too long over the head of a request."""
        since = self._now() - self._limits.header_s
        for each in tuple(self._open.values()):
            if each.priority is Priority.IDLE and each.since < since:
                each.transport.abort()

    def _make_room(self, newcomer: str) -> bool:
        """Drop the least important connection of the address that has most, never a seated phone's
        stream; return False where the newcomer's address would then have as many.
        """
        greedy, count = max(self._crowd.items(), key=lambda pair: pair[1])
        if count <= self._crowd[newcomer] + 1:
            return False
        theirs = ((peer, one) for peer, one in self._open.items() if one.address == greedy)
        peer, least = min(theirs, key=lambda pair: (pair[1].current_priority, pair[1].since))
        if least.current_priority is Priority.SEATED:
            return False
        self.forget(peer)
        least.transport.abort()
        return True


def protocol(connections: Connections) -> type[asyncio.Protocol]:
    """Return a subclass of uvicorn's protocol that counts all connections in `connections`.

    uvicorn accepts it as `http=`. It overrides methods of asyncio.Protocol, and reads `conn`, the
    h11 connection: only that knows whether a request is complete. Without it, a second pipelined
    request would be read before the first is answered.
    """

    class Counted(H11Protocol):
        """HTTP/1.1 for admitted connections; others are closed before anything is read."""

        _peer: Peer | None = None

        def connection_made(self, transport: Any) -> None:
            """Admit the new connection, or close it."""
            peer = transport.get_extra_info("peername")
            if not peer or not connections.admit((peer[0], peer[1]), transport):
                transport.abort()
                return
            self._peer = (peer[0], peer[1])
            super().connection_made(transport)

        def connection_lost(self, exc: Exception | None) -> None:
            """Remove the closed connection."""
            if self._peer is not None:
                connections.forget(self._peer)
                super().connection_lost(exc)

        def data_received(self, data: bytes) -> None:
            """Parse the bytes in pieces, since h11 limits only a head that is incomplete; close the
            connection at a second request before the first is answered: no browser sends one.
            """
            for start in range(0, len(data), PIECE):
                if self.transport.is_closing():
                    return
                if self.conn.their_state is h11.DONE:
                    self.transport.abort()
                    return
                super().data_received(data[start : start + PIECE])
                if self.conn.their_state is h11.DONE and self.conn.trailing_data[0]:
                    self.transport.abort()

    return Counted
