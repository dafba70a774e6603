"""The HTTP server: uvicorn with the ASGI application, our socket options and regular chores."""

from __future__ import annotations

import asyncio
import logging
import socket
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any

import uvicorn

from companion.service.app_state import AppState
from companion.service.http.asgi import AsgiApp
from companion.service.http.connections import Connections, protocol
from companion.service.settings import Limits
from companion.service.workers import Workers

BACKLOG = 128
TICKS_A_SECOND = 10
POLL_START_S = 0.005


def listening_socket(host: str, port: int, limits: Limits) -> socket.socket:
    """Return a bound socket whose options every accepted one inherits; OSError where that fails.

    Connections of vanished phones end soon, small answers leave at once, and the kernel does not
    buffer megabytes for a phone that sleeps.
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
            # `::` accepts IPv4 phones too, whatever the machine's own default is.
            sock.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 0)
        sock.bind((host, port))
        sock.listen(BACKLOG)
    except OSError:
        sock.close()
        raise
    return sock


def server_config(
    asgi_app: Any, connections: Connections, limits: Limits, *, verbose: bool
) -> uvicorn.Config:
    """Return how uvicorn serves an ASGI application: its connections counted, its times bounded."""
    logging.getLogger("asyncio").setLevel(logging.INFO if verbose else logging.ERROR)
    return uvicorn.Config(
        asgi_app,
        http=protocol(connections),
        loop="asyncio",
        ws="none",
        lifespan="off",
        proxy_headers=False,
        server_header=False,
        access_log=verbose,
        log_config=None,
        # strangers must not fill the journal
        log_level="debug" if verbose else "error",
        timeout_keep_alive=limits.keep_alive_s,
        timeout_graceful_shutdown=limits.stop_s,
        backlog=BACKLOG,
    )


class TableServer:
    """Serves the ASGI application until a signal or `stop` ends it.

    `on_ready` is called once phones can be answered.
    """

    def __init__(
        self, asgi_app: AsgiApp, app_state: AppState, on_ready: Callable[[], None]
    ) -> None:
        limits, verbose = app_state.settings.limits, app_state.settings.verbose
        connections = asgi_app.connections
        self._server = uvicorn.Server(server_config(asgi_app, connections, limits, verbose=verbose))
        self._app_state, self._limits, self._on_ready = app_state, limits, on_ready
        self._asgi_app = asgi_app
        self._chores = Workers("chores", 2)
        self._doing: dict[str, Future[object]] = {}

    def run(self, sock: socket.socket) -> None:
        """Answer on the socket until the end; KeyboardInterrupt where Ctrl+C ended it."""
        asyncio.run(self._serve(sock))

    def stop(self) -> None:
        """Stop the service from another thread, as SIGTERM does."""
        self._server.should_exit = True

    async def _serve(self, sock: socket.socket) -> None:
        self._app_state.hub.bind(asyncio.get_running_loop())
        ticking = asyncio.create_task(self._tick())
        ticking.add_done_callback(lambda _: self.stop())  # also where it failed
        try:
            await self._server.serve(sockets=[sock])
        finally:
            self.stop()
            self._asgi_app.close()
            self._chores.shutdown()
            await ticking

    async def _tick(self) -> None:
        """Do the regular chores ten times a second, until the server is to end."""
        while not (self._server.started or self._server.should_exit):
            await asyncio.sleep(POLL_START_S)
        self._on_ready()
        self._app_state.addresses.watch()
        ticks = 0
        while not self._server.should_exit:
            ticks += 1
            self._do_chores(ticks)
            await asyncio.sleep(1 / TICKS_A_SECOND)
        # Streams never end by themselves, and the server waits for what is still being answered.
        self._app_state.hub.stop()

    def _do_chores(self, ticks: int) -> None:
        """Drop slow connections, send beats, and update who is here."""
        self._asgi_app.connections.drop_the_slow()
        if _is_time(ticks, self._limits.heartbeat_s):
            self._app_state.hub.beat()
        if _is_time(ticks, 1):
            self._do("people", self._app_state.tick)

    def _do(self, name: str, chore: Callable[[], object]) -> None:
        """Run the chore on a thread, unless its last run is not over; the event loop must never
        wait for a disk or the kernel.
        """
        before = self._doing.get(name)
        if before is None or before.done():
            self._doing[name] = self._chores.submit(chore)


def _is_time(ticks: int, every_s: float) -> bool:
    return ticks % max(1, round(every_s * TICKS_A_SECOND)) == 0
