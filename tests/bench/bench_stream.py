"""The time from a command until fifty phones have the new view, compared with a bare uvicorn
stream.

Each server runs in a process of its own; one client in this process reads all streams of both. The
phones come from many addresses of 127.0.0.0/8; the limits by address are raised.
"""

from __future__ import annotations

import asyncio
import random
import statistics
import tempfile
import time
from collections.abc import Awaitable, Callable, Iterator

from tests.bench import Figure
from tests.crowd import Crowd, crowd, next_events, running
from tests.service.phone import Json

PHONES = 50
COMMANDS = 500
WARM_UP = 20


def figures() -> Iterator[Figure]:
    """Return p50 and p99 of both servers, and the latency of an ordinary request while 50 streams
    are open.
    """
    bare, _ = _measured("tests.bench.bare_stream", _bare)
    ours, other = _measured("tests.bench.table_stream", _played)
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


Sayer = Callable[[Crowd], Awaitable[tuple[str, Json]]]


def _measured(module: str, sayer: Sayer) -> tuple[list[float], list[float]]:
    """Return latencies of every phone for every command, and of other requests in
    between, in ms.
    """
    with (
        tempfile.TemporaryDirectory() as folder,
        running(["-m", module, folder]) as (_, info),
    ):
        return asyncio.run(_rounds(info, sayer))


async def _rounds(info: Json, sayer: Sayer) -> tuple[list[float], list[float]]:
    latencies: list[float] = []
    others: list[float] = []
    async with crowd(int(info["port"]), info["token"], PHONES) as many:
        for n in range(COMMANDS + WARM_UP):
            path, body = await sayer(many)
            for phone in many.phones:
                phone.came.clear()
            began = time.perf_counter()
            await many.line.ask("POST", path, body)
            await asyncio.wait_for(asyncio.gather(*(p.came.wait() for p in many.phones)), 10)
            if n >= WARM_UP:
                latencies += [(phone.at - began) * 1000 for phone in many.phones]
            began = time.perf_counter()
            await many.line.ask("GET", "/api/log")
            others.append((time.perf_counter() - began) * 1000)
    return latencies, others


async def _bare(many: Crowd) -> tuple[str, Json]:
    return "/say", {}


async def _played(many: Crowd) -> tuple[str, Json]:
    """Return the next command of a game of six, chosen from the first phone's newest view."""
    view = many.phones[0].view
    events = next_events(view, random.Random(view.rev))
    command = f"bench-{view.table}-{view.rev}"
    return "/api/commands", {"command_id": command, "base_rev": view.rev, "events": events}


def _quantile(values: list[float], percent: int) -> float:
    return round(statistics.quantiles(values, n=100, method="inclusive")[percent - 1], 2)
