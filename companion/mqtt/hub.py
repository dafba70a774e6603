"""All tables of a broker on one page, as their newest statuses say: `companion hub`. It asks for
nothing, and keeps nothing.

Whoever is in the network may look: it shows what the broker holds, and names only players who have
agreed.
"""

from __future__ import annotations

import asyncio
import mimetypes
import re
import time
from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any, Final

import msgspec
import uvicorn
from jinja2 import Environment, FileSystemLoader
from msgspec.structs import replace

from companion.catalogues import sentence
from companion.mqtt.client import ONLINE, Link, Report
from companion.mqtt.messages import FORM, TableStatus
from companion.mqtt.settings import MqttSettings
from companion.resources import resource_dir
from companion.service.http.server import Door, server_config
from companion.service.http.unknown_host import wanted_language
from companion.service.machine.addresses import host_is_ours, own_names
from companion.service.requests import ANSWER_HEADERS

MOST_TABLES: Final = 100
"""Those that were heard last."""
LONGEST: Final = 32 * 1024
"""Bytes of a message; a table's status has about 2 KB."""
QUIET_MIN: Final = 10
"""Minutes without a change after which a game in progress may need help."""
HERE: Final = Path(__file__).parent
_STATUS: Final = msgspec.json.Decoder(TableStatus)
Message = Mapping[str, Any]
Send = Callable[[Message], Awaitable[None]]


class Board(msgspec.Struct, frozen=True):
    """One table. `heard_at`: when it last did something, by this machine's monotonic clock."""

    name: str
    status: TableStatus | None = None
    online: bool = False
    heard_at: float = 0.0

    def help(self) -> list[tuple[str, int]]:
        """Return why somebody should go there: keys, and for how many minutes."""
        status = self.status
        if status is None:
            return []
        plays = status.game is not None and status.winner is None
        if not self.online:
            return [("hub.help.offline", 0)] if plays else []
        found = [(f"hub.help.{key}", 0) for key in status.help]
        quiet = int(time.monotonic() - self.heard_at) // 60
        return [*found, ("hub.help.quiet", quiet)] if plays and quiet >= QUIET_MIN else found


class Boards:
    """The newest status of each table; a message may come from any thread."""

    def __init__(self, topic: str) -> None:
        self._topic = topic
        self._boards: dict[str, Board] = {}

    def hear(self, topic: str, payload: bytes, _retained: bool) -> None:
        """Take in what a table says, retained or new; a message of another form is left out."""
        name, _, kind = topic.removeprefix(f"{self._topic}/").partition("/")
        boards = dict(self._boards)
        board = boards.pop(name, Board(name))
        if kind == "status":
            board = replace(board, online=payload == ONLINE)
        elif not payload:  # somebody has deleted it at the broker
            board = replace(board, status=None)
        else:
            try:
                status = _STATUS.decode(payload)
            except (ValueError, RecursionError):  # msgspec's errors are ValueErrors
                return
            if status.form == FORM and status != board.status:
                board = replace(board, status=status, heard_at=time.monotonic())
        boards[name] = board
        self._boards = dict([*boards.items()][-MOST_TABLES:])

    def shown(self) -> list[Board]:
        """Return the tables that have said how they are, by title."""
        found = [one for one in self._boards.values() if one.status is not None]
        return sorted(found, key=lambda one: (one.status and one.status.title.casefold(), one.name))


class Page:
    """The page and its files, as an ASGI application."""

    def __init__(self, boards: Boards, is_connected: Callable[[], bool]) -> None:
        self._boards, self._is_connected = boards, is_connected
        self._names = own_names()
        app = resource_dir("webui")
        looks = (*app.glob("assets/*.css"), *app.glob("assets/*.woff2"))
        files = {f"/assets/{one.name}": one for one in looks}
        files |= {f"/{name}": HERE / name for name in ("hub.css", "hub.js")}
        files["/icon.svg"] = app / "icon.svg"
        self._files = {name: path.read_bytes() for name, path in files.items()}
        linked = re.search(r'href="(/assets/[^"]+\.css)"', (app / "index.html").read_text("utf-8"))
        self._style = linked[1] if linked else ""
        templates = Environment(loader=FileSystemLoader(HERE), autoescape=True, trim_blocks=True)
        self._template = templates.get_template("hub.html")

    async def __call__(self, scope: Message, receive: object, send: Send) -> None:
        """Answer one request, and close its connection: the next look comes in two seconds."""
        if scope["type"] != "http":
            return
        status, kind, body = self._answer(scope)
        headers = {
            **ANSWER_HEADERS,
            "Content-Type": kind,
            "Content-Length": str(len(body)),
            "Cache-Control": "no-store",
            "Connection": "close",
        }
        encoded = [(name.lower().encode(), value.encode()) for name, value in headers.items()]
        await send({"type": "http.response.start", "status": status, "headers": encoded})
        await send({"type": "http.response.body", "body": body})

    def _answer(self, scope: Message) -> tuple[int, str, bytes]:
        """Return status, type and content for a request."""
        headers = {name: value.decode("latin-1") for name, value in scope["headers"]}
        reached_at = scope["server"][0] if scope["server"] else ""
        path = scope["path"]
        if not host_is_ours(headers.get(b"host", ""), self._names, reached_at):
            return 421, "text/plain", b""
        if scope["method"] not in {"GET", "HEAD"}:
            return 405, "text/plain", b""
        if path in self._files:
            kind = mimetypes.guess_type(path)[0] or "application/octet-stream"
            return 200, kind, self._files[path]
        if path != "/":
            return 404, "text/plain", b""
        language = wanted_language(headers.get(b"accept-language", ""))
        html = self._template.render(
            boards=self._boards.shown(),
            connected=self._is_connected(),
            language=language,
            style=self._style,
            t=partial(sentence, language),
        )
        return 200, "text/html; charset=utf-8", html.encode()


class Hub:
    """The page of all tables, on a socket, until it is stopped."""

    def __init__(self, settings: MqttSettings, report: Report) -> None:
        boards = Boards(settings.file.topic)
        self._link = Link(
            "hub",
            settings.broker,
            tuple(f"{settings.file.topic}/+/{kind}" for kind in ("status", "state")),
            boards.hear,
            lambda: None,
            report,
        )
        page = Page(boards, self._link.client.is_connected)
        self._server = uvicorn.Server(server_config(page))

    def run(self, sock: Door, ready: Callable[[], None]) -> None:
        """Answer on the socket until a signal, or `stop`, ends it."""
        self._link.start(LONGEST)
        try:
            asyncio.run(self._serve(sock, ready))
        finally:
            self._link.close()

    def stop(self) -> None:
        """Stop from another thread."""
        self._server.should_exit = True

    async def _serve(self, sock: Door, ready: Callable[[], None]) -> None:
        ticking = asyncio.create_task(self._tick(sock, ready))
        try:
            await self._server.serve(sockets=[sock])
        finally:
            ticking.cancel()

    async def _tick(self, sock: Door, ready: Callable[[], None]) -> None:
        """Drop connections that take too long, and keep the one to the broker."""
        while not self._server.started:
            await asyncio.sleep(0.01)
        ready()
        while True:
            sock.connections.drop_the_slow()
            self._link.revive()
            await asyncio.sleep(1)
