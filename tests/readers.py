"""The reader's processes that a test has started, told from all others of the test run."""

from __future__ import annotations

from pathlib import Path

from companion.vision.camera import CHILD


class Readers:
    """The reader's processes that this process starts from now on.

    A test run has other children too, of other tests and of libraries, which may begin or end at
    any time; and one that an earlier test killed may still be on its way out.
    """

    def __init__(self) -> None:
        self._before = _running()

    def running(self) -> set[int]:
        """Return the numbers of those that run."""
        return _running() - self._before

    def only(self) -> int:
        """Return the number of the one that runs."""
        (pid,) = self.running()
        return pid


def _running() -> set[int]:
    tasks = Path("/proc/self/task").glob("*/children")
    found = {int(word) for path in tasks for word in _read(path).split()}
    return {pid for pid in found if _is_reader(pid)}


def _is_reader(pid: int) -> bool:
    # The command line of a process that has ended is empty.
    return CHILD.encode() in _read(Path("/proc", str(pid), "cmdline")).split(b"\0")


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:  # its thread or process has just ended
        return b""
