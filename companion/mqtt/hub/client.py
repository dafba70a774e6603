"""The hub's own connection to the broker: hears all tables, and asks them for rows."""

from __future__ import annotations

import re
import secrets
from collections.abc import Callable
from typing import Any, Final

import paho.mqtt.client as paho
from paho.mqtt.enums import MQTTProtocolVersion
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties
from paho.mqtt.reasoncodes import ReasonCode

from companion.mqtt.client import new_client, still_sending
from companion.mqtt.settings import Broker
from companion.mqtt.tables.forms import LONGEST

KINDS: Final = ("status", "card", "rows", "games")
NAME: Final = re.compile(r"[a-z0-9][a-z0-9_-]{0,79}")
KEEP_ALIVE_S: Final = 30
IN_FLIGHT: Final = 64
LONGEST_PACKET: Final = LONGEST + 1024
"""Bytes of a message with its topic; an MQTT 5 broker sends no longer one."""


class HubClient:
    """Calls `heard` with table, kind and payload, and `connected` when that changes, on a thread of
    its own.
    """

    def __init__(
        self,
        broker: Broker,
        topic: str,
        heard: Callable[[str, str, bytes], None],
        connected: Callable[[bool, str], None],
    ) -> None:
        self._broker, self._topic = broker, topic
        self._heard, self._connected = heard, connected
        self._in_flight: list[paho.MQTTMessageInfo] = []
        name = f"monster-hub-{secrets.token_hex(4)}"
        client = new_client(
            name,
            broker.user,
            broker.password,
            tls=broker.tls,
            ca_file=broker.ca_file,
            protocol=MQTTProtocolVersion.MQTTv5,
        )
        client.on_connect = self._on_connect
        client.on_connect_fail = self._on_connect_fail
        client.on_disconnect = self._on_disconnect
        client.on_message = self._on_message
        self._client = client

    def start(self) -> None:
        """Connect, now and again. The broker must not send a longer message than a table's, not
        even one that it retains: the hub would end over it at each start.
        """
        bounds = Properties(PacketTypes.CONNECT)  # type: ignore[no-untyped-call]
        bounds.MaximumPacketSize = LONGEST_PACKET
        self._client.connect_async(
            self._broker.host, self._broker.port, KEEP_ALIVE_S, properties=bounds
        )
        self._client.loop_start()

    def ask(self, table: str, payload: bytes) -> None:
        """Ask a table; dropped where too many questions wait for the network."""
        self._in_flight = still_sending(self._in_flight)
        if len(self._in_flight) < IN_FLIGHT and self._client.is_connected():
            sent = self._client.publish(f"{self._topic}/{table}/ask", payload)
            self._in_flight.append(sent)

    def close(self) -> None:
        """Disconnect."""
        client = self._client
        client.disconnect()
        client.loop_stop()
        # Without a cycle the client closes its sockets itself.
        client.on_connect = client.on_disconnect = client.on_message = None
        client.on_connect_fail = None

    def _on_connect(self, _: object, __: object, ___: object, code: ReasonCode, *____: Any) -> None:
        if code.is_failure:
            self._connected(False, str(code))
            return
        self._client.subscribe([(f"{self._topic}/+/{kind}", 0) for kind in KINDS])
        self._in_flight = []
        self._connected(True, "")

    def _on_connect_fail(self, *_: Any) -> None:
        self._connected(False, "")

    def _on_disconnect(
        self, _: object, __: object, ___: object, code: ReasonCode, *____: Any
    ) -> None:
        self._connected(False, str(code))

    def _on_message(self, _: object, __: object, message: paho.MQTTMessage) -> None:
        table, _, kind = message.topic.removeprefix(f"{self._topic}/").partition("/")
        if NAME.fullmatch(table) and kind in KINDS:
            self._heard(table, kind, bytes(message.payload))
