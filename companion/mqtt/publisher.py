"""Publishes one table to the broker, and takes the presses of buttons that come from there.

Of statuses the newest alone is sent, of sentences each, all by a thread of its own: the table waits
neither for it nor for the broker.
"""

from __future__ import annotations

import logging
import secrets
import threading
import time
from contextlib import suppress
from typing import Any, Final

import msgspec
from msgspec.structs import replace
from paho.mqtt.reasoncodes import ReasonCode

from companion.mqtt.client import OFFLINE, ONLINE, Link, Report
from companion.mqtt.discovery import Press, discovery_message, discovery_topic
from companion.mqtt.messages import Said, Speaker, table_status
from companion.mqtt.settings import MqttSettings
from companion.service import wire
from companion.service.app_state import AppState
from companion.service.people.rights import check_may_send
from companion.table import HOME, RefusedError, Submission, Undone, undoable

TITLE: Final = "Monster Table"
"""What a table without a title is called."""
APART_S: Final = 0.1
"""The least time between two looks at what has changed."""
SENT_S: Final = 90.0
"""Longest wait for the network to take a message; paho notices sooner that it is gone."""
LAST_S: Final = 0.5
"""For the last message when the service stops."""
LONGEST_HEARD: Final = 1024
"""Bytes of a message from the broker, with its topic."""
PRESSES_APART_S: Final = 0.3
LOOK_S: Final = 0.5
"""How often to look whether an act has settled, and whether somebody is there to hear it."""
UNSAID_S: Final = 600.0
"""How long a sentence waits for the broker, and for somebody to hear it."""
NOBODY_THERE: Final = 0x10
"""What a broker of MQTT 5 answers if nobody has subscribed, as after its own restart."""
_LOG: Final = logging.getLogger(__name__)
HOME_ASSISTANT: Final = wire.You(role=wire.Role.PLAYER)
"""A player without a seat: it cannot take back the start of a game, nor choose for the host."""


