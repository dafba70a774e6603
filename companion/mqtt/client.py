"""A client of a broker before it connects: its name, its encryption, its patience."""

from __future__ import annotations

import ssl
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Final

import paho.mqtt.client as paho
from paho.mqtt.enums import CallbackAPIVersion, MQTTProtocolVersion

CONNECT_S: Final = 5.0
LONGEST_WAIT_S: Final = 60
"""Between two attempts to connect."""


def new_client(
    name: str,
    user: str | None,
    password: str | None,
    *,
    tls: bool,
    ca_file: str | Path | None,
    protocol: MQTTProtocolVersion = MQTTProtocolVersion.MQTTv311,
) -> paho.Client:
    """Return a client of this name; with TLS the broker's certificate is always checked."""
    client = paho.Client(CallbackAPIVersion.VERSION2, client_id=name, protocol=protocol)
    if user is not None:
        client.username_pw_set(user, password)
    if tls:
        client.tls_set_context(ssl.create_default_context(cafile=ca_file))
    client.connect_timeout = CONNECT_S
    client.reconnect_delay_set(1, LONGEST_WAIT_S)
    return client


def still_sending(messages: Iterable[paho.MQTTMessageInfo]) -> list[paho.MQTTMessageInfo]:
    """Return the messages that the network has yet to take; it never takes one that was refused,
    as all are between the loss of a connection and paho's notice of it.
    """
    found = []
    for message in messages:
        with suppress(RuntimeError, ValueError):  # how `is_published` says that it was refused
            if not message.is_published():
                found.append(message)
    return found
