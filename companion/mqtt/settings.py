"""MQTT settings from a TOML file: the broker, this table's name in topics, what is published."""

from __future__ import annotations

import hashlib
import os
import re
import socket
import ssl
import tomllib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Final
from urllib.parse import urlsplit

import msgspec
from msgspec import Meta

from companion.errors import KeyedError
from companion.files import open_regular
from companion.resources import LANGUAGES

PORTS: Final = {"mqtt": 1883, "mqtts": 8883}
LONGEST_FILE: Final = 64 * 1024
LONGEST_PASSWORD: Final = 1024
FOR_OTHERS: Final = 0o007
"""The bits of a file's mode by which everybody on the machine may use it."""
MACHINE: Final = Path("/etc/machine-id")

Topic = Annotated[str, Meta(pattern=r"^[A-Za-z0-9_-]+(/[A-Za-z0-9_-]+)*\Z", max_length=64)]
TableId = Annotated[str, Meta(pattern=r"^[a-z0-9][a-z0-9_-]*\Z", max_length=48)]
Text = Annotated[str, Meta(pattern=r"^[^\x00-\x1f\x7f]+\Z", max_length=1024)]
Name = Annotated[str, Meta(min_length=1, max_length=64)]


class MqttFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What the file may hold."""

    broker: Text
    """`mqtt://[user@]host[:port]`, or `mqtts://…` for TLS."""
    password_file: Text | None = None
    ca_file: Text | None = None
    """CA certificates that the broker's certificate is checked against; by default the system's."""
    table: TableId | None = None
    """The name of this table in topics."""
    topic: Topic = "monster-table"
    """What all topics begin with, except those of discovery."""
    home_assistant: bool = True
    """Whether Home Assistant discovers the table and may press its buttons."""
    discovery: Topic = "homeassistant"
    """What the topics of discovery begin with, as Home Assistant has it."""
    language: str = LANGUAGES[0]
    names: Annotated[tuple[Name, ...], Meta(max_length=64)] = ()
    """The players who let their names be published; `*`: everybody has agreed."""


_FILE: Final = msgspec.json.Decoder(MqttFile)


@dataclass(frozen=True, slots=True)
class Broker:
    """Where the broker is, and as which user to connect."""

    host: str
    port: int
    tls: bool
    user: str | None = None
    password: str | None = field(default=None, repr=False)
    ca_file: str | None = None


@dataclass(frozen=True, slots=True)
class MqttSettings:
    """The settings as checked; `table` is this table's name in topics."""

    broker: Broker
    file: MqttFile
    table: str

    def topic(self, name: str) -> str:
        """Return one of this table's topics."""
        return f"{self.file.topic}/{self.table}/{name}"


def read_settings(path: Path, data: Path) -> MqttSettings:
    """Return the settings of this file for the table in the data folder. Raises KeyedError."""
    content, _ = _read(path, LONGEST_FILE)
    try:
        if len(content) > LONGEST_FILE:
            raise ValueError(f"longer than {LONGEST_FILE} bytes")
        file = _FILE.decode(msgspec.json.encode(tomllib.loads(content.decode())))
        if file.language not in LANGUAGES:
            raise ValueError(f"language: one of {', '.join(LANGUAGES)}")
    except (ValueError, TypeError, RecursionError) as wrong:
        raise KeyedError("error.mqtt.file", path=str(path), reason=str(wrong)) from wrong
    return MqttSettings(_broker(file, path), file, file.table or default_table(data))


def default_table(data: Path) -> str:
    """Return a table's name by default: the host's, with a hash of machine and folder."""
    host = re.sub(r"[^a-z0-9]+", "-", socket.gethostname().lower()).strip("-")[:32] or "table"
    try:
        machine = MACHINE.read_text("ascii").strip()
    except (OSError, ValueError):
        machine = ""
    own = hashlib.sha256(f"monster-table {machine} {data.absolute()}".encode()).hexdigest()
    return f"{host}-{own[:6]}"


def _read(path: Path, most: int) -> tuple[bytes, int]:
    """Return at most one byte more than `most` of a file, and its mode."""
    try:
        with open_regular(path) as opened:
            return opened.read(most + 1), os.fstat(opened.fileno()).st_mode
    except (OSError, ValueError) as refusal:
        reason = getattr(refusal, "strerror", None) or str(refusal)
        raise KeyedError("error.unreadable", path=str(path), reason=reason) from refusal


def _broker(file: MqttFile, path: Path) -> Broker:
    """Return the broker that the file names, with its password."""
    try:
        url = urlsplit(file.broker)
        port = PORTS[url.scheme] if url.port is None else url.port
        (url.hostname or "").encode("idna")
    except (ValueError, KeyError) as wrong:
        raise KeyedError("error.mqtt.broker", path=str(path)) from wrong
    is_mqtt_url = url.scheme in PORTS and url.hostname and port
    if not is_mqtt_url or url.path.strip("/") or url.query or url.fragment:
        raise KeyedError("error.mqtt.broker", path=str(path))
    if url.password is not None:
        raise KeyedError("error.mqtt.password_in_file", path=str(path))
    if file.password_file is not None and not url.username:
        raise KeyedError("error.mqtt.no_user", path=str(path))
    return Broker(
        host=url.hostname or "",
        port=port,
        tls=url.scheme == "mqtts",
        user=url.username or None,
        password=file.password_file and _password(path.parent / file.password_file),
        ca_file=file.ca_file and _certificate(path.parent / file.ca_file),
    )


def _password(path: Path) -> str:
    """Return the file's only line; KeyedError if it is malformed, or others may read it."""
    content, mode = _read(path, LONGEST_PASSWORD)
    if mode & FOR_OTHERS:
        raise KeyedError("error.mqtt.password_open", path=str(path))
    try:
        password = content.decode().removesuffix("\n").removesuffix("\r")
    except UnicodeDecodeError:
        password = ""
    if not password or len(content) > LONGEST_PASSWORD or not password.isprintable():
        raise KeyedError("error.mqtt.password_form", path=str(path))
    return password


def _certificate(path: Path) -> str:
    """Return the path if it holds CA certificates that load; KeyedError if not."""
    _read(path, 0)
    try:
        ssl.create_default_context(cafile=str(path))
    except ssl.SSLError as wrong:
        raise KeyedError("error.mqtt.certificate", path=str(path)) from wrong
    return str(path)