class Publisher:
    """One table at one broker, as long as it is not closed."""

    def __init__(self, app_state: AppState, settings: MqttSettings, report: Report) -> None:
        self._app_state, self.settings = app_state, settings
        self._status = settings.topic("status")
        self._sent: dict[str, bytes] = {}
        """What the broker holds, by topic; another one for each connection."""
        self._speaker = Speaker(settings.file, app_state.table.snapshot())
        self._unsaid: list[tuple[float, Said]] = []
        """Sentences to send, oldest first, each with the time when it had settled."""
        self._sent_id: int | None = None
        """The message that holds the first of them; 0 while it is handed over."""
        self._answers: dict[int, bool] = {}
        """Whether somebody was there to hear a message, by its id."""
        self._pressed_at = -PRESSES_APART_S
        self._is_due, self._closed = threading.Event(), threading.Event()
        self._worker = threading.Thread(target=self._work, name="mqtt", daemon=True)
        press = (settings.topic("press"),) if settings.file.home_assistant else ()
        topics, kind = (self._status, *press), settings.table[:32]
        self.link = Link(kind, settings.broker, topics, self._heard, self._begin_again, report)
        self.link.client.will_set(self._status, OFFLINE, qos=1, retain=True)
        self.link.client.on_publish = self._answered
        self.link.start(LONGEST_HEARD)
        self._wake()
        self._worker.start()
        app_state.hub.subscribe(self._wake)

    def close(self) -> None:
        """Say at the broker that the table is gone, and disconnect: within two seconds."""
        self._closed.set()
        self._wake()
        self._worker.join(LAST_S)
        client = self.link.client
        if client.is_connected():
            with suppress(RuntimeError, ValueError):
                client.publish(self._status, OFFLINE, retain=True).wait_for_publish(LAST_S)
        client.on_publish = None
        self.link.close()

    def _wake(self) -> None:
        """Have what changed published soon; from any thread, without waiting."""
        self._is_due.set()

    def _work(self) -> None:
        """Follow the table until it is closed; while something is unsaid, also without a change."""
        while True:
            self._is_due.wait(LOOK_S if self._speaker.waiting or self._unsaid else None)
            self._is_due.clear()
            if self._closed.is_set():
                return
            try:
                self._follow()
            except Exception:
                _LOG.exception("the table could not be published")
            self._closed.wait(APART_S)

    def _follow(self) -> None:
        """Publish what has changed."""
        self.link.revive()
        wanted = self._wanted()
        with suppress(RuntimeError, ValueError):  # lost: all is sent at the next connection
            self._publish(wanted)
        self._speak()

    def _publish(self, wanted: dict[str, bytes]) -> None:
        """Send what the broker does not hold yet, one message after the other."""
        sent = self._sent
        for topic, payload in wanted.items():
            if self._closed.is_set() or not self.link.client.is_connected():
                return
            if sent.get(topic) != payload:
                message = self.link.client.publish(topic, payload, retain=True)
                message.wait_for_publish(SENT_S)
                sent[topic] = payload

    def _speak(self) -> None:
        """Send the oldest sentence that has settled, and the next once somebody was there to hear
        it. While the connection is lost, paho keeps the one that is on its way.
        """
        now, client, table = time.monotonic(), self.link.client, self._app_state.table
        snapshots = [table.snapshot()]
        if (left := self._speaker.game) != snapshots[0].game_id:
            with suppress(RefusedError):  # it cannot be read
                snapshots.insert(0, table.snapshot_of(left))
        for one in snapshots:
            self._unsaid += ((now, said) for said in self._speaker.hear(one))
        if self._sent_id is not None:
            is_heard = self._answers.pop(self._sent_id, None)
            if is_heard is None:
                return
            self._sent_id = None
            if not is_heard:
                return
            del self._unsaid[0]
        while self._unsaid and now - self._unsaid[0][0] > UNSAID_S:
            del self._unsaid[0]
        if self._unsaid and client.is_connected():
            since, said = self._unsaid[0]
            payload = msgspec.json.encode(replace(said, late_s=int(now - since)))
            self._answers.clear()
            self._sent_id = 0
            self._sent_id = client.publish(self.settings.topic("said"), payload, qos=1).mid

    def _wanted(self) -> dict[str, bytes]:
        """Return what the broker is to retain of each topic; that the table is there comes last."""
        settings, address = self.settings, self._app_state.base_url
        title = self._app_state.settings.title or TITLE
        view = self._app_state.hub.newest.numbered.view
        status = table_status(view, settings.file, title, address)
        device = (
            discovery_message(settings, title, address) if settings.file.home_assistant else None
        )
        return {
            discovery_topic(settings): msgspec.json.encode(device) if device else b"",
            settings.topic("state"): msgspec.json.encode(status),
            self._status: ONLINE,
        }

    # -- called by paho, on its own thread ------------------------------------------------------

    def _begin_again(self) -> None:
        self._sent = {}
        self._wake()

    def _answered(self, _: object, __: object, sent: int, code: ReasonCode, ___: Any) -> None:
        """Note what the broker has done with a message."""
        if self._sent_id is not None:
            self._answers[sent] = code.value != NOBODY_THERE
            self._wake()

    def _heard(self, topic: str, payload: bytes, retained: bool) -> None:
        """Do what was pressed; drop anything else, and what was retained or comes too fast."""
        now = time.monotonic()
        if retained:
            return
        if topic == self._status:
            if payload == ONLINE:
                self.link.say("mqtt.doubled")
            else:  # the last will of a connection from before a power cut
                self._begin_again()
        elif now - self._pressed_at >= PRESSES_APART_S:
            with suppress(ValueError, RefusedError):  # or a phone was quicker by a moment
                button, self._pressed_at = Press(payload.decode()), now
                press(self._app_state, button)


def press(app_state: AppState, button: Press) -> None:
    """Do what the button says, as a phone's command; RefusedError if the table does not allow it.
    A reading stays a proposal.
    """
    if button is Press.READ_AGAIN:
        app_state.tray.read_again()
        return
    snapshot = app_state.table.snapshot()
    entry = undoable(snapshot)
    if entry is not None:
        events, command_id = (Undone(entry.seq),), f"{HOME}-{secrets.token_hex(8)}"
        check_may_send(HOME_ASSISTANT, events, snapshot)
        command = Submission(command_id, snapshot.rev, events, HOME, snapshot.game_id)
        app_state.table.submit(command)
