"""A read-only check of a log: what is proven, and what is lost."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing
from itertools import groupby, islice
from pathlib import Path

import msgspec

from companion.storage.database.opening import (
    FileBytes,
    FileKind,
    has_journal,
    kind_of,
    recover,
    stored_rows,
    verify,
    wal_of,
)
from companion.storage.database.reading import is_incomplete, open_untouched
from companion.storage.database.replacing import other_copies
from companion.storage.rows import StoredRow, in_order, is_placeholder
from companion.storage.schema import UNREADABLE, DamagedError, Schema


class Gap(msgspec.Struct, frozen=True):
    """Lost rows, `first` to `last`. `why`: `gone`, or `changed` where altered rows are in their
    place; `aside`: the damaged file, where a new one has replaced it.
    """

    first: int
    last: int
    why: str
    aside: str = ""


class CheckedTable(msgspec.Struct, frozen=True):
    """The result for one table: how many rows it has, how many are proven, which are lost."""

    file: str
    table: str
    rows: int
    proven: int
    lost: tuple[Gap, ...] = ()


class CheckedFile(msgspec.Struct, frozen=True):
    """The result for one log. `damage`: what does not match in the file as it is, "" where all
    does; `end_unknown`: rows may be missing at the ends of tables; `journal_missing`: the name of a
    journal that belongs to the file and is absent, so that the newest rows may be missing.
    """

    file: str
    kind: str
    tables: tuple[CheckedTable, ...]
    damage: str = ""
    end_unknown: bool = False
    journal_missing: str = ""

    @property
    def whole(self) -> bool:
        """Whether nothing is lost, missing or damaged."""
        missing = self.damage or self.journal_missing
        return not missing and not any(table.lost for table in self.tables)


class _LostEvent(msgspec.Struct, frozen=True):
    why: str = "gone"
    aside: str = ""


def check_log(path: Path, schema: Schema | None = None) -> CheckedFile:
    """Check the log at this path, which a service may be writing meanwhile. Raises OSError."""
    damage = ""
    for _ in range(2):  # a service may have been writing
        had = has_journal(path)
        try:
            with closing(open_untouched(path)) as db:
                incomplete = is_incomplete(path, verify(db), had_journal=had)
                tables, ours = _tables(db, path.name), FileKind.OURS.name.lower()
                missing = wal_of(path).name if incomplete else ""
                return CheckedFile(path.name, ours, tables, journal_missing=missing)
        except (DamagedError, *UNREADABLE, msgspec.ValidationError) as wrong:
            damage = str(wrong)[:200]
    content = FileBytes.of(path)
    kind = kind_of(content, schema or Schema())
    found = recover(content, other_copies(path))
    tables = tuple(
        _check_table(path.name, table, found.rows(table, "")) for table in in_order(found.saved)
    )
    if kind in {FileKind.NEWER, FileKind.FOREIGN}:
        damage = ""
    return CheckedFile(path.name, kind.name.lower(), tables, damage, found.end_unknown)


def _tables(db: sqlite3.Connection, file: str) -> tuple[CheckedTable, ...]:
    found = (
        _check_table(file, table, (row for _, _, row, _ in rows))
        for table, rows in groupby(stored_rows(db), key=lambda one: one[0])
    )
    by_name = {one.table: one for one in found}
    return tuple(by_name[table] for table in in_order(by_name))


def _check_table(file: str, table: str, rows: Iterable[StoredRow]) -> CheckedTable:
    count, gaps = 0, []
    for count, row in enumerate(rows, start=1):
        if is_placeholder(row):
            gaps.append((count, _event(row)))
    lost = tuple(_gaps(gaps))
    return CheckedTable(file, table, count, count - len(gaps), lost)


_EVENT = msgspec.json.Decoder(_LostEvent)


def _event(row: StoredRow) -> _LostEvent:
    try:
        return _EVENT.decode(row.event)
    except msgspec.MsgspecError:
        return _LostEvent()


def _gaps(lost: list[tuple[int, _LostEvent]]) -> Iterator[Gap]:
    """Join neighbouring rows that were lost in the same way."""
    while lost:
        first, event = lost[0]
        run = 1
        while run < len(lost) and lost[run] == (first + run, event):
            run += 1
        yield Gap(first, first + run - 1, event.why, event.aside)
        lost = list(islice(lost, run, None))
