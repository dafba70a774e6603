"""A small server that shows one scene: the built page, its view, pictures and previews."""

from __future__ import annotations

import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import count
from pathlib import Path
from typing import Any

import msgspec
from msgspec.structs import replace

from companion.cli.words import sentence
from companion.records import APP_LINK, LINK, Names, play_link, play_of, result_of, statistics
from companion.resources import resource_dir
from companion.service import requests, wire
from companion.service.http.routes import VIEWER_STREAMS
from companion.service.hub import NumberedView, viewer_view
from companion.service.machine.joining import qr_svg
from companion.service.records.archive import known_names
from companion.service.records.statistics import statistics_view
from companion.service.requests import ANSWER_HEADERS
from companion.service.views.past import games_answer, past_game, time_moment, time_view
from companion.service.views.preview import preview_answer, with_reasons
from companion.service.views.reasons import why
from companion.service.views.score_audit import ScoreAudit
from companion.service.views.words import clauses
from companion.service.wire_pages import SetupView
from companion.table import Table
from tests.browser.archive import advice_on, story_on
from tests.browser.evening import crop, misread, picture
from tests.browser.scenes import Scene

TYPES = {
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript",
    ".css": "text/css",
    ".json": "application/json",
    ".woff2": "font/woff2",
    ".svg": "image/svg+xml",
}


PATIENCE_S = 30.0
"""How long a test waits for a request that must come."""

PAGES = {"/": "index.html", "/j": "index.html", "/tv": "tv.html", "/overlay": "tv.html"}
VIEWERS = requests.ViewersAnswer(
    address="http://192.168.1.23:8080/tv",
    tv="http://192.168.1.23:8080/tv#token",
    overlay="http://192.168.1.23:8080/overlay#7KQ4-X9TR-2WMP",
    language="en",
    watching=1,
)
EMPTY = "/empty"
"""An empty page."""


def _viewer_view(kind: wire.ViewerKind, update: wire.Update) -> wire.ViewerView:
    return viewer_view(kind, None, NumberedView(update.run, update.number, update.view))


