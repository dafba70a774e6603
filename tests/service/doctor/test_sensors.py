"""What is read of the kernel's files, and the verdicts on it."""

from __future__ import annotations

import re
import shutil
from datetime import UTC, datetime
from pathlib import Path

import pytest

from companion.cli import doctor
from companion.cli.doctor import Verdict
from companion.service.machine.sensors import Power, Sensors, parse_flags

FIRMWARE = "sys/devices/platform/soc/soc:firmware/get_throttled"


def sensors(root: Path, **files: str) -> Sensors:
    """Return sensors below `root`, with files whose names have `__` for `/`."""
    for name, content in files.items():
        write(root / name.replace("__", "/"), content)
    return Sensors(root)


def write(path: Path, content: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content)


@pytest.mark.parametrize(
    ("flags", "power"),
    [
        ("0", Power(False, False)),
        ("0x0\n", Power(False, False)),
        ("50005", Power(True, True)),
        ("throttled=0x50000\n", Power(False, True)),
        ("0x1", Power(True, True)),
        ("0x80008", Power(False, False)),  # hot, not weak
        ("", None),
        ("on", None),
    ],
)
def test_the_firmware_says_whether_the_supply_is_weak(flags: str, power: Power | None) -> None:
    assert parse_flags(flags) == power


def test_the_firmware_is_asked_before_the_alarms(tmp_path: Path) -> None:
    found = sensors(tmp_path, sys__class__hwmon__hwmon1__in0_lcrit_alarm="1\n")
    assert found.power() == Power(True, True)
    write(tmp_path / FIRMWARE, "0\n")
    assert found.power() == Power(False, False)
    assert doctor.diagnose_power(found).verdict is Verdict.OK
    write(tmp_path / FIRMWARE, "nonsense")
    assert found.power() == Power(True, True)


@pytest.mark.parametrize(
    ("flags", "verdict"), [("50005", Verdict.BAD), ("50000", Verdict.LOOK), ("0", Verdict.OK)]
)
def test_a_weak_supply_has_a_remedy(tmp_path: Path, flags: str, verdict: Verdict) -> None:
    write(tmp_path / FIRMWARE, flags)
    found = doctor.diagnose_power(Sensors(tmp_path))
    assert found.verdict is verdict
    assert ("power supply and a short cable" in found.do) == (verdict is not Verdict.OK)


@pytest.mark.parametrize(
    ("degrees", "verdict"),
    [(74.9, Verdict.OK), (75.0, Verdict.LOOK), (79.9, Verdict.LOOK), (80.0, Verdict.BAD)],
)
def test_the_hottest_zone_counts(tmp_path: Path, degrees: float, verdict: Verdict) -> None:
    zone = "sys__class__thermal__thermal_zone"
    found = sensors(
        tmp_path,
        **{f"{zone}0__temp": "41000\n", f"{zone}1__temp": f"{degrees * 1000:.0f}\n"},
        **{f"{zone}2__temp": "2147483647\n", f"{zone}3__temp": "?\n"},
    )
    assert found.celsius() == degrees
    assert doctor.diagnose_temperature(found).verdict is verdict


def test_a_machine_that_measures_nothing_is_no_worse_for_it(tmp_path: Path) -> None:
    found = Sensors(tmp_path)
    assert (found.power(), found.celsius()) == (None, None)
    assert doctor.diagnose_temperature(found).verdict is Verdict.OK


def test_a_clock_before_this_program_was_made_is_behind() -> None:
    assert doctor.diagnose_clock(datetime(1970, 1, 1, tzinfo=UTC)).verdict is Verdict.LOOK
    assert doctor.diagnose_clock().verdict is Verdict.OK


def test_the_disk_is_measured_and_left_as_it_was(tmp_path: Path) -> None:
    found = doctor.diagnose_disk(tmp_path / "not" / "yet")
    [free] = re.findall(r"(\d+) MB", found.found)
    # Other tests write meanwhile, so the two are only about the same.
    assert int(free) == pytest.approx(shutil.disk_usage(tmp_path).free >> 20, abs=1024)
    assert list(tmp_path.iterdir()) == []


def test_a_disk_without_room_is_not_written() -> None:
    found = doctor.diagnose_disk(Path("/proc"))
    assert (found.verdict, found.found) == (Verdict.BAD, "Only 0 MB are free in /proc.")
