"""The attacks of one hostile guest: `python -m tests.faults.attacks WHO PORT TOKEN SECONDS [ONLY]`.

WHO is `stranger` (never joined), `spectator` (joined with the QR code's token) or `player` (has the
last seat). All attacks run at once, and in between one kind alone, from one loopback address, as
fast as the service responds; streams come from more addresses. Then one JSON object with the
responses is printed. ONLY: attacks with this word in their name.

It runs with the lowest priority: the service is measured, not the lack of a second machine.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import random
import struct
import sys
import zlib
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field

import cv2
import numpy as np

from tests.crowd import Line, connected, stream_of

SOURCES = {"stranger": "127.0.0.66", "spectator": "127.0.0.77", "player": "127.0.0.88"}
"""Where each attacker comes from."""
GAMES = 12
"""Games of the log that is attacked, the last of them being played."""
CHURNED = 9
"""So many addresses more open and close streams."""
LAST_SEAT = 5
MB = 1_000_000
WINDOW_S = 1.5
FACES = ("energy", "attack", "heal", "destruction", "celebrity", "ouch")
HANGING_UP = (ConnectionError, asyncio.IncompleteReadError, asyncio.LimitOverrunError, OSError)


@dataclass
class Attack:
    """One attacker: its address, its target, and the responses by kind."""

    port: int
    source: str
    until: float
    chance: random.Random
    cookies: list[str] = field(default_factory=list)
    names: list[str] = field(default_factory=list)
    """The kinds of acts there are, in the order in which each has the service to itself."""
    seen: Counter[str] = field(default_factory=Counter)

    @property
    def is_over(self) -> bool:
        return asyncio.get_running_loop().time() >= self.until

    def has_turn(self, name: str) -> bool:
        """Return whether this kind of attack runs now: all do, and in between one alone.

        Alone, since attacks that hold connections leave none for requests.
        """
        left = self.until - asyncio.get_running_loop().time()
        window = int(left / WINDOW_S)
        return window % 2 == 0 or self.names[window // 2 % len(self.names)] == name

    async def line(self, source: str = "") -> Line:
        """A new connection, with one of the cookies there are."""
        line = await connected(self.port, source or self.source)
        if self.cookies:
            line.headers["Cookie"] = self.chance.choice(self.cookies)
        return line

    def head(self, method: str, path: str, *more: str) -> bytes:
        """Return the head of a request that the table's own page might send."""
        at = f"127.0.0.1:{self.port}"
        lines = [f"{method} {path} HTTP/1.1", f"Host: {at}", f"Origin: http://{at}"]
        lines += ["X-Monster-Table: 1", *more]
        if self.cookies:
            lines.append(f"Cookie: {self.chance.choice(self.cookies)}")
        return "\r\n".join([*lines, "", ""]).encode()

    async def again(self, name: str, act: Callable[[], Awaitable[str]], pause_s: float = 0) -> None:
        """Repeat one act until the time is over, whatever becomes of it."""
        while not self.is_over:
            if not self.has_turn(name):
                await asyncio.sleep(0.05)
                continue
            try:
                async with asyncio.timeout(10):
                    outcome = await act()
            except HANGING_UP:
                outcome = "cut off"
            except TimeoutError:
                outcome = "no answer"
            self.seen[f"{name}: {outcome}"] += 1
            await asyncio.sleep(pause_s)


Act = Callable[[], Awaitable[str]]


def flood(attack: Attack, method: str, path: Callable[[], str], body: Callable[[], object]) -> Act:
    """Send one request after the other on a kept connection."""
    kept: list[Line] = []

    async def act() -> str:
        if not kept:
            kept.append(await attack.line())
        line = kept[0]
        kept.clear()  # kept again only where the answer has come whole
        status, headers, _ = await line.ask(method, path(), body())
        if headers.get("connection") == "close":
            line.writer.close()
        else:
            kept.append(line)
        return str(status)

    return act


