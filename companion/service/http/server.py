"""The server around the shell: uvicorn with the sockets and deadlines it has no settings for."""

from __future__ import annotations

import asyncio
import logging
import socket
from collections.abc import Callable
from concurrent.futures import Future

import uvicorn

from companion.service.app_state import Desk
from companion.service.http.asgi import Shell
from companion.service.http.connections import protocol
from companion.service.settings import Limits
from companion.service.workers import Workers

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
    """Runs the shell until a signal stops it; `on_ready` is called once phones can be answered."""

    def __init__(self, shell: Shell, desk: Desk, on_ready: Callable[[], None]) -> None:
        limits = desk.settings.limits
        super().__init__(
            uvicorn.Config(
                shell,
                http=protocol(shell.connections),
                loop="asyncio",
                ws="none",
                lifespan="off",
                proxy_headers=False,
                server_header=False,
                access_log=False,
                log_config=None,
                log_level="error",  # what strangers send is nothing to fill a journal with
                timeout_keep_alive=limits.keep_alive_s,
                timeout_graceful_shutdown=limits.stop_s,
                backlog=BACKLOG,
            )
        )
        logging.getLogger("asyncio").setLevel(logging.ERROR)
        self._desk, self._limits, self._on_ready = desk, limits, on_ready
        self._shell = shell
        self._chores = Workers("chores", 2)
        self._doing: dict[str, Future[object]] = {}
        self._ticks = 0

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """The table is open."""
        self._desk.hub.bind(asyncio.get_running_loop())
        await super().startup(sockets=sockets)
        self._on_ready()
        self._desk.addresses.watch()

    async def on_tick(self, counter: int) -> bool:
        """Who dawdles or crowds is dropped; streams beat; who is silent is counted."""
        self._ticks += 1
        self._shell.connections.drop_the_slow()
        if self._is_time(self._limits.heartbeat_s):
            self._desk.hub.beat()
        if self._is_time(1):
            self._do("people", self._desk.age)
        return await super().on_tick(counter)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Streams are ended first: a phone comes back by itself."""
        self._desk.hub.stop()
        await super().shutdown(sockets=sockets)
        self._shell.close()
        self._chores.shutdown()

    def _is_time(self, every_s: float) -> bool:
        return self._ticks % max(1, round(every_s * TICKS_A_SECOND)) == 0

    def _do(self, name: str, chore: Callable[[], object]) -> None:
        """The chore is done on a thread, unless the last time is not over yet: the loop must never
        wait for a disk or for the kernel.
        """
        before = self._doing.get(name)
        if before is None or before.done():
            self._doing[name] = self._chores.submit(chore)
