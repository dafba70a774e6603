"""Replacing a damaged file by a new one: the old one is kept, and an interrupted replacement is
finished later.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

from companion.storage.database.opening import FileBytes, wal_of
from companion.storage.files import free_name, replace_file, sync_folder
from companion.storage.schema import Schema, connect, create

SNAPSHOTS = "snapshots"
PARTS = ("-wal", "-shm", "")
"""The files of a database, the main one last."""
MOST_OTHERS = 15


def create_file(path: Path, schema: Schema, fill: Callable[[sqlite3.Connection], None]) -> None:
    """Create a database, let `fill` fill it, and put it at `path`, atomically. Raises OSError,
    sqlite3.Error.
    """
    made = _new_path(path)
    _remove(made)
    with closing(connect(made)) as db:
        db.execute("BEGIN IMMEDIATE")
        create(db, schema)
        fill(db)
        db.execute("COMMIT")
    replace_file(made, rebuilt_path(path))
    finish_replacing(path, "damaged")


def finish_replacing(path: Path, why: str) -> None:
    """Finish a replacement that was interrupted."""
    rebuilt, made = rebuilt_path(path), _new_path(path)
    if rebuilt.exists():
        set_aside(path, why)
        rebuilt.replace(path)
        sync_folder(path.parent)
    elif made.exists() and not path.exists() and not wal_of(path).exists():
        made.replace(path)
    _remove(made)


def set_aside(path: Path, why: str) -> Path:
    """Rename the file and its journal to an unused name, under which they stay; return that."""
    aside = free_name(path, why)
    for part in PARTS:
        one = Path(f"{path}{part}")
        if one.exists():
            one.rename(f"{aside}{part}")
    sync_folder(path.parent)
    return aside


def other_copies(path: Path) -> Iterator[FileBytes]:
    """Yield files that may hold the same rows: snapshots, then files set aside; newest first by the
    numbers in their names, since the clock may be wrong.
    """
    snapshots = sorted((path.parent / SNAPSHOTS).glob("*.db"), key=_snapshot_number)
    beside = sorted(path.parent.glob(f"{path.name}.*-*"), key=_aside_number)
    known = [*reversed(snapshots), *(one for one in reversed(beside) if _aside_number(one))]
    for one in known[:MOST_OTHERS]:
        try:
            yield FileBytes.of(one)
        except OSError:
            continue


def _snapshot_number(path: Path) -> int:
    return _number(path.name.partition("-")[0])


def _aside_number(path: Path) -> int:
    return _number(path.name.rpartition("-")[2])


def _number(written: str) -> int:
    """Parse a number; 0 where it is none."""
    return int(written) if written.isascii() and written.isdecimal() and len(written) < 10 else 0


def _remove(made: Path) -> None:
    """Remove a file that was never finished."""
    for part in PARTS:
        Path(f"{made}{part}").unlink(missing_ok=True)


def _new_path(path: Path) -> Path:
    return Path(f"{path}.new")


def rebuilt_path(path: Path) -> Path:
    """Return the path of the new file until the old one is moved away; opening the log finishes the
    replacement.
    """
    return Path(f"{path}.rebuilt")
