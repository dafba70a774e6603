"""The hub's page over HTTP: files, the whole view, a stream of what changes. Nothing is written.

Whoever is in the network may look: it shows what the broker holds, and names only of players who
have agreed.
"""

from __future__ import annotations

import asyncio
import logging
import mimetypes
import socket
from collections.abc import Awaitable, Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Any, Final

import msgspec
import uvicorn
from msgspec.structs import replace

from companion.mqtt.hub.collector import Collector
from companion.records import scores_csv
from companion.resources import LANGUAGES, resource_dir
from companion.service.http.connections import Connections, Peer, Priority
from companion.service.http.server_options import server_config
from companion.service.network.addresses import host_is_ours, own_names
from companion.service.refusals import ANSWER_HEADERS
from companion.service.settings import Limits

Message = Mapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
STREAMS: Final = 64
"""Pages that may listen at once."""
APART_S: Final = 0.03
"""The least time between two messages of a stream."""
BEAT_S: Final = 10.0
SEND_S: Final = 20.0
"""The longest time for sending an answer, or one message of a stream."""
PIECE: Final = 65_536
RESULTS: Final = 500
"""Results of one piece of CSV."""
WORKERS: Final = 4
"""Threads that answer, whatever the machine: each has its share of the hub's bound on memory."""
TICK_S: Final = 1.0
FILES: Final = {"/": "hub.html", "/icon.svg": "icon.svg"}


class HubApp:
    """The ASGI application of one hub."""

    def __init__(self, collector: Collector, connections: Connections) -> None:
        self._collector, self._connections = collector, connections
        self._names = own_names()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._wakes: set[asyncio.Event] = set()
        self._ending = False

    def bind(self, loop: asyncio.AbstractEventLoop) -> None:
        """Set the loop on which streams are woken."""
        self._loop = loop

    def changed(self) -> None:
        """Wake every stream; from any thread."""
        loop = self._loop
        if loop is not None:
            with suppress(RuntimeError):  # the loop has ended
                loop.call_soon_threadsafe(self._wake)

    def end(self) -> None:
        """End every stream; on the loop."""
        self._ending = True
        self._wake()

    def _wake(self) -> None:
        for wake in self._wakes:
            wake.set()

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            return
        peer: Peer = tuple(scope["client"][:2]) if scope["client"] else ("", 0)
        self._connections.set_priority(peer, Priority.ASKING)
        try:
            async with asyncio.timeout(None) as deadline:
                await self._respond(scope, receive, send, peer, deadline)
        except TimeoutError:
            await self._connections.drop(peer)
        finally:
            self._connections.set_priority(peer, Priority.IDLE)

    async def _respond(
        self, scope: Message, receive: Receive, send: Send, peer: Peer, deadline: asyncio.Timeout
    ) -> None:
        loop = asyncio.get_running_loop()
        path, status = scope["path"], self._refused(scope)
        if status:
            deadline.reschedule(loop.time() + SEND_S)
            await _answer(send, status, b"", "text/plain")
        elif path == "/api/hub/stream":
            self._connections.set_priority(peer, Priority.WATCHING)
            await self._stream(receive, send, deadline)
        elif path == "/api/hub/results.csv":
            await self._send_results(send, deadline, head=scope["method"] == "HEAD")
        else:
            found = await asyncio.to_thread(self._found, path)
            deadline.reschedule(loop.time() + SEND_S)
            if found is None:
                await _answer(send, 404, b"", "text/plain")
            else:
                await _answer(send, 200, *found, head=scope["method"] == "HEAD")

    def _refused(self, scope: Message) -> int:
        """Return the status of a request that is not for this hub; 0 where it is."""
        headers = dict(scope["headers"])
        host = headers.get(b"host", b"").decode("latin-1")
        reached_at = scope["server"][0] if scope["server"] else ""
        if not host_is_ours(host, self._names, reached_at):
            return 421
        return 0 if scope["method"] in {"GET", "HEAD"} else 405

    def _found(self, path: str) -> tuple[bytes, str, bool] | None:
        """Return the content of this path, its type, and whether it never changes."""
        if path == "/api/hub":
            return msgspec.json.encode(self._collector.since(-1)), "application/json", False
        folder, name = resource_dir("webui"), FILES.get(path)
        if name is None and path.startswith("/assets/"):
            folder, name = folder / "assets", path.removeprefix("/assets/")
        elif name is None and path.removeprefix("/locales/") in {
            f"{one}.json" for one in LANGUAGES
        }:
            folder, name = resource_dir("locales"), path.removeprefix("/locales/")
        if name is None or not folder.is_dir() or name not in {f.name for f in folder.iterdir()}:
            return None
        kind = mimetypes.guess_type(name)[0] or "application/octet-stream"
        return (folder / name).read_bytes(), kind, folder.name == "assets"

    async def _send_results(self, send: Send, deadline: asyncio.Timeout, *, head: bool) -> None:
        """Send all results as CSV, piece by piece: many readers at once have no room for more."""
        loop, key = asyncio.get_running_loop(), None
        deadline.reschedule(loop.time() + SEND_S)
        await _start(send, 200, "text/csv; charset=utf-8", [])
        while not head:
            found = await asyncio.to_thread(self._collector.results_after, key, RESULTS)
            named = (replace(one.result, table=f"{one.table}/{one.log}") for one in found)
            body = scores_csv(named, head=key is None).encode()
            deadline.reschedule(loop.time() + SEND_S)
            await send({"type": "http.response.body", "body": body, "more_body": True})
            if len(found) < RESULTS:
                break
            key = (found[-1].table, found[-1].log)
        await send({"type": "http.response.body", "body": b"", "more_body": False})

    async def _stream(self, receive: Receive, send: Send, deadline: asyncio.Timeout) -> None:
        """Send the whole view, then what changes, until the page hangs up or does not read."""
        if len(self._wakes) >= STREAMS:
            await _answer(send, 200, b"retry: 15000\nevent: full\ndata:\n\n", "text/event-stream")
            return
        wake, loop = asyncio.Event(), asyncio.get_running_loop()
        self._wakes.add(wake)
        left = asyncio.ensure_future(_gone(receive))
        left.add_done_callback(lambda _: wake.set())
        try:
            await _start(send, 200, "text/event-stream; charset=utf-8", [])
            number = -1
            while not (left.done() or self._ending):
                wake.clear()
                change = await asyncio.to_thread(self._collector.since, number)
                beat = change.number == number
                body = b": beat\n\n" if beat else b"data: %b\n\n" % msgspec.json.encode(change)
                number = change.number
                deadline.reschedule(loop.time() + SEND_S)
                await send({"type": "http.response.body", "body": body, "more_body": True})
                deadline.reschedule(None)
                await asyncio.sleep(APART_S)
                with suppress(TimeoutError):
                    async with asyncio.timeout(BEAT_S):
                        await wake.wait()
            await send({"type": "http.response.body", "body": b"", "more_body": False})
        finally:
            self._wakes.discard(wake)
            left.cancel()


