"""Where everything of the package is on the machine, and how a failure is reported."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path


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

    @property
    def mark(self) -> Path:
        """What says that the release that serves is on trial."""
        return self.home / "trial.json"

    @property
    def lock(self) -> Path:
        """What one helper holds at a time."""
        return self.home / ".lock"


@contextmanager
def locked(box: Box, *, wait: bool = True) -> Iterator[bool]:
    """Keep other helpers from the releases, and wait for one that goes on; else yield False."""
    flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW
    handle = os.open(box.lock, flags, 0o600)
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if not wait:
                yield False
                return
            print("waiting for another update to end", flush=True)
            fcntl.flock(handle, fcntl.LOCK_EX)
        yield True
    finally:
        os.close(handle)


def sync_folder(path: Path) -> None:
    """Bring the names in a folder to the disk."""
    folder = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
