"""Diagnoses about the machine: disk, clock, power, temperature, memory."""

from __future__ import annotations

import os
import shutil
import statistics
import subprocess
import tempfile
import time
from datetime import UTC, datetime
from pathlib import Path

from companion.cli.doctor.diagnoses import Diagnosis, Verdict, diagnosis
from companion.files import sync_file
from companion.resources import resource_dir
from companion.service.machine.limits import (
    HOT_C,
    LOW_MEMORY,
    SLOW_BYTES_A_SECOND,
    SLOW_SYNC_S,
    STALLING_SYNC_S,
    WARM_C,
)
from companion.service.machine.sensors import Power, Sensors, free_bytes, parse_flags
from companion.service.settings import Limits

TRIED_BYTES = 4 << 20
"""How much is written to measure the disk; it is removed at once."""
SYNCS = 5
VCGENCMD = "vcgencmd"
VCGENCMD_S = 5.0
MEGA = 1 << 20


def disk(data: Path) -> Diagnosis:
    """Measure the disk of the data folder: room, writing, and how long it takes to be safe."""
    limits = Limits()
    folder = next(path for path in (data, *data.parents) if os.path.isdir(path))  # noqa: PTH112  Path.is_dir raises where it may not look
    try:
        free = free_bytes(folder)
        if free < limits.disk_full_bytes + TRIED_BYTES:
            return diagnosis("disk", Verdict.BAD, "disk_full", free=free // MEGA, path=str(folder))
        speed, sync_s = _speed_of(folder)
    except OSError as refusal:
        reason = refusal.strerror or str(refusal)
        return diagnosis("disk", Verdict.BAD, "disk_refuses", path=str(folder), reason=reason)
    measured = {
        "free": free // MEGA,
        "speed": round(speed / MEGA),
        "sync": round(sync_s * 1000),
    }
    if sync_s > STALLING_SYNC_S:
        return diagnosis("disk", Verdict.BAD, "disk_stalls", **measured)
    if free < limits.disk_low_bytes:
        return diagnosis("disk", Verdict.LOOK, "disk_low", **measured)
    if sync_s > SLOW_SYNC_S or speed < SLOW_BYTES_A_SECOND:
        return diagnosis("disk", Verdict.LOOK, "disk_slow", **measured)
    return diagnosis("disk", Verdict.OK, "disk", **measured)


def _speed_of(folder: Path) -> tuple[float, float]:
    """Return bytes a second for one long file, and the median of seconds for a short one."""
    with tempfile.TemporaryDirectory(prefix="doctor-", dir=folder) as tried:
        began = time.perf_counter()
        _write(Path(tried) / "long", os.urandom(TRIED_BYTES))
        speed = TRIED_BYTES / (time.perf_counter() - began)
        took = []
        for n in range(SYNCS):
            began = time.perf_counter()
            _write(Path(tried) / f"short-{n}", bytes(4096))
            took.append(time.perf_counter() - began)
    return speed, statistics.median(took)


def _write(path: Path, content: bytes) -> None:
    path.write_bytes(content)
    sync_file(path)


def clock(now: datetime | None = None) -> Diagnosis:
    """Compare the clock with the time of this program's files: it cannot be earlier."""
    now = now or datetime.now(UTC)
    made = (resource_dir("locales") / "en.json").stat().st_mtime
    at = now.isoformat(timespec="minutes")
    if now.timestamp() < made:
        return diagnosis("clock", Verdict.LOOK, "clock_behind", at=at)
    return diagnosis("clock", Verdict.OK, "clock", at=at)


def power(sensors: Sensors) -> Diagnosis:
    """Ask the firmware whether the supply is strong enough."""
    found = sensors.power() or _asked_power()
    if found is None:
        return diagnosis("power", Verdict.OK, "power_unknown")
    if found.now:
        return diagnosis("power", Verdict.BAD, "power_weak")
    if found.since_start:
        return diagnosis("power", Verdict.LOOK, "power_was_weak")
    return diagnosis("power", Verdict.OK, "power")


def _asked_power() -> Power | None:
    """Ask the firmware by its own program, where that is installed."""
    program = shutil.which(VCGENCMD)
    if program is None:
        return None
    try:
        asked = subprocess.run(
            [program, "get_throttled"], capture_output=True, timeout=VCGENCMD_S, check=True
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return parse_flags(asked.stdout.decode(errors="replace"))


def temperature(sensors: Sensors) -> Diagnosis:
    """Look at the hottest part of the processor."""
    celsius = sensors.celsius()
    if celsius is None:
        return diagnosis("temperature", Verdict.OK, "temperature_unknown")
    degrees = round(celsius)
    if celsius >= HOT_C:
        return diagnosis("temperature", Verdict.BAD, "hot", degrees=degrees)
    if celsius >= WARM_C:
        return diagnosis("temperature", Verdict.LOOK, "warm", degrees=degrees)
    return diagnosis("temperature", Verdict.OK, "temperature", degrees=degrees)


def memory(sensors: Sensors) -> Diagnosis:
    """Look at how much memory is left."""
    found = sensors.memory()
    if found is None:
        return diagnosis("memory", Verdict.OK, "memory_unknown")
    amounts = {"free": found.available // MEGA, "all": found.total // MEGA}
    if found.available < LOW_MEMORY:
        return diagnosis("memory", Verdict.LOOK, "memory_low", **amounts)
    return diagnosis("memory", Verdict.OK, "memory", **amounts)
