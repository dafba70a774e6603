"""The HTTP server of a table: uvicorn with the ASGI application, and regular chores."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable
from concurrent.futures import Future

import uvicorn

from companion.service.app_state import AppState
from companion.service.http.asgi import AsgiApp
from companion.service.http.server_options import TICKS_A_SECOND, server_config
from companion.service.workers import Workers

POLL_START_S = 0.005


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
