"""The Debian package: the same bytes each time, and what its scripts do beside the environments."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path
from zipfile import ZipFile

import pytest

from tools.deb import PACKAGING, Build, pack, write_template

EPOCH = 1_700_000_000
UNIT = PACKAGING / "root/usr/lib/systemd/system/monster-table.service"


def wheel(folder: Path, name: str) -> Path:
    folder.mkdir(exist_ok=True)
    path = folder / f"{name}-1.0-py3-none-any.whl"
    with ZipFile(path, "w") as archive:
        archive.writestr(f"{name}-1.0.dist-info/METADATA", f"Name: {name}\nVersion: 1.0\n")
    return path


@pytest.fixture
def build(tmp_path: Path) -> Build:
    own = wheel(tmp_path / "own", "monster_table")
    wheel(tmp_path / "wheels", "first")
    return Build("arm64", "1.0", own, tmp_path / "wheels", EPOCH)


def test_the_same_sources_make_the_same_bytes(build: Build, tmp_path: Path) -> None:
    first = pack(build, tmp_path / "first").read_bytes()
    for path in build.wheels.iterdir():
        path.chmod(0o600)
        path.touch()
    assert pack(build, tmp_path / "second").read_bytes() == first


def test_what_the_units_and_commands_name_is_in_the_package(build: Build, tmp_path: Path) -> None:
    package = pack(build, tmp_path)
    command = ["dpkg-deb", "--fsys-tarfile", str(package)]
    archive = subprocess.run(command, capture_output=True, check=True).stdout
    listed = subprocess.run(["tar", "-tf", "-"], input=archive, capture_output=True, check=True)
    files = {line.removeprefix(".") for line in listed.stdout.decode().splitlines()}
    texts = [path.read_text("utf-8") for path in (PACKAGING / "root/usr").rglob("*.service")]
    texts.append((PACKAGING / "root/usr/lib/monster-table/hotspot").read_text("utf-8"))
    named = set(re.findall(r"/usr/(?:lib|share)/[a-z/-]*monster-table[\w/.-]*", "\n".join(texts)))
    missing = named - files
    assert missing == {"/usr/lib/monster-table/current/bin/companion"}  # postinst makes it
    assert "/usr/lib/systemd/system/monster-table@.service" in files
    assert "/usr/lib/monster-table/wheels/first-1.0-py3-none-any.whl" in files


def test_the_package_is_for_its_architecture_and_says_how_large_it_is(
    build: Build, tmp_path: Path
) -> None:
    command = ["dpkg-deb", "-f", str(pack(build, tmp_path)), "Architecture", "Installed-Size"]
    said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert re.fullmatch(r"Architecture: arm64\nInstalled-Size: [1-9]\d*\n", said)


def test_a_further_table_has_the_same_unit_with_a_data_folder_of_its_own(tmp_path: Path) -> None:
    shutil.copy(UNIT, tmp_path)
    write_template(tmp_path)
    own = UNIT.read_text("utf-8").splitlines()
    further = (tmp_path / "monster-table@.service").read_text("utf-8").splitlines()
    assert [one for one in further if one not in own] == [
        "Description=Monster Table, the table %i",
        "Environment=MONSTER_TABLE_DATA=/var/lib/monster-table/tables/%i",
        "StateDirectory=monster-table/tables/%i",
    ]
    assert not [one for one in further if one.startswith("Wants=")]


PLACES = ("/usr/lib/monster-table", "/var/lib", "/etc/", "/run/systemd/system")
COMMANDS = ("adduser", "deluser", "getent", "install", "udevadm", "deb-systemd-helper")
STARTED = "deb-systemd-invoke start monster-table.service"
RECORDS = '#!/bin/sh\necho "${{0##*/}} $*" >>{log}\n{then}\n'
VENV = """
[ "$2" = -m ] || exit 1
mkdir -p "$4/bin"
ln -s /bin/true "$4/bin/python"
printf '#!/bin/sh\\n%s\\n' "$COMPANION" >"$4/bin/companion"
chmod +x "$4/bin/companion"
"""
"""What stands in for Python: an environment whose `companion` does what the test says."""


class Machine:
    """A folder in place of the machine, with systemd and without anything of the package."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._log = root / "called"
        (root / "commands").mkdir()
        for name in (*COMMANDS, "deb-systemd-invoke"):
            self.add(name)
        self.add("python3", VENV)
        self.add("setpriv", 'shift 4; exec "$@"')
        self.runs()
        for name in ("usr/lib/monster-table", "var/lib/monster-table", "run/systemd/system"):
            self.path(name).mkdir(parents=True)

    def add(self, name: str, then: str = "") -> None:
        """Put a command on the machine that notes how it is called."""
        path = self.root / "commands" / name
        path.write_text(RECORDS.format(log=self._log, then=then))
        path.chmod(0o755)

    def runs(self, *units: str, restart: str = "true") -> None:
        """Let these units run, and a restart be what the line of shell does."""
        listed = "\\n".join(f"{unit} loaded active running" for unit in units)
        lists = f"list-units) printf '{listed}\\n';;" if units else ""
        self.add("systemctl", f'case "$1" in {lists} restart) {restart};; esac')

    def path(self, name: str) -> Path:
        return self.root / "root" / name

    def run(self, script: str, *given: str, companion: str = "", fails: bool = False) -> list[str]:
        """Run a script of the package; return what it called. `companion`: what the command of an
        environment that is made does.
        """
        text = (PACKAGING / "debian" / script).read_text("utf-8")
        for place in PLACES:
            text = text.replace(place, f"{self.root}/root{place}")
        text = text.replace("env -i", "env")
        before = len(self.called)
        path = f"{self.root}/commands:/usr/bin:/bin"
        done = subprocess.run(
            ["sh", "-c", text, script, *given], env={"PATH": path, "COMPANION": companion},
            check=False, capture_output=True, text=True,
        )  # fmt: skip
        assert (done.returncode != 0) == fails, done.stderr
        self.said = done.stderr
        return self.called[before:]

    @property
    def called(self) -> list[str]:
        return self._log.read_text().splitlines() if self._log.exists() else []

    @property
    def serves(self) -> str | None:
        """The environment that the service is started from."""
        current = self.path("usr/lib/monster-table/current")
        return str(current.readlink()) if current.is_symlink() else None


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


