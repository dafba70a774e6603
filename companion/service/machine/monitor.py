"""Looks at the machine now and then, and has the table shown what it should know."""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from typing import Final

from companion.service.machine.limits import HOT_C, WARM_C
from companion.service.machine.notices import MachineNotices
from companion.service.machine.sensors import Sensors, free_bytes
from companion.service.settings import Settings
from companion.service.workers import Workers

POWER, HEAT, DISK_LOW, DISK_FULL = "power", "heat", "disk_low", "disk_full"
WATCHED: Final = (POWER, HEAT, DISK_LOW, DISK_FULL)
MEGA: Final = 1 << 20
LOOK_S: Final = 30.0
"""Interval at which power, heat and the room on the disk are looked at."""


class Monitor:
    """Follows power, heat and room on the disk, on a thread of its own: a disk may block.

    `changed` is called where the table is shown something else than before.
    """

    def __init__(
        self,
        settings: Settings,
        notices: MachineNotices,
        changed: Callable[[], None],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._data, self._limits = settings.data, settings.limits
        self._sensors = Sensors(settings.sensors)
        self._notices, self._changed, self._clock = notices, changed, clock
        self._workers = Workers("machine", 1)
        self._looking: Future[None] | None = None
        self._next_s = clock()
        self._is_hot = False

    def tick(self) -> None:
        """Start a look where one is due and the last one is over. Called every second."""
        now = self._clock()
        if now < self._next_s or (self._looking is not None and not self._looking.done()):
            return
        self._next_s = now + LOOK_S
        self._looking = self._workers.submit(self.look)

    def look(self) -> None:
        """Look at the machine, and report where that changes what is shown."""
        if self._notices.follow(self._found(), WATCHED):
            self._changed()

    def close(self) -> None:
        """Stop, without waiting for a look."""
        self._workers.shutdown()

    def _found(self) -> dict[str, dict[str, str | int]]:
        """Return the notices that hold, each with its sentence's parameters."""
        found: dict[str, dict[str, str | int]] = {}
        power, celsius = self._sensors.power(), self._sensors.celsius()
        if power is not None and power.since_start:
            found[POWER] = {}
        # It stays hot until it has cooled down a little, so that the notice does not flicker.
        self._is_hot = celsius is not None and celsius >= (WARM_C if self._is_hot else HOT_C)
        if self._is_hot:
            found[HEAT] = {}
        with suppress(OSError):  # a folder that cannot be read is reported by the log
            free = free_bytes(self._data)
            if free < self._limits.disk_full_bytes:
                found[DISK_FULL] = {"free": free // MEGA}
            elif free < self._limits.disk_low_bytes:
                found[DISK_LOW] = {"free": free // MEGA}
        return found
