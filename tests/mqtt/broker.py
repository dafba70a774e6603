"""Debian's mosquitto on a loopback port of its own, and a client that reads what it holds."""

from __future__ import annotations

import json
import shutil
import socket
import subprocess
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import paho.mqtt.client as paho
from paho.mqtt import publish
from paho.mqtt.enums import CallbackAPIVersion

from tests.ports import free_port
from tests.waiting import WITHIN_S

Json = dict[str, Any]


def mosquitto() -> str:
    """The broker's program, which Debian puts where only root looks."""
    found = shutil.which("mosquitto") or shutil.which("mosquitto", path="/usr/sbin")
    assert found, "the tests need a broker: make mosquitto"
    return found


@dataclass
class Broker:
    """One broker that can be killed and started again on the same port."""

    folder: Path
    more: tuple[str, ...] = ()
    """Further lines of its settings."""
    anonymous: bool = True
    port: int = field(default_factory=free_port)
    process: subprocess.Popen[bytes] | None = None

    def __post_init__(self) -> None:
        self.folder.mkdir(exist_ok=True)

    def start(self) -> None:
        settings = self.folder / "mosquitto.conf"
        lines = (
            f"listener {self.port} 127.0.0.1",
            f"allow_anonymous {str(self.anonymous).lower()}",
            *self.more,
        )
        settings.write_text("\n".join(("persistence false", "user root", *lines)) + "\n")
        self.process = subprocess.Popen(
            [mosquitto(), "-c", str(settings)],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        reachable(self.port)

    def kill(self) -> None:
        """End it at once, as a power cut does: what it retained is gone."""
        assert self.process is not None
        self.process.kill()
        self.process.wait(WITHIN_S)
        self.process = None

    def retain(self, topic: str, payload: bytes) -> None:
        """Have it retain a message, and wait until it does."""
        publish.single(topic, payload, qos=1, retain=True, hostname="127.0.0.1", port=self.port)

    @contextmanager
    def running(self) -> Iterator[Broker]:
        self.start()
        try:
            yield self
        finally:
            if self.process is not None:
                self.kill()


def certificates(folder: Path, name: str) -> None:
    """Make a certificate for `name` that vouches for itself."""
    subprocess.run(
        [
            "openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2",
            "-subj", f"/CN={name}", "-addext", f"subjectAltName=DNS:{name}",
            "-keyout", folder / "key.pem", "-out", folder / "cert.pem",
        ],
        check=True, capture_output=True,
    )  # fmt: skip


def reachable(port: int) -> None:
    """Wait until something listens there."""
    pause, tries = threading.Event(), 0
    while True:
        tries += 1
        try:
            socket.create_connection(("127.0.0.1", port), WITHIN_S).close()
        except OSError:
            assert tries < WITHIN_S * 20, "it does not start"
            pause.wait(0.05)
        else:
            return


class Watcher:
    """A client as Home Assistant is one: it keeps the newest content of every topic."""

    def __init__(self, broker: Broker, name: str) -> None:
        self.topics: dict[str, str] = {}
        self.retained: set[str] = set()
        """Topics whose newest content came from the broker's store."""
        self.count: dict[str, int] = {}
        self.said: list[Json] = []
        """All sentences that came, in order."""
        self._changed = threading.Condition()
        self.client = paho.Client(CallbackAPIVersion.VERSION2, client_id=name)
        self.client.reconnect_delay_set(1, 1)
        self.client.on_message = self._on_message
        self.client.on_connect = self._on_connect
        self.client.connect("127.0.0.1", broker.port)
        self.client.loop_start()

    def _on_connect(self, *_: Any) -> None:
        self.client.subscribe("#")

    def _on_message(self, _: object, __: object, message: paho.MQTTMessage) -> None:
        with self._changed:
            self.topics[message.topic] = message.payload.decode()
            self.count[message.topic] = self.count.get(message.topic, 0) + 1
            if message.topic.endswith("/said"):
                self.said.append(json.loads(message.payload))
            if message.retain:
                self.retained.add(message.topic)
            else:
                self.retained.discard(message.topic)
            self._changed.notify_all()

    def until(self, true: Callable[[Watcher], object]) -> None:
        """Wait until this is true of what the broker holds."""
        with self._changed:
            assert self._changed.wait_for(lambda: true(self), WITHIN_S), self.topics

    def json(self, topic: str) -> Json:
        found: Json = json.loads(self.topics.get(topic) or "{}")
        return found

    def say(self, topic: str, payload: str, *, retain: bool = False) -> None:
        self.client.publish(topic, payload, retain=retain).wait_for_publish(WITHIN_S)

    def close(self) -> None:
        self.client.disconnect()
        self.client.loop_stop()
        # Without a cycle the client closes its sockets itself.
        self.client.on_message = self.client.on_connect = None


@contextmanager
def watching(broker: Broker, name: str = "home-assistant") -> Iterator[Watcher]:
    watcher = Watcher(broker, name)
    try:
        yield watcher
    finally:
        watcher.close()
