"""All tables of a broker on one page, as their newest statuses say: `companion hub`. It asks for
nothing, and keeps nothing.

Whoever is in the network may look: it shows what the broker holds, and names only players who have
agreed.
"""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, Final, cast

import msgspec
from a2wsgi import WSGIMiddleware
from flask import Flask, Response, render_template, request, send_from_directory
from msgspec.structs import replace

from companion.catalogues import sentence
from companion.mqtt.client import ONLINE, Link, Report
from companion.mqtt.messages import FORM, TableStatus
from companion.mqtt.settings import MqttSettings
from companion.resources import resource_dir
from companion.service.http.server import Door, DoorServer
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


def hub_app(boards: Boards, is_connected: Callable[[], bool]) -> WSGIMiddleware:
    """Return the page with its files, which looks again every two seconds."""
    app = Flask(__name__, template_folder=str(HERE), static_folder=None)
    webui, names = resource_dir("webui"), own_names()
    linked = re.search(r'href="(/assets/[^"]+\.css)"', (webui / "index.html").read_text("utf-8"))

    @app.before_request
    def check_host() -> Response | None:
        reached_at = request.environ["SERVER_NAME"]
        is_ours = host_is_ours(request.headers.get("Host", ""), names, reached_at)
        return None if is_ours else Response(status=421)

    @app.after_request
    def with_headers(response: Response) -> Response:
        response.headers.update({**ANSWER_HEADERS, "Cache-Control": "no-store"})
        response.headers["Connection"] = "close"  # each look is a connection of its own
        return response

    @app.get("/")
    def page() -> str:
        language = wanted_language(request.headers.get("Accept-Language", ""))
        return render_template(
            "hub.html",
            boards=boards.shown(),
            connected=is_connected(),
            language=language,
            style=linked[1] if linked else "",
            t=partial(sentence, language),
        )

    for name in ("hub.css", "hub.js"):
        app.add_url_rule(f"/{name}", name, partial(send_from_directory, HERE, name))
    app.add_url_rule("/icon.svg", "icon", partial(send_from_directory, webui, "icon.svg"))
    app.add_url_rule(
        "/assets/<path>", "asset", lambda path: send_from_directory(webui / "assets", path)
    )
    return WSGIMiddleware(cast("Any", app))


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
        self._page = hub_app(boards, self._link.client.is_connected)
        self._server: DoorServer | None = None

    def run(self, sock: Door, ready: Callable[[], None]) -> None:
        """Answer on the socket until a signal, or `stop`, ends it."""
        self._server = DoorServer(self._page, sock.connections, ready, self._link.revive)
        self._link.start(LONGEST)
        try:
            asyncio.run(self._server.serve(sockets=[sock]))
        finally:
            self._link.close()

    def stop(self) -> None:
        """Stop from another thread."""
        if self._server is not None:
            self._server.should_exit = True
