"""A table at which nobody rolls, before the whole reader; `tests.bench quiet` has many of them."""

from __future__ import annotations

from collections import Counter

from companion.vision.reader import Reader
from tests.bench.bench_quiet import ROLLED, counted, watcher
from tests.vision.quiet import Table, drawings, film

HAPPENS = ("shadows", "frozen", "knocked", "strange")


def test_nothing_is_told_but_the_roll(reader: Reader) -> None:
    table = Table(drawings(1, grounds=4), 4)
    frames, told = counted(film(table, HAPPENS), watcher(table, reader))
    assert set(frames) == {*HAPPENS, "cleared", ROLLED}
    assert min(frames.values()) > 20
    assert told == Counter({ROLLED: 1})
