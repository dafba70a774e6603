"""Games made of drawn decisions: 2,000 events here, 200,000 by `python -m tests.properties`."""

from __future__ import annotations

from pathlib import Path

from companion.table import Table
from companion.table.log import EventLog
from tests.properties.legal_play import EVENTS, Played, property_of

STEPS = 2_000


def test_whatever_is_said_every_promise_is_kept(tmp_path: Path) -> None:
    """Positions stay sound and survive JSON, replay is live play, what is refused leaves no trace,
    undo and redo lead back; no phase happens twice and nothing is asked twice."""
    played, table = Played(), Table(EventLog(tmp_path))
    property_of(STEPS * 5 // EVENTS // 4, played, table)()
    table.close()
    assert played.events >= STEPS
    assert played.refused > 0
    assert played.undone > 0
