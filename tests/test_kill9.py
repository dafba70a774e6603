"""A few kills of the many that `python -m tests.kill9` does."""

from __future__ import annotations

from pathlib import Path

from tests.kill9 import killed


def test_no_acknowledged_event_is_lost_by_a_kill(tmp_path: Path) -> None:
    verdict = killed(4, tmp_path)
    assert verdict.acknowledged > 0
    assert (verdict.lost, verdict.half, verdict.broken_chains) == (0, 0, 0)
