"""The smallest possible stream: one uvicorn, one event to every listener, nothing else.

`python -m tests.bench.bare_stream` prints its port.
"""

from __future__ import annotations

import asyncio
import json
import socket
from collections.abc import Awaitable, Callable
from typing import Any

import uvicorn

EVENT = b"data: " + b"x" * 28_000 + b"\n\n"
"""About as long as a view of a game of six."""
Send = Callable[[dict[str, Any]], Awaitable[None]]


class Bare:
    """The ASGI application."""

    def __init__(self) -> None:
        self._listeners: list[asyncio.Event] = []

    async def __call__(
        self, scope: dict[str, Any], receive: Callable[[], Awaitable[Any]], send: Send
    ) -> None:
        """Open a stream, or send an event to all streams."""
        if scope["path"] == "/api/stream":
            await self._stream(send)
            return
        while (await receive()).get("more_body"):
            continue
        if scope["path"] == "/say":
            for listener in self._listeners:
                listener.set()
        headers = [(b"content-length", b"2"), (b"content-type", b"application/json")]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": b"{}"})

    async def _stream(self, send: Send) -> None:
        heard = asyncio.Event()
        heard.set()
        self._listeners.append(heard)
        headers = [(b"content-type", b"text/event-stream")]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        while True:
            await heard.wait()
            heard.clear()
            await send({"type": "http.response.body", "body": EVENT, "more_body": True})


def main() -> None:
    """Serve until ended; print the address."""
    sock = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    sock.bind(("127.0.0.1", 0))
    sock.listen(128)
    config = uvicorn.Config(
        Bare(),
        http="h11",
        loop="asyncio",
        ws="none",
        lifespan="off",
        access_log=False,
        log_config=None,
        timeout_graceful_shutdown=1,
    )
    print(json.dumps({"port": sock.getsockname()[1], "token": ""}), flush=True)
    uvicorn.Server(config).run(sockets=[sock])


if __name__ == "__main__":
    main()
