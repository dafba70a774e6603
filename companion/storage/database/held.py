"""Tables held in memory: those of a read-only file, or all of them while the disk refuses."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from companion.storage.database.opening import FileBytes, Recovered, recover
from companion.storage.database.replacing import other_copies
from companion.storage.files import free_name
from companion.storage.rows import PendingRow, StoredRow, chain, in_order, is_placeholder
from companion.storage.schema import Tip, same_tip


@dataclass(frozen=True, slots=True)
class HeldTable:
    """The rows of a table in memory, and its end."""

    rows: tuple[StoredRow, ...]
    end: Tip


def held_tables(path: Path, found: Recovered) -> dict[str, HeldTable]:
    """Return every recovered table as a new file in place of this one would hold it."""
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
    """Recover what can be read of a file, with the help of the other copies in its folder."""
    return recover(content, other_copies(path))


@dataclass(frozen=True, slots=True)
class OpenedTables:
    """The ends and rows of the tables in the file that could be opened at last."""

    ends: Mapping[str, Tip]
    rows: Callable[[str], Iterable[StoredRow]]


@dataclass(frozen=True, slots=True)
class Memory:
    """What was played while the disk refused: ends of tables, rows held from the file, rows to be
    written, and the current table.
    """

    ends: Mapping[str, Tip]
    held: Mapping[str, tuple[StoredRow, ...]]
    waiting: tuple[PendingRow, ...]
    current: str

    def missing_from(
        self, supposed: Mapping[str, Tip], there: OpenedTables, not_ours: Container[str]
    ) -> Iterator[tuple[str, tuple[StoredRow, ...], bool]]:
        """Yield for each table, least recently used first: its name, the rows that the opened file
        lacks, and whether they continue the file's rows; if not, they are the whole game.

        `supposed`: the ends that the file was expected to have; `not_ours`: tables of other files.
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
        """Return whether the file has the table as expected, or with newer rows where nothing was
        played here meanwhile.
        """
        has, thought = _count(there.ends, table), _count(supposed, table)
        if has < thought or (played and has > thought):
            return False
        if not thought or same_tip(supposed.get(table), there.ends[table]):
            return True
        return _same_game(self.held.get(table, ()), tuple(islice(there.rows(table), thought)))


def _same_game(mine: tuple[StoredRow, ...], theirs: tuple[StoredRow, ...]) -> bool:
    """Return whether both are the same game; a row that one of them lost matches any row."""
    pairs = tuple(zip(mine, theirs, strict=False))
    agree = all(one == two or is_placeholder(one) or is_placeholder(two) for one, two in pairs)
    return agree and len(mine) == len(theirs) and any(one == two for one, two in pairs)


def _count(ends: Mapping[str, Tip], table: str) -> int:
    return ends[table].seq if table in ends else 0
