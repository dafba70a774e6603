"""What a damaged file cost, and the notices about it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from companion.storage.database.opening import FileKind, LostRows, Recovered, wal_of
from companion.storage.notices import Args, Notice, new_notice
from companion.storage.rows import StoredRow, damaged_file_of, is_placeholder
from companion.storage.schema import Tip


@dataclass(frozen=True, slots=True)
class Loss:
    """What a damaged file cost a table: how many rows are proven (`kept`), the numbers of those
    lost, and the path of the damaged file (`aside`).
    """

    table: str
    kept: int
    lost: tuple[int, ...]
    aside: Path


def losses_of(found: Recovered, aside: Path) -> tuple[Loss, ...]:
    """Return the loss of each table; one loss without a table where nothing was recovered."""
    losses = tuple(
        Loss(table, len(saved.rows), saved.lost, aside) for table, saved in found.saved.items()
    )
    return losses or (Loss("", 0, (), aside),)


def loss_notices(
    kind: FileKind, losses: tuple[Loss, ...], found: Recovered, aside: Path
) -> Iterator[tuple[str, str, Args]]:
    """Yield the notices about a replaced file: key, identity, arguments. Those about lost rows come
    from their placeholders (`with_loss_notices`).
    """
    if kind is FileKind.EMPTY:
        main = aside.with_name(aside.name.rpartition(".damaged")[0])
        yield "log_notice.incomplete_copy", f"copy-{aside.name}", {"path": wal_of(main).name}
        return
    if not found.saved:
        yield "log_notice.nothing_saved", f"nothing-{aside.name}", {"path": aside.name}
    elif found.end_unknown:
        yield "log_notice.end_unknown", f"end-{aside.name}", {"path": aside.name}
    elif not any(loss.lost for loss in losses):
        yield "log_notice.mended", f"mended-{aside.name}", {"path": aside.name}


def with_loss_notices(
    notices: Mapping[str, Notice], lost: LostRows, ends: Mapping[str, Tip]
) -> dict[str, Notice]:
    """Return the notices, with one for every loss that the rows' placeholders prove: it is shown,
    whatever the file's own notices hold, until exactly that loss was seen. `ends`: the writable
    tables; others get no notice.
    """
    found = dict(notices)
    for table, rows in lost.items():
        if table not in ends:
            continue
        by_file: dict[str, list[int]] = {}
        for seq, aside in rows.items():
            by_file.setdefault(aside, []).append(seq)
        for aside, numbers in by_file.items():
            args: Args = {"table": table, "count": len(numbers), "first": numbers[0]}
            args |= {"kept": ends[table].seq - len(rows), "path": aside}
            identity = f"lost-{aside}-{table}"
            one = new_notice(identity, "log_notice.rows_lost", args, found.values())
            if not _says_the_same(found.get(one.id), one):
                found[one.id] = one
    return found


def _says_the_same(known: Notice | None, one: Notice) -> bool:
    """Return whether both report the same loss; how many rows are kept grows with the game."""
    if known is None or known.key != one.key:
        return False
    return {**known.args, "kept": 0} == {**one.args, "kept": 0}


def lost_rows_of(tables: Mapping[str, Sequence[StoredRow]]) -> LostRows:
    """Return the placeholders of each table: row number and name of the damaged file."""
    return {
        table: {
            seq: damaged_file_of(row)
            for seq, row in enumerate(rows, start=1)
            if is_placeholder(row)
        }
        for table, rows in tables.items()
    }
