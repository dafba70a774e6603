"""Several tables that really run, each in a process of its own, and phones at them."""

from __future__ import annotations

import asyncio
import http.client
import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import msgspec

from companion.cli.tables.serving import ManyTables
from companion.service import wire
from companion.service.http.server_options import listening_socket
from companion.service.machine.manager import ServiceManager
from companion.service.machine.starts import Starts
from companion.service.settings import Settings
from companion.tables import TableSettings
from companion.tables.kept import Joining, KeepPatience, KeptTable
from companion.tables.settings import add_table
from tests.ports import free_port, free_ports
from tests.waiting import WITHIN_S

Json = dict[str, Any]
Answer = tuple[int, bytes]
POLL_S = 0.05
SOON = KeepPatience(again_s=0.01, end_s=WITHIN_S, look_s=0.05)


def name_tables(root: Path, **cameras: str) -> None:
    """Write the file of tables, each with its camera, on free ports."""
    for port, (name, camera) in zip(free_ports(len(cameras)), cameras.items(), strict=True):
        add_table(root, TableSettings(name=name, port=port, camera=camera))


@dataclass
class Running:
    """All tables of one machine while they run."""

    many: ManyTables
    port: int
    pause: threading.Event = field(default_factory=threading.Event)
    """Never set: the tables need the processor while a test waits for them."""

    def kept(self, name: str) -> KeptTable:
        return self.many.supervisor.kept[name]

    def joining(self, name: str) -> Joining:
        """Return how phones join a table, once it is open."""
        found: list[Joining] = []

        def is_open() -> bool:
            kept = self.many.supervisor.kept.get(name)
            if kept is not None and kept.joining is not None:
                found.append(kept.joining)
            return bool(found)

        self.until(is_open)
        return found[-1]

    def until(self, holds: Callable[[], bool]) -> None:
        """Wait until something holds; meanwhile the front page answers all the time."""
        by = time.monotonic() + WITHIN_S
        while not holds():
            assert time.monotonic() < by, self.front()
            assert fetch(self.port, "/state")[0] == 200
            self.pause.wait(POLL_S)

    def front(self) -> str:
        return fetch(self.port, "/")[1].decode()

    def pid(self, name: str) -> int:
        pid = self.kept(name).pid
        assert pid is not None
        return pid


@contextmanager
def running(root: Path, runtime: Path, *, hotspot: bool = False) -> Iterator[Running]:
    """Run all tables of this folder for as long as the block lasts."""
    settings = Settings(data=root, host="127.0.0.1", port=free_port(), hotspot=hotspot)
    sock = listening_socket(settings.host, settings.port, settings.limits)
    many = ManyTables(settings, runtime, patience=SOON)
    thread = threading.Thread(
        target=lambda: asyncio.run(many.serve(sock, ServiceManager(), Starts(root)))
    )
    thread.start()
    found = Running(many, settings.port)
    try:
        found.until(lambda: True)
        yield found
    finally:
        many.front.stop()
        thread.join(WITHIN_S)
        assert not thread.is_alive()


def fetch(port: int, path: str, **headers: str) -> Answer:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=WITHIN_S)
    with closing(connection):
        connection.request("GET", path, None, headers)
        answer = connection.getresponse()
        return answer.status, answer.read()


@dataclass
class Person:
    """One browser: it keeps cookies by the name of the machine, whatever the port, as all do."""

    cookies: dict[str, str] = field(default_factory=dict)

    @property
    def cookie(self) -> str:
        return "; ".join(f"{name}={value}" for name, value in self.cookies.items())

    def ask(self, url: str, path: str, body: object = None, origin: str = "") -> Answer:
        """Send one request to a table."""
        headers = {"Cookie": self.cookie, "X-Monster-Table": "1"}
        if body is not None:
            headers |= {"Origin": origin or url, "Content-Type": "application/json"}
        port = urlsplit(url).port
        assert port is not None
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=WITHIN_S)
        with closing(connection):
            method = "GET" if body is None else "POST"
            connection.request(method, path, None if body is None else json.dumps(body), headers)
            answer = connection.getresponse()
            cookie = answer.getheader("Set-Cookie")
            if cookie:
                name, _, value = cookie.partition(";")[0].partition("=")
                self.cookies[name] = value
            return answer.status, answer.read()

    def join(self, joining: Joining) -> None:
        """Scan the QR code of a table."""
        url, _, token = joining.join.partition("/j#")
        status, answer = self.ask(url, "/api/join", {"token": token})
        assert status == 200, answer

    def view(self, url: str) -> wire.View:
        return self.update(url).view

    def update(self, url: str) -> wire.Update:
        status, answer = self.ask(url, "/api/state")
        assert status == 200, answer
        return msgspec.json.decode(answer, type=wire.Update)

    def say(self, url: str, command_id: str, *events: Json) -> int:
        rev = self.view(url).rev
        body = {"command_id": command_id, "base_rev": rev, "events": events}
        status, answer = self.ask(url, "/api/commands", body)
        assert status == 200, answer
        return int(json.loads(answer)["rev"])

    @contextmanager
    def stream(self, url: str) -> Iterator[Iterator[bytes]]:
        """Open a table's stream, and give its messages undecoded."""
        port = urlsplit(url).port
        assert port is not None
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=WITHIN_S)
        with closing(connection):
            connection.request("GET", "/api/stream", None, {"Cookie": self.cookie})
            answer = connection.getresponse()
            assert answer.status == 200
            yield (line[6:] for line in iter(answer.readline, b"") if line.startswith(b'data: {"'))
