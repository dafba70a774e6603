"""The hub's own connection while a broker dies."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from companion.mqtt.hub.client import HubClient
from companion.mqtt.settings import read_settings
from tests.mqtt.broker import Broker
from tests.waiting import WITHIN_S

pytestmark = pytest.mark.broker


def test_asking_while_the_broker_dies_does_no_harm(tmp_path: Path, broker: Broker) -> None:
    path = tmp_path / "hub.toml"
    path.write_text(f'broker = "mqtt://127.0.0.1:{broker.port}"')
    failed: list[BaseException] = []
    connected, lost = threading.Event(), threading.Event()

    def changed(is_connected: bool, _: str) -> None:
        (connected if is_connected else lost).set()
        try:  # on a loss the client has no socket, and does not know it yet
            client.ask("window", b"{}")
            client.ask("window", b"{}")
        except (RuntimeError, ValueError) as failure:
            failed.append(failure)

    settings = read_settings(path, tmp_path)
    client = HubClient(settings.broker, "monster-table", lambda *_: None, changed)
    client.start()
    assert connected.wait(WITHIN_S)
    broker.kill()
    assert lost.wait(WITHIN_S)
    client.close()
    assert failed == []
