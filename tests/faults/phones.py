"""Phones that sleep, crowd, reconnect at once or never finish a request."""

from __future__ import annotations

import asyncio
import contextlib
import random
import statistics
import tempfile
import time
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from tests.crowd import (
    Crowd,
    Line,
    address,
    connected,
    crowd,
    next_events,
    running,
    stream_of,
)
from tests.faults import Effort, Fault, Outcome
from tests.service.phone import Json

T = TypeVar("T")
SERVICE = "tests.bench.table_stream"
PATIENT_S = 60.0
"""Far longer than anything here takes: only a fault that is not survived waits so long."""


def faults(effort: Effort) -> Iterator[Fault]:
    """Return every fault of this module."""
    commands = effort.choose(30, 400)
    yield Fault(
        "50 phones",
        "100 % delivered; p99 ≤ 25 ms here",
        lambda: _on_a_service(lambda info, _: _delivered(info, 50, commands, 25)),
    )
    yield Fault(
        "120 streams",
        "100 % delivered; p99 ≤ 150 ms",
        lambda: _on_a_service(lambda info, _: _delivered(info, 120, commands, 150)),
    )
    yield Fault("50 phones on a Raspberry Pi 4", "p99 ≤ 150 ms", None)
    yield Fault(
        "16 phones that do not read",
        "others p99 ≤ 100 ms, RSS ≤ +10 MB over the same play without them, no spill file",
        lambda: _sleeping(effort.choose(60, 2_000)),
    )
    yield Fault("a restart with 50 phones", "all right again ≤ 5 s", _restarted)
    yield Fault(
        "300 half-open sockets and slow heads",
        "an ordinary GET ≤ 1 s throughout",
        lambda: _on_a_service(lambda info, _: _half_open(info, effort.choose(20, 300))),
    )
    yield Fault(
        "50 MB bodies, declared and chunked",
        "413 or cut off ≤ 200 ms",
        lambda: _on_a_service(lambda info, _: _oversized(info)),
    )


def _on_a_service(inject: Callable[[Json, int], Coroutine[None, None, T]]) -> T:
    """Start the service in a process of its own, with raised limits, and inject the fault."""
    with (
        tempfile.TemporaryDirectory() as folder,
        running(["-m", SERVICE, folder]) as (process, info),
    ):
        return asyncio.run(inject(info, process.pid))


async def _delivered(info: Json, phones: int, commands: int, within_ms: float) -> Outcome:
    """Every command reaches every phone."""
    missed, waits = 0, list[float]()
    async with crowd(int(info["port"]), info["token"], phones) as many:
        for _ in range(commands):
            began = await _say(many)
            missed += await _missing(many, began, waits)
    p99 = _p99(waits)
    sent = phones * commands
    return Outcome(
        f"{sent - missed} of {sent} delivered, p99 {p99} ms", missed == 0, p99 <= within_ms
    )


def _sleeping(commands: int) -> Outcome:
    """Phones never read their streams; six others play on, and have played without them before."""
    alone = _on_a_service(lambda info, pid: _played_beside(info, pid, commands, asleep=0))
    beside = _on_a_service(lambda info, pid: _played_beside(info, pid, commands, asleep=16))
    more_mb = beside.grown_mb - alone.grown_mb
    seen = (
        f"{beside.missed} missed, p99 {beside.p99_ms} ms, RSS {beside.grown_mb:+.1f} MB, "
        f"without them {alone.grown_mb:+.1f}, {beside.spilled} spill files"
    )
    ok = beside.missed == 0 and beside.spilled == 0 and more_mb <= 10
    return Outcome(seen, ok, beside.p99_ms <= 100)


@dataclass(frozen=True, slots=True)
class _Played:
    """What a play of six phones came to."""

    missed: int
    p99_ms: float
    grown_mb: float
    spilled: int


async def _played_beside(info: Json, pid: int, commands: int, *, asleep: int) -> _Played:
    port, spilled = int(info["port"]), _open_temporary_files(pid)
    async with crowd(port, info["token"], 6) as many, _asleep(info, asleep):
        before, missed, waits = resident_mb(pid), 0, list[float]()
        for _ in range(commands):
            began = await _say(many)
            missed += await _missing(many, began, waits)
        grown = resident_mb(pid) - before
    return _Played(missed, _p99(waits), grown, _open_temporary_files(pid) - spilled)


@contextlib.asynccontextmanager
async def _asleep(info: Json, count: int) -> AsyncIterator[None]:
    lines = [await connected(int(info["port"]), address(100 + n)) for n in range(count)]
    for line in lines:
        await line.join(info["token"])
        await stream_of(line)
    yield
    for line in lines:
        line.writer.close()


def _restarted() -> Outcome:
    """The service is stopped and started again on its data; all phones reconnect at once."""
    with tempfile.TemporaryDirectory() as folder:
        with running(["-m", SERVICE, folder]) as (_, info):
            cookies = asyncio.run(_joined(info, 50))
        began = time.perf_counter()
        with running(["-m", SERVICE, folder, str(info["port"])]) as (_, again):
            back = asyncio.run(_back(int(again["port"]), cookies))
        took = time.perf_counter() - began
    seen = f"{back} of {len(cookies)} phones back, {took:.1f} s after the start began"
    return Outcome(seen, back == len(cookies), took <= 5)


