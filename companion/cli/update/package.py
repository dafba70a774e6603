"""The file of an update: a Debian package of this program for this kind of machine."""

from __future__ import annotations

import stat
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Final

NAME: Final = "monster-table"
MAGIC: Final = b"!<arch>\n"
LARGEST: Final = 600 << 20
ASK_S: Final = 60.0
FIELDS: Final = ("Package", "Version", "Architecture")
LONGEST_FIELD: Final = 200


class UpdateError(Exception):
    """The update is refused, and nothing was changed: a catalogue key with parameters."""

    def __init__(self, key: str, **params: str | int) -> None:
        super().__init__(key)
        self.key, self.params = key, params


@dataclass(frozen=True, slots=True)
class Package:
    """What a package says of itself, and its size in bytes."""

    version: str
    architecture: str
    size: int


def checked_package(path: Path) -> Package:
    """Return what the file says of itself; UpdateError where it is no package of this program for
    this machine.
    """
    try:
        found = path.stat()
        if not stat.S_ISREG(found.st_mode):
            raise UpdateError("error.update.not_a_package", path=str(path))
        with path.open("rb") as file:
            magic = file.read(len(MAGIC))
    except OSError as refusal:
        reason = refusal.strerror or ""
        raise UpdateError("error.update.unreadable", path=str(path), reason=reason) from refusal
    if magic != MAGIC or found.st_size > LARGEST:
        raise UpdateError("error.update.not_a_package", path=str(path))
    name, version, architecture = _fields(path)
    if name != NAME:
        raise UpdateError("error.update.other_package", path=str(path), name=name)
    ours = _asked("dpkg", "--print-architecture").strip()
    if architecture not in {ours, "all"}:
        raise UpdateError("error.update.other_machine", path=str(path), of=architecture, ours=ours)
    return Package(version, architecture, found.st_size)


def _fields(path: Path) -> list[str]:
    """Return the package's name, version and architecture."""
    try:
        written = _asked("dpkg-deb", "--field", str(path.resolve()), *FIELDS)
    except subprocess.CalledProcessError as wrong:
        raise UpdateError("error.update.not_a_package", path=str(path)) from wrong
    lines = dict(line.partition(": ")[::2] for line in written.splitlines())
    values = [lines.get(field, "")[:LONGEST_FIELD] for field in FIELDS]
    if not all(value and value.isprintable() for value in values):
        raise UpdateError("error.update.not_a_package", path=str(path))
    return values


def _asked(*command: str) -> str:
    """Return what a program of Debian's prints. CalledProcessError where it refuses."""
    try:
        done = subprocess.run(command, capture_output=True, timeout=ASK_S, check=True)
    except (OSError, subprocess.TimeoutExpired) as missing:
        raise UpdateError("error.update.no_debian", program=command[0]) from missing
    return done.stdout.decode(errors="replace")
