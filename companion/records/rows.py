"""The rows of a log as lines of an exported file, which `companion replay` reads."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import msgspec

from companion.table.database import StoredRow


def log_lines(rows: Iterable[StoredRow]) -> Iterator[bytes]:
    """Yield each row as a line of JSON without its end, as it was written: an event that only newer
    rules know, too."""
    for number, row in enumerate(rows, 1):
        line = {
            "event": msgspec.Raw(row.event.encode()),
            "row": number,
            "at": row.at,
            "who": row.who,
            "command_id": row.command_id,
            "rules_version": row.rules_version,
            "digest": row.digest,
        }
        if row.position is not None:
            line["position"] = msgspec.Raw(row.position.encode())
        yield msgspec.json.encode(line)
