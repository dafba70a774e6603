"""A hub that serves its page on a loopback port."""

from __future__ import annotations

import http.client
import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from companion.mqtt.hub.run import Hub
from companion.mqtt.settings import read_settings
from companion.service.http.server_options import listening_socket
from companion.service.settings import Limits
from tests.mqtt.broker import Broker
from tests.waiting import WITHIN_S

Json = dict[str, Any]


@dataclass
class Served:
    """A running hub."""

    port: int
    hub: Hub

    def get(self, path: str, host: str = "127.0.0.1", method: str = "GET") -> tuple[int, bytes]:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=WITHIN_S)
        connection.request(method, path, headers={"Host": host})
        answer = connection.getresponse()
        body = answer.read()
        connection.close()
        return answer.status, body

    def view(self) -> Json:
        status, body = self.get("/api/hub")
        assert status == 200
        found: Json = json.loads(body)
        return found

    def table(self, name: str = "window") -> Json:
        """The table's line; empty where the hub has none."""
        return next((one for one in self.view()["tables"] if one["name"] == name), {})

    def until(self, true: Callable[[Json], object]) -> Json:
        """Read the stream until this is true of all that it has brought so far."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=WITHIN_S)
        connection.request("GET", "/api/hub/stream", headers={"Host": "127.0.0.1"})
        answer = connection.getresponse()
        seen: Json = {"tables": {}, "results": [], "standings": []}
        deadline = time.monotonic() + WITHIN_S  # its beat keeps the stream open for ever
        try:
            for line in answer:
                if time.monotonic() > deadline:
                    break
                if line.startswith(b"data: "):
                    change = json.loads(line.removeprefix(b"data: "))
                    seen["tables"] |= {one["name"]: one for one in change.pop("tables")}
                    seen |= {key: value for key, value in change.items() if value is not None}
                    if true(seen):
                        return seen
        finally:
            connection.close()
        raise AssertionError(f"it did not come, or the stream ended: {seen}")


@contextmanager
def serving_hub(folder: Path, broker: Broker) -> Iterator[Served]:
    folder.mkdir(exist_ok=True)
    path = folder / "hub.toml"
    path.write_text(f'broker = "mqtt://127.0.0.1:{broker.port}"')
    limits = Limits()
    sock = listening_socket("127.0.0.1", 0, limits)
    hub = Hub(read_settings(path, folder), folder / "hub", limits, lambda *_, **__: None)
    ready = threading.Event()
    thread = threading.Thread(target=hub.run, args=(sock, ready.set), daemon=True)
    thread.start()
    assert ready.wait(WITHIN_S)
    try:
        yield Served(sock.getsockname()[1], hub)
    finally:
        hub.stop()
        thread.join(WITHIN_S)
        assert not thread.is_alive()
