"""Other databases in the data folder, beside the one that is written: of later versions, other
programs, downgrades.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import count
from pathlib import Path

from companion.storage.database.opening import FileBytes, FileKind, kind_of, recover, wal_of
from companion.storage.files import is_there
from companion.storage.schema import Schema

DATABASES = re.compile(r"table(-v\d{1,3}(-\d)?)?\.db")
NOT_OURS = frozenset({FileKind.NEWER, FileKind.FOREIGN})
MOST_BESIDE = 9


def next_path(path: Path, major: int) -> Path | None:
    """Return the next path to try where this file may not be written; None after the last.

    `table.db` is followed by `table-v1.db`, that by `table-v1-2.db` and so on.
    """
    names = [f"table-v{major}.db", *(f"table-v{major}-{n}.db" for n in range(2, MOST_BESIDE + 1))]
    at = names.index(path.name) + 1 if path.name in names else 0
    return path.with_name(names[at]) if at < len(names) else None


def first_existing(path: Path, major: int) -> Path:
    """Return the path, or the first of its successors that exists where it does not: games in a
    sibling stay visible after the file that they gave way to is gone.
    """
    found: Path | None = path
    while found is not None and not (is_there(found) or is_there(wal_of(found))):
        found = next_path(found, major)
    return found or path


def sibling_table_names(path: Path, schema: Schema) -> frozenset[str]:
    """Return the table names of every other log of the folder: no name is given twice."""
    return frozenset(table for one in _databases(path) for table in _tables_of(one, schema))


def _databases(path: Path) -> Iterator[Path]:
    try:
        found = sorted(path.parent.iterdir())
    except OSError:
        return
    yield from (one for one in found if one != path and DATABASES.fullmatch(one.name))


def _tables_of(path: Path, schema: Schema) -> tuple[str, ...]:
    try:
        content = FileBytes.of(path)
        kind = kind_of(content, schema)
    except OSError:
        return ()
    if kind not in {FileKind.OURS, FileKind.NEWER, FileKind.DAMAGED}:
        return ()
    return tuple(recover(content, iter(())).saved)


def free_table_name(table: str, taken: Mapping[str, object]) -> str:
    """Return a new name for a table whose name another one has."""
    return next(name for n in count(2) if (name := f"{table}.{n}") not in taken)
