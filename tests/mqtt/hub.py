"""A hub that serves its page on a loopback port."""

from __future__ import annotations

import http.client
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from companion.mqtt.hub import Hub
from companion.mqtt.settings import read_settings
from companion.service.http.server import listening_socket
from companion.service.settings import Limits
from tests.mqtt.broker import Broker
from tests.waiting import WITHIN_S


@dataclass
class Served:
    """A running hub."""

    port: int

    def get(
        self, path: str = "/", host: str = "127.0.0.1", method: str = "GET", language: str = "en"
    ) -> tuple[int, str]:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=WITHIN_S)
        headers = {"Host": host, "Accept-Language": language}
        connection.request(method, path, headers=headers)
        answer = connection.getresponse()
        body = answer.read().decode(errors="replace")
        connection.close()
        return answer.status, body

    def until(self, true: Callable[[str], object]) -> str:
        """Ask for the page until this is true of it."""
        pause, deadline = threading.Event(), time.monotonic() + WITHIN_S
        while not true(page := self.get()[1]):
            assert time.monotonic() < deadline, page
            pause.wait(0.05)
        return page


@contextmanager
def serving_hub(folder: Path, broker: Broker) -> Iterator[Served]:
    path = folder / "hub.toml"
    path.write_text(f'broker = "mqtt://127.0.0.1:{broker.port}"')
    sock = listening_socket("127.0.0.1", 0, Limits())
    hub = Hub(read_settings(path, folder), lambda *_, **__: None)
    ready = threading.Event()
    thread = threading.Thread(target=hub.run, args=(sock, ready.set), daemon=True)
    thread.start()
    assert ready.wait(WITHIN_S)
    try:
        yield Served(sock.getsockname()[1])
    finally:
        hub.stop()
        thread.join(WITHIN_S)
        assert not thread.is_alive()
