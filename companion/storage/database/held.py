"""Rows held in memory: those of a file that may not be written, or that the disk does not give."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from companion.storage.database.opening import Bytes, Recovered, recovered
from companion.storage.database.replacing import others
from companion.storage.files import free_name
from companion.storage.rows import Row, Written, chain, in_order
from companion.storage.schema import Tip


@dataclass(frozen=True, slots=True)
class Held:
    """The rows of a table in memory, and where they end."""

    rows: tuple[Row, ...]
    end: Tip


def held(path: Path, found: Recovered) -> dict[str, Held]:
    """What was recovered of each table, as a new file in place of this one would hold it."""
    aside = free_name(path, "damaged").name
    tables: dict[str, Held] = {}
    for table in in_order(found.saved):
        rows, hashed = tuple(found.rows(table, aside)), b""
        for seq, row in enumerate(rows, start=1):
            hashed = chain(hashed, table, seq, row)
        counter = found.tips[table].counter if table in found.tips else 0
        tables[table] = Held(rows, Tip(len(rows), hashed, counter))
    return tables


def found_at(path: Path, content: Bytes) -> Recovered:
    """What can be had of a file in this place, other files asked."""
    return recovered(content, others(path))


@dataclass(frozen=True, slots=True)
class Memory:
    """What was played while the disk refused: the ends of tables, the rows held of what the disk
    gave, those that wait to be written, and the table that is played.
    """

    ends: Mapping[str, Tip]
    held: Mapping[str, tuple[Row, ...]]
    waiting: tuple[Written, ...]
    current: str

    def beyond(
        self, supposed: Mapping[str, Tip], there: Mapping[str, Tip], not_ours: Container[str]
    ) -> Iterator[tuple[str, tuple[Row, ...], bool]]:
        """Of each table, oldest use first, its name, the rows that the file lacks, and whether they
        follow those that it has; if not, they are the whole game.

        `supposed` are the ends that the file was thought to have, `there` those that it has;
        tables `not_ours` are those of other files.
        """
        for table in sorted(self.ends, key=lambda table: self.ends[table].counter):
            new = tuple(row for name, _, row, _ in self.waiting if name == table)
            has, thought = _count(there, table), _count(supposed, table)
            if table in not_ours or has < thought or (new and has > thought):
                yield table, (*self.held.get(table, ()), *new), False
            else:
                yield table, new, True


def _count(ends: Mapping[str, Tip], table: str) -> int:
    return ends[table].seq if table in ends else 0
