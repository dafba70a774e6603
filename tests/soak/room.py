"""The room of the soak: a camera over a tray in which dice are thrown again and again, and phones
that play, look around, fall asleep and come back.
"""

from __future__ import annotations

import asyncio
import json
import random
import threading
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import count, cycle
from pathlib import Path

import msgspec
import numpy as np

from companion.engine import RULESETS
from companion.service import wire
from companion.service.views.view import MONSTERS
from companion.vision.pictures import cv2
from companion.vision.sources.frames import video_frames
from tests.crowd import Line, connected, stream_of
from tests.service.phone import Json, next_event
from tests.soak.network import ROOM, TABLE, phone

CLIP = Path(__file__).parent.parent / "clips" / "test_new_york.mp4"
PICTURE_S = 0.1
GRAINS = 16
CONNECTION_S = 420.0
"""After this long a camera ends its connection, as they do."""
CAMERA_S = 10.0
"""So long the players wait for the camera's reading."""
LOOKS_EACH = 2.5
"""Pages are opened less often than commands are sent, by this factor."""
GAMES = sorted(RULESETS)
SEATS = 6
BREAKS = (OSError, asyncio.IncompleteReadError, asyncio.LimitOverrunError, ValueError, IndexError)
"""What a connection that is not there any more raises."""
LOOKS = (
    *("/", "/tv", "/locales/fr.json", "/api/health", "/api/state", "/api/log", "/api/time"),
    *("/api/games", "/api/statistics", "/api/scores.csv", "/api/odds", "/api/qr.svg"),
    *("/api/names", "/api/viewers", "/api/tray.jpg", "/api/forgotten", "/api/no-such-page"),
    *("/api/explain/0/health", "/api/explain/1/stars", "/api/setup"),
)
LOOKS_AT_A_GAME = ("", "/story", "/log.jsonl", "/scores.csv", "/bgstats", "/bgstats.svg")


@contextmanager
def camera() -> Iterator[str]:
    """Serve the clip for ever, no two pictures alike; yield the address."""
    frames = [frame.image for frame in video_frames(str(CLIP))]
    chance = np.random.default_rng(1)
    grains = [chance.integers(0, 5, frames[0].shape, np.uint8) for _ in range(GRAINS)]
    ended = threading.Event()

    class Camera(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "multipart/x-mixed-replace; boundary=frame")
            self.end_headers()
            until = time.monotonic() + CONNECTION_S
            with suppress(OSError):
                for number, image in enumerate(cycle(frames)):
                    seen = cv2.add(image, grains[number * 7 % GRAINS])
                    picture = cv2.imencode(".jpg", seen)[1].tobytes()
                    head = f"Content-Type: image/jpeg\r\nContent-Length: {len(picture)}"
                    self.wfile.write(f"--frame\r\n{head}\r\n\r\n".encode() + picture + b"\r\n")
                    if ended.wait(PICTURE_S) or time.monotonic() > until:
                        return

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer((ROOM, 0), Camera)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://{ROOM}:{server.server_port}/stream"
    finally:
        ended.set()
        server.shutdown()
        thread.join()
        server.server_close()


