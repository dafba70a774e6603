"""What came of rows of the log, in sentences; both the log and the news say it."""

from __future__ import annotations

from collections.abc import Sequence

from companion.service.views.news.causes import happening, happenings_before
from companion.service.views.news.kept import Kept
from companion.service.views.news.outcomes import outcomes
from companion.service.wire import Happened
from companion.table import Entry

_CAME_OF = Kept[Entry, tuple[Happened, ...]]()


def came_of(rows: tuple[Entry, ...], entries: Sequence[Entry]) -> tuple[Happened, ...]:
    """Return what came of these rows of one command, oldest first; `entries`: all rows."""
    return _CAME_OF.of(rows, lambda: _make(rows, entries))


def _make(rows: tuple[Entry, ...], entries: Sequence[Entry]) -> tuple[Happened, ...]:
    known = [one for row in rows if (one := happening(row)) is not None]
    return outcomes(known, happenings_before(rows[0], entries)) if known else ()
