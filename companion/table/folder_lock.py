"""The lock on a data folder: its log has one writer."""

from __future__ import annotations

import fcntl
from pathlib import Path
from typing import BinaryIO

from companion.storage.files import open_lock
from companion.table.opening import ClaimedError

LOCK_NAME = "lock"


class DataInUseError(ClaimedError):
    """Another service has this data folder open."""


class FolderLock:
    """The lock on a data folder for as long as its service runs: a log has one writer."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._file: BinaryIO | None = None
        self.is_exclusive = True
        """Whether another service is kept out; False where the file system has no locks."""

    def take(self) -> None:
        """Lock the folder. Raises OSError where the disk refuses, DataInUseError where another
        service has it.
        """
        if self._file is not None:
            return
        self._folder.mkdir(parents=True, exist_ok=True)
        file = open_lock(self._folder / LOCK_NAME)
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as taken:
            file.close()
            raise DataInUseError(str(self._folder)) from taken
        except OSError:
            self.is_exclusive = False  # some network and FUSE mounts have no locks: play anyway
        self._file = file

    def release(self) -> None:
        """Unlock the folder."""
        if self._file is not None:
            self._file.close()
