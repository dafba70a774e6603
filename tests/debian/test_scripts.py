"""The maintainer scripts: what an installation, an upgrade and a purge do beside the releases."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.debian.commands import Commands
from tools.deb.build import PACKAGING

PLACES = ("/usr/lib/monster-table", "/var/", "/etc/", "/run/systemd/system")
STARTED = "deb-systemd-invoke start monster-table.service monster-table-update.path"


class Machine:
    """A folder in place of the machine, with systemd and without anything of the package."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.commands = Commands(root)
        names = "adduser deluser getent install udevadm systemctl python3"
        self.commands.add(*names.split(), "deb-systemd-helper", "deb-systemd-invoke")
        for name in ("usr/lib/monster-table", "var/lib/monster-table", "var/spool/monster-table"):
            self.path(name).mkdir(parents=True)
        self.path("run/systemd/system").mkdir(parents=True)

    def path(self, name: str) -> Path:
        return self.root / "root" / name

    def run(self, script: str, *arguments: str, fails: bool = False) -> list[str]:
        """Run a script of the package on this machine; return what it called."""
        text = (PACKAGING / "debian" / script).read_text("utf-8")
        for place in PLACES:
            text = text.replace(place, f"{self.root}/root{place}")
        before = len(self.commands.called)
        done = subprocess.run(
            ["sh", "-c", text, script, *arguments],
            env={"PATH": f"{self.commands.folder}:/usr/bin:/bin"},
            check=False,
            capture_output=True,
        )
        assert (done.returncode != 0) == fails, done.stderr
        return self.commands.called[before:]

    def has_a_release(self) -> None:
        current = self.path("usr/lib/monster-table/current")
        if not current.is_symlink():
            current.symlink_to(".")


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


@pytest.mark.parametrize("last", ["", "0.1.0"])
def test_a_package_that_is_new_on_the_machine_is_started(machine: Machine, last: str) -> None:
    """Also where it was removed and not purged: then it has a version before."""
    assert STARTED in machine.run("postinst", "configure", last)


@pytest.mark.parametrize("arguments", [("configure", "0.1.0"), ("triggered", "/usr/bin/python3")])
def test_an_upgrade_starts_nothing_that_somebody_stopped(
    machine: Machine, arguments: tuple[str, str]
) -> None:
    machine.has_a_release()
    called = machine.run("postinst", *arguments)
    assert STARTED not in called
    assert any("helper" in line for line in called if line.startswith("python3"))


@pytest.mark.parametrize("has_release", [False, True])
def test_a_first_installation_that_was_broken_off_is_started_by_the_next(
    machine: Machine, has_release: bool
) -> None:
    machine.commands.add("python3", then="exit 1")
    assert STARTED not in machine.run("postinst", "configure", "", fails=True)
    if has_release:
        machine.has_a_release()
    machine.commands.add("python3")
    assert STARTED in machine.run("postinst", "configure", "")
    machine.has_a_release()
    assert STARTED not in machine.run("postinst", "configure", "0.1.0")


def test_what_a_first_installation_was_broken_off_with_is_removed(machine: Machine) -> None:
    machine.commands.add("python3", then="exit 1")
    machine.run("postinst", "configure", "", fails=True)
    machine.run("postrm", "remove")
    assert not machine.path("usr/lib/monster-table").exists()


def test_what_a_removal_stopped_is_started_when_it_is_broken_off(machine: Machine) -> None:
    machine.has_a_release()
    assert STARTED in machine.run("postinst", "abort-remove")


def test_a_removal_keeps_the_log_and_what_is_announced_goes(machine: Machine) -> None:
    log = machine.path("var/lib/monster-table/table.db")
    log.touch()
    announced = machine.path("etc/avahi/services/monster-table.service")
    announced.parent.mkdir(parents=True)
    announced.touch()
    machine.run("postrm", "remove")
    assert log.exists()
    assert not announced.exists()
    assert not machine.path("var/spool/monster-table").exists()


def test_a_purge_removes_the_log(machine: Machine) -> None:
    folder = machine.path("var/lib/monster-table")
    (folder / "copies").mkdir()
    (folder / "copies/.hidden").touch()
    machine.run("postrm", "purge")
    assert not folder.exists()
    machine.run("postrm", "purge")


def test_a_purge_empties_the_disk_that_a_link_leads_to(machine: Machine) -> None:
    disk = machine.path("media/disk")
    disk.mkdir(parents=True)
    (disk / "table.db").touch()
    folder = machine.path("var/lib/monster-table")
    folder.rmdir()
    folder.symlink_to(disk)
    machine.run("postrm", "purge")
    assert list(disk.iterdir()) == []
    assert not folder.is_symlink()


def test_a_purge_removes_the_link_by_which_the_hotspot_was_enabled_once(machine: Machine) -> None:
    link = machine.path("etc/systemd/system/multi-user.target.wants/monster-table-hotspot.service")
    link.parent.mkdir(parents=True)
    link.symlink_to("/nowhere")
    machine.run("postrm", "remove")
    assert link.is_symlink()
    machine.run("postrm", "purge")
    assert not link.is_symlink()
