"""What of a machine's own files names somebody or lets somebody in, to be left out of a bundle."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final
from urllib.parse import parse_qsl, unquote, urlsplit

from companion.cli.doctor.targets import stored
from companion.cli.mqtt.serving import SETTINGS as BROKER
from companion.redaction import LEFT_OUT, redacted, shown_source
from companion.service.machine.invitation_file import read_invitation
from companion.service.machine.settings_file import WrongSettingsError, read_settings
from companion.service.network.addresses import parse_ip
from companion.service.network.listening import read_listening
from companion.storage.files import open_regular

SHORTEST: Final = 4
"""Signs of a secret that is left out wherever it is; a shorter one would be found in any text."""
HOST: Final = "[host]"
LONGEST_SETTINGS: Final = 64 * 1024
LONGEST_PASSWORD: Final = 1024
"""Bytes that are read, as by `companion.mqtt`, which is not imported while MQTT is off."""


def secrets_of(folder: Path) -> frozenset[str]:
    """Return the passwords, tokens and codes in the files of a data folder."""
    found = {*_passwords(folder), *_broker_passwords(folder)}
    found |= set(_secrets_of_camera(stored(folder).camera or ""))
    joining = read_invitation(folder)
    if joining is not None:
        found |= {joining.code, *(link.partition("#")[2] for link in joining.links)}
    return frozenset(one for one in found if len(one) >= SHORTEST)


def _passwords(folder: Path) -> Iterator[str]:
    wifi = stored(folder).wifi
    if wifi is not None:
        yield wifi.password
        yield re.sub(r'([\\;,:"])', r"\\\1", wifi.password)  # as in the text of its QR code


def _secrets_of_camera(source: str) -> Iterator[str]:
    """Yield what an address of a camera has before its last @, and the secrets of its query; the
    path of a recording, which may name somebody.
    """
    if source.startswith("/") and not source.startswith("/dev/"):
        yield source
    login, at, _ = source.partition("://")[2].rpartition("@")
    if at:
        password = login.partition(":")[2]
        yield from (login, password, unquote(password))
    with suppress(ValueError):
        for name, value in parse_qsl(urlsplit(source).query):
            if LEFT_OUT in redacted(f"{name}={value}"):
                yield value


def _broker_passwords(folder: Path) -> Iterator[str]:
    """Yield the password in the settings of MQTT in the folder, and in those that its running
    service was given.
    """
    running = read_listening(folder)
    named = None if running is None else running.settings_of_mqtt
    for path in filter(None, (folder / BROKER, named)):
        # Though the settings are wrong otherwise, or the password's file is open to others.
        with suppress(OSError, ValueError, RecursionError):
            file = tomllib.loads(_text(path, LONGEST_SETTINGS))
            yield _text(path.parent / str(file.get("password_file", "")), LONGEST_PASSWORD)


def _text(path: Path, most: int) -> str:
    """Return the first bytes of a file without the end of its line. Raises OSError, ValueError."""
    with open_regular(path) as opened:
        return opened.read(most).decode().removesuffix("\n").removesuffix("\r")


def hosts_of(folder: Path) -> frozenset[str]:
    """Return the names of machines in the settings: of this one, and of the camera."""
    one = stored(folder)
    named = {*(one.names or ()), one.host or "", _host(one.advertise or "")}
    named.add(_host(shown_source(one.camera or "")))
    return frozenset(name for name in named if name and parse_ip(name) is None)


def _host(address: str) -> str:
    with suppress(ValueError):
        return urlsplit(address).hostname or ""
    return ""


def shown_settings(folder: Path) -> dict[str, object]:
    """Return which settings there are: of a camera only its kind, of a Wi-Fi only that there is
    one.
    """
    try:
        read = read_settings(folder)
    except WrongSettingsError as wrong:
        return {"wrong": str(wrong)}
    fields: dict[str, object] = {
        name: getattr(read, name) for name in read.__struct_fields__ if name not in {"wifi"}
    }
    fields["camera"] = read.camera and kind_of(read.camera)
    fields["wifi"] = read.wifi and LEFT_OUT
    return fields


def kind_of(source: str) -> str:
    """Return what kind of camera a source is, and its device where that is one of this machine."""
    if source.startswith("/dev/") or source.isdecimal() or re.fullmatch(r"none|csi(:\d+)?", source):
        return source
    scheme = re.match(r"[a-z]{3,5}(?=://)", source, re.IGNORECASE)
    return "a file or folder" if scheme is None else f"{scheme[0].lower()} address"
