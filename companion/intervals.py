"""How far a share that was counted may be off."""

from __future__ import annotations

from math import sqrt
from typing import Final

Z_95: Final = 1.959964
"""How many standard deviations from the mean hold 95 % of a normal distribution."""


def wilson(right: int, count: int) -> tuple[float, float]:
    """Return the 95 % interval of a share of which `right` of `count` were seen (Wilson 1927)."""
    if count == 0:
        return 0.0, 1.0
    share, square = right / count, Z_95 * Z_95
    middle = share + square / (2 * count)
    half = Z_95 * sqrt(share * (1 - share) / count + square / (4 * count * count))
    whole = 1 + square / count
    return max(0.0, (middle - half) / whole), min(1.0, (middle + half) / whole)
