"""Rows of a table in pages, as it publishes them."""

from __future__ import annotations

from collections.abc import Sequence

from companion.mqtt.tables.forms import Page
from companion.table.database import StoredRow, chain


def row(
    text: str, *, event: str = "{}", digest: str = "", position: str | None = None
) -> StoredRow:
    return StoredRow(
        at="", who="", command_id=text, event=event, rules_version="1", digest=digest,
        position=position,
    )  # fmt: skip


def pages(count: int, size: int = 3, salt: str = "", log: str = "g1") -> list[Page]:
    """Return pages of `count` rows, `size` each."""
    return paged([row(f"{salt}{n}") for n in range(count)], size, log)


def paged(rows: Sequence[StoredRow], size: int = 64, log: str = "g1") -> list[Page]:
    """Return pages of these rows, `size` each."""
    hashes = [b""]
    for seq, one in enumerate(rows, 1):
        hashes.append(chain(hashes[-1], log, seq, one))
    return [
        Page(
            log=log, first=at + 1, before=hashes[at].hex(), rows=tuple(rows[at : at + size]),
            total=len(rows),
        )
        for at in range(0, len(rows), size)
    ]  # fmt: skip


def tip_of(pages: Sequence[Page]) -> str:
    """Return the hash of the last row of these pages."""
    last = pages[-1]
    tip = bytes.fromhex(last.before)
    for seq, one in enumerate(last.rows, last.first):
        tip = chain(tip, last.log, seq, one)
    return tip.hex()
