"""What a damaged file cost, and which notices say so."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from companion.storage.notices import Args
from companion.storage.opening import Kind, Recovered, wal_of


@dataclass(frozen=True, slots=True)
class Loss:
    """What a damaged file cost a table: so many rows are proven, those numbered are gone; the file
    lies at `aside`.
    """

    table: str
    kept: int
    lost: tuple[int, ...]
    aside: Path


def losses_of(found: Recovered, aside: Path) -> tuple[Loss, ...]:
    """What was lost of each table; one loss without a table where nothing was saved at all."""
    losses = tuple(
        Loss(table, len(saved.rows), saved.lost, aside) for table, saved in found.saved.items()
    )
    return losses or (Loss("", 0, (), aside),)


def said_of(
    kind: Kind, losses: tuple[Loss, ...], found: Recovered, aside: Path
) -> Iterator[tuple[str, str, Args]]:
    """The notices about a file that was replaced: key, identity, what fills the gaps."""
    if kind is Kind.EMPTY:
        main = aside.with_name(aside.name.rpartition(".damaged")[0])
        yield "log_notice.incomplete_copy", f"copy-{aside.name}", {"path": wal_of(main).name}
        return
    for loss in losses:
        if loss.lost:
            args: Args = {"table": loss.table, "count": len(loss.lost), "first": loss.lost[0]}
            args |= {"kept": loss.kept, "path": aside.name}
            yield "log_notice.rows_lost", f"lost-{aside.name}-{loss.table}", args
    if not found.saved:
        yield "log_notice.nothing_saved", f"nothing-{aside.name}", {"path": aside.name}
    elif found.end_unknown:
        yield "log_notice.end_unknown", f"end-{aside.name}", {"path": aside.name}
    elif not any(loss.lost for loss in losses):
        yield "log_notice.mended", f"mended-{aside.name}", {"path": aside.name}
