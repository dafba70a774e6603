"""Fault injection: faults, their targets, and what was observed: `make faults`.

A module `tests/faults/*.py` that is listed in `__main__.MODULES` has one function `faults(effort:
Effort) -> Iterator[Fault]`. Counts and states decide whether a fault is survived; times are
printed, and decide only in a long run, where nothing else uses the machine.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

import msgspec

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Effort:
    """How thorough a run is: `long` by hand, short in CI."""

    long: bool = False

    def choose(self, short: T, long: T) -> T:
        """Return `long` in a long run, else `short`."""
        return long if self.long else short


class Outcome(msgspec.Struct, frozen=True):
    """The result of a fault.

    `ok`: whether counts and states are right. `timely`: whether times are; None where nothing is
    timed. `seen`: both in words and figures.
    """

    seen: str
    ok: bool
    timely: bool | None = None


@dataclass(frozen=True, slots=True)
class Fault:
    """One fault. `inject` injects it and measures; None: it needs hardware that is absent."""

    name: str
    target: str
    inject: Callable[[], Outcome] | None


class Line(msgspec.Struct, frozen=True, omit_defaults=True):
    """One line of the report."""

    fault: str
    target: str
    seen: str
    verdict: str
    """`ok`, `FAILED`, `slow` (a time missed in a short run: printed, not counted), `not run`."""
    took_s: float = 0.0
