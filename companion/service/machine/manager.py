"""Messages to the service manager that started this process: sd_notify(3), without a C library."""

from __future__ import annotations

import os
import socket
from collections.abc import MutableMapping
from contextlib import suppress

ADDRESS, PERIOD, WHOSE = "NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID"
LONGEST_PERIOD_S = 24 * 3600.0


class ServiceManager:
    """The service manager; without one, nothing is sent.

    `watchdog_s`: the time within which it expects to be pinged, None where it does not.
    """

    def __init__(self, address: str | None = None, watchdog_s: float | None = None) -> None:
        self._address, self.watchdog_s = _encoded(address), watchdog_s

    @classmethod
    def of(cls, environ: MutableMapping[str, str]) -> ServiceManager:
        """Return the manager that the environment names, and remove it from there: child processes
        must not speak for this one.
        """
        address, period, whose = (environ.pop(name, "") for name in (ADDRESS, PERIOD, WHOSE))
        ours = whose in {"", str(os.getpid())}
        return cls(address or None, _seconds(period) if address and ours else None)

    @property
    def is_there(self) -> bool:
        """Whether a manager started this process: then it will start the next one too."""
        return self._address is not None

    def ready(self, status: str) -> None:
        """Report that phones are answered now."""
        self._send("READY=1", _status(status))

    def status(self, status: str) -> None:
        """Report the service's state in a few words."""
        self._send(_status(status))

    def ping(self) -> None:
        """Report that the service is alive."""
        self._send("WATCHDOG=1")

    def stopping(self) -> None:
        """Report that the service ends."""
        self._send("STOPPING=1")

    def _send(self, *lines: str) -> None:
        """Send one message, without waiting; a manager that is gone or does not read is no reason
        to stop a game.
        """
        if self._address is None:
            return
        with suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as sock:
            sock.setblocking(False)
            sock.sendto("\n".join(lines).encode(), self._address)


def _encoded(address: str | None) -> bytes | None:
    """Return the socket's address; a leading `@` stands for the zero byte of an abstract one."""
    if address is None or address[:1] not in {"/", "@"} or len(address) < 2:
        return None
    encoded = os.fsencode(address)
    return b"\0" + encoded[1:] if address.startswith("@") else encoded


def _seconds(period: str) -> float | None:
    if not (period.isascii() and period.isdecimal()) or len(period) > 18:
        return None
    seconds = int(period) / 1e6
    return min(seconds, LONGEST_PERIOD_S) or None


def _status(status: str) -> str:
    return f"STATUS={' '.join(status.split())}"
