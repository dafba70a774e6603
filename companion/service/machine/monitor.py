"""Looks at the machine now and then: power, heat and disk; tells the table what it should
know. Reads files below `/sys` and `/proc`, and runs nothing.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from companion.service.settings import Settings
from companion.service.wire import LogNotice, Words
from companion.service.workers import Workers

WARM_C, HOT_C = 75.0, 80.0
"""A Raspberry Pi slows down from 80 °C on."""
LONGEST = 4096
"""Bytes that are read of a file of the kernel."""
UNDER_VOLTAGE, SINCE_START = 1 << 0, 1 << 16
"""Bits of a Raspberry Pi's `get_throttled`."""
FIRMWARE = "sys/devices/platform/soc*/*firmware*/get_throttled"
ALARMS = "sys/class/hwmon/hwmon*/in*_lcrit_alarm"
ZONES = "sys/class/thermal/thermal_zone*/temp"
POWER, HEAT, DISK_LOW, DISK_FULL = "power", "heat", "disk_low", "disk_full"
PREFIX: Final = "machine-"
"""Begins the ids of these notices; the log's have other ones."""
MEGA: Final = 1 << 20
LOOK_S: Final = 30.0
"""Interval at which power, heat and the room on the disk are looked at."""


@dataclass(frozen=True, slots=True)
class Power:
    """Whether the supply is too weak `now`, or was at any time since the machine started."""

    now: bool
    since_start: bool


@dataclass(frozen=True, slots=True)
class Sensors:
    """The sensors below `root`. None stands for what this machine does not measure."""

    root: Path = Path("/")

    def power(self) -> Power | None:
        """Return the state of the power supply, as a Raspberry Pi's firmware reports it."""
        for text in self._texts(FIRMWARE):
            flags = parse_flags(text)
            if flags is not None:
                return flags
        alarms = [text.strip() for text in self._texts(ALARMS)]
        weak = "1" in alarms
        return Power(weak, weak) if alarms else None

    def celsius(self) -> float | None:
        """Return the temperature of the hottest zone."""
        found = [int(text) / 1000 for text in self._texts(ZONES) if _is_number(text)]
        return max((one for one in found if -50 < one < 200), default=None)

    def _texts(self, pattern: str) -> Iterator[str]:
        """Yield what can be read of the files that match."""
        for path in sorted(self.root.glob(pattern)):
            try:
                with path.open("rb") as file:
                    yield file.read(LONGEST).decode(errors="replace")
            except OSError:
                continue


def parse_flags(text: str) -> Power | None:
    """Parse `get_throttled` (`0x50005`, or `throttled=0x50005`); None if it is neither."""
    digits = text.strip().rpartition("=")[2].removeprefix("0x")
    try:
        flags = int(digits[:16], 16)
    except ValueError:
        return None
    weak = bool(flags & UNDER_VOLTAGE)
    return Power(weak, weak or bool(flags & SINCE_START))


def free_bytes(folder: Path) -> int:
    """Return how many bytes this process may still write there. Raises OSError."""
    found = os.statvfs(folder)
    return found.f_bavail * found.f_frsize


def _is_number(text: str) -> bool:
    digits = text.strip().removeprefix("-")
    return digits.isascii() and digits.isdecimal() and len(digits) <= 9


class Monitor:
    """Follows power, heat and room on the disk, on a thread of its own: a disk may block. Keeps the
    notices that hold now, oldest first.

    A notice that the host has seen is hidden until its cause has ended and come again.
    """

    def __init__(self, settings: Settings, clock: Callable[[], float] = time.monotonic) -> None:
        self._data, self._limits = settings.data, settings.limits
        self._sensors = Sensors(settings.sensors)
        self._clock = clock
        self._workers = Workers("machine", 1)
        self._next_s = clock()
        self._is_hot = False
        self._lock = threading.Lock()
        self._always: dict[str, dict[str, str | int]] = {settings.safe: {}} if settings.safe else {}
        self._args = self._always
        """The notices that hold, with the parameters of their sentences."""
        self._seen: set[str] = set()

    @property
    def notices(self) -> tuple[LogNotice, ...]:
        """The notices that the host has not seen yet."""
        with self._lock:
            return tuple(
                LogNotice(id=f"{PREFIX}{name}", words=Words(key=f"machine.{name}", args=args))
                for name, args in self._args.items()
                if name not in self._seen
            )

    def mark_seen(self, notice: str) -> bool:
        """Hide the notice; return False if it is none of these."""
        name = notice.removeprefix(PREFIX)
        with self._lock:
            known = name in self._args and name != notice
            if known:
                self._seen.add(name)
        return known

    def tick(self) -> None:
        """Start a look if one is due and the last one is over. Called every second."""
        if (now := self._clock()) >= self._next_s:
            self._next_s = now + LOOK_S
            self._workers.do_if_idle(self.look)

    def look(self) -> None:
        """Look at the machine."""
        found = self._found()
        with self._lock:
            self._args = self._always | found
            self._seen &= self._args.keys()

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