@dataclass
class Room:
    """Everybody in the room, and what came of what they did."""

    port: int
    token: str
    phones: int
    pace_s: float
    """Seconds between two commands, on average. May be changed at any time."""
    chance: random.Random = field(default_factory=lambda: random.Random(1))
    cookies: dict[int, str] = field(default_factory=dict)
    answers: Counter[str] = field(default_factory=Counter)
    """Answers by kind of request and status."""
    faults: list[str] = field(default_factory=list)
    """Answers that no request may get (5xx), and views that cannot be read."""
    turns: set[tuple[str, int]] = field(default_factory=set)
    """Every turn that was seen, by table and number."""
    games: int = 0
    """Games that were begun."""
    applied: int = 0
    from_the_camera: int = 0
    """Commands that applied the camera's proposal."""
    views: int = 0
    """Views that came by the streams."""
    _numbers: Iterator[int] = field(default_factory=count)
    _photo: bytes = field(default_factory=lambda: _still())

    async def spend(self, seconds: float) -> None:
        """Play and look around for so long."""
        for number in range(self.phones):  # one by one: the first is the host
            (await self._line(number)).writer.close()
        acts = (self._play(), self._look_around(), self._television())
        acts += tuple(self._be_a_phone(number) for number in range(self.phones))  # type: ignore[assignment]
        tasks = [asyncio.create_task(one) for one in acts]
        try:
            done, _ = await asyncio.wait(
                tasks, timeout=seconds, return_when=asyncio.FIRST_EXCEPTION
            )
            for one in done:
                one.result()
        finally:
            for one in tasks:
                one.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def _line(self, number: int) -> Line:
        """Connect the phone of this number, which joins when it comes first."""
        line = await connected(self.port, phone(number), TABLE)
        if number not in self.cookies:
            await line.join(self.token)
            self.cookies[number] = line.headers["Cookie"]
        line.headers["Cookie"] = self.cookies[number]
        return line

    async def _ask(self, line: Line, method: str, path: str, body: object = None) -> bytes:
        status, _, answer = await line.ask(method, path, body)
        kind = path if path.count("/") < 3 else path.rpartition("/")[2]
        self.answers[f"{method} {kind} {status}"] += 1
        if status >= 500:
            self.faults.append(f"{method} {path}: {status} {answer[:200]!r}")
        return answer if status < 400 else b""

    async def _play(self) -> None:
        """Play game after game, mostly what the view asks for, now and then an undo or a photo."""
        while True:
            with suppress(*BREAKS):
                line = await self._line(0)
                try:
                    for _ in range(50):
                        await asyncio.sleep(self.chance.expovariate(1 / self.pace_s))
                        await self._move(line)
                finally:
                    line.writer.close()
            await asyncio.sleep(0.1)

    async def _move(self, line: Line) -> None:
        state = await self._ask(line, "GET", "/api/state")
        view = msgspec.json.decode(state, type=wire.Update).view
        question = view.game.question if view.game is not None else None
        if question is not None and question.kind is wire.QuestionKind.ROLL:
            view = await self._roll(line, view)
        events, proposal = self._next(view)
        command = {
            "command_id": f"soak-{next(self._numbers):08d}",
            "base_rev": view.rev,
            "events": events,
            "proposal_id": proposal,
            "table": view.table if view.game is not None else None,
        }
        if await self._ask(line, "POST", "/api/commands", command):
            self.applied += 1
            self.from_the_camera += proposal is not None
            if view.game is not None:
                self.turns.add((view.table, view.game.turn))

    async def _roll(self, line: Line, view: wire.View) -> wire.View:
        """Mostly nobody waits for the camera; now and then for a reading, or a photo is sent."""
        chance = self.chance.random()
        if chance < 0.02:
            status, _, _ = await line.send("POST", "/api/photo", self._photo, _JPEG)
            self.answers[f"POST /api/photo {status}"] += 1
        elif chance > 0.1:
            return view
        until = time.monotonic() + CAMERA_S
        while view.tray.proposal is None and time.monotonic() < until:
            await asyncio.sleep(self.pace_s * LOOKS_EACH)
            state = await self._ask(line, "GET", "/api/state")
            view = msgspec.json.decode(state, type=wire.Update).view
        return view

    def _next(self, view: wire.View) -> tuple[Sequence[Json], str | None]:
        """Return what is done next, and the proposal that it applies."""
        game = view.game
        if view.undo is not None and self.chance.random() < 0.03:
            return [{"type": "Undone", "seq": view.undo.seq}], None
        event = next_event(game, self.chance) if game is not None else None
        if game is None or event is None:
            return self._new_game(), None
        proposal, question = view.tray.proposal, game.question
        if event["type"] == "DiceRolled" and proposal is not None and question is not None:
            faces = [die.face for die in proposal.dice]
            if len(faces) == question.dice and set(faces) <= set(game.faces):
                return [{**event, "faces": faces}], proposal.id
        return [event], None

    def _new_game(self) -> list[Json]:
        seats = [{"player": f"P{n}", "monster": MONSTERS[n]} for n in range(SEATS)]
        game = self.chance.choice(GAMES)
        self.games += 1
        table = {"type": "TableSet", "game": game, "edition": "first", "seats": seats}
        return [table, {"type": "GameStarted", "first": self.chance.randrange(SEATS)}]

    async def _look_around(self) -> None:
        """Open every page and picture there is, again and again."""
        while True:
            with suppress(*BREAKS):
                line = await self._line(0)
                try:
                    for path in self.chance.sample(LOOKS, len(LOOKS)):
                        await asyncio.sleep(self.pace_s * LOOKS_EACH)
                        await self._ask(line, "GET", path)
                    await self._look_at_games(line)
                finally:
                    line.writer.close()
            await asyncio.sleep(self.pace_s * LOOKS_EACH)

    async def _look_at_games(self, line: Line) -> None:
        games = json.loads(await self._ask(line, "GET", "/api/games"))["games"]
        one = self.chance.choice(games)
        for part in LOOKS_AT_A_GAME:
            await asyncio.sleep(self.pace_s * LOOKS_EACH)
            await self._ask(line, "GET", f"/api/games/{one['id']}{part}")

    async def _be_a_phone(self, number: int) -> None:
        """Watch; fall asleep with the stream open or closed; come back."""
        while True:
            with suppress(*BREAKS):
                line = await self._line(number)
                try:
                    if number < SEATS:
                        await self._ask(line, "POST", "/api/seat", {"seat": number})
                    await self._watch(line, "/api/stream", self.chance.uniform(10, 90))
                    if self.chance.random() < 0.3:  # the screen is off, and nobody reads
                        line.writer.transport.pause_reading()  # type: ignore[attr-defined]
                        await asyncio.sleep(self.chance.uniform(5, 40))
                finally:
                    line.writer.close()
            await asyncio.sleep(self.chance.uniform(0.5, 20))

    async def _television(self) -> None:
        """Watch as a television, which is switched off and on."""
        while True:
            with suppress(*BREAKS):
                host = await self._line(0)
                viewers = json.loads(await self._ask(host, "GET", "/api/viewers"))
                host.writer.close()
                line = await connected(self.port, phone(self.phones), TABLE)
                await line.join(viewers["tv"].partition("#")[2], "/api/tv/join")
                await self._watch(line, "/api/tv/stream", self.chance.uniform(60, 300))
                line.writer.close()
            await asyncio.sleep(self.chance.uniform(0.5, 20))

    async def _watch(self, line: Line, path: str, seconds: float) -> None:
        listening = await stream_of(line, path)
        with suppress(TimeoutError):
            await asyncio.wait_for(listening.listen(), seconds)
        self.views += listening.count


_JPEG = {"Content-Type": "image/jpeg"}


def _still() -> bytes:
    frames = [frame.image for frame in video_frames(str(CLIP))]
    return cv2.imencode(".jpg", frames[60])[1].tobytes()
