"""How long from a command until fifty phones have the new view, beside a bare uvicorn stream.

Each server runs in a process of its own; one client in this process reads all streams of both. The
phones come from many addresses of 127.0.0.0/8; the limits by address are raised.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import msgspec

from companion.engine import RULESETS
from companion.service import wire
from companion.service.view import MONSTERS
from tests.bench import Figure
from tests.service.phone import Json, next_event

PHONES = 50
COMMANDS = 500
WARM_UP = 20
ROOT = Path(__file__).parent.parent.parent
LIMIT = 1 << 20
"""Bytes of the longest message a reader takes."""
Headers = dict[str, str]


def figures() -> Iterator[Figure]:
    """p50 and p99 of both servers, and what an ordinary request waits while 50 streams are open."""
    bare, _ = asyncio.run(_measured("tests.bench.bare_stream", _bare))
    ours, other = asyncio.run(_measured("tests.bench.table_stream", _played))
    for name, quantile in (("p50", 50), ("p99", 99)):
        value, against = _quantile(ours, quantile), _quantile(bare, quantile)
        yield Figure(f"bare_uvicorn.50_streams.{name}", against, "ms")
        yield Figure(
            f"command_to_50_phones.{name}",
            value,
            "ms",
            f"bare_uvicorn.50_streams.{name}",
            round(value / against, 2),
        )
    yield Figure("request_beside_50_streams.p99", _quantile(other, 99), "ms")


@dataclass
class Phone:
    """One open stream: when its newest message came, and what it said."""

    reader: asyncio.StreamReader
    count: int = 0
    at: float = 0.0
    newest: bytes = b""
    came: asyncio.Event = field(default_factory=asyncio.Event)

    async def listen(self) -> None:
        """Notes every message until the stream ends."""
        with contextlib.suppress(asyncio.IncompleteReadError, ConnectionError):
            while True:
                said = await self.reader.readuntil(b"\n\n")
                if b"data: " in said and b"event: beat" not in said:
                    self.at, self.newest = time.perf_counter(), said
                    self.count += 1
                    self.came.set()


@dataclass
class Line:
    """A kept connection for ordinary requests."""

    port: int
    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter
    headers: Headers

    async def ask(self, method: str, path: str, body: object = None) -> tuple[Headers, bytes]:
        """One request and its answer."""
        encoded = json.dumps(body).encode() if body is not None else b""
        headers = {
            "Host": f"127.0.0.1:{self.port}",
            "Origin": f"http://127.0.0.1:{self.port}",
            "X-Monster-Table": "1",
            "Content-Type": "application/json",
            "Content-Length": str(len(encoded)),
            **self.headers,
        }
        head = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
        self.writer.write(f"{method} {path} HTTP/1.1\r\n{head}\r\n".encode() + encoded)
        return await _answer(self.reader)


@dataclass
class Crowd:
    """All phones of one server, and the line on which things are said."""

    port: int
    line: Line
    phones: list[Phone]


Sayer = Callable[[Crowd], Awaitable[tuple[str, Json]]]


async def _measured(module: str, sayer: Sayer) -> tuple[list[float], list[float]]:
    """Latencies of every phone for every command, and of other requests in between, in ms."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", module, folder]
        server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT)
        assert server.stdout is not None
        try:
            said: Json = json.loads(server.stdout.readline())
            async with _crowd(said) as crowd:
                return await _rounds(crowd, sayer)
        finally:
            server.terminate()
            server.wait(10)
            server.stdout.close()


async def _rounds(crowd: Crowd, sayer: Sayer) -> tuple[list[float], list[float]]:
    latencies: list[float] = []
    others: list[float] = []
    for n in range(COMMANDS + WARM_UP):
        path, body = await sayer(crowd)
        for phone in crowd.phones:
            phone.came.clear()
        began = time.perf_counter()
        await crowd.line.ask("POST", path, body)
        await asyncio.wait_for(asyncio.gather(*(p.came.wait() for p in crowd.phones)), 10)
        if n >= WARM_UP:
            latencies += [(phone.at - began) * 1000 for phone in crowd.phones]
        began = time.perf_counter()
        await crowd.line.ask("GET", "/api/log")
        others.append((time.perf_counter() - began) * 1000)
    return latencies, others


@contextlib.asynccontextmanager
async def _crowd(said: Json) -> AsyncIterator[Crowd]:
    """Fifty phones listen, one line is open; all are closed afterwards."""
    port = int(said["port"])
    lines = [await _line(port, n) for n in range(PHONES + 1)]
    for line in lines:
        headers, _ = await line.ask("POST", "/api/join", {"token": said["token"]})
        line.headers["Cookie"] = headers.get("set-cookie", "").split(";")[0]
    phones = []
    for line in lines[1:]:
        cookie = f"Cookie: {line.headers['Cookie']}\r\n"
        head = f"GET /api/stream HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n{cookie}\r\n"
        line.writer.write(head.encode())
        await line.reader.readuntil(b"\r\n\r\n")
        phones.append(Phone(line.reader))
    tasks = [asyncio.create_task(phone.listen()) for phone in phones]
    await asyncio.wait_for(asyncio.gather(*(phone.came.wait() for phone in phones)), 10)
    yield Crowd(port, lines[0], phones)
    for task in tasks:
        task.cancel()
    for line in lines:
        line.writer.close()


async def _line(port: int, n: int) -> Line:
    source = (f"127.0.{1 + n // 8}.{1 + n % 8}", 0)
    reader, writer = await asyncio.open_connection(
        "127.0.0.1", port, limit=LIMIT, local_addr=source
    )
    return Line(port, reader, writer, {})


async def _answer(reader: asyncio.StreamReader) -> tuple[Headers, bytes]:
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
    pairs = (line.partition(":") for line in head[1:] if line)
    headers = {name.lower(): value.strip() for name, _, value in pairs}
    if headers.get("transfer-encoding") == "chunked":
        return headers, await _chunks(reader)
    return headers, await reader.readexactly(int(headers.get("content-length", "0")))


async def _chunks(reader: asyncio.StreamReader) -> bytes:
    body = b""
    while size := int(await reader.readuntil(b"\r\n"), 16):
        body += await reader.readexactly(size)
        await reader.readexactly(2)
    await reader.readexactly(2)
    return body


async def _bare(crowd: Crowd) -> tuple[str, Json]:
    return "/say", {}


async def _played(crowd: Crowd) -> tuple[str, Json]:
    """The next command of a game of six, chosen from what the first phone has last seen."""
    said = crowd.phones[0].newest
    text = said.partition(b"data: ")[2].partition(b"\n")[0]
    view = msgspec.json.decode(text, type=wire.Update).view
    chance = random.Random(view.rev)
    event = next_event(view.game, chance) if view.game is not None else None
    events = [event] if event is not None else _new_game()
    command = f"bench-{view.table}-{view.rev}"
    return "/api/commands", {"command_id": command, "base_rev": view.rev, "events": events}


def _new_game() -> list[Json]:
    seats = [{"player": f"P{n}", "monster": MONSTERS[n]} for n in range(6)]
    game = next(iter(RULESETS))
    table = {"type": "TableSet", "game": game, "edition": "first", "seats": seats}
    return [table, {"type": "GameStarted", "first": 0}]


def _quantile(values: list[float], percent: int) -> float:
    return round(statistics.quantiles(values, n=100, method="inclusive")[percent - 1], 2)