async def _gone(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        continue


async def _start(send: Send, status: int, kind: str, more: list[tuple[bytes, bytes]]) -> None:
    headers = {**ANSWER_HEADERS, "Content-Type": kind}
    encoded = [(name.lower().encode(), value.encode()) for name, value in headers.items()]
    if not any(name == b"cache-control" for name, _ in more):
        more = [*more, (b"cache-control", b"no-store")]
    await send({"type": "http.response.start", "status": status, "headers": [*encoded, *more]})


async def _answer(
    send: Send, status: int, body: bytes, kind: str, for_ever: bool = False, *, head: bool = False
) -> None:
    """Send a whole answer, in pieces that a slow reader takes one by one."""
    more = [(b"content-length", str(len(body)).encode())]
    if for_ever:
        more.append((b"cache-control", b"public, max-age=31536000"))
    await _start(send, status, kind, more)
    pieces = [] if head else [body[at : at + PIECE] for at in range(0, len(body), PIECE)]
    for piece in pieces:
        await send({"type": "http.response.body", "body": piece, "more_body": True})
    await send({"type": "http.response.body", "body": b"", "more_body": False})


class HubServer:
    """Serves the hub's page on a socket until it is stopped."""

    def __init__(self, app: HubApp, connections: Connections, limits: Limits) -> None:
        self._app, self._connections = app, connections
        self._server = uvicorn.Server(server_config(app, connections, limits, verbose=False))
        logging.getLogger("asyncio").setLevel(logging.ERROR)

    def run(self, sock: socket.socket, ready: Callable[[], None]) -> None:
        """Answer on the socket until the end; KeyboardInterrupt where Ctrl+C ended it."""
        asyncio.run(self._serve(sock, ready))

    def stop(self) -> None:
        """Stop from another thread, as SIGTERM does."""
        self._server.should_exit = True

    async def _serve(self, sock: socket.socket, ready: Callable[[], None]) -> None:
        loop = asyncio.get_running_loop()
        loop.set_default_executor(ThreadPoolExecutor(WORKERS, "page"))
        self._app.bind(loop)
        ticking = asyncio.create_task(self._tick(ready))
        try:
            await self._server.serve(sockets=[sock])
        finally:
            self.stop()
            await ticking

    async def _tick(self, ready: Callable[[], None]) -> None:
        while not (self._server.started or self._server.should_exit):
            await asyncio.sleep(0.01)
        ready()
        since = 0.0
        while not self._server.should_exit:
            await asyncio.sleep(0.1)
            since += 0.1
            if since >= TICK_S:
                since = 0.0
                self._connections.drop_the_slow()
        self._app.end()
