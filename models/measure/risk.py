"""Risk and coverage: how many rolls are sure for an allowed number of silent errors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from models.arrays import Floats


@dataclass(frozen=True, slots=True)
class Curve:
    """Candidates for sure rolls, the surest first: (n,) the probability that all faces are right,
    and whether a silent error would result.
    """

    chances: Floats
    silent: NDArray[np.bool_]

    @staticmethod
    def of(rolls: Sequence[tuple[float, bool]]) -> Curve:
        """Make the curve of rolls from their chances and whether they would be silent errors."""
        ordered = sorted(rolls, key=lambda roll: -roll[0])
        return Curve(
            np.array([chance for chance, _ in ordered], np.float64),
            np.array([silent for _, silent in ordered], np.bool_),
        )

    def best(self, allowed: int) -> tuple[float, int]:
        """The least probability to be sure with at most `allowed` silent errors, and the number of
        rolls that then rightly are.
        """
        wrong = np.cumsum(self.silent)
        count = int(np.searchsorted(wrong, allowed, side="right"))
        # What is as likely as the first error too many cannot be distinguished from it.
        while 0 < count < len(wrong) and self.chances[count - 1] == self.chances[count]:
            count -= 1
        if count == 0:
            return 1.0, 0
        return float(self.chances[count - 1]), count - int(wrong[count - 1])

    def covered(self, sure: float) -> int:
        """The number of rolls correctly called sure from a chance on."""
        return int(((self.chances >= sure) & ~self.silent).sum())
