"""The QR code by which a phone joins the Wi-Fi of this table, and who is shown it."""

from __future__ import annotations

import re
from typing import Final

import msgspec

from companion.service.settings import Wifi
from companion.service.wire import Role, WifiShown
from companion.table.log import EventLog

KEY: Final = "wifi_shown"
"""Of the state: whether the host shows the code to all."""
_SHOWN: Final = msgspec.json.Decoder(bool)
_SPECIAL = re.compile(r'([\\;,:"])')


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
        """Return the code's text; None where this role is not shown it."""
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
    written = "".join(f"{name}:{_escaped(value)};" for name, value in fields)
    return f"WIFI:{written};"


def _escaped(value: str) -> str:
    return _SPECIAL.sub(r"\\\1", value)
