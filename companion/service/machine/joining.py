"""How phones join, and how commands on this machine find the running service: QR codes, the code of
the Wi-Fi, phones that do not arrive, and two files that the service removes when it stops.
"""

from __future__ import annotations

import io
import re
import threading
import time
from collections.abc import Callable, Container
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Final, TypeVar

import msgspec
import qrcode
from msgspec import Meta
from qrcode.constants import ERROR_CORRECT_L, ERROR_CORRECT_M
from qrcode.image.svg import SvgPathFillImage

from companion.files import open_regular, write_atomically
from companion.service.machine.addresses import parse_ip
from companion.service.settings import Wifi
from companion.service.wire import Role, WifiShown
from companion.table.log import EventLog

T = TypeVar("T")

LISTENING: Final = "listening"
"""The file that says where the service listens. No backup has it."""
INVITATION: Final = "invitation"
"""The file that says how to join. It holds the terminal's token, so only the service's own user can
read it.
"""
OWNER_ONLY: Final = 0o600
LONGEST_FILE: Final = 32 * 1024
KEY: Final = "wifi_shown"
"""Of the state of the log: whether the host shows the Wi-Fi's code to all."""
MOST: Final = 64
"""Addresses remembered at once; beyond it the oldest is dropped."""
FORGET_S: Final = 600.0
"""After this time nobody is waiting at the table for that phone any more."""
_SHOWN: Final = msgspec.json.Decoder(bool)
_SPECIAL: Final = re.compile(r'([\\;,:"])')


def qr_terminal(text: str) -> str:
    """Draw the QR code in half-block characters, for a dark or light terminal."""
    code = qrcode.QRCode(border=2)
    code.add_data(text)
    written = io.StringIO()
    code.print_ascii(out=written, invert=True)
    return written.getvalue()


@lru_cache(maxsize=8)
def qr_svg(text: str, *, dense: bool = False) -> bytes:
    """Draw the QR code as one SVG path on white, readable in every theme. Cached: takes 30 ms.

    `dense`: for a long text, with as little error correction as there is, so that its modules are
    larger.
    """
    level = ERROR_CORRECT_L if dense else ERROR_CORRECT_M
    code = qrcode.QRCode(error_correction=level, border=2, image_factory=SvgPathFillImage)
    code.add_data(text)
    written = io.BytesIO()
    code.make_image().save(written)
    return written.getvalue()


class WifiCode:
    """The code of one table; a table may have none."""

    def __init__(self, log: EventLog, wifi: Wifi | None) -> None:
        self._log, self._wifi = log, wifi
        self._shown_to_all = log.state(KEY, _SHOWN) or False

    @property
    def shown(self) -> WifiShown:
        """Who is shown the code."""
        if self._wifi is None:
            return WifiShown.NOBODY
        return WifiShown.ALL if self._shown_to_all else WifiShown.HOST

    def text_for(self, role: Role) -> str | None:
        """Return the code's text; None if this role is not shown it."""
        if self._wifi is None or not (self._shown_to_all or role is Role.HOST):
            return None
        return wifi_text(self._wifi)

    def show(self, to_all: bool) -> None:
        """Show the code to all, or to the host alone."""
        self._shown_to_all = to_all
        self._log.put_state(KEY, to_all)


def wifi_text(wifi: Wifi) -> str:
    """Return the text that phones' cameras take for a Wi-Fi: `WIFI:T:WPA;S:name;P:password;;`."""
    fields = [("T", "WPA" if wifi.password else "nopass"), ("S", wifi.name)]
    if wifi.password:
        fields.append(("P", wifi.password))
    if wifi.hidden:
        fields.append(("H", "true"))
    written = (f"{name}:" + _SPECIAL.sub(r"\\\1", value) for name, value in fields)
    return f"WIFI:{';'.join(written)};;"


class Arrivals:
    """Addresses that fetched the page, until a phone there is connected; safe from all threads.

    A phone that the Wi-Fi keeps away never fetches the page: no service can know of it.
    """

    def __init__(self, late_s: float, now: Callable[[], float] = time.monotonic) -> None:
        self._late_s, self._now = late_s, now
        self._lock = threading.Lock()
        self._opened: dict[str, float] = {}

    def opened(self, address: str) -> None:
        """Note that a page was sent to this address."""
        with self._lock:
            self._opened.setdefault(address, self._now())
            while len(self._opened) > MOST:
                del self._opened[next(iter(self._opened))]

    def arrived(self, address: str) -> None:
        """Note that a phone at this address was connected, however shortly."""
        with self._lock:
            self._opened.pop(address, None)

    def late(self, connected: Container[str]) -> int:
        """Return how many addresses have had the page for `late_s` seconds, and no phone that is
        connected.
        """
        with self._lock:
            now = self._now()
            self._opened = {
                address: since
                for address, since in self._opened.items()
                if address not in connected and now - since < FORGET_S
            }
            return sum(now - since >= self._late_s for since in self._opened.values())


class Listening(msgspec.Struct, frozen=True, omit_defaults=True):
    """Where a service listens, as it was asked to.

    Options, settings and a unit's own changes to them decide that, so the service writes it down.
    """

    host: Annotated[str, Meta(min_length=1, max_length=300)]
    port: Annotated[int, Meta(ge=1, le=65535)]

    @property
    def reached_at(self) -> str:
        """The host to connect to from this machine. One that listens at every address of IPv6
        hears IPv4 too, which a machine always has.
        """
        bare = self.host.strip("[] ")
        ip = parse_ip(bare)
        return "127.0.0.1" if ip is not None and ip.is_unspecified else bare


class Joining(msgspec.Struct, frozen=True):
    """How to join: links with the terminal's token, the best first, which every game keeps.
    `settings` is the digest of the settings file with which the service was started.
    """

    links: Annotated[tuple[str, ...], Meta(min_length=1, max_length=16)]
    settings: str = ""


_LISTENING: Final = msgspec.json.Decoder(Listening)
_JOINING: Final = msgspec.json.Decoder(Joining)


def write_listening(folder: Path, listening: Listening) -> None:
    """Write the file; if the disk refuses, none is better than that of an earlier run."""
    try:
        write_atomically(folder / LISTENING, msgspec.json.encode(listening))
    except OSError:
        remove_files(folder)


def read_listening(folder: Path) -> Listening | None:
    """Return where the service listens; None if there is no such file. A service that was killed
    leaves its own.
    """
    return _read(folder / LISTENING, _LISTENING)


def write_joining(folder: Path, joining: Joining) -> None:
    """Write the file; if the disk refuses, the terminal and the log are left."""
    with suppress(OSError):
        write_atomically(folder / INVITATION, msgspec.json.encode(joining), mode=OWNER_ONLY)


def read_joining(folder: Path) -> Joining | None:
    """Return how to join; None if no service runs, or another user's does."""
    return _read(folder / INVITATION, _JOINING)


def remove_files(folder: Path) -> None:
    """Remove both files: the service has stopped."""
    for name in (LISTENING, INVITATION):
        with suppress(OSError):
            (folder / name).unlink(missing_ok=True)


def _read(path: Path, decoder: msgspec.json.Decoder[T]) -> T | None:
    try:
        with open_regular(path) as file:
            return decoder.decode(file.read(LONGEST_FILE))
    except (OSError, ValueError, RecursionError):  # msgspec's errors are ValueErrors
        return None
