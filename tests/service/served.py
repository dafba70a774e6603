"""The real server on a loopback port of its own, in a thread."""

from __future__ import annotations

import http.client
import json
import socket
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import msgspec

from companion.service import wire
from companion.service.app import ROUTES, create_app
from companion.service.app_state import AppState
from companion.service.http.guard import Guard
from companion.service.http.server import DoorServer, listening_socket
from companion.service.settings import Settings
from companion.vision.sources.kinds import FrameSource
from tests.waiting import WITHIN_S, patient

Json = dict[str, Any]


@dataclass
class Served:
    """A running service."""

    app_state: AppState
    server: DoorServer
    thread: threading.Thread
    open: ExitStack = field(default_factory=ExitStack)
    """Sockets and files to close at the end."""

    @property
    def port(self) -> int:
        return self.app_state.settings.port

    def connect(self, source: str = "127.0.0.1") -> socket.socket:
        """Open a connection; `open` closes it at the end."""
        sock = socket.create_connection(
            ("127.0.0.1", self.port), timeout=WITHIN_S, source_address=(source, 0)
        )
        return self.open.enter_context(sock)

    def stop(self) -> None:
        self.server.should_exit = True
        self.thread.join(WITHIN_S)
        assert not self.thread.is_alive()


def loopback(folder: Path, **more: Any) -> Settings:
    """Settings for a service on a loopback port of its own."""
    return Settings(folder, **{"host": "127.0.0.1", "port": 0, **more})


@contextmanager
def serving(settings: Settings, camera: FrameSource | None = None) -> Iterator[Served]:
    """Run the service for as long as the block lasts; with `camera`, if one is given."""
    sock = listening_socket(settings.host, settings.port, settings.limits)
    app_state = AppState(replace(settings, port=sock.getsockname()[1], timeouts=patient()), camera)
    ready = threading.Event()
    guard = Guard(create_app(app_state), ROUTES, app_state, sock.connections)
    server = DoorServer(guard, sock.connections, ready.set, app_state.tick, app_state.hub)
    app_state.tray.start()
    thread = threading.Thread(target=server.run, args=([sock],), daemon=True)
    thread.start()
    assert ready.wait(WITHIN_S)
    served = Served(app_state, server, thread)
    try:
        yield served
    finally:
        served.open.close()
        served.stop()
        app_state.close()


def head_of(served: Served, method: str, path: str, *more: str) -> bytes:
    """The head of a request that our own page might send, its body still to come."""
    at = f"127.0.0.1:{served.port}"
    lines = [f"{method} {path} HTTP/1.1", f"Host: {at}", f"Origin: http://{at}"]
    lines += ["X-Monster-Table: 1", "Content-Type: application/json", *more]
    return "\r\n".join([*lines, "", ""]).encode()


@contextmanager
def stalled(served: Served) -> Iterator[None]:
    """Block writes to the log: another connection holds the lock of the database."""
    assert served.app_state.log._db is not None
    served.app_state.log._db.execute(f"PRAGMA busy_timeout={int(WITHIN_S * 1000)}")
    with closing(sqlite3.connect(served.app_state.log.path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        yield
        other.execute("ROLLBACK")


@dataclass
class Browser:
    """A browser over real HTTP, with its cookie."""

    served: Served
    cookie: str = ""
    source: str = "127.0.0.1"

    @property
    def origin(self) -> str:
        return f"http://127.0.0.1:{self.served.port}"

    def ask(self, method: str, path: str, body: object = None) -> tuple[int, Json]:
        headers = {}
        if body is not None:
            headers = {"Origin": self.origin, "Content-Type": "application/json"}
        encoded = json.dumps(body).encode() if body is not None else None
        status, content = self.send(method, path, headers, encoded)
        return status, json.loads(content or b"{}")

    def send(
        self, method: str, path: str, headers: dict[str, str], body: bytes | None
    ) -> tuple[int, bytes]:
        """Send one request with the cookie, and keep the cookie that the answer sets."""
        headers = {"Cookie": self.cookie, "X-Monster-Table": "1", **headers}
        connection = http.client.HTTPConnection("127.0.0.1", self.served.port, timeout=WITHIN_S)
        with closing(connection):
            connection.request(method, path, body, headers)
            answer = connection.getresponse()
            cookie = answer.getheader("Set-Cookie")
            if cookie:
                self.cookie = cookie.split(";")[0]
            return answer.status, answer.read()

    def view(self) -> wire.View:
        """Return what the browser sees now."""
        status, content = self.send("GET", "/api/state", {}, None)
        assert status == 200, content
        return msgspec.json.decode(content, type=wire.Update).view

    def join(self) -> Browser:
        token = self.served.app_state.browsers.invitation.terminal
        status, _ = self.ask("POST", "/api/join", {"token": token})
        assert status == 200
        return self

    def say(self, *events: Json, command_id: str) -> int:
        rev = self.served.app_state.table.snapshot().rev
        body = {"command_id": command_id, "base_rev": rev, "events": events}
        status, answer = self.ask("POST", "/api/commands", body)
        assert status == 200, answer
        return int(answer["rev"])

    def stream(self) -> Stream:
        return Stream(self)


@dataclass
class Message:
    """One message of a stream."""

    id: str = ""
    event: str = "message"
    data: str = ""

    def update(self) -> wire.Update:
        return msgspec.json.decode(self.data, type=wire.Update)


@dataclass
class Stream:
    """An open stream; iterating over it waits for the next message."""

    browser: Browser
    path: str = "/api/stream"
    sock: socket.socket = field(init=False)
    status: int = field(init=False)

    def __post_init__(self) -> None:
        self.sock = self.browser.served.connect(self.browser.source)
        head = (
            f"GET {self.path} HTTP/1.1\r\nHost: 127.0.0.1:{self.browser.served.port}\r\n"
            f"Cookie: {self.browser.cookie}\r\n\r\n"
        )
        self.sock.sendall(head.encode())
        self._lines = self.browser.served.open.enter_context(self.sock.makefile("rb"))
        self.status = int(self._lines.readline().split()[1])
        while self._lines.readline().strip():
            continue

    def __iter__(self) -> Iterator[Message]:
        message = Message()
        for raw in self._lines:
            line = raw.decode().rstrip("\r\n")
            name, _, value = line.partition(": ")
            match name:
                case "id":
                    message.id = value
                case "event":
                    message.event = value
                case "data":
                    message.data = value
                case "" if message.data:
                    yield message
                    message = Message()

    def next(self) -> Message:
        return next(iter(self))

    def until(self, rev: int) -> Message:
        """Return the first message with this revision or a later one."""
        return next(m for m in self if m.event == "message" and m.update().view.rev >= rev)

    def rest(self) -> list[str]:
        """Return the lines that name events still to come; the stream must end, not be cut off."""
        rest = []
        while (raw := self._lines.readline()) != b"0\r\n":  # the last chunk; no need to hang up
            assert raw, "the stream was cut off"
            rest.append(raw.decode().rstrip("\r\n"))
        assert self._lines.readline() == b"\r\n"
        return [line for line in rest if line.startswith("event: ")]

    def close(self) -> None:
        self._lines.close()
        self.sock.close()
