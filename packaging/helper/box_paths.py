"""Where everything of the package is on the machine, and how a failure is reported."""

from __future__ import annotations

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
