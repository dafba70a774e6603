"""Numbers of rows in a chain that shares what it grew from: so a log may keep one for each row."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import takewhile


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Line:
    """The rows that count, by their numbers: a chain that grows without a copy.

    `seq` is the newest, `before` the line it was added to; `length` counts the rows, and is 0 for
    the empty line alone.
    """

    seq: int = 0
    before: Line | None = None
    length: int = 0

    @classmethod
    def of(cls, rows: Iterable[int]) -> Line:
        """The line of these rows, oldest first."""
        line = cls()
        for seq in rows:
            line = line.plus(seq)
        return line

    def plus(self, seq: int) -> Line:
        """This line and one more row."""
        return Line(seq, self, self.length + 1)

    def since(self, seq: int) -> tuple[int, ...]:
        """The rows from `seq` on, oldest first; costs no more than they are."""
        newer = tuple(takewhile(lambda row: row >= seq, reversed(self)))
        return newer[::-1]

    def until(self, seq: int) -> Line:
        """The line without the rows from `seq` on; nothing is copied."""
        line = self
        while line.before is not None and line.seq >= seq:
            line = line.before
        return line

    def grew_from(self, other: Line) -> bool:
        """Whether this line is the other one and what was added to it."""
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
