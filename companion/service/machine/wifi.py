"""The QR code by which a phone joins the Wi-Fi of this table, and who is shown it."""

from __future__ import annotations

import re
from contextlib import suppress
from pathlib import Path

from companion.service.settings import Wifi
from companion.service.wire import Role, WifiShown
from companion.storage.files import is_there, write_atomically

FILE_NAME = "wifi-shown"
"""There while the host shows the code to all; in no backup."""
_SPECIAL = re.compile(r'([\\;,:"])')


class WifiCode:
    """The code of one table; a table may have none."""

    def __init__(self, folder: Path, wifi: Wifi | None) -> None:
        self._file, self._wifi = folder / FILE_NAME, wifi
        self._shown_to_all = is_there(self._file)

    @property
    def shown(self) -> WifiShown:
        """Who is shown the code."""
        if self._wifi is None:
            return WifiShown.NOBODY
        return WifiShown.ALL if self._shown_to_all else WifiShown.HOST

    def text_for(self, role: Role) -> str | None:
        """Return the code's text; None where this role is not shown it."""
        if self._wifi is None or not (self._shown_to_all or role is Role.HOST):
            return None
        return wifi_text(self._wifi)

    def show(self, to_all: bool) -> None:
        """Show the code to all, or to the host alone; where the disk refuses, until the service
        stops.
        """
        self._shown_to_all = to_all
        with suppress(OSError):
            if to_all:
                write_atomically(self._file, b"")
            else:
                self._file.unlink(missing_ok=True)


def wifi_text(wifi: Wifi) -> str:
    """Return the text that phones' cameras take for a Wi-Fi: `WIFI:T:WPA;S:name;P:password;;`."""
    fields = [("T", "WPA" if wifi.password else "nopass"), ("S", wifi.name)]
    if wifi.password:
        fields.append(("P", wifi.password))
    if wifi.hidden:
        fields.append(("H", "true"))
    written = "".join(f"{name}:{_escaped(value)};" for name, value in fields)
    return f"WIFI:{written};"


def _escaped(value: str) -> str:
    return _SPECIAL.sub(r"\\\1", value)
