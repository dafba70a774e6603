"""The watchdog: pings the service manager for as long as the event loop and the tables answer."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Sequence

from companion.service.machine.manager import ServiceManager

PINGS = 4
"""Pings in the time within which the manager expects one."""


class Watchdog:
    """Pings on a thread of its own. Whatever does not answer holds that thread, so the pings end
    and the manager starts the service again.

    `probes` return once what they ask has answered, however long that takes.
    """

    def __init__(
        self, manager: ServiceManager, probes: Sequence[Callable[[], object]], period_s: float
    ) -> None:
        self._manager, self._probes = manager, tuple(probes)
        self._pause_s = period_s / PINGS
        self._loop: asyncio.AbstractEventLoop | None = None
        self._ended = threading.Event()

    def start(self, loop: asyncio.AbstractEventLoop) -> None:
        """Begin to ping; `loop` must answer too."""
        self._loop = loop
        threading.Thread(target=self._run, name="watchdog", daemon=True).start()

    def stop(self) -> None:
        """End the pings."""
        self._ended.set()

    def _run(self) -> None:
        while not self._ended.wait(self._pause_s):
            for probe in self._probes:
                probe()
            if self._loop_answers():
                self._manager.ping()

    def _loop_answers(self) -> bool:
        """Wait for the loop; return False where it was closed."""
        answered = threading.Event()
        assert self._loop is not None
        try:
            self._loop.call_soon_threadsafe(answered.set)
        except RuntimeError:
            return False
        return answered.wait()
