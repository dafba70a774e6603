"""Weak power, heat and a full disk are shown on the table page while they last."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from companion.service.machine.monitor import Monitor
from companion.service.settings import Limits, Settings
from tests.service.served import Browser, serving
from tests.waiting import Clock

FIRMWARE = "sys/devices/platform/soc/soc:firmware/get_throttled"
ZONE = "sys/class/thermal/thermal_zone0/temp"


def write(path: Path, content: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content)


def keys(notices: Monitor) -> list[str]:
    return [one.words.key for one in notices.notices]


class Looks:
    """A monitor of a made-up machine, and how often it reported a change."""

    def __init__(self, root: Path, limits: Limits | None = None) -> None:
        self.changes, self.clock = 0, Clock()
        settings = Settings(data=root, sensors=root, limits=limits or Limits())
        self.monitor = Monitor(settings, self.changed, self.clock)

    def changed(self) -> None:
        self.changes += 1

    def look(self) -> list[str]:
        self.monitor.look()
        return keys(self.monitor)


def test_a_machine_that_is_well_shows_nothing(tmp_path: Path) -> None:
    looks = Looks(tmp_path)
    write(tmp_path / FIRMWARE, "0\n")
    write(tmp_path / ZONE, "60000\n")
    assert looks.look() == []
    assert looks.changes == 0


def test_weak_power_is_shown_once_it_has_been_weak(tmp_path: Path) -> None:
    looks = Looks(tmp_path)
    write(tmp_path / FIRMWARE, "50000\n")
    assert looks.look() == ["machine.power"]
    assert looks.look() == ["machine.power"]
    assert looks.changes == 1
    assert looks.monitor.mark_seen("machine-power")
    assert looks.look() == []  # the flag stays until the machine starts again
    write(tmp_path / FIRMWARE, "0\n")
    looks.look()
    write(tmp_path / FIRMWARE, "50005\n")
    assert looks.look() == ["machine.power"]


def test_heat_is_shown_until_it_has_cooled_down_a_little(tmp_path: Path) -> None:
    looks, shown = Looks(tmp_path), []
    for degrees in (79_900, 80_000, 79_000, 75_000, 74_900, 79_000):
        write(tmp_path / ZONE, f"{degrees}\n")
        shown.append(looks.look() == ["machine.heat"])
    assert shown == [False, True, True, True, False, False]
    assert looks.changes == 2


@pytest.mark.parametrize(
    ("low", "full", "shown"),
    [(0, 0, []), (1 << 60, 0, ["machine.disk_low"]), (1 << 60, 1 << 60, ["machine.disk_full"])],
)
def test_a_disk_is_low_before_it_is_full(
    tmp_path: Path, low: int, full: int, shown: list[str]
) -> None:
    looks = Looks(tmp_path, Limits(disk_low_bytes=low, disk_full_bytes=full))
    assert looks.look() == shown
    assert all(set(one.words.args) == {"free"} for one in looks.monitor.notices)


def test_a_folder_that_is_gone_has_no_notice(tmp_path: Path) -> None:
    looks = Looks(tmp_path / "gone", Limits(disk_low_bytes=1 << 60))
    assert looks.look() == []


def ticked(looks: Looks, moves: Callable[[], None]) -> bool:
    """Whether a tick after these moves of the clock has looked."""
    moves()
    before = looks.monitor._looking
    looks.monitor.tick()
    after = looks.monitor._looking
    if after is not None:
        after.result()
    return after is not before


def test_it_looks_at_once_and_then_every_half_minute(tmp_path: Path) -> None:
    looks = Looks(tmp_path)
    move = looks.clock.move
    assert ticked(looks, lambda: move(0))
    assert not ticked(looks, lambda: move(29))
    assert ticked(looks, lambda: move(1))
    assert not ticked(looks, lambda: move(0))


def test_every_phone_is_shown_it_until_the_host_has_seen_it(tmp_path: Path) -> None:
    write(tmp_path / "root" / FIRMWARE, "1\n")
    settings = Settings(data=tmp_path / "data", host="127.0.0.1", port=0, sensors=tmp_path / "root")
    with serving(settings) as served:
        host = Browser(served).join()
        served.app_state.machine.look()
        stream = host.stream()
        shown = next(m for m in stream if m.event == "message" and m.update().view.notices)
        (notice,) = shown.update().view.notices
        assert notice.words.key == "machine.power"
        _, answer = host.ask("POST", "/api/seen", {"notice": notice.id})
        assert answer["view"]["notices"] == []
        served.app_state.machine.look()
        assert host.ask("GET", "/api/state")[1]["view"]["notices"] == []