def sending(attack: Attack, data: Callable[[], bytes], hold_s: float = 0.0) -> Act:
    """Open a connection, send these bytes, and wait only for `hold_s`."""

    async def act() -> str:
        line = await attack.line()
        try:
            line.writer.write(data())
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(line.writer.drain(), 2)
            if hold_s:
                await asyncio.sleep(hold_s)
                return "held"
            first = await asyncio.wait_for(line.reader.read(64), 5)
            return first.split()[1].decode() if first.startswith(b"HTTP/") else "cut off"
        finally:
            line.writer.transport.abort()

    return act


def dripping(attack: Attack, head: Callable[[], bytes]) -> Act:
    """Send a request byte by byte."""

    async def act() -> str:
        line = await attack.line()
        try:
            line.writer.write(head())
            for _ in range(20):
                line.writer.write(b"x")
                await line.writer.drain()
                await asyncio.sleep(0.3)
            return "dripped"
        finally:
            line.writer.transport.abort()

    return act


def not_reading(attack: Attack, path: str) -> Act:
    """Request responses and never read them."""

    async def act() -> str:
        line = await attack.line()
        line.writer.transport.pause_reading()  # type: ignore[attr-defined]
        try:
            for _ in range(50):
                line.writer.write(attack.head("GET", path))
                await asyncio.sleep(0.05)
            return "not read"
        finally:
            line.writer.transport.abort()

    return act


def holding(attack: Attack, path: Callable[[], str], hold_s: float = 3.0) -> Act:
    """Request one long response and never read it."""

    async def act() -> str:
        line = await attack.line()
        line.writer.transport.pause_reading()  # type: ignore[attr-defined]
        try:
            line.writer.write(attack.head("GET", path()))
            await asyncio.sleep(hold_s)
            return "held"
        finally:
            line.writer.transport.abort()

    return act


def streaming(attack: Attack, hold_s: float = 0.0) -> Act:
    """Open a stream, close it at once or after `hold_s`, from one of many addresses."""

    async def act() -> str:
        number = attack.chance.randrange(CHURNED + 1)
        line = await attack.line(f"{attack.source}{number}" if number else "")
        line.headers.setdefault("Cookie", "none=none")
        try:
            await stream_of(line)
            await asyncio.sleep(hold_s)
            return "opened"
        finally:
            line.writer.transport.abort()

    return act


def uploading(attack: Attack, kind: str, data: Callable[[], bytes]) -> Act:
    """Send a whole photo as fast as it is accepted."""

    async def act() -> str:
        line = await attack.line()
        try:
            status, _, _ = await line.send("POST", "/api/photo", data(), {"Content-Type": kind})
            return str(status)
        finally:
            line.writer.transport.abort()

    return act


def common(attack: Attack) -> list[tuple[str, Act, int, float]]:
    """Attacks that anybody can make: name, act, how many at once, pause."""
    post, draw = "Content-Type: application/json", attack.chance
    long = ("Content-Length: 60000", post)
    wide = "\r\n".join("a:b" for _ in range(60_000)).encode()

    def joins() -> object:
        code = "".join(draw.choices("23456789ABCDEFGH", k=6))
        return draw.choice([{"code": code}, {"token": "x" * 22}, {"code": "x" * 60_000}])

    return [
        (
            "pages",
            flood(attack, "GET", lambda: draw.choice(["/", "/locales/is.json"]), _none),
            8,
            0,
        ),
        ("nothing", flood(attack, "GET", lambda: f"/api/{draw.random()}", _none), 4, 0),
        ("nothing anywhere", flood(attack, "GET", lambda: missing(draw), _none), 24, 0),
        ("joins", flood(attack, "POST", lambda: "/api/join", joins), 4, 0),
        ("connections", sending(attack, lambda: b""), 10, 0),
        ("open and shut", sending(attack, lambda: b"G", hold_s=0.001), 10, 0),
        ("half heads", sending(attack, lambda: b"GET / HTTP/1.1\r\nHost: x", hold_s=8), 150, 0.05),
        ("huge heads", sending(attack, lambda: b"GET / HTTP/1.1\r\n" + wide + b"\r\n\r\n"), 2, 0),
        ("long lines", sending(attack, lambda: b"GET /" + b"x" * 250_000), 2, 0),
        ("garbage", sending(attack, lambda: draw.randbytes(5_000)), 2, 0),
        ("pipelines", sending(attack, lambda: attack.head("GET", "/icon.svg") * 800), 2, 0),
        ("slow bodies", dripping(attack, lambda: attack.head("POST", "/api/join", *long)), 30, 0),
        (
            "parked bodies",
            sending(
                attack,
                lambda: (
                    attack.head("POST", "/api/join", "Transfer-Encoding: chunked", post)
                    + b"c000\r\n"
                    + b" " * 0xC000
                ),
                hold_s=8,
            ),
            60,
            0.05,
        ),
        (
            "photos",
            sending(
                attack,
                lambda: (
                    attack.head(
                        "POST", "/api/photo", "Content-Type: image/jpeg", "Content-Length: 8000000"
                    )
                    + b"x" * 1_000_000
                ),
            ),
            4,
            0,
        ),
        ("streams", streaming(attack), 6, 0),
        ("streams for a while", streaming(attack, 0.5), 100, 0),
        ("readers", not_reading(attack, "/locales/fr.json"), 10, 0),
    ]


