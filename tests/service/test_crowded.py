"""Limits leave room for all phones behind one address, as behind a router or in a container."""

from __future__ import annotations

import asyncio
from pathlib import Path

from companion.service.settings import Settings
from tests.crowd import Line, connected, stream_of
from tests.service.served import Served, serving
from tests.waiting import WITHIN_S

FILES = ("/j", "/icon.svg", "/locales/en.json", "/favicon.ico") * 3
"""About what opening the page for the first time asks for."""

PHONES = 26


def test_six_phones_a_television_and_twenty_guests_behind_one_address(tmp_path: Path) -> None:
    with serving(Settings(tmp_path, host="127.0.0.1", port=0)) as served:
        assert asyncio.run(evening(served, PHONES)) == []


async def evening(served: Served, phones: int) -> list[tuple[str, int]]:
    """Have all phones open the page at once, join and open a stream; return what was refused."""
    port, token = served.port, served.app_state.browsers.invitation.terminal
    refused: list[tuple[str, int]] = []
    streams: list[Line] = []

    async def ask(line: Line, path: str) -> None:
        status, _, _ = await line.ask("GET", path)
        if status not in {200, 204}:
            refused.append((path, status))

    async def open_page() -> None:
        lines = [await connected(port) for _ in range(3)]
        for n, path in enumerate(FILES):
            await ask(lines[n % 3], path)
        await lines[0].join(token)
        listening = await connected(port)
        listening.headers["Cookie"] = lines[0].headers["Cookie"]
        await (await stream_of(listening)).reader.readuntil(b"data: ")
        streams.append(listening)
        for path in ("/api/state", "/api/log", "/api/qr.svg", "/api/state"):
            await ask(lines[0], path)
        for line in lines:
            line.writer.close()

    await asyncio.gather(*(open_page() for _ in range(phones)))
    async with asyncio.timeout(WITHIN_S):
        while live(served) < phones:
            await asyncio.sleep(0.01)
    still = await asyncio.gather(*(is_open(line) for line in streams))
    refused += [("stream", 0) for each in still if not each]
    for line in streams:
        line.writer.close()
    return refused


def live(served: Served) -> int:
    """Return the number of browsers with an open stream."""
    return sum(one.phone == "live" for one in served.app_state.browsers.people().persons)


async def is_open(line: Line) -> bool:
    return not line.reader.at_eof()
