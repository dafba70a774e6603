"""The releases of a box: environments beside each other, and two links that say which one serves.

A release is made from a folder of wheels without network, compiler or node, and is not changed
afterwards. What serves is `current`; the one that served before it is `previous`. Standard library
alone: this runs before there is any environment.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

from box_command import last_line, run
from box_paths import Box, ReleaseError, sync_folder
from box_wheels import chosen, named_by, read_list, unpack, unpacked_size, write_command

COMPLETE = ".complete"
OF_PACKAGE = ".of-package"
"""In a release that dpkg brought: root trusts it, as it does all of that package."""
DISTRIBUTION, COMMAND = "monster_table", "companion"
DIGITS = 32
"""Of the hash of its list in a release's name: two lists of one name must not be found."""
MAKE_S = 1200.0
KEPT = "wheels"
"""Beside a release, what it was made of: for a later Python of Debian's."""
ROOM = 2
"""Free space is asked for this many times what the release takes."""


def make(box: Box, wheels: Path, version: str) -> Path:
    """Return the release of these wheels, made unless it is there; ReleaseError where it fails."""
    content = read_list(wheels)
    python = _python()
    digest = hashlib.sha256(content).hexdigest()[:DIGITS]
    release = box.releases / f"{version}-py{python}-{digest}"
    if (release / COMPLETE).is_file():
        return release
    named = named_by(content)
    fitting = chosen(wheels, named, python)
    _check_room(box, unpacked_size(fitting))
    shutil.rmtree(release, ignore_errors=True)
    release.parent.mkdir(parents=True, exist_ok=True)
    try:
        _run([sys.executable, "-I", "-m", "venv", "--without-pip", str(release)], "no environment")
        site = release / "lib" / f"python{python}" / "site-packages"
        for wheel, one in zip(fitting, named.values(), strict=True):
            unpack(wheel, one, site)
        write_command(release, site, DISTRIBUTION, COMMAND)
        _compile(site)
        _keep(wheels, release / KEPT)
    except BaseException:
        shutil.rmtree(release, ignore_errors=True)
        raise
    # A release that is marked as complete is so after a power cut as well.
    os.sync()
    _write_complete(release, version)
    return release


def _write_complete(release: Path, version: str) -> None:
    with (release / COMPLETE).open("x", encoding="utf-8") as file:
        file.write(f"{version}\n")
        file.flush()
        os.fsync(file.fileno())
    sync_folder(release)


def _python() -> str:
    return f"{sys.version_info.major}.{sys.version_info.minor}"


def fits(release: Path | None) -> bool:
    """True where a release was made for the Python that Debian has now."""
    return release is not None and f"-py{_python()}-" in release.name


def _compile(site: Path) -> None:
    """Compile the modules, as the service may not write beside them.

    By Debian's Python alone: that of the release would run what the wheels start it with. A module
    that cannot be compiled is found by the self-test, if it is ever used.
    """
    run([sys.executable, "-I", "-S", "-m", "compileall", "-q", str(site)], MAKE_S)


def _keep(wheels: Path, kept: Path) -> None:
    """Keep the wheels, of all Pythons, by a second name where that can be; it takes no room."""
    kept.mkdir()
    for path in wheels.iterdir():
        try:
            (kept / path.name).hardlink_to(path)
        except OSError:
            shutil.copyfile(path, kept / path.name)


def _run(command: list[str], failure: str) -> None:
    done = run(command, MAKE_S)
    if done.status:
        raise ReleaseError(f"{failure}: {last_line(done.output)}")


def _check_room(box: Box, size: int) -> None:
    """Refuse where the disk has not twice the room that the release will take."""
    free = shutil.disk_usage(box.home).free
    if free < ROOM * size:
        need, there = (ROOM * size) >> 20, free >> 20
        raise ReleaseError(f"the disk is too full: {need} MB must be free, {there} MB are")


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
    if before is None:
        box.previous.unlink(missing_ok=True)
    else:
        _link(box.previous, before)
    _link(box.current, release)
    sync_folder(box.home)


def _link(link: Path, release: Path) -> None:
    new = link.with_name(f".{link.name}.new")
    new.unlink(missing_ok=True)
    new.symlink_to(release.relative_to(link.parent))
    new.replace(link)


def is_older(version: str, than: str) -> bool:
    """True where Debian orders the one version before the other."""
    command = ["dpkg", "--compare-versions", version, "lt", than]
    return bool(version and than) and subprocess.run(command, check=False).returncode == 0


def served_before(box: Box) -> Path | None:
    """Return the release that `previous` names, None where there is none."""
    return _target(box.previous)


def prune(box: Box) -> None:
    """Remove every release but the one that serves and the one before it.

    None while there is a trial to step back from.
    """
    if box.mark.exists():
        return
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
