"""The lines of a game: the one that counts, and those that were left and can be taken up again.

Nothing in a log is deleted: an undo leaves a line, and its row remembers which. Going back to any
row, or on to one that was undone, takes no more than undos and redos.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from companion.table.events import Redone, Undone
from companion.table.history import Entry, Line, RefusedError
from companion.table.table import Snapshot

MOST_BRANCHES = 12
"""How many branches are listed, the newest."""
MOST_UNDOS = 120
"""Among how many of the newest undos branches are looked for."""


@dataclass(frozen=True, slots=True)
class Branch:
    """A line that was left: `undo` is the row that left it, `rows` those that only it has, oldest
    first, and `fork` the last row that it shares with the line that counts.
    """

    undo: int
    fork: int
    rows: tuple[int, ...]


def branches(snapshot: Snapshot) -> tuple[Branch, ...]:
    """Return the lines that were left and do not count now, newest first; none is the beginning of
    another.
    """
    counting = frozenset(snapshot.state.line)
    found: dict[int, Branch] = {}
    inner: set[int] = set()
    for undo in _undos(snapshot, MOST_UNDOS):
        left = undo.before.line
        rows = tuple(_until(left, counting))[::-1]
        if not rows or rows[-1] in inner or rows[-1] in found:
            continue
        for earlier in rows[:-1]:
            found.pop(earlier, None)
        inner.update(rows[:-1])
        found[rows[-1]] = Branch(undo.seq, left.before_row(rows[0]).seq, rows)
    newest = sorted(found.values(), key=lambda one: one.undo, reverse=True)
    return tuple(newest[:MOST_BRANCHES])


def _undos(snapshot: Snapshot, most: int) -> Iterator[Entry]:
    """Yield the newest undos, newest first."""
    for seq in range(snapshot.rev, 0, -1):
        entry = snapshot.entries[seq - 1]
        if isinstance(entry.event, Undone) and entry.refused is None:
            yield entry
            most -= 1
            if most == 0:
                return


def _until(line: Line, counting: frozenset[int]) -> Iterator[int]:
    """Yield the rows of a line, newest first, up to one that counts: both lines have all before
    it.
    """
    for seq in reversed(line):
        if seq in counting:
            return
        yield seq


def moment(snapshot: Snapshot, row: int) -> Snapshot:
    """Return the table as it was after a row, undone or not; RefusedError where the log has no such
    row, or no game had begun.

    A row that is itself in no line (an undo, a redo, a setting) stands for the newest that counted
    then.
    """
    if not 0 < row <= snapshot.rev:
        raise RefusedError("error.no_such_row", row=row, most=snapshot.rev)
    entry = snapshot.entries[row - 1]
    counted = entry.after.line.seq
    if counted and counted != row:
        entry = snapshot.entries[counted - 1]
    if entry.after.game is None:
        raise RefusedError("error.not_started")
    return Snapshot(
        snapshot.table,
        entry.seq,
        replace(entry.after, kept=entry.after.position),
        snapshot.entries[: entry.seq],
        snapshot.saved,
    )


def way_to(snapshot: Snapshot, row: int) -> tuple[Undone | Redone, ...]:
    """Return the undos and redos after which this row is the newest that counts; none where it is.

    What counted until then becomes a branch. RefusedError where no undo left the row's line, and
    where the way leads back to before the game.
    """
    now = snapshot.state.line
    if row in now:
        after = now.since(row)[1:]
        return (Undone(after[0]),) if after else ()
    left = [undo for undo in _undos(snapshot, snapshot.rev) if row in undo.before.line]
    if not left:
        raise RefusedError("error.no_such_row", row=row, most=snapshot.rev)
    nearest = min(left, key=lambda undo: undo.before.line.length)
    way: list[Undone | Redone] = []
    counting = frozenset(nearest.before.line)
    leaves = tuple(_until(now, counting))
    if leaves:
        way.append(Undone(leaves[-1]))
    way.append(Redone(nearest.seq))
    beyond = nearest.before.line.since(row)[1:]
    if beyond:
        way.append(Undone(beyond[0]))
    return tuple(way)
