"""Files that are whole or as before: written beside, synchronised, renamed."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path


def sync_folder(folder: Path) -> None:
    """Renames in the folder have reached the disk."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def sync_file(path: Path) -> None:
    """What was written to the file has reached the disk."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def replace_file(made: Path, path: Path) -> None:
    """The file that was made beside it replaces `path`, whole and for good."""
    sync_file(made)
    _rename(made, path)


def _rename(made: Path, path: Path) -> None:
    made.replace(path)
    sync_folder(path.parent)


def write_atomically(path: Path, content: bytes) -> None:
    """The file holds the content for good, or what it held before. Raises OSError."""
    made = path.with_suffix(".new")
    with made.open("wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    _rename(made, path)


@contextmanager
def database_copy(db: sqlite3.Connection, to: Path) -> Iterator[sqlite3.Connection]:
    """The whole database, journal and all, is one file more, open for writing, that has none.
    Raises sqlite3.Error.
    """
    with closing(sqlite3.connect(to, isolation_level=None)) as copy:
        db.backup(copy)
        copy.execute("PRAGMA journal_mode=DELETE").fetchone()
        yield copy


def is_there(path: Path) -> bool:
    """Whether a file can be found there; nothing can in a folder that may not be entered."""
    return os.path.exists(path)  # noqa: PTH110  Path.exists raises then


def free_name(path: Path, why: str) -> Path:
    """`path` with the first free `.WHY-N` behind it."""
    numbers = (Path(f"{path}.{why}-{n}") for n in range(1, 1_000_000))
    return next(name for name in numbers if not is_there(name))
