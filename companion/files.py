"""Files: atomic writes (write beside the target, fsync, rename), and opening what others name."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path
from typing import BinaryIO, Final

USUAL_MODE: Final = 0o666
"""Permissions of a new file, less what this process withholds (umask)."""


def sync_folder(folder: Path) -> None:
    """Flush renames in a folder to the disk (fsync)."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def sync_file(path: Path) -> None:
    """Flush a file's content to the disk (fsync)."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def replace_file(made: Path, path: Path) -> None:
    """Replace `path` atomically and durably by the file `made` beside it."""
    sync_file(made)
    move_file(made, path)


def move_file(made: Path, path: Path) -> None:
    """Replace `path` atomically and durably by a file beside it that is on the disk."""
    made.replace(path)
    sync_folder(path.parent)


def write_atomically(path: Path, content: bytes, mode: int | None = None) -> None:
    """Write a file; after a crash it holds the new content or the old one. Raises OSError.

    `mode`: who may read it, from its first byte on; else as the process makes files.
    """
    if path.name in {"", ".."}:
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    made = path.with_name(f"{path.name}.new")
    made.unlink(missing_ok=True)
    permissions = USUAL_MODE if mode is None else mode
    descriptor = os.open(made, os.O_WRONLY | os.O_CREAT | os.O_EXCL, permissions)
    with os.fdopen(descriptor, "wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    move_file(made, path)


def open_regular(path: Path) -> BinaryIO:
    """Open a file for reading. Raises OSError, also for a pipe or a device: whoever reads one may
    wait for ever. How much is read is up to the caller.
    """
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    try:
        _refuse_irregular(os.fstat(descriptor), path)
    except OSError:
        os.close(descriptor)
        raise
    return os.fdopen(descriptor, "rb")


def refuse_irregular(path: Path) -> None:
    """Raise OSError if there is something else than a regular file. It is not opened: closing
    the file of a database gives up the locks that this process has on it (fcntl).
    """
    if is_there(path):
        _refuse_irregular(path.stat(), path)


def _refuse_irregular(status: os.stat_result, path: Path) -> None:
    if stat.S_ISDIR(status.st_mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    if not stat.S_ISREG(status.st_mode):
        raise OSError(errno.EINVAL, "it is not a regular file", str(path))


def open_lock(path: Path) -> BinaryIO:
    """Open a file to lock it, made if there is none; what is there is not changed. Raises
    OSError.
    """
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NONBLOCK, USUAL_MODE)
    return os.fdopen(descriptor, "rb", buffering=0)


def is_there(path: Path) -> bool:
    """Return whether a file exists; False in a folder that may not be entered."""
    return os.path.exists(path)  # noqa: PTH110  Path.exists raises then


def free_name(path: Path, why: str) -> Path:
    """Return `path` with the first unused suffix `.WHY-N`."""
    numbers = (Path(f"{path}.{why}-{n}") for n in range(1, 1_000_000))
    return next(name for name in numbers if not is_there(name))
