"""Timeouts for tests, a clock that moves only when a test moves it, disks that block or fail."""

from __future__ import annotations

import os
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

from companion.vision.camera import Timeouts

WITHIN_S = 120.0
"""Far longer than anything takes on a crowded machine: only a test that fails waits so long."""


def wait_until(holds: Callable[[], bool]) -> None:
    """Wait until another process has made it hold."""
    deadline = time.monotonic() + WITHIN_S
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.01)


class Clock:
    """A clock that stands still unless moved, so that nothing is late because the machine
    is slow.
    """

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now

    def move(self, seconds: float) -> None:
        """Advance the clock."""
        self.now += seconds


def patient(clock: Clock | None = None) -> Timeouts:
    """Make a camera on that clock; a process that died is restarted at once."""
    return Timeouts(
        restart_s=0.01,
        restart_at_most_s=0.01,
        photo_s=WITHIN_S,
        photo_read_s=WITHIN_S,
        end_s=WITHIN_S,
        clock=clock or Clock(),
    )


@contextmanager
def blocking_disk() -> Iterator[threading.Event]:
    """Let nothing reach the disk (fsync) before the event is set, or the block ends."""
    fsync, free = os.fsync, threading.Event()

    def wait(descriptor: int) -> None:
        free.wait(WITHIN_S)
        fsync(descriptor)

    with patch.object(os, "fsync", wait):
        try:
            yield free
        finally:
            free.set()


class Disk:
    """A disk whose n-th statement from now on fails; 0: none does."""

    def __init__(self) -> None:
        self.left = 0

    def touched(self) -> None:
        """Count a statement. Raises sqlite3.OperationalError if it is to fail."""
        self.left -= 1
        if self.left == 0:
            error = sqlite3.OperationalError("disk I/O error")
            error.sqlite_errorcode = sqlite3.SQLITE_IOERR
            raise error


@contextmanager
def failing(disk: Disk) -> Iterator[None]:
    """Put connections opened meanwhile on this disk."""

    class Connection(sqlite3.Connection):
        def execute(self, *given: Any) -> sqlite3.Cursor:
            disk.touched()
            return super().execute(*given)

    real = sqlite3.connect

    def connect(*given: Any, **more: Any) -> sqlite3.Connection:
        disk.touched()
        made: sqlite3.Connection = real(*given, **more, factory=Connection)
        return made

    sqlite3.connect = connect  # type: ignore[assignment]
    try:
        yield
    finally:
        sqlite3.connect = real
