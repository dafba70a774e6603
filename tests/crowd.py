"""Many phones on one machine: asyncio clients of a service on loopback, from many addresses."""

from __future__ import annotations

import asyncio
import contextlib
import json
import time
from collections.abc import AsyncIterator
from dataclasses import dataclass, field

import msgspec

from companion.service import wire
from tests.service.phone import START, Json, table_set

LIMIT = 1 << 20
"""Bytes of the longest message a reader takes."""
Headers = dict[str, str]


@dataclass
class Phone:
    """An open stream: when its newest message came, and the message."""

    reader: asyncio.StreamReader
    at: float = 0.0
    newest: bytes = b""
    ended: bool = False
    came: asyncio.Event = field(default_factory=asyncio.Event)

    async def listen(self) -> None:
        """Note every message until the stream ends."""
        with contextlib.suppress(asyncio.IncompleteReadError, ConnectionError):
            while True:
                message = await self.reader.readuntil(b"\n\n")
                if b"data: " in message and b"event: beat" not in message:
                    self.at, self.newest = time.perf_counter(), message
                    self.came.set()
        self.ended = True
        self.came.set()

    @property
    def view(self) -> wire.View:
        """The newest view that came."""
        text = self.newest.partition(b"data: ")[2].partition(b"\n")[0]
        return msgspec.json.decode(text, type=wire.Update).view


@dataclass
class Line:
    """A kept-alive connection for ordinary requests."""

    port: int
    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter
    headers: Headers = field(default_factory=dict)

    async def ask(self, method: str, path: str, body: object = None) -> tuple[int, Headers, bytes]:
        """Send one request; return status, headers and body of its answer."""
        return await self.send(method, path, json.dumps(body).encode() if body is not None else b"")

    async def send(
        self, method: str, path: str, encoded: bytes, more: Headers | None = None
    ) -> tuple[int, Headers, bytes]:
        """Send one request with this body, `more` headers in place of the usual ones."""
        headers = {
            "Host": f"127.0.0.1:{self.port}",
            "Origin": f"http://127.0.0.1:{self.port}",
            "X-Monster-Table": "1",
            "Content-Type": "application/json",
            "Content-Length": str(len(encoded)),
            **self.headers,
            **(more or {}),
        }
        head = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
        self.writer.write(f"{method} {path} HTTP/1.1\r\n{head}\r\n".encode() + encoded)
        return await _answer(self.reader)

    async def join(self, token: str) -> None:
        """Join the table by a token; the cookie is kept."""
        _, headers, _ = await self.ask("POST", "/api/join", {"token": token})
        self.headers["Cookie"] = headers.get("set-cookie", "").split(";")[0]


def address(n: int) -> str:
    """Return the loopback address of the n-th phone; eight share one."""
    return f"127.0.{1 + n // 8}.{1 + n % 8}"


async def connected(port: int, source: str = "127.0.0.1") -> Line:
    """Open a line to the service from the address `source`."""
    reader, writer = await asyncio.open_connection(
        "127.0.0.1", port, limit=LIMIT, local_addr=(source, 0)
    )
    return Line(port, reader, writer)


async def stream_of(line: Line) -> Phone:
    """Turn a line that has joined into a stream."""
    cookie = f"Cookie: {line.headers['Cookie']}\r\n"
    head = f"GET /api/stream HTTP/1.1\r\nHost: 127.0.0.1:{line.port}\r\n{cookie}\r\n"
    line.writer.write(head.encode())
    await line.reader.readuntil(b"\r\n\r\n")
    return Phone(line.reader)


@dataclass
class Crowd:
    """All phones of one service, and the connection for commands."""

    line: Line
    phones: list[Phone]
    lines: list[Line]
    """What the phones' streams come through, in their order."""


@contextlib.asynccontextmanager
async def crowd(port: int, token: str, phones: int) -> AsyncIterator[Crowd]:
    """Open so many streams and one line; each phone has its first view. Closed afterwards."""
    lines = [await connected(port, address(n)) for n in range(phones + 1)]
    for line in lines:
        await line.join(token)
    listening = [await stream_of(line) for line in lines[1:]]
    tasks = [asyncio.create_task(phone.listen()) for phone in listening]
    await asyncio.wait_for(asyncio.gather(*(phone.came.wait() for phone in listening)), 20)
    try:
        yield Crowd(lines[0], listening, lines[1:])
    finally:
        for task in tasks:
            task.cancel()
        for line in lines:
            line.writer.close()


async def _answer(reader: asyncio.StreamReader) -> tuple[int, Headers, bytes]:
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
    pairs = (line.partition(":") for line in head[1:] if line)
    headers = {name.lower(): value.strip() for name, _, value in pairs}
    status = int(head[0].split()[1])
    if headers.get("transfer-encoding") == "chunked":
        return status, headers, await _chunks(reader)
    return status, headers, await reader.readexactly(int(headers.get("content-length", "0")))


async def _chunks(reader: asyncio.StreamReader) -> bytes:
    body = b""
    while size := int(await reader.readuntil(b"\r\n"), 16):
        body += await reader.readexactly(size)
        await reader.readexactly(2)
    await reader.readexactly(2)
    return body


def new_game(players: int) -> list[Json]:
    """Return the events that set up and start the first game."""
    return [table_set(*(f"P{n}" for n in range(players))), START]
