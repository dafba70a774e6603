"""Commands in place of those of the system, which write down how they are called."""

from __future__ import annotations

from pathlib import Path

RECORDS = """#!/bin/sh
echo "${{0##*/}} $*" >>{log}
{then}
"""


class Commands:
    """A folder of commands for PATH, and the lines of what was called."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "commands"
        self.folder.mkdir()
        self._log = folder / "called"
        self._log.touch()

    def add(self, *names: str, then: str = "") -> None:
        """Make commands that succeed after `then`, a line of shell."""
        for name in names:
            path = self.folder / name
            path.write_text(RECORDS.format(log=self._log, then=then))
            path.chmod(0o755)

    @property
    def called(self) -> list[str]:
        """What was called, a line each."""
        return self._log.read_text().splitlines()