def test_a_package_that_is_new_is_started_and_later_whoever_stopped_it_starts_it(
    machine: Machine,
) -> None:
    assert STARTED in machine.run("postinst", "configure", "")
    assert machine.serves == "a"
    assert STARTED not in machine.run("postinst", "configure", "0.1.0")
    assert machine.serves == "b"
    assert STARTED in machine.run("postinst", "abort-remove")


def test_the_version_before_is_kept_until_the_next_one_serves(machine: Machine) -> None:
    home = machine.path("usr/lib/monster-table")
    for _ in range(2):
        machine.run("postinst", "configure", "")
    machine.run("postinst", "configure", "0.1.0", companion="exit 1", fails=True)
    assert (machine.serves, str((home / "previous").readlink())) == ("b", "a")
    machine.run("postinst", "configure", "0.1.0")
    assert (machine.serves, str((home / "previous").readlink())) == ("c", "b")
    assert not (home / "a").exists()


def test_what_runs_is_restarted_with_the_new_version_after_its_test(machine: Machine) -> None:
    machine.path("var/lib/monster-table/tables/bar").mkdir(parents=True)
    machine.run("postinst", "configure", "")
    machine.runs("monster-table.service", "monster-table@bar.service")
    called = machine.run("postinst", "configure", "0.1.0")
    tests = [index for index, one in enumerate(called) if "doctor --self-test" in one]
    restart = called.index("systemctl restart monster-table.service monster-table@bar.service")
    assert [index < restart for index in tests] == [True, True]
    assert called[tests[1]].endswith("/tables/bar")


def test_a_version_that_fails_its_test_leaves_the_one_before_as_it_is(machine: Machine) -> None:
    machine.run("postinst", "configure", "")
    machine.runs("monster-table.service")
    fails = "echo 'ok   files'; echo 'bad  modules: none'; exit 1"
    called = machine.run("postinst", "configure", "0.1.0", companion=fails, fails=True)
    assert "fails its test; the version before goes on: bad  modules: none" in machine.said
    assert machine.serves == "a"
    assert not [one for one in called if " restart " in one]
    assert not machine.path("usr/lib/monster-table/b").exists()


def test_a_version_that_does_not_start_is_followed_by_the_one_before(machine: Machine) -> None:
    machine.run("postinst", "configure", "")
    machine.runs("monster-table.service", restart="exit 1")
    called = machine.run("postinst", "configure", "0.1.0", fails=True)
    assert called.count("systemctl restart monster-table.service") == 2
    assert machine.serves == "a"


def test_a_first_installation_that_failed_is_started_by_the_next_or_removed(
    machine: Machine,
) -> None:
    assert STARTED not in machine.run("postinst", "configure", "", companion="exit 1", fails=True)
    assert STARTED in machine.run("postinst", "configure", "")
    machine.run("postrm", "remove")
    assert not machine.path("usr/lib/monster-table").exists()


def test_another_python_has_the_environment_made_again(machine: Machine) -> None:
    machine.run("postinst", "configure", "")
    machine.run("postinst", "triggered", "/usr/bin/python3")
    assert machine.serves == "a"
    machine.path("usr/lib/monster-table/a/bin/companion").write_text("#!/bin/sh\nexit 1\n")
    assert STARTED not in machine.run("postinst", "triggered", "/usr/bin/python3")
    assert machine.serves == "b"


def test_a_removal_keeps_the_games_and_a_purge_removes_them(machine: Machine) -> None:
    folder = machine.path("var/lib/monster-table")
    (folder / "snapshots").mkdir()
    (folder / "snapshots/.hidden").touch()
    wanted = machine.path("etc/systemd/system/multi-user.target.wants/monster-table@bar.service")
    wanted.parent.mkdir(parents=True)
    wanted.symlink_to("/nowhere")
    machine.run("postrm", "remove")
    assert (folder / "snapshots/.hidden").exists()
    machine.run("postrm", "purge")
    assert not folder.exists()
    assert not wanted.is_symlink()
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
