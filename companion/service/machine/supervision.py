"""One run of the service as its manager sees it: ready, alive, stopping; failed starts; the log of
the process.

Everything is logged through one handler, and no query of a request: the code of the table may be in
one.
"""

from __future__ import annotations

import asyncio
import logging
import os
import socket
import sys
import threading
from collections.abc import Callable, MutableMapping, Sequence
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Final, TextIO

from companion.files import open_regular, write_atomically

ADDRESS, PERIOD, WHOSE = "NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID"
"""Set by a service manager: see sd_notify(3)."""
JOURNAL: Final = "JOURNAL_STREAM"
"""Set by systemd: device and inode of the journal's socket."""
PINGS: Final = 4
"""Pings in the time within which the manager expects one."""
STARTS: Final = "starts"
"""The file that counts starts that failed. No backup has it: it is about this machine."""
MOST_FAILED: Final = 3
"""After this many in a row, the next start is in safe mode."""
LONGEST_COUNT: Final = 4
"""Digits of that file."""
HEALTHY_S: Final = 60.0
"""Time after which a start counts as one that went well."""
CLEAN: Final = (SystemExit, KeyboardInterrupt)
"""How a run ends that somebody has stopped."""


class ServiceManager:
    """The service manager that started this process; without one, nothing is sent.

    `watchdog_s`: the time within which it expects to be pinged, None if it does not.
    """

    def __init__(self, address: str = "", watchdog_s: float | None = None) -> None:
        is_abstract = address.startswith("@")
        self._address = os.fsencode(f"\0{address[1:]}" if is_abstract else address)
        self.watchdog_s = watchdog_s

    @classmethod
    def of(cls, environ: MutableMapping[str, str]) -> ServiceManager:
        """Return the manager that the environment names, and remove it from there: child processes
        must not speak for this one.
        """
        address, period, whose = (environ.pop(name, "") for name in (ADDRESS, PERIOD, WHOSE))
        is_ours = bool(address) and whose in {"", str(os.getpid())}
        seconds = int(period) / 1e6 if is_ours and period.isdecimal() else 0.0
        return cls(address, seconds or None)

    @property
    def is_there(self) -> bool:
        """Whether a manager started this process: then it will start the next one too."""
        return self._address != b""

    def ready(self, status: str) -> None:
        """Report that phones are answered now, and the state in a few words."""
        self._send("READY=1", f"STATUS={' '.join(status.split())}")

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
        if not self.is_there:
            return
        with suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as sock:
            sock.setblocking(False)
            sock.sendto("\n".join(lines).encode(), self._address)


class Starts:
    """Counts, in the data folder, starts that were not followed by a healthy while or a clean stop.

    A disk that cannot be written is no reason not to start: then nothing is counted.
    """

    def __init__(self, folder: Path) -> None:
        self._path = folder / STARTS
        self.failed = _count(self._path)
        """The starts that failed since the last good one."""
        self._is_counted = False

    @property
    def should_be_safe(self) -> bool:
        """Whether enough starts have failed that this one should be in safe mode."""
        return self.failed >= MOST_FAILED

    def begin(self) -> None:
        """Count this start, once, as failed for as long as it has not gone well."""
        self._is_counted = True
        self._write(self.failed + 1)

    def wait_for_network(self) -> None:
        """Have this start, if it is counted, lead to a pause, and not to safe mode: an address that
        is not there yet would be missing in safe mode too.
        """
        if self._is_counted:
            self._write(max(self.failed, min(self.failed + 1, MOST_FAILED - 1)))

    def went_well(self) -> None:
        """Forget the starts that failed."""
        with suppress(OSError):
            self._path.unlink(missing_ok=True)

    def _write(self, failed: int) -> None:
        with suppress(OSError):
            write_atomically(self._path, str(failed).encode())


def _count(path: Path) -> int:
    try:
        with open_regular(path) as file:
            return int(file.read(LONGEST_COUNT))
    except (OSError, ValueError):
        return 0


class Supervision:
    """Reports a run to the service manager, and counts it among the starts; a context manager
    around the whole run.

    While the event loop and the `probes` answer, the manager is pinged by a thread of its own.
    Whatever does not answer holds that thread, so the pings end and the manager starts the service
    again.
    """

    def __init__(
        self,
        manager: ServiceManager,
        starts: Starts,
        probes: Sequence[Callable[[], object]],
        healthy_s: float = HEALTHY_S,
    ) -> None:
        self._manager, self._starts, self._probes = manager, starts, tuple(probes)
        self._healthy = threading.Timer(healthy_s, starts.went_well)
        self._healthy.daemon = True
        self._is_ready, self._ended = False, threading.Event()

    def ready(self, status: str) -> None:
        """Report that phones are answered; called on the event loop that answers them."""
        self._manager.ready(status)
        self._is_ready = True
        self._healthy.start()
        if self._manager.watchdog_s is not None:
            given = (asyncio.get_running_loop(), self._manager.watchdog_s / PINGS)
            threading.Thread(target=self._ping, args=given, name="watchdog", daemon=True).start()

    def __enter__(self) -> Supervision:
        self._starts.begin()
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        self._healthy.cancel()
        if self._is_ready and (kind is None or issubclass(kind, CLEAN)):
            self._starts.went_well()
        self._ended.set()
        self._manager.stopping()

    def _ping(self, loop: asyncio.AbstractEventLoop, pause_s: float) -> None:
        while not self._ended.wait(pause_s):
            for probe in self._probes:
                probe()
            answered = threading.Event()
            with suppress(RuntimeError):  # the loop was closed
                loop.call_soon_threadsafe(answered.set)
                answered.wait()
                self._manager.ping()


def start_log(stream: TextIO, *, verbose: bool = False) -> None:
    """Send the records of every logger to this stream alone, errors of threads included."""
    level = logging.DEBUG if verbose else logging.WARNING
    logging.basicConfig(level=level, stream=stream, force=True)
    # uvicorn cuts its access log off from the root, and records without a handler go here.
    logging.lastResort = logging.StreamHandler(stream)
    logging.lastResort.setLevel(level)
    logging.getLogger("uvicorn.access").addFilter(_without_query)
    logging.captureWarnings(True)
    sys.excepthook = _log_failure
    threading.excepthook = lambda failed: _log_failure(
        failed.exc_type, failed.exc_value, failed.exc_traceback
    )


def _without_query(record: logging.LogRecord) -> bool:
    if isinstance(record.args, tuple):
        record.args = tuple(
            part.partition("?")[0] if isinstance(part, str) else part for part in record.args
        )
    return True


def _log_failure(
    kind: type[BaseException], failure: BaseException | None, trace: TracebackType | None
) -> None:
    log = logging.getLogger("companion")
    log.error("unexpected end", exc_info=(kind, failure or kind(), trace))


def is_journal(stream: TextIO | None) -> bool:
    """Return whether systemd keeps what is written to this stream."""
    with suppress(OSError, ValueError, AttributeError):
        found = os.fstat(stream.fileno()) if stream is not None else None
        return found is not None and os.environ.get(JOURNAL) == f"{found.st_dev}:{found.st_ino}"
    return False
