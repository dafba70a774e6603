"""The settings of the broker, a TOML file: which broker, as which table, what is published."""

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

from companion.resources import LANGUAGES
from companion.storage.files import open_regular

PORTS: Final = {"mqtt": 1883, "mqtts": 8883}
LONGEST_FILE: Final = 64 * 1024
LONGEST_PASSWORD: Final = 1024
FOR_OTHERS: Final = 0o007
"""The bits of a file's mode by which everybody on the machine may use it."""
MACHINE: Final = Path("/etc/machine-id")
TITLE: Final = "Monster Table"
"""What Home Assistant and the hub call a table without a title of its own."""

Topic = Annotated[str, Meta(pattern=r"^[A-Za-z0-9_-]+(/[A-Za-z0-9_-]+)*\Z", max_length=64)]
TableId = Annotated[str, Meta(pattern=r"^[a-z0-9][a-z0-9_-]*\Z", max_length=48)]
Text = Annotated[str, Meta(pattern=r"^[^\x00-\x1f\x7f]+\Z", max_length=1024)]


class MqttError(Exception):
    """The settings cannot be used: the `key` of a sentence, and its `params`."""

    def __init__(self, key: str, **params: str | int) -> None:
        super().__init__(key)
        self.key, self.params = key, params


class MqttFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What the file may hold."""

    broker: Text
    """`mqtt://[user@]host[:port]`, or `mqtts://…` for TLS."""
    password_file: Text | None = None
    ca_file: Text | None = None
    """Who vouches for the broker; by default who the system trusts."""
    table: TableId | None = None
    """The name of this table in topics."""
    topic: Topic = "monster-table"
    """What all topics begin with, but discovery's."""
    home_assistant: bool = True
    hub: bool = False
    """Whether the table's card and rows are published for a hub."""
    discovery: Topic = "homeassistant"
    """What discovery's topics begin with, as Home Assistant has it."""
    language: str = LANGUAGES[0]
    names: Annotated[
        tuple[Annotated[str, Meta(min_length=1, max_length=64)], ...], Meta(max_length=64)
    ] = ()
    """The players who let their names be published; `*`: everybody has agreed."""


_FILE: Final = msgspec.json.Decoder(MqttFile)


@dataclass(frozen=True, slots=True)
class Broker:
    """Where the broker is, and as who to connect."""

    host: str
    port: int
    tls: bool
    user: str | None = None
    password: str | None = field(default=None, repr=False)
    ca_file: str | None = None


@dataclass(frozen=True, slots=True)
class MqttSettings:
    """The settings as checked; `table` is this table's name in topics, `title` that for people."""

    broker: Broker
    file: MqttFile
    table: str
    title: str

    @property
    def base(self) -> str:
        """What the topics of this table begin with."""
        return f"{self.file.topic}/{self.table}"


def read_settings(path: Path, data: Path, title: str = "") -> MqttSettings:
    """Return the settings of this file for the table in the data folder; MqttError says what is
    wrong with them. `title`: the table's name for people, if it has one.
    """
    file = _read_file(path)
    if file.language not in LANGUAGES:
        raise MqttError(
            "error.mqtt.file", path=str(path), reason=f"language: one of {', '.join(LANGUAGES)}"
        )
    table = file.table or default_table(data)
    return MqttSettings(_broker(file, path), file, table, title or TITLE)


def password_in(path: Path) -> str:
    """Return the password that the file leads to, though it may be wrong otherwise, or the
    password's file open to others; "" where it leads to none.
    """
    try:
        with open_regular(path) as opened:
            file = tomllib.loads(opened.read(LONGEST_FILE).decode())
        with open_regular(path.parent / str(file.get("password_file", ""))) as opened:
            return opened.read(LONGEST_PASSWORD).decode().removesuffix("\n").removesuffix("\r")
    except (OSError, ValueError, RecursionError):
        return ""


def default_table(data: Path) -> str:
    """Return a name for the table in this folder: the host's, and what tells this machine and
    folder from others.
    """
    host = re.sub(r"[^a-z0-9]+", "-", socket.gethostname().lower()).strip("-")[:32] or "table"
    try:
        machine = MACHINE.read_text("ascii").strip()
    except (OSError, ValueError):
        machine = ""
    own = hashlib.sha256(f"monster-table {machine} {data.absolute()}".encode()).hexdigest()
    return f"{host}-{own[:6]}"


def _read_file(path: Path) -> MqttFile:
    try:
        with open_regular(path) as opened:
            content = opened.read(LONGEST_FILE + 1)
    except OSError as refusal:
        raise MqttError(
            "error.unreadable", path=str(path), reason=refusal.strerror or ""
        ) from refusal
    try:
        if len(content) > LONGEST_FILE:
            raise ValueError(f"longer than {LONGEST_FILE} bytes")
        return _FILE.decode(msgspec.json.encode(tomllib.loads(content.decode())))
    except (ValueError, TypeError, RecursionError) as wrong:
        raise MqttError("error.mqtt.file", path=str(path), reason=str(wrong)) from wrong


def _broker(file: MqttFile, path: Path) -> Broker:
    """Return the broker that the file names, with its password."""
    try:
        url = urlsplit(file.broker)
        default = PORTS[url.scheme]
        port = default if url.port is None else url.port
        host = url.hostname or ""
    except (ValueError, KeyError):
        host = ""
        port = 0
    if not host or not port or url.path.strip("/") or url.query or url.fragment:
        raise MqttError("error.mqtt.broker", path=str(path))
    if url.password is not None:
        raise MqttError("error.mqtt.password_in_file", path=str(path))
    if file.password_file is not None and not url.username:
        raise MqttError("error.mqtt.no_user", path=str(path))
    return Broker(
        host=host,
        port=port,
        tls=url.scheme == "mqtts",
        user=url.username or None,
        password=None if file.password_file is None else _password(path, file.password_file),
        ca_file=None if file.ca_file is None else _certificate(path, file.ca_file),
    )


def _password(settings: Path, name: str) -> str:
    """Return the first line of the password's file; MqttError where everybody may read it."""
    path = settings.parent / name
    try:
        with open_regular(path) as opened:
            mode = os.fstat(opened.fileno()).st_mode
            content = opened.read(LONGEST_PASSWORD + 1)
    except OSError as refusal:
        raise MqttError(
            "error.unreadable", path=str(path), reason=refusal.strerror or ""
        ) from refusal
    if mode & FOR_OTHERS:
        raise MqttError("error.mqtt.password_open", path=str(path))
    try:
        password = content.decode().removesuffix("\n").removesuffix("\r")
    except UnicodeDecodeError:
        password = ""
    if not password or len(content) > LONGEST_PASSWORD or not password.isprintable():
        raise MqttError("error.mqtt.password_form", path=str(path))
    return password


def _certificate(settings: Path, name: str) -> str:
    """Return the path of a certificate that can be trusted; MqttError where it is none."""
    path = settings.parent / name
    try:
        open_regular(path).close()
        ssl.create_default_context(cafile=str(path))
    except ssl.SSLError as wrong:
        raise MqttError("error.mqtt.certificate", path=str(path)) from wrong
    except OSError as refusal:
        raise MqttError(
            "error.unreadable", path=str(path), reason=refusal.strerror or ""
        ) from refusal
    return str(path)
