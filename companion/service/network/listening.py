"""The file by which commands on this machine know where the running service listens, and which file
of MQTT it was given.

Options, settings and a unit's own changes to them decide that, so the service writes it down. It is
removed when the service stops; one that was killed leaves it.
"""

from __future__ import annotations

import os
import re
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Final

import msgspec
from msgspec import Meta

from companion.files import open_regular, write_atomically
from companion.service.network.addresses import parse_ip

FILE_NAME: Final = "listening"
"""Not among the files of a backup."""
LONGEST: Final = 32 * 1024
"""Of the file, in bytes: one character of a path may need four."""
LONGEST_PATH: Final = 4096
"""As of Linux."""
PATH: Final = r"^(/[^\x00-\x1f\x7f-\x9f]*)?\Z"
"""An absolute path without control characters, or none."""
LOOPBACK: Final = "127.0.0.1"


class Listening(msgspec.Struct, frozen=True, omit_defaults=True):
    """Where a service listens, as it was asked to, and the settings of MQTT that it was given."""

    host: Annotated[str, Meta(min_length=1, max_length=300)]
    port: Annotated[int, Meta(ge=1, le=65535)]
    mqtt: Annotated[str, Meta(max_length=LONGEST_PATH, pattern=PATH)] = ""
    """An absolute path; empty where the file in the data folder counts."""

    @classmethod
    def of(cls, host: str, port: int, mqtt: Path | None) -> Listening:
        """Return it for the options of a service. A path that is no text, or that no terminal
        should show, is left out: others would not find that file by it.
        """
        named = "" if mqtt is None else str(mqtt.absolute())
        return cls(host, port, named if _can_be_told(named) else "")

    @property
    def settings_of_mqtt(self) -> Path | None:
        """The file that was named on the command line; None where none was."""
        return Path(self.mqtt) if self.mqtt else None

    @property
    def reached_at(self) -> str:
        """The host to connect to from this machine. One that listens at every address of IPv6
        hears IPv4 too, which a machine always has.
        """
        bare = self.host.strip("[] ")
        ip = parse_ip(bare)
        return LOOPBACK if ip is not None and ip.is_unspecified else bare


def _can_be_told(path: str) -> bool:
    """Return whether a path fits into the file: as UTF-8, not bytes that Python has put stand-ins
    for.
    """
    is_text = os.fsencode(path).decode("utf-8", "ignore") == path
    return is_text and len(path) <= LONGEST_PATH and re.search(PATH, path) is not None


_LISTENING: Final = msgspec.json.Decoder(Listening)


def write_listening(folder: Path, listening: Listening) -> None:
    """Write the file; where the disk refuses, none is better than that of an earlier run."""
    try:
        write_atomically(folder / FILE_NAME, msgspec.json.encode(listening))
    except OSError:
        remove_listening(folder)


def read_listening(folder: Path) -> Listening | None:
    """Return what the file says; None where there is none."""
    try:
        with open_regular(folder / FILE_NAME) as file:
            return _LISTENING.decode(file.read(LONGEST))
    except (OSError, ValueError, RecursionError):  # msgspec's errors are ValueErrors
        return None


def remove_listening(folder: Path) -> None:
    """Remove the file."""
    with suppress(OSError):
        (folder / FILE_NAME).unlink(missing_ok=True)
