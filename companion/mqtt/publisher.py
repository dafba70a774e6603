"""Publishes one table to the broker, and takes the presses of buttons that come from there."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping
from contextlib import suppress
from threading import Semaphore

import msgspec

from companion.mqtt.home.buttons import press
from companion.mqtt.home.discovery import Press, Topics, discovery, discovery_topic
from companion.mqtt.home.state import home_state
from companion.mqtt.link import Link, Patience
from companion.mqtt.messages import ONLINE, Begin, Heard, LinkState
from companion.mqtt.settings import MqttSettings
from companion.service.app_state import AppState
from companion.service.workers import Workers
from companion.table import RefusedError

Report = Callable[..., None]
"""Called with the key of a sentence and its parameters when the connection comes or goes."""
WAITING = 4
"""Presses that wait while one is worked on; more are dropped."""


class Publisher:
    """One table at one broker. Everything but the presses is read from the newest view."""

    def __init__(
        self,
        app_state: AppState,
        settings: MqttSettings,
        report: Report,
        patience: Patience | None = None,
    ) -> None:
        self._app_state, self._settings, self._report = app_state, settings, report
        self._topics = Topics(settings.base)
        self._workers = Workers("presses", 1)
        self._room = Semaphore(WAITING)
        self._said = ""
        self.link = Link(self._begin(), self._compose, self._heard, self._reported, patience)
        app_state.hub.subscribe(self.link.wake)

    def close(self) -> None:
        """Say at the broker that the table is gone, and disconnect."""
        self.link.close()
        self._workers.shutdown()

    def _begin(self) -> Begin:
        broker, file = self._settings.broker, self._settings.file
        home = file.home_assistant
        return Begin(
            host=broker.host,
            port=broker.port,
            tls=broker.tls,
            client=f"{self._settings.table[:32]}-{secrets.token_hex(4)}",
            status=self._topics.status,
            user=broker.user,
            password=broker.password,
            ca_file=broker.ca_file,
            hear=(self._topics.press,) if home else (),
            birth=f"{file.discovery}/status" if home else None,
        )

    def _compose(self) -> Mapping[str, bytes]:
        """Return what the broker is to retain now, by topic."""
        file, table = self._settings.file, self._settings.table
        kept: dict[str, bytes] = {}
        if file.home_assistant:
            found = discovery(
                self._topics, table, file.title, self._app_state.base_url, file.language
            )
            kept[discovery_topic(file.discovery, table)] = msgspec.json.encode(found)
            state = home_state(self._app_state.hub.newest.numbered.view, file.names, file.language)
            kept[self._topics.state] = msgspec.json.encode(state)
        return kept

    def _heard(self, message: Heard) -> None:
        """Start what a button asks for; anything else is dropped."""
        try:
            button = Press(message.payload.decode())
        except ValueError:
            return
        if self._room.acquire(blocking=False):
            self._workers.submit(self._press, button)

    def _press(self, button: Press) -> None:
        try:
            with suppress(RefusedError):  # a phone was quicker by a moment
                press(self._app_state, button)
        finally:
            self._room.release()

    def _reported(self, state: LinkState) -> None:
        """Report how the connection is, once for each change."""
        said = ONLINE.decode() if state.connected else state.reason
        if said == self._said:
            return
        self._said = said
        broker = self._settings.broker
        if state.connected:
            self._report("mqtt.connected", host=broker.host, port=broker.port)
        else:
            self._report("mqtt.lost", host=broker.host, port=broker.port, reason=state.reason[:200])
