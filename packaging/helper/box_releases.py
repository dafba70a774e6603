"""The releases of a box: environments beside each other, and two links that say which one serves.

A release is made from a folder of wheels without network, compiler or node, and is not changed
afterwards. What serves is `current`; the one that served before it is `previous`. Standard library
alone: this runs before there is any environment.
"""

from __future__ import annotations

import hashlib
import os
import pwd
import shutil
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from zipfile import BadZipFile, ZipFile

REQUIREMENTS = "requirements.txt"
COMPLETE = ".complete"
MAKE_S = 1200.0
SELF_TEST_S = 180.0
HEALTH_S = 60.0
RESTART_S = 180.0
ROOM = 2
"""Free space is asked for this many times what the release takes."""


class ReleaseError(Exception):
    """A release cannot be made, or does not work; the message gives the reason in one line."""


@dataclass(frozen=True, slots=True)
class Box:
    """Where everything is on the machine, and which user runs what comes out of wheels."""

    home: Path = Path("/usr/lib/monster-table")
    state: Path = Path("/var/lib/monster-table")
    spool: Path = Path("/var/spool/monster-table")
    user: str = "monster-table"
    unit: str = "monster-table.service"
    systemd: Path = Path("/run/systemd/system")

    @property
    def releases(self) -> Path:
        """The folder of all releases."""
        return self.home / "releases"

    @property
    def current(self) -> Path:
        """The link to the release that serves."""
        return self.home / "current"

    @property
    def previous(self) -> Path:
        """The link to the release that served before."""
        return self.home / "previous"


def make(box: Box, wheels: Path, version: str) -> Path:
    """Return the release of these wheels, made unless it is there; ReleaseError where it fails."""
    requirements = wheels / REQUIREMENTS
    try:
        digest = hashlib.sha256(requirements.read_bytes()).hexdigest()[:12]
    except OSError as failed:
        raise ReleaseError(f"there is no {REQUIREMENTS} beside the wheels: {failed}") from failed
    python = f"{sys.version_info.major}.{sys.version_info.minor}"
    release = box.releases / f"{version}-py{python}-{digest}"
    if (release / COMPLETE).is_file():
        return release
    _check_python(wheels, python)
    _check_room(box, wheels, python)
    shutil.rmtree(release, ignore_errors=True)
    release.parent.mkdir(parents=True, exist_ok=True)
    try:
        _install(release, wheels)
    except ReleaseError:
        shutil.rmtree(release, ignore_errors=True)
        raise
    (release / COMPLETE).write_text(version + "\n", "utf-8")
    os.sync()
    return release


def _install(release: Path, wheels: Path) -> None:
    """Make the environment and install the wheels, each with the hash that the lock names."""
    _run([sys.executable, "-I", "-m", "venv", str(release)], "the environment cannot be made")
    options = ["--isolated", "--disable-pip-version-check", "--no-input", "--no-cache-dir"]
    pip = [str(release / "bin" / "python"), "-I", "-m", "pip", *options, "install", "--quiet"]
    only = ["--no-index", "--no-deps", "--only-binary=:all:", "--require-hashes"]
    source = ["--find-links", str(wheels), "-r", str(wheels / REQUIREMENTS)]
    _run([*pip, *only, *source], "the wheels cannot be installed")


def _run(command: Sequence[str], failure: str) -> None:
    variables = {"PATH": "/usr/bin:/bin", "LANG": "C.UTF-8", "HOME": "/nonexistent"}
    try:
        done = subprocess.run(
            command,
            env=variables,
            cwd="/",
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=MAKE_S,
            check=False,
        )
    except subprocess.TimeoutExpired as slow:
        raise ReleaseError(f"{failure}: not done after {MAKE_S:.0f} s") from slow
    if done.returncode:
        raise ReleaseError(f"{failure}: {last_line(done.stderr or done.stdout)}")


def last_line(output: str) -> str:
    """Return the last line that says something, shortened to what a sentence can hold."""
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    return lines[-1][:300] if lines else "no reason was given"


def _fitting(wheels: Path, python: str) -> list[Path]:
    """Return the wheels for this Python: those of its own tag, and those of any."""
    tag = "cp" + python.replace(".", "")
    names = [(wheel, wheel.name.split("-")) for wheel in sorted(wheels.glob("*.whl"))]
    return [
        wheel
        for wheel, (*_, pythons, abi, _) in names
        if tag in pythons or "py3" in pythons or abi == "abi3"
    ]


def _check_python(wheels: Path, python: str) -> None:
    every = {wheel.name.split("-")[0] for wheel in wheels.glob("*.whl")}
    missing = sorted(every - {wheel.name.split("-")[0] for wheel in _fitting(wheels, python)})
    if missing:
        raise ReleaseError(f"there is no {missing[0]} for Python {python} among the wheels")


