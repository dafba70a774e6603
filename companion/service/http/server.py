"""The server: a socket that counts its connections, and uvicorn, by its public options."""

from __future__ import annotations

import asyncio
import logging
import socket
import time
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Final

import uvicorn

from companion.service.hub import Hub
from companion.service.machine.addresses import canonical_address
from companion.service.settings import Limits
from companion.service.workers import Workers

Peer = tuple[str, int]
"""Address and port of the other end: no two open connections have the same."""
BACKLOG: Final = 128
HEAD_BYTES: Final = 16_384
"""The longest head of a request, and how much of a connection is read at once."""
KEEP_ALIVE_S: Final = 15
STOP_S: Final = 1
"""Longest time for open answers when the service stops; then they are cut off."""
UNANSWERED_MS: Final = 20_000
"""A phone that acknowledges nothing for so long is gone."""
SEND_BUFFER_BYTES: Final = 131_072


class Connection(socket.socket):
    """An accepted connection, counted until it is closed."""

    def __init__(self, accepted: socket.socket, peer: Peer, connections: Connections) -> None:
        super().__init__(accepted.family, accepted.type, accepted.proto, accepted.detach())
        self.peer, self.address = peer, canonical_address(peer[0])
        self.since, self.in_use = 0.0, False
        self._connections = connections

    def recv(self, size: int, flags: int = 0, /) -> bytes:
        """Return the next bytes, few at once: h11 bounds no head that comes whole, and whatever
        follows it is kept in memory.
        """
        return super().recv(min(size, HEAD_BYTES), flags)

    def close(self) -> None:
        """Close it; it counts no more."""
        self._connections.forget(self)
        super().close()

    def drop(self) -> None:
        """Disconnect, whatever is still to be sent."""
        with suppress(OSError):
            self.shutdown(socket.SHUT_RDWR)


class Connections:
    """All open connections of one service; used on the server's event loop alone.

    A connection is `in_use` while its request is worked on or its stream is open. Others may be
    dropped: they are idle, or somebody takes time over a head or a body.
    """

    def __init__(self, limits: Limits, now: Callable[[], float] = time.monotonic) -> None:
        self._limits, self._now = limits, now
        self._open: dict[Peer, Connection] = {}

    def admit(self, accepted: socket.socket, peer: Peer) -> Connection | None:
        """Count a connection, and drop another if they are too many; None if it is one too many."""
        address = canonical_address(peer[0])
        crowd = Counter(one.address for one in self._open.values())
        if crowd[address] >= self._limits.connections_per_address:
            return None
        if len(self._open) >= self._limits.connections and not self._make_room(address, crowd):
            return None
        connection = Connection(accepted, peer, self)
        connection.since = self._now()
        self._open[peer] = connection
        return connection

    def forget(self, connection: Connection) -> None:
        """Count the connection no more."""
        if self._open.get(connection.peer) is connection:
            del self._open[connection.peer]

    def set_in_use(self, peer: Peer, in_use: bool) -> None:
        """Note whether its request is worked on; if not, the time for what comes next begins."""
        found = self._open.get(peer)
        if found is not None:
            found.in_use, found.since = in_use, self._now()

    def drop(self, peer: Peer) -> None:
        """Disconnect this one."""
        found = self._open.get(peer)
        if found is not None:
            found.drop()

    def drop_the_slow(self) -> None:
        """Drop connections that take too long over a head or a body."""
        since = self._now() - self._limits.slow_s
        for each in tuple(self._open.values()):
            if not each.in_use and each.since < since:
                each.drop()

    def _make_room(self, newcomer: str, crowd: Counter[str]) -> bool:
        """Drop the idlest connection of the address that has most; return False if all of them are
        in use, or the newcomer's address would then have as many.
        """
        greedy, count = crowd.most_common(1)[0]
        idle = [one for one in self._open.values() if one.address == greedy and not one.in_use]
        if count <= crowd[newcomer] + 1 or not idle:
            return False
        idlest = min(idle, key=lambda one: one.since)
        self.forget(idlest)
        idlest.drop()
        return True


class Door(socket.socket):
    """The listening socket: connections above the limits are closed before anything is read."""

    def __init__(self, family: int, limits: Limits) -> None:
        # asyncio sets TCP_NODELAY only if `proto` says TCP.
        super().__init__(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
        self.connections = Connections(limits)

    def accept(self) -> tuple[socket.socket, Any]:
        """Return the next connection; ConnectionAbortedError if it was one too many."""
        accepted, end = super().accept()
        connection = self.connections.admit(accepted, (end[0], end[1]))
        if connection is None:
            accepted.close()
            raise ConnectionAbortedError
        return connection, end


def listening_socket(host: str, port: int, limits: Limits) -> Door:
    """Return a bound socket whose options every accepted one inherits; OSError if that fails.

    Connections of vanished phones end soon, small answers leave at once, and the kernel does not
    buffer megabytes for a phone that sleeps.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    sock = Door(family, limits)
    try:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, SEND_BUFFER_BYTES)
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, UNANSWERED_MS)
        if family == socket.AF_INET6:
            # `::` accepts IPv4 phones too, whatever the machine's own default is.
            sock.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 0)
        sock.bind((host, port))
        sock.listen(BACKLOG)
    except OSError:
        sock.close()
        raise
    return sock


def server_config(asgi_app: Any, *, verbose: bool = False) -> uvicorn.Config:
    """Return how uvicorn serves an ASGI application."""
    logging.getLogger("asyncio").setLevel(logging.INFO if verbose else logging.ERROR)
    return uvicorn.Config(
        asgi_app,
        http="h11",
        loop="asyncio",
        ws="none",
        lifespan="off",
        proxy_headers=False,
        server_header=False,
        access_log=verbose,
        log_config=None,
        # strangers must not fill the journal
        log_level="debug" if verbose else "error",
        timeout_keep_alive=KEEP_ALIVE_S,
        timeout_graceful_shutdown=STOP_S,
        h11_max_incomplete_event_size=HEAD_BYTES,
        backlog=BACKLOG,
    )


class DoorServer(uvicorn.Server):
    """Serves an ASGI application until a signal ends it, or `should_exit` is set. Every second it
    drops slow connections, and has `tick` done by a worker.

    `on_ready` is called once requests can be answered. `hub` has the streams, if there are any.
    """

    def __init__(
        self,
        asgi_app: Any,
        connections: Connections,
        on_ready: Callable[[], None],
        tick: Callable[[], object],
        hub: Hub | None = None,
        *,
        verbose: bool = False,
    ) -> None:
        super().__init__(server_config(asgi_app, verbose=verbose))
        self._connections, self._on_ready, self._do_tick = connections, on_ready, tick
        self._hub, self._chores = hub, Workers("chores", 1)
        self._ticking: asyncio.Task[None] | None = None

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Begin to accept connections."""
        if self._hub is not None:
            self._hub.bind(asyncio.get_running_loop())
        await super().startup(sockets)
        self._on_ready()
        self._ticking = asyncio.create_task(self._tick())

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """End streams, which never end by themselves, then what is still being answered."""
        if self._hub is not None:
            self._hub.stop()
        if self._ticking is not None:
            self._ticking.cancel()
        await super().shutdown(sockets)

    async def _tick(self) -> None:
        while True:
            await asyncio.sleep(1)
            self._connections.drop_the_slow()
            # The loop must never wait for a disk or the kernel.
            with suppress(RuntimeError):  # no thread can be started: in a second perhaps
                self._chores.do_if_idle(self._do_tick)