def missing(draw: random.Random) -> str:
    """Return an address of something that does not exist, for every kind of route."""
    name = "%41" * draw.randrange(90) if draw.random() < 0.2 else f"{draw.random()}"
    of_api = (f"games/{name}", f"clause/{name}", f"crop/{name}/0.jpg", f"explain/9{name[2:8]}/dice")
    of_pages = (name, f"assets/{name}.js", f"locales/{name}.json", f"tray.jpg?proposal={name}")
    return draw.choice([*(f"/api/{each}" for each in of_api), *(f"/{each}" for each in of_pages)])


def watching(attack: Attack) -> list[tuple[str, Act, int, float]]:
    """Attacks of a watcher."""
    draw = attack.chance

    def preview() -> object:
        return {
            "faces": draw.choices(FACES, k=draw.choice((6, 8))),
            "order": draw.sample(FACES, 6),
            "rethrown": draw.sample(range(8), 8),
        }

    def looked_up() -> str:
        kept = ",".join(str(n) for n in draw.sample(range(6), draw.randrange(6)))
        what = draw.choice(("health", "stars", "energy", "dice", "price?card=jets"))
        return draw.choice(
            ["/api/log", f"/api/odds?keep={kept}", f"/api/explain/{draw.randrange(6)}/{what}"]
        )

    def past() -> str:
        return f"/api/games/g{draw.randint(1, GAMES)}"

    def seats() -> tuple[str, object]:
        return draw.choice(
            [
                ("/api/seat", {"seat": draw.randrange(6), "take_over": True}),
                ("/api/withdraw", {}),
                ("/api/leave", {}),
                ("/api/code", {}),
                ("/api/host", {}),
            ]
        )

    async def seat() -> str:
        path, body = seats()
        return await flood(attack, "POST", lambda: path, lambda: body)()

    command = {"command_id": "x" * 60, "base_rev": 0, "events": [{"type": "PutOff"}] * 20}
    return [
        ("previews", flood(attack, "POST", lambda: "/api/preview", preview), 12, 0),
        ("look-ups", flood(attack, "GET", looked_up, _none), 8, 0),
        ("lists of games", flood(attack, "GET", lambda: "/api/games", _none), 8, 0),
        ("earlier games", flood(attack, "GET", past, _none), 8, 0),
        ("this game", flood(attack, "GET", lambda: f"/api/games/g{GAMES}", _none), 8, 0),
        ("logs never read", holding(attack, lambda: "/api/log"), 60, 0),
        ("games never read", holding(attack, past), 60, 0),
        ("whole logs", flood(attack, "GET", lambda: "/api/log", _none), 8, 0),
        ("views", flood(attack, "GET", lambda: "/api/state", _none), 8, 0),
        ("QR codes", flood(attack, "GET", lambda: "/api/qr.svg", _none), 4, 0),
        ("commands", flood(attack, "POST", lambda: "/api/commands", lambda: command), 4, 0),
        ("seats", seat, 2, 0),
    ]


