"""Publishes one table to the broker, and takes the presses of buttons that come from there."""

from __future__ import annotations

import secrets
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from threading import Semaphore
from typing import Final

import msgspec

from companion.mqtt.home.buttons import press
from companion.mqtt.home.discovery import Press, discovery, discovery_topic
from companion.mqtt.home.state import home_state
from companion.mqtt.link import Link, Patience
from companion.mqtt.messages import ONLINE, Begin, Heard, LinkState, Outgoing, Send
from companion.mqtt.retained import RetainedTopics
from companion.mqtt.settings import MqttSettings
from companion.mqtt.tables.card import table_card
from companion.mqtt.tables.forms import Ask
from companion.mqtt.tables.rows import PublishedRows
from companion.mqtt.topics import Topics
from companion.service.app_state import AppState
from companion.service.wire import View
from companion.service.workers import Workers
from companion.table import RefusedError

_ASK: Final = msgspec.json.Decoder(Ask)
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
        self._rows = PublishedRows(app_state.log, settings.file.names)
        self._asked: deque[Ask] = deque(maxlen=WAITING)
        self._retained = RetainedTopics(app_state.settings.data, self._used())
        self.link = Link(
            self._begin(),
            self._compose,
            self._heard,
            self._reported,
            self._retained.forget,
            patience,
        )
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
            hear=tuple(
                topic
                for topic, on in ((self._topics.press, home), (self._topics.ask, file.hub))
                if on
            ),
            birth=f"{file.discovery}/status" if home else None,
        )

    def _used(self) -> frozenset[str]:
        """Return the topics of which the broker retains something, by the settings."""
        file, topics = self._settings.file, self._topics
        config = discovery_topic(file.discovery, self._settings.table)
        home = (config, topics.state) if file.home_assistant else ()
        return frozenset((topics.status, *home, *((topics.card,) if file.hub else ())))

    def _compose(self) -> Outgoing:
        """Return what the broker is to hold now, and the rows that came or were asked for."""
        file, view = self._settings.file, self._app_state.hub.newest.numbered.view
        keep = self._for_home(view) if file.home_assistant else {}
        sends = self._for_hubs(view, keep) if file.hub else ()
        return Outgoing(keep, sends, self._retained.unused)

    def _for_home(self, view: View) -> dict[str, bytes]:
        file, table = self._settings.file, self._settings.table
        found = discovery(
            self._topics, table, self._settings.title, self._app_state.base_url, file.language
        )
        return {
            discovery_topic(file.discovery, table): msgspec.json.encode(found),
            self._topics.state: msgspec.json.encode(home_state(view, file.names, file.language)),
        }

    def _for_hubs(self, view: View, keep: dict[str, bytes]) -> tuple[Send, ...]:
        """Put the card among what is kept, and return the pages of rows to send before it."""
        file, topics = self._settings.file, self._topics
        pages = list(self._rows.follow(self._app_state.table.snapshot()))
        card = table_card(
            view,
            self._rows,
            title=self._settings.title,
            address=self._app_state.base_url,
            names=file.names,
        )
        if card is not None:
            keep[topics.card] = msgspec.json.encode(card)
        sends = [Send(topics.rows, msgspec.json.encode(page)) for page in pages]
        while self._asked:
            ask = self._asked.popleft()
            if ask.log is None:
                sends.append(Send(topics.games, msgspec.json.encode(self._rows.games(ask.first))))
            elif (page := self._rows.page(ask.log, ask.first)) is not None:
                sends.append(Send(topics.rows, msgspec.json.encode(page)))
        return tuple(sends)

    def _heard(self, message: Heard) -> None:
        """Start what a button or a hub asks for; anything else is dropped."""
        if message.topic == self._topics.ask:
            with suppress(msgspec.MsgspecError):
                self._asked.append(_ASK.decode(message.payload))
                self.link.wake()
            return
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
