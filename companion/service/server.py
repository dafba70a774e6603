"""The server around the shell: uvicorn with the sockets and deadlines it has no settings for."""

from __future__ import annotations

import asyncio
import socket
from collections import Counter
from collections.abc import Callable
from typing import Any

import h11
import uvicorn

from companion.service.addresses import plain
from companion.service.desk import Desk
from companion.service.settings import Limits
from companion.service.shell import Shell

BACKLOG = 128
TICKS_A_SECOND = 10


def listening_socket(host: str, port: int, limits: Limits) -> socket.socket:
    """A bound socket whose options every accepted one inherits; OSError where it may not be.

    Vanished phones free their slot soon, small answers leave at once, and the kernel does not hide
    megabytes for a phone that sleeps.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # asyncio sets TCP_NODELAY only where `proto` says TCP, which create_server leaves at 0.
    sock = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, limits.send_buffer_bytes)
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, limits.unanswered_ms)
        if family == socket.AF_INET6:
            # `::` hears IPv4 phones too, whatever the machine's own default is.
            sock.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 0)
        sock.bind((host, port))
        sock.listen(BACKLOG)
    except OSError:
        sock.close()
        raise
    return sock


class TableServer(uvicorn.Server):
    """Runs the shell until it is told to stop; `on_ready` is called once phones can be answered."""

    def __init__(self, shell: Shell, desk: Desk, on_ready: Callable[[], None]) -> None:
        limits = desk.settings.limits
        super().__init__(
            uvicorn.Config(
                shell,
                http="h11",
                loop="asyncio",
                ws="none",
                lifespan="off",
                proxy_headers=False,
                server_header=False,
                access_log=False,
                log_config=None,
                limit_concurrency=limits.connections,
                timeout_keep_alive=limits.keep_alive_s,
                timeout_graceful_shutdown=limits.stop_s,
                backlog=BACKLOG,
            )
        )
        self._desk, self._limits, self._on_ready = desk, limits, on_ready
        self._idle: dict[Any, tuple[Any, int]] = {}
        self._ticks = 0

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """The table is open."""
        self._desk.hub.bind(asyncio.get_running_loop())
        await super().startup(sockets=sockets)
        self._on_ready()
        self._desk.addresses.watch()

    async def on_tick(self, counter: int) -> bool:
        """Who dawdles or crowds is dropped; streams beat; what the disk refused is tried again."""
        self._ticks += 1
        self._drop_the_slow()
        if self._ticks % round(self._limits.heartbeat_s * TICKS_A_SECOND) == 0:
            self._desk.hub.beat()
        if self._ticks % TICKS_A_SECOND == 0 and not self._desk.table.saved:
            await asyncio.to_thread(self._desk.table.save)
        if self._ticks % TICKS_A_SECOND == 0 and self._desk.browsers.tick():
            await asyncio.to_thread(self._desk.publish)
        return await super().on_tick(counter)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Streams are ended first: a phone comes back by itself."""
        self._desk.hub.stop()
        await super().shutdown(sockets=sockets)

    def _drop_the_slow(self) -> None:
        """No connection dawdles over a request's head, none is one too many of its address."""
        patience = self._limits.header_s * TICKS_A_SECOND
        crowd: Counter[str] = Counter()
        idle: dict[Any, tuple[Any, int]] = {}
        for connection in tuple(self.server_state.connections):
            conn: Any = connection
            address = plain(conn.client[0]) if conn.client else ""
            crowd[address] += 1
            if crowd[address] > self._limits.connections_per_address:
                conn.transport.abort()
            elif conn.conn.their_state is h11.IDLE:
                cycle, since = self._idle.get(conn, (conn.cycle, self._ticks))
                since = since if cycle is conn.cycle else self._ticks
                idle[conn] = (conn.cycle, since)
                if self._ticks - since > patience:
                    conn.transport.abort()
        self._idle = idle