class Quiet(ThreadingHTTPServer):
    """A server that ignores errors of phones that hang up."""

    daemon_threads = True

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Nothing is printed."""


class Stage:
    """Serves `scene` on loopback; `push` sends another update to every stream.

    `refusing`: the catalogue key with which every command is refused.
    """

    def __init__(self) -> None:
        self.scene: Scene | None = None
        self.commands: list[Any] = []
        self.looked: list[str] = []
        """The addresses of the reports that were fetched."""
        self.changed = threading.Condition()
        self.updates: list[wire.Update] = []
        self.numbers = count(1)
        self.silent = False
        self.refusing: str | None = None
        self.over = False
        stage = self

        class Handler(_Handler):
            on = stage

        self.server = Quiet(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    @property
    def port(self) -> int:
        return int(self.server.server_address[1])

    def show(self, scene: Scene) -> None:
        """From now on this scene is played."""
        self.scene, self.silent, self.commands = scene, False, []
        self.book = ScoreAudit(scene.evening.table, scene.evening.log)
        self.push(scene.update)

    def push(self, update: wire.Update) -> None:
        """Send this update to every stream."""
        with self.changed:
            self.updates.append(replace(update, number=next(self.numbers)))
            self.changed.notify_all()

    @property
    def update(self) -> wire.Update | None:
        """The newest update."""
        return self.updates[-1] if self.updates else None

    def sent(self, count: int) -> list[Any]:
        """Wait until phones have sent this many commands; return all that came.

        A click ends before its request has arrived, so a test never looks at `commands` at once.
        """
        with self.changed:
            assert self.changed.wait_for(lambda: len(self.commands) >= count, timeout=PATIENCE_S)
            return list(self.commands)

    def fall_silent(self) -> None:
        """Answer no more requests, and end all streams."""
        with self.changed:
            self.silent = True
            self.changed.notify_all()

    def close(self) -> None:
        """Stop the server."""
        with self.changed:
            self.over = True
            self.changed.notify_all()
        self.server.shutdown()
        self.server.server_close()


def played(table: Table, game: str) -> requests.PlayAnswer:
    """Return the links of a finished game for BG Stats."""
    result = result_of(game, table.snapshot_of(game).entries)
    play = None if result is None else play_of(result, sentence)
    assert play is not None
    return requests.PlayAnswer(link=play_link(play, LINK), app=play_link(play, APP_LINK))


class _Handler(BaseHTTPRequestHandler):
    on: Stage
    protocol_version = "HTTP/1.1"

    def log_message(self, *_: object) -> None:
        """Nothing is printed."""

    def answer(self, body: bytes, kind: str, status: int = 200) -> None:
        self.send_response(status)
        for name, value in ANSWER_HEADERS.items():
            self.send_header(name, value)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def json(self, value: object, status: int = 200) -> None:
        self.answer(msgspec.json.encode(value), "application/json", status)

    def do_GET(self) -> None:
        path = self.path.partition("?")[0]
        if path == EMPTY:
            self.answer(b"", TYPES[".html"])
            return
        scene = self.on.scene
        assert scene is not None
        if path.startswith("/api/") and self.on.silent:
            self.close_connection = True
            return
        if path == "/api/stream":
            self.stream(msgspec.json.encode)
        elif path in VIEWER_STREAMS.values():
            kind = wire.ViewerKind(path.split("/")[2])
            self.stream(lambda update: msgspec.json.encode(_viewer_view(kind, update)))
        elif path == "/api/state" and scene.stranger:
            self.json(requests.ErrorAnswer(error=wire.Words(key="error.not_joined")), 403)
        elif path == "/api/health":
            join = scene.update.view.join
            table = "" if join is None else join.table
            self.json(requests.HealthAnswer(version="1.0", saved=True, safe=False, table=table))
        elif path == "/api/state":
            self.json(self.on.update)
        elif path == "/api/log":
            evening = scene.evening
            self.json(requests.LogAnswer(rows=evening.views.rows.all(evening.table.snapshot())))
        elif path == "/api/viewers":
            self.json(VIEWERS)
        elif path == "/api/games":
            self.json(games_answer(scene.evening.table))
        elif path.endswith("/bgstats.svg"):
            link = played(scene.evening.table, path.split("/")[3]).link
            self.answer(qr_svg(link, dense=True), "image/svg+xml")
        elif path.endswith("/bgstats"):
            self.json(played(scene.evening.table, path.split("/")[3]))
        elif path == "/api/tv/story":
            self.json(story_on(scene.evening.table, scene.evening.table.snapshot().game_id))
        elif path.endswith("/story"):
            self.json(story_on(scene.evening.table, path.split("/")[3]))
        elif path == "/api/names":
            self.json(known_names(scene.evening.table.games(), Names()))
        elif path == "/api/card-names":
            self.json(requests.CardNamesAnswer(names={}))
        elif path == "/api/statistics":
            self.json(scene.statistics or statistics_view(statistics(()), Names(), 0))
        elif path.startswith("/api/games/"):
            evening = scene.evening
            looked_at = evening.table.snapshot_of(path.rpartition("/")[2])
            self.json(past_game(looked_at))
        elif path == "/api/forgotten":
            self.json(self.on.book.view())
        elif path == "/api/time":
            self.json(time_view(scene.evening.table.snapshot()))
        elif path.startswith("/api/time/"):
            row = int(path.removeprefix("/api/time/"))
            self.json(time_moment(scene.evening.table.snapshot(), row))
        elif path.startswith("/api/explain/"):
            seat, what = path.removeprefix("/api/explain/").split("/")
            self.json(why(scene.evening.table.snapshot(), int(seat), what))
        elif path.startswith("/api/clause/"):
            self.json(clauses()[path.removeprefix("/api/clause/")])
        elif path.startswith("/api/misread/"):
            self.on.looked.append(self.path)
            self.answer(misread(scene.evening.game), "application/zip")
        elif path in {"/api/wifi.svg", "/api/tv/wifi.svg"}:
            self.answer(qr_svg("WIFI:T:WPA;S:Den;P:hush hush;;"), "image/svg+xml")
        elif path in {"/api/qr.svg", "/api/tv/qr.svg"} or path.startswith("/api/tv/pair/"):
            self.answer(qr_svg("http://192.168.1.23:8080/j#token"), "image/svg+xml")
        elif path == "/api/setup":
            camera, game = scene.update.view.tray.camera, scene.evening.game
            self.json(SetupView(running=False, camera=camera, game=game, least=5, boxes=()))
        elif path == "/api/camera.jpg":
            self.answer(picture(scene.evening.game, 0), "image/jpeg")
        elif path.startswith("/pictures/"):
            game, _, throw = path[10:-4].rpartition("-")
            self.answer(picture(game, int(throw)), "image/jpeg")
        elif path.startswith("/crops/"):
            game, throw, die = path[7:-4].rsplit("-", 2)
            self.answer(crop(game, int(throw), int(die)), "image/jpeg")
        else:
            self.file(path)

    def file(self, path: str) -> None:
        if path == "/favicon.ico":
            self.answer(b"", "image/x-icon")
            return
        words = path.startswith("/locales/")
        folder = resource_dir("locales" if words else "webui")
        name = PAGES.get(path) or path.removeprefix("/locales/").lstrip("/")
        found = Path(folder, name)
        self.answer(found.read_bytes(), TYPES[found.suffix])

    def stream(self, encoded: Callable[[wire.Update], bytes]) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Cache-Control", "no-store")
        self.send_header("Connection", "close")
        self.end_headers()
        sent = max(0, len(self.on.updates) - 1)
        while not (self.on.silent or self.on.over):
            with self.on.changed:
                if sent == len(self.on.updates):
                    self.on.changed.wait(5)
                fresh = self.on.updates[sent:]
            for each in fresh:  # none is skipped, however busy the machine is
                self.wfile.write(b"data: " + encoded(each) + b"\n\n")
                self.wfile.flush()
            sent += len(fresh)
        self.close_connection = True

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", "0")))
        scene = self.on.scene
        assert scene is not None
        if self.on.silent:
            self.close_connection = True
            return
        if self.path == "/api/preview":
            form = msgspec.json.decode(body, type=requests.PreviewRequest)
            position = scene.evening.table.snapshot().state.position
            assert position is not None
            found = preview_answer(position, form.faces, form.order, form.rethrown)
            if form.why:
                found = with_reasons(found, position, form.faces, form.order, form.rethrown)
            self.json(found)
        elif self.path == "/api/forgotten":
            wanted = msgspec.json.decode(body, type=requests.ForgottenRequest)
            self.json(self.on.book.act(wanted))
        elif self.path in {"/api/keeps", "/api/coach"}:
            form = msgspec.json.decode(body, type=requests.PreviewRequest)
            self.json(advice_on(scene.evening.table, self.path, form))
        elif self.path == "/api/commands" and scene.conflict is not None:
            error = wire.Words(key="error.stale")
            update, conflict = scene.update, scene.conflict
            self.json(requests.ErrorAnswer(error=error, update=update, conflict=conflict), 409)
        elif self.path == "/api/commands" and self.on.refusing is not None:
            self.json(requests.ErrorAnswer(error=wire.Words(key=self.on.refusing)), 400)
        else:
            with self.on.changed:
                command = msgspec.json.decode(body) if body[:1] == b"{" else self.path
                self.on.commands.append(command)
                self.on.changed.notify_all()
            done = requests.Done(rev=scene.update.view.rev)
            self.json(done if self.path == "/api/commands" else self.on.update)
