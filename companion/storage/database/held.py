"""Rows held in memory: those of a file that may not be written, or that the disk does not give."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from companion.storage.database.opening import FileBytes, Recovered, recover
from companion.storage.database.replacing import other_copies
from companion.storage.files import free_name
from companion.storage.rows import LogRow, PendingRow, chain, in_order, is_placeholder
from companion.storage.schema import Tip, same_tip


@dataclass(frozen=True, slots=True)
class HeldTable:
    """The rows of a table in memory, and where they end."""

    rows: tuple[LogRow, ...]
    end: Tip


def held_tables(path: Path, found: Recovered) -> dict[str, HeldTable]:
    """What was recovered of each table, as a new file in place of this one would hold it."""
    aside = free_name(path, "damaged").name
    tables: dict[str, HeldTable] = {}
    for table in in_order(found.saved):
        rows, hashed = tuple(found.rows(table, aside)), b""
        for seq, row in enumerate(rows, start=1):
            hashed = chain(hashed, table, seq, row)
        counter = found.tips[table].counter if table in found.tips else 0
        tables[table] = HeldTable(rows, Tip(len(rows), hashed, counter))
    return tables


def recover_at(path: Path, content: FileBytes) -> Recovered:
    """What can be had of a file in this place, other files asked."""
    return recover(content, other_copies(path))


@dataclass(frozen=True, slots=True)
class OpenedTables:
    """What stands in the file that the disk gave at last: ends of tables, and their rows."""

    ends: Mapping[str, Tip]
    rows: Callable[[str], Iterable[LogRow]]


@dataclass(frozen=True, slots=True)
class Memory:
    """What was played while the disk refused: the ends of tables, the rows held of what the disk
    gave, those that wait to be written, and the table that is played.
    """

    ends: Mapping[str, Tip]
    held: Mapping[str, tuple[LogRow, ...]]
    waiting: tuple[PendingRow, ...]
    current: str

    def missing_from(
        self, supposed: Mapping[str, Tip], there: OpenedTables, not_ours: Container[str]
    ) -> Iterator[tuple[str, tuple[LogRow, ...], bool]]:
        """Of each table, oldest use first, its name, the rows that the file lacks, and whether they
        follow those that it has; if not, they are the whole game.

        `supposed` are the ends that the file was thought to have; tables `not_ours` are those of
        other files.
        """
        for table in sorted(self.ends, key=lambda table: self.ends[table].counter):
            new = tuple(row for name, _, row, _ in self.waiting if name == table)
            if table not in not_ours and self._went_on(table, supposed, there, played=bool(new)):
                yield table, new, True
            else:
                yield table, (*self.held.get(table, ()), *new), False

    def _went_on(
        self, table: str, supposed: Mapping[str, Tip], there: OpenedTables, *, played: bool
    ) -> bool:
        """Whether the file has the table as it was thought to be, or what followed where nothing
        was played here meanwhile."""
        has, thought = _count(there.ends, table), _count(supposed, table)
        if has < thought or (played and has > thought):
            return False
        if not thought or same_tip(supposed.get(table), there.ends[table]):
            return True
        return _same_game(self.held.get(table, ()), tuple(islice(there.rows(table), thought)))


def _same_game(mine: tuple[LogRow, ...], theirs: tuple[LogRow, ...]) -> bool:
    """Whether both are one game: what one of them lost the other may have."""
    pairs = tuple(zip(mine, theirs, strict=False))
    agree = all(one == two or is_placeholder(one) or is_placeholder(two) for one, two in pairs)
    return agree and len(mine) == len(theirs) and any(one == two for one, two in pairs)


def _count(ends: Mapping[str, Tip], table: str) -> int:
    return ends[table].seq if table in ends else 0