def _check_room(box: Box, wheels: Path, python: str) -> None:
    """Refuse where the disk has not twice the room that the release will take."""
    try:
        size = sum(_unpacked(wheel) for wheel in _fitting(wheels, python))
    except (BadZipFile, OSError) as damaged:
        raise ReleaseError(f"a wheel is damaged: {damaged}") from damaged
    free = shutil.disk_usage(box.home).free
    if free < ROOM * size:
        need, there = (ROOM * size) >> 20, free >> 20
        raise ReleaseError(f"the disk is too full: {need} MB must be free, {there} MB are")


def _unpacked(wheel: Path) -> int:
    with ZipFile(wheel) as archive:
        return sum(info.file_size for info in archive.infolist())


def served(box: Box) -> Path | None:
    """Return the release that `current` names, None where there is none."""
    return _target(box.current)


def _target(link: Path) -> Path | None:
    try:
        release = link.parent / link.readlink()
    except OSError:
        return None
    return release if (release / COMPLETE).is_file() else None


def switch(box: Box, release: Path) -> None:
    """Let `current` name this release, and `previous` the one that served until now."""
    before = served(box)
    if before != release:
        link(box, release, before)


def link(box: Box, release: Path, before: Path | None) -> None:
    """Let `current` and `previous` name these releases, on the disk too."""
    if before is not None:
        _link(box.previous, before)
    _link(box.current, release)
    folder = os.open(box.home, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def _link(link: Path, release: Path) -> None:
    new = link.with_name(f".{link.name}.new")
    new.unlink(missing_ok=True)
    new.symlink_to(release.relative_to(link.parent))
    new.replace(link)


def served_before(box: Box) -> Path | None:
    """Return the release that `previous` names, None where there is none."""
    return _target(box.previous)


def prune(box: Box) -> None:
    """Remove every release but the one that serves and the one before it."""
    kept = {served(box), served_before(box)}
    for release in box.releases.iterdir() if box.releases.is_dir() else ():
        if release not in kept:
            shutil.rmtree(release, ignore_errors=True)


def version_of(release: Path | None) -> str:
    """Return the version of a release, an empty text where there is none."""
    if release is None:
        return ""
    with suppress(OSError):
        return (release / COMPLETE).read_text("utf-8").strip()
    return ""


def forget(release: Path) -> None:
    """Remove a release that does not work."""
    shutil.rmtree(release, ignore_errors=True)


def self_test(box: Box, release: Path) -> None:
    """Try a release beside the one that serves; ReleaseError with why it does not work."""
    companion = str(release / "bin" / "companion")
    test = [companion, "doctor", "--self-test", "--data", str(box.state)]
    done = as_service(box, test, SELF_TEST_S)
    if done.returncode:
        raise ReleaseError(f"the self-test failed: {last_line(done.stderr or done.stdout)}")


def is_healthy(box: Box, release: Path) -> bool:
    """True once the service answers on this machine."""
    companion = str(release / "bin" / "companion")
    ask = [companion, "doctor", "--health", "--data", str(box.state)]
    try:
        return as_service(box, ask, HEALTH_S).returncode == 0
    except ReleaseError:
        return False


def as_service(
    box: Box, command: Sequence[str], limit_s: float
) -> subprocess.CompletedProcess[str]:
    """Run a command of a release with the rights of the service alone."""
    variables = {
        "PATH": "/usr/bin:/bin",
        "LANG": "C.UTF-8",
        "HOME": "/nonexistent",
        "MONSTER_TABLE_DATA": str(box.state),
    }
    user, group, groups = _rights(box.user)
    try:
        return subprocess.run(
            command,
            env=variables,
            cwd="/",
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=limit_s,
            check=False,
            user=user,
            group=group,
            extra_groups=groups,
        )
    except subprocess.TimeoutExpired as slow:
        raise ReleaseError(f"{command[1]} was not done after {limit_s:.0f} s") from slow
    except OSError as failed:
        raise ReleaseError(f"{command[0]} does not start: {failed.strerror}") from failed


def _rights(user: str) -> tuple[int | None, int | None, list[int] | None]:
    """Return the user's numbers; none where this process could not take them on."""
    if os.geteuid():
        return None, None, None
    entry = pwd.getpwnam(user)
    return entry.pw_uid, entry.pw_gid, os.getgrouplist(user, entry.pw_gid)


def restart(box: Box) -> None:
    """Restart the service where systemd runs; ReleaseError where it does not come up."""
    if not box.systemd.is_dir():
        return
    command = ["systemctl", "restart", box.unit]
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=RESTART_S, check=False
        )
    except subprocess.TimeoutExpired as slow:
        raise ReleaseError(f"the service did not start within {RESTART_S:.0f} s") from slow
    if done.returncode:
        reason = last_line(done.stderr.partition("\n")[0])
        raise ReleaseError(f"the service does not start: {reason}")
