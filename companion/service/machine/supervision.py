"""One run of the service as its manager sees it, and the next start: ready, alive, stopping."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Sequence

from companion.service.machine.manager import ServiceManager
from companion.service.machine.starts import HEALTHY_S, Starts
from companion.service.machine.watchdog import Watchdog

CLEAN = (SystemExit, KeyboardInterrupt)
"""How a run ends that somebody has stopped."""


class Supervision:
    """Reports a run to the service manager, and counts it among the starts; a context manager
    around the whole run.

    `probes` are what must answer, beside the event loop, for the service to count as alive.
    """

    def __init__(
        self,
        manager: ServiceManager,
        starts: Starts,
        probes: Sequence[Callable[[], object]],
        healthy_s: float = HEALTHY_S,
    ) -> None:
        self._manager, self._starts = manager, starts
        self._healthy = threading.Timer(healthy_s, starts.went_well)
        self._healthy.daemon = True
        self._is_ready = False
        period_s = manager.watchdog_s
        self._watchdog = None if period_s is None else Watchdog(manager, probes, period_s)

    def ready(self, status: str) -> None:
        """Report that phones are answered; called on the event loop that answers them."""
        self._manager.ready(status)
        self._is_ready = True
        self._healthy.start()
        if self._watchdog is not None:
            self._watchdog.start(asyncio.get_running_loop())

    def __enter__(self) -> Supervision:
        self._starts.begin()
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        self._healthy.cancel()
        if self._is_ready and (kind is None or issubclass(kind, CLEAN)):
            self._starts.went_well()
        if self._watchdog is not None:
            self._watchdog.stop()
        self._manager.stopping()
