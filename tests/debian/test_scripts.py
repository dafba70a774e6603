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

    def run(self, script: str, *arguments: str) -> list[str]:
        """Run a script of the package on this machine; return what it called."""
        text = (PACKAGING / "debian" / script).read_text("utf-8")
        for place in PLACES:
            text = text.replace(place, f"{self.root}/root{place}")
        before = len(self.commands.called)
        subprocess.run(
            ["sh", "-c", text, script, *arguments],
            env={"PATH": f"{self.commands.folder}:/usr/bin:/bin"},
            check=True,
            capture_output=True,
        )
        return self.commands.called[before:]

    def has_a_release(self) -> None:
        self.path("usr/lib/monster-table/current").symlink_to(".")


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
    (folder / "snapshots").mkdir()
    (folder / "snapshots/.hidden").touch()
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
