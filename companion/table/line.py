"""A persistent list of row numbers: it grows without a copy, so each state keeps its own."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import takewhile


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Line:
    """The rows that count, by number: a linked list that shares its older part.

    `seq`: the newest row; `before`: the list without it; `length`: 0 for the empty list alone.
    """

    seq: int = 0
    before: Line | None = None
    length: int = 0

    @classmethod
    def of(cls, rows: Iterable[int]) -> Line:
        """Make the list of these rows, oldest first."""
        line = cls()
        for seq in rows:
            line = line.plus(seq)
        return line

    def plus(self, seq: int) -> Line:
        """Return the list with one more row."""
        return Line(seq, self, self.length + 1)

    def since(self, seq: int) -> tuple[int, ...]:
        """Return the rows from `seq` on, oldest first, in time proportional to their number."""
        newer = tuple(takewhile(lambda row: row >= seq, reversed(self)))
        return newer[::-1]

    def before_row(self, seq: int) -> Line:
        """Return the list without the rows from `seq` on; nothing is copied."""
        line = self
        while line.before is not None and line.seq >= seq:
            line = line.before
        return line

    def grew_from(self, other: Line) -> bool:
        """Return whether this list begins with the other one."""
        line = self
        while line.before is not None and line.length > other.length:
            line = line.before
        return line is other or line == other

    def __reversed__(self) -> Iterator[int]:
        line = self
        while line.before is not None:
            yield line.seq
            line = line.before

    def __iter__(self) -> Iterator[int]:
        return iter(tuple(reversed(self))[::-1])

    def __len__(self) -> int:
        return self.length

    def __repr__(self) -> str:
        return f"Line({self.length} rows up to {self.seq})"

    def __contains__(self, seq: object) -> bool:
        newest = self.since(seq) if isinstance(seq, int) else ()
        return newest[:1] == (seq,)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Line) and tuple(self) == tuple(other)

    def __hash__(self) -> int:
        return hash((self.seq, self.length))


NO_ROWS = Line()
