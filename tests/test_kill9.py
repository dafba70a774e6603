"""Twenty kills of the many that `python -m tests.kill9` does."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.kill9 import killed

KILLS = 10


@pytest.mark.parametrize("seed", range(1, 3))
def test_no_acknowledged_event_is_lost_by_a_kill(seed: int, tmp_path: Path) -> None:
    verdict = killed(KILLS, tmp_path, seed)
    assert (verdict.kills, verdict.lost, verdict.half, verdict.broken_chains) == (KILLS, 0, 0, 0)
    assert verdict.acknowledged > 0
