"""Connections that come and go as fast as they can leave nothing behind."""

from __future__ import annotations

import asyncio
import gc
from pathlib import Path

import pytest
from uvicorn.protocols.http.h11_impl import H11Protocol

from companion.service.settings import Limits, Settings
from tests.crowd import connected
from tests.service.served import Served, serving
from tests.waiting import WITHIN_S

MANY = 40
SLOW = Limits(per_s=20, burst=1, delay_s=1)
"""Nearly every request of a stranger waits for its turn, or is refused."""


@pytest.fixture
def slow(tmp_path: Path) -> Settings:
    return Settings(tmp_path, host="127.0.0.1", port=0, limits=SLOW)


async def hang_up(port: int, requests: int) -> None:
    """Send requests, several at once or one, and hang up without waiting for an answer."""
    line = await connected(port)
    head = f"GET /icon.svg HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n".encode()
    line.writer.write(head * requests)
    await line.writer.drain()
    line.writer.transport.abort()


def kept() -> int:
    """Connections that are in memory, closed ones too."""
    return sum(isinstance(each, H11Protocol) for each in gc.get_objects())


def answering(served: Served) -> int:
    return len(served.server.server_state.tasks)


@pytest.mark.parametrize("requests", [1, 300], ids=["one request", "pipelined"])
def test_nobody_waits_for_a_phone_that_has_gone(slow: Settings, requests: int) -> None:
    with serving(slow) as served:
        asyncio.run(one_after_the_other(served, requests))


async def one_after_the_other(served: Served, requests: int) -> None:
    gc.collect()
    before = kept()
    for _ in range(MANY):
        await hang_up(served.port, requests)
    after = await connected(served.port, "127.0.0.2")
    assert (await after.ask("GET", "/icon.svg"))[0] == 200  # so all before it were received
    after.writer.close()
    async with asyncio.timeout(WITHIN_S):
        while answering(served) or kept() > before:
            await asyncio.sleep(0.01)
            gc.collect()
