"""The benchmarks: ratios measured in one run, printed by `make bench`, one JSON object a line.

A module `tests/bench/bench_*.py` has one function `figures() -> Iterator[Figure]`.
"""

from __future__ import annotations

import msgspec


class Figure(msgspec.Struct, frozen=True):
    """One measured value. `ratio` is `value` over that of `against`, measured in the same run."""

    name: str
    value: float
    unit: str
    against: str | None = None
    ratio: float | None = None
