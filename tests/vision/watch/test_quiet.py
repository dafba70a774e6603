"""The whole reader over a table without throws; `tests.bench quiet` has many more of them."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from companion.vision.read.reader import Reader
from tests.bench.bench_quiet import ROLLED, counted, watcher
from tests.vision.quiet import FPS, REST, Table, Webcam, drawings, film, rest, thrown

HAPPENS = ("shadows", "frozen", "knocked", "strange")


@pytest.fixture(scope="module")
def table() -> Table:
    return Table(drawings(1, grounds=4, most=8), 4)


def test_only_the_roll_is_reported(reader: Reader, table: Table) -> None:
    frames, reported = counted(film(table, HAPPENS), watcher(table, reader))
    assert set(frames) == {*HAPPENS, "cleared", ROLLED}
    assert min(frames.values()) > 20
    assert reported == Counter({ROLLED: 1})


def test_throws_with_dice_over_the_edge_are_read_before_a_hand_would_be_gone(
    reader: Reader, table: Table
) -> None:
    rng = np.random.default_rng(1)
    watching, camera = watcher(table, reader), Webcam(table.seed)
    first = [watching.see(seen.frame) for seen in camera.seen("", rest(table.lying, REST + 6))]
    assert sum(sight.reading is not None for sight in first) == 1
    for _ in range(2):
        now = thrown(table, rng, 3)
        for seen in camera.seen("", (np.roll(now, 60 * n, axis=1) for n in range(1, 4))):
            watching.see(seen.frame)
        still = camera.seen("", rest(now, round(1.4 * FPS)))
        sights = [watching.see(seen.frame) for seen in still]
        at = [n for n, sight in enumerate(sights) if sight.reading is not None]
        assert len(at) == 1
        assert at[0] <= 0.8 * FPS
