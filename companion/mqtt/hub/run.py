"""One running hub: its store, its connection to the broker, its page."""

from __future__ import annotations

import socket
from collections.abc import Callable
from pathlib import Path

from companion.mqtt.hub.client import HubClient
from companion.mqtt.hub.collector import Collector
from companion.mqtt.hub.store import HubStore
from companion.mqtt.hub.web import HubApp, HubServer
from companion.mqtt.settings import MqttSettings
from companion.service.http.connections import Connections
from companion.service.settings import Limits

Report = Callable[..., None]
"""Called with the key of a sentence and its parameters when the connection comes or goes."""


class Hub:
    """The hub of all tables whose topics begin as the settings say. Raises OSError where its file
    cannot be written, DataInUseError where another hub writes it.
    """

    def __init__(self, settings: MqttSettings, data: Path, limits: Limits, report: Report) -> None:
        self._settings, self._report = settings, report
        self._store = HubStore(data)
        connections = Connections(limits)
        self._collector = Collector(self._store, self._ask, self._changed)
        self._app = HubApp(self._collector, connections)
        self._server = HubServer(self._app, connections, limits)
        self._client = HubClient(
            settings.broker, settings.file.topic, self._collector.hear, self._connected
        )
        self._said = ""

    def run(self, sock: socket.socket, ready: Callable[[], None]) -> None:
        """Serve on the socket until a signal, or `stop`, ends it."""
        self._client.start()
        try:
            self._server.run(sock, ready)
        finally:
            self._client.close()
            self._collector.close()
            self._store.close()

    def stop(self) -> None:
        """Stop from another thread."""
        self._server.stop()

    def _ask(self, table: str, payload: bytes) -> None:
        self._client.ask(table, payload)

    def _changed(self) -> None:
        self._app.changed()

    def _connected(self, connected: bool, reason: str) -> None:
        self._collector.connected(connected)
        said = "mqtt.connected" if connected else "mqtt.lost"
        if said != self._said:
            broker, self._said = self._settings.broker, said
            self._report(said, host=broker.host, port=broker.port, reason=reason[:200])