async def _joined(info: Json, phones: int) -> list[str]:
    """Join with so many phones and play one command; return their cookies."""
    async with crowd(int(info["port"]), info["token"], phones) as many:
        await _say(many)
        return [line.headers["Cookie"] for line in many.lines]


async def _back(port: int, cookies: list[str]) -> int:
    """Count the phones that see the game on a stream opened with their old cookie."""
    lines = [await connected(port, address(n)) for n in range(len(cookies))]
    for line, cookie in zip(lines, cookies, strict=True):
        line.headers["Cookie"] = cookie
    phones = await asyncio.gather(*(stream_of(line) for line in lines))
    tasks = [asyncio.create_task(phone.listen()) for phone in phones]
    async with asyncio.timeout(PATIENT_S):
        await asyncio.gather(*(phone.came.wait() for phone in phones))
    back = sum(phone.count > 0 and phone.view.game is not None for phone in phones)
    for task in tasks:
        task.cancel()
    for line in lines:
        line.writer.close()
    return back


async def _half_open(info: Json, requests: int) -> Outcome:
    """Connections send nothing, half a head, or a byte at a time; meanwhile a request is made."""
    port = int(info["port"])
    opened = [await connected(port, address(200 + n)) for n in range(300)]
    for n, line in enumerate(opened):
        line.writer.write((b"", b"GET / HTTP/1.1\r\nHost: x", b"G")[n % 3])
    asking, waits, refused = await connected(port), [], 0
    for n in range(requests):
        opened[n % 300].writer.write(b"x")
        began = time.perf_counter()
        status, _, _ = await asking.ask("GET", "/locales/en.json")
        waits.append((time.perf_counter() - began) * 1000)
        refused += status != 200
    for line in (*opened, asking):
        line.writer.close()
    worst = round(max(waits), 1)
    return Outcome(f"{refused} of {requests} refused, worst {worst} ms", not refused, worst <= 1000)


async def _oversized(info: Json) -> Outcome:
    """Bodies of 50 MB: announced by their length, and in chunks without a length."""
    port = int(info["port"])
    head = (
        f"POST /api/join HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nOrigin: http://127.0.0.1:{port}\r\n"
    )
    head += "X-Monster-Table: 1\r\nContent-Type: application/json\r\n"
    declared = await connected(port)
    began = time.perf_counter()
    declared.writer.write(f"{head}Content-Length: {50 << 20}\r\n\r\n".encode())
    status = (await declared.reader.readline()).decode().split()[1]
    took_ms = (time.perf_counter() - began) * 1000
    chunked = await connected(port)
    sent = await _pour(chunked, f"{head}Transfer-Encoding: chunked\r\n\r\n".encode(), 50 << 20)
    for line in (declared, chunked):
        line.writer.close()
    seen = f"declared: {status} in {took_ms:.0f} ms; chunked: cut off after {sent / 2**20:.1f} MB"
    return Outcome(seen, status == "413" and sent < 50 << 20, took_ms <= 200)


async def _pour(line: Line, head: bytes, total: int) -> int:
    """Send chunks until the service hangs up or all is sent; return how many bytes were."""
    sent = 0
    try:
        line.writer.write(head)
        while sent < total:
            line.writer.write(b"10000\r\n" + b"x" * 0x10000 + b"\r\n")
            await line.writer.drain()
            sent += 0x10000
    except ConnectionError:
        return sent
    return sent


async def _say(many: Crowd) -> float:
    """Send the next command; return when it was sent. ValueError where it is refused."""
    view = many.phones[0].view
    for phone in many.phones:
        phone.came.clear()
    body = {
        "command_id": f"fault-{view.table}-{view.rev}",
        "base_rev": view.rev,
        "events": next_events(view, random.Random(view.rev)),
    }
    began = time.perf_counter()
    status, _, answer = await many.line.ask("POST", "/api/commands", body)
    if status != 200:
        raise ValueError(f"{status}: {answer[:200]!r}")
    return began


async def _missing(many: Crowd, began: float, waits: list[float]) -> int:
    """Wait for every phone; record how long each took, ms; return how many received nothing."""
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(PATIENT_S):
            await asyncio.gather(*(phone.came.wait() for phone in many.phones))
    heard = [phone for phone in many.phones if phone.came.is_set() and not phone.ended]
    waits += [(phone.at - began) * 1000 for phone in heard]
    return len(many.phones) - len(heard)


def _p99(waits: list[float]) -> float:
    return round(statistics.quantiles(waits, n=100, method="inclusive")[98], 1)


def resident_mb(pid: int) -> float:
    """Return the resident memory of a process, MB."""
    status = Path(f"/proc/{pid}/status").read_text()
    kilobytes = next(line.split()[1] for line in status.splitlines() if line.startswith("VmRSS"))
    return int(kilobytes) / 1000


def _open_temporary_files(pid: int) -> int:
    """Count the deleted or temporary files that a process holds open."""
    names = []
    for link in Path(f"/proc/{pid}/fd").iterdir():
        with contextlib.suppress(OSError):
            names.append(str(link.readlink()))
    return sum(name.endswith("(deleted)") or Path(name).name.startswith("tmp") for name in names)