def seated(attack: Attack) -> list[tuple[str, Act, int, float]]:
    """Attacks of a player with a seat and a camera: photos, above all."""
    draw, jpeg, png = attack.chance, "image/jpeg", "image/png"
    picture, bomb = _picture(), _bomb()
    most = b"\xff\xd8\xff\xe0" + draw.randbytes(8 * MB)
    announced = f"Content-Length: {8 * MB}"

    def broken() -> bytes:
        wrong = bytearray(picture)
        for _ in range(20):
            wrong[draw.randrange(len(wrong))] = draw.randrange(256)
        return bytes(wrong[: draw.randrange(len(wrong))])

    def slow() -> bytes:
        return attack.head("POST", "/api/photo", f"Content-Type: {jpeg}", announced)

    return [
        ("photos: noise", uploading(attack, jpeg, lambda: draw.randbytes(20_000)), 4, 0),
        ("photos: broken", uploading(attack, jpeg, broken), 4, 0),
        ("photos: without dice", uploading(attack, jpeg, lambda: picture), 2, 0),
        ("photos: a bomb", uploading(attack, png, lambda: bomb), 2, 0),
        ("photos: 8 MB", uploading(attack, jpeg, lambda: most), 4, 0),
        ("photos: over 8 MB", uploading(attack, jpeg, lambda: most + bytes(MB)), 2, 0),
        ("photos: slow", dripping(attack, slow), 8, 0),
        ("photos: parked", sending(attack, lambda: slow() + most[: 7 * MB], hold_s=8), 4, 0.05),
        ("read again", flood(attack, "POST", lambda: "/api/read-again", dict), 4, 0),
        ("views", flood(attack, "GET", lambda: "/api/state", _none), 4, 0),
    ]


def _picture() -> bytes:
    """Make a photo of noise, as large as a phone's, about 3 MB."""
    noise = np.random.default_rng(1).integers(0, 256, (1500, 2000, 3), dtype=np.uint8)
    return cv2.imencode(".jpg", noise)[1].tobytes()


def _bomb() -> bytes:
    """Make a PNG of a few kilobytes that decodes to 900 megapixels."""
    rows = zlib.compress(bytes(30_001 * 300), 9)
    head = struct.pack(">IIBBBBB", 30_000, 30_000, 8, 0, 0, 0, 0)
    parts = ((b"IHDR", head), (b"IDAT", rows), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))
        for name, body in parts
    )


@contextlib.asynccontextmanager
async def _at_most(seconds: float) -> AsyncIterator[None]:
    """Whatever is still being done after so many seconds is given up."""
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            yield


async def _joined(attack: Attack, token: str, browsers: int) -> None:
    """So many browsers join; the attack has their cookies."""
    for _ in range(browsers):
        line = await connected(attack.port, attack.source)
        await line.join(token)
        attack.cookies.append(line.headers["Cookie"])
        line.writer.close()


def _none() -> object:
    return None


async def attack(who: str, port: int, token: str, seconds: float, only: str = "") -> Counter[str]:
    """Attack for so long, with acts that are named so; return what came back."""
    until = asyncio.get_running_loop().time() + seconds
    made = Attack(port, SOURCES[who], until, random.Random(who))
    await _joined(made, token, {"stranger": 0, "spectator": 8, "player": 1}[who])
    acts = seated(made) if who == "player" else common(made)
    if who == "spectator":
        acts = [*acts, *watching(made)]
    if who == "player":
        line = await made.line()
        status, _, answer = await line.ask("POST", "/api/seat", {"seat": LAST_SEAT})
        assert status == 200, answer
        line.writer.close()
    acts = [act for act in acts if only in act[0]]
    made.names = [name for name, *_ in acts]
    async with _at_most(seconds), asyncio.TaskGroup() as tasks:
        for name, act, count, pause_s in acts:
            for _ in range(count):
                tasks.create_task(made.again(name, act, pause_s))
    return made.seen


if __name__ == "__main__":
    os.nice(19)
    who, port, token, seconds, *only = sys.argv[1:]
    found = asyncio.run(attack(who, int(port), token, float(seconds), *only))
    print(json.dumps(dict(sorted(found.items()))))
