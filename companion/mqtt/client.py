"""The connection to a broker, which comes back by itself."""

from __future__ import annotations

import logging
import secrets
import ssl
import sys
import threading
from collections.abc import Callable
from typing import Any, Final

import paho.mqtt.client as paho
from paho.mqtt.enums import CallbackAPIVersion, MQTTProtocolVersion
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties
from paho.mqtt.reasoncodes import ReasonCode
from paho.mqtt.subscribeoptions import SubscribeOptions

from companion.mqtt.settings import Broker

CONNECT_S: Final = 5.0
KEEP_ALIVE_S: Final = 30
LONGEST_WAIT_S: Final = 60
"""Between two attempts to connect."""
END_S: Final = 0.5
"""Longest time for the end of paho's thread; it may wait for the network."""
LONGEST_REASON: Final = 200
ONLINE: Final = b"online"
OFFLINE: Final = b"offline"
"""What a table says of itself, and the broker says when the table is gone."""
_LOG: Final = logging.getLogger(__name__)
Heard = Callable[[str, bytes, bool], None]
"""Called with a message's topic and content, and whether the broker had retained it."""
Report = Callable[..., None]
"""Called with the key of a sentence and its parameters when the connection comes or goes."""


def new_client(kind: str, broker: Broker) -> paho.Client:
    """Return a client before it connects; the broker's log shows its `kind`."""
    client = paho.Client(
        CallbackAPIVersion.VERSION2,
        client_id=f"monster-{kind}-{secrets.token_hex(4)}",
        protocol=MQTTProtocolVersion.MQTTv5,
    )
    if broker.user is not None:
        client.username_pw_set(broker.user, broker.password)
    if broker.tls:
        client.tls_set_context(ssl.create_default_context(cafile=broker.ca_file))
    client.connect_timeout = CONNECT_S
    client.reconnect_delay_set(1, LONGEST_WAIT_S)
    return client


class Link:
    """One client of the broker. `heard` gets what others publish on `topics`, `connected` is
    called at each new connection: both by paho's thread.
    """

    def __init__(
        self,
        kind: str,
        broker: Broker,
        topics: tuple[str, ...],
        heard: Heard,
        connected: Callable[[], None],
        report: Report,
    ) -> None:
        self._broker, self._topics = broker, topics
        self._connected, self._report = connected, report
        self._said, self._ended = "", False
        self.client = new_client(kind, broker)
        self.client.enable_logger(_LOG)
        self.client.suppress_exceptions = True  # of callbacks; they are logged
        self.client.on_message = lambda _, __, one: heard(one.topic, bytes(one.payload), one.retain)
        self.client.on_connect = self._on_connect
        self.client.on_connect_fail = self._on_connect_fail
        self.client.on_disconnect = self._on_disconnect

    def start(self, longest: int) -> None:
        """Connect soon. The broker then sends no message of more than `longest` bytes, not even one
        that it retains: MQTT 5 asks that of it.
        """
        bounds = Properties(PacketTypes.CONNECT)  # type: ignore[no-untyped-call]
        bounds.MaximumPacketSize = longest
        broker = self._broker
        self.client.connect_async(broker.host, broker.port, KEEP_ALIVE_S, properties=bounds)
        self.revive()

    def revive(self) -> None:
        """Start paho's thread, unless it runs: what a broker sends against all rules ends it."""
        if not self._ended:
            self.client.loop_start()

    def close(self) -> None:
        """Disconnect."""
        self._ended = True
        self.client.disable_logger()
        self.client.disconnect()
        ending = threading.Thread(target=self.client.loop_stop, daemon=True)
        ending.start()
        ending.join(END_S)
        # Without a cycle the client closes its sockets itself.
        self.client.on_message = self.client.on_connect = None
        self.client.on_connect_fail = self.client.on_disconnect = None

    def say(self, key: str, reason: str = "") -> None:
        """Report how it is, once for each change."""
        if self._said != key + reason:
            self._said = key + reason
            host, port = self._broker.host, self._broker.port
            self._report(key, host=host, port=port, reason=reason[:LONGEST_REASON])

    def _on_connect(self, _: object, __: object, ___: object, code: ReasonCode, *____: Any) -> None:
        if code.is_failure:
            self.say("mqtt.lost", str(code))
            return
        of_others = SubscribeOptions(noLocal=True)
        self.client.subscribe([(topic, of_others) for topic in self._topics])
        self.say("mqtt.connected")
        self._connected()

    def _on_connect_fail(self, *_: Any) -> None:
        self.say("mqtt.lost", str(sys.exception() or ""))

    def _on_disconnect(
        self, _: object, __: object, ___: object, code: ReasonCode, *____: Any
    ) -> None:
        if code.is_failure:
            self.say("mqtt.lost", str(code))
