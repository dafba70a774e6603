"""The time from a command until fifty phones have the new view, compared with a bare uvicorn
stream.

Each server runs in a process of its own; one client in this process reads all streams of both. The
phones come from many addresses of 127.0.0.0/8; the limits by address are raised.
"""

from __future__ import annotations

import asyncio
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.bench import Figure
from tests.crowd import Crowd, crowd, new_game
from tests.service.phone import Json, next_event

ROOT = Path(__file__).parent.parent.parent
PHONES = 50
PLAYERS = 6
COMMANDS = 500
WARM_UP = 20


def figures() -> Iterator[Figure]:
    """Return p50 and p99 of both servers."""
    bare = _measured("tests.bench.bare_stream", _bare)
    ours = _measured("tests.bench.table_stream", _played)
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


Sayer = Callable[[Crowd], Awaitable[tuple[str, Json]]]


def _measured(module: str, sayer: Sayer) -> list[float]:
    """Play against one server; return the milliseconds of every phone for every command."""
    with tempfile.TemporaryDirectory() as folder, _running(module, folder) as info:
        return asyncio.run(_rounds(info, sayer))


@contextmanager
def _running(module: str, folder: str) -> Iterator[Json]:
    """Run `python -m MODULE FOLDER`; yield its first line of output, a JSON object. It is ended
    with SIGTERM after the block, and killed if it does not end within 10 s.
    """
    process = subprocess.Popen(
        [sys.executable, "-m", module, folder],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    assert process.stdout is not None
    try:
        info: Json = json.loads(process.stdout.readline())
        yield info
    finally:
        process.terminate()
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        process.stdout.close()


async def _rounds(info: Json, sayer: Sayer) -> list[float]:
    found: list[float] = []
    async with crowd(int(info["port"]), info["token"], PHONES) as many:
        for n in range(COMMANDS + WARM_UP):
            path, body = await sayer(many)
            for phone in many.phones:
                phone.came.clear()
            began = time.perf_counter()
            await many.line.ask("POST", path, body)
            waits = asyncio.gather(*(phone.came.wait() for phone in many.phones))
            await asyncio.wait_for(waits, 10)
            if n >= WARM_UP:
                found.extend((phone.at - began) * 1000 for phone in many.phones)
    return found


async def _bare(many: Crowd) -> tuple[str, Json]:
    return "/say", {}


async def _played(many: Crowd) -> tuple[str, Json]:
    """Return the next command of a game of six, chosen from the first phone's newest view."""
    view = many.phones[0].view
    event = next_event(view.game, random.Random(view.rev)) if view.game is not None else None
    events = [event] if event is not None else new_game(PLAYERS)
    command = f"bench-{view.table}-{view.rev}"
    return "/api/commands", {"command_id": command, "base_rev": view.rev, "events": events}


def _quantile(values: list[float], percent: int) -> float:
    return round(statistics.quantiles(values, n=100, method="inclusive")[percent - 1], 2)
