"""Starts of the service that failed: after three in a row, the next one is in safe mode."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

from companion.files import open_regular, write_atomically

FILE_NAME = "starts"
"""Not among the files of a backup: it is about this machine."""
MOST_FAILED = 3
HEALTHY_S = 60.0
"""Time after which a start counts as one that went well."""
MOST_COUNTED = 999


class Starts:
    """Counts, in the data folder, starts that were not followed by a healthy while or a clean stop.

    A disk that cannot be written is no reason not to start: then nothing is counted.
    """

    def __init__(self, folder: Path) -> None:
        self._path = folder / FILE_NAME
        self.failed = _count(self._path)
        """The starts that failed since the last good one."""
        self._is_counted = False

    @property
    def should_be_safe(self) -> bool:
        """Whether so many starts have failed that this one should be in safe mode."""
        return self.failed >= MOST_FAILED

    def begin(self) -> None:
        """Count this start, once, as failed for as long as it has not gone well."""
        self._is_counted = True
        self._write(min(self.failed + 1, MOST_COUNTED))

    def wait_for_network(self) -> None:
        """Have this start, where it is counted, lead to a pause, and not to safe mode: an address
        that is not there yet would be missing in safe mode too.
        """
        if self._is_counted:
            self._write(max(self.failed, min(self.failed + 1, MOST_FAILED - 1)))

    def went_well(self) -> None:
        """Forget the starts that failed."""
        with suppress(OSError):
            self._path.unlink(missing_ok=True)

    def _write(self, failed: int) -> None:
        with suppress(OSError):
            write_atomically(self._path, str(failed).encode())


def _count(path: Path) -> int:
    """Return the number in the file; 0 where there is none."""
    try:
        with open_regular(path) as file:
            written = file.read(len(str(MOST_COUNTED)) + 1)
    except OSError:
        return 0
    is_number = written.isdigit() and len(written) <= len(str(MOST_COUNTED))
    return int(written) if is_number else 0
