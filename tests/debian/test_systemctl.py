"""What stands in for systemd on an emulated machine answers what the package and Debian ask."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.box import systemctl
from tests.box.systemctl import SERVICE, WATCH, main, settings
from tools.deb.build import PACKAGING

UNITS = PACKAGING / "root" / "usr" / "lib" / "systemd" / "system"
PRESET = ("--root=/", "--system", "--preset-mode=enable-only", "preset")


@pytest.fixture(autouse=True)
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of what runs, on a machine where nothing is enabled and nothing runs."""
    monkeypatch.setattr(systemctl, "UNITS", UNITS)
    monkeypatch.setattr(systemctl, "WANTED", tmp_path / "multi-user.target.wants")
    monkeypatch.setattr(systemctl, "RUN", tmp_path)
    return tmp_path


@pytest.mark.parametrize("unit", [SERVICE, WATCH])
def test_a_unit_is_enabled_by_what_an_installation_asks(
    unit: str, run: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """deb-systemd-helper presets it, and deb-systemd-invoke starts nothing that is disabled."""
    main(["--system", "is-enabled", "--", unit])
    assert main([*PRESET, unit]) == main([*PRESET, unit]) == 0
    main(["--system", "is-enabled", "--", unit])
    assert capsys.readouterr().out.split() == ["disabled", "enabled"]
    assert [f"{target}.wants" for target in settings(unit)["WantedBy"]] == [systemctl.WANTED.name]
    assert (systemctl.WANTED / unit).samefile(UNITS / unit)


def test_one_unit_is_not_enabled_with_another(capsys: pytest.CaptureFixture[str]) -> None:
    main([*PRESET, SERVICE])
    main(["is-enabled", WATCH])
    assert capsys.readouterr().out == "disabled\n"


def test_the_helper_sees_whether_the_service_runs(
    run: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    ask = ["show", SERVICE, "--property=LoadState,ActiveState"]
    main(ask)
    assert {*capsys.readouterr().out.split()} == {"LoadState=loaded", "ActiveState=inactive"}
    (run / f"{SERVICE}.pid").write_text(str(os.getpid()))
    main(ask)
    assert {*capsys.readouterr().out.split()} == {"LoadState=loaded", "ActiveState=active"}


def test_a_stopped_service_is_not_started_by_try_restart(run: Path) -> None:
    assert main(["--no-block", "try-restart", SERVICE]) == 0
    assert not [*run.iterdir()]
