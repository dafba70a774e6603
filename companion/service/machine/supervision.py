"""One run of the service as its manager sees it: ready, alive, stopping."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence

from companion.service.machine.manager import ServiceManager
from companion.service.machine.watchdog import Watchdog


class Supervision:
    """Reports a run to the service manager; a context manager around the whole run.

    `probes` are what must answer, beside the event loop, for the service to count as alive.
    """

    def __init__(self, manager: ServiceManager, probes: Sequence[Callable[[], object]]) -> None:
        self._manager = manager
        period_s = manager.watchdog_s
        self._watchdog = None if period_s is None else Watchdog(manager, probes, period_s)

    def ready(self, status: str) -> None:
        """Report that phones are answered; called on the event loop that answers them."""
        self._manager.ready(status)
        if self._watchdog is not None:
            self._watchdog.start(asyncio.get_running_loop())

    def __enter__(self) -> Supervision:
        return self

    def __exit__(self, *_: object) -> None:
        if self._watchdog is not None:
            self._watchdog.stop()
        self._manager.stopping()
