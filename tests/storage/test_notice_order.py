"""The order of notices: as they were made, whatever the clock said."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from datetime import UTC, datetime, timedelta

import pytest

from companion.storage.notices import Notice, new_notice, put_notices, read_notices
from companion.storage.schema import NOTICE

NOW = datetime(2026, 11, 27, 20, 0, tzinfo=UTC)


def made(*times: datetime) -> list[Notice]:
    """Make a notice at each of these times, with names that would order them the other way."""
    found: list[Notice] = []
    for number, now in enumerate(times):
        found.append(new_notice(f"{9 - number}", "log_notice.mended", {"path": "x"}, found, now))
    return found


@pytest.mark.parametrize("step", [-20_000, -1, 0, 1], ids=["start", "back", "same", "forth"])
def test_notices_are_read_in_the_order_in_which_they_were_made(step: int) -> None:
    notices = made(NOW, NOW + timedelta(days=step), NOW + timedelta(days=2 * step))
    with closing(sqlite3.connect(":memory:")) as db:
        db.execute(NOTICE)
        put_notices(db, reversed(notices))
        assert [one.id for one in read_notices(db)] == ["9", "8", "7"]


def test_a_time_that_is_none_orders_nothing() -> None:
    for at in ("", "soon", "2026-11-27T20:00:00", "9999-12-31T23:59:59+00:00"):
        known = Notice("1", at, "log_notice.mended", {})
        assert new_notice("2", "log_notice.mended", {}, [known], NOW).at == NOW.isoformat()
