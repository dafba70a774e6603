"""What the kernel says of the machine: power, heat, disk. Reads files below `/sys` and
`/proc`, and runs nothing.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

LONGEST = 4096
"""Bytes that are read of one of these files."""
UNDER_VOLTAGE, SINCE_START = 1 << 0, 1 << 16
"""Bits of a Raspberry Pi's `get_throttled`."""
FIRMWARE = "sys/devices/platform/soc*/*firmware*/get_throttled"
ALARMS = "sys/class/hwmon/hwmon*/in*_lcrit_alarm"
ZONES = "sys/class/thermal/thermal_zone*/temp"


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
    """Parse `get_throttled` (`0x50005`, or `throttled=0x50005`); None where it is neither."""
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
