"""Readings of the same stills by two machines, compared."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from tests.box.box import expect

PIXELS = 1
CONFIDENCE = 0.01
"""How far the edges of boxes and the confidences may be apart."""


@dataclass
class Comparison:
    """How readings differ: what is read must not, and numbers only in their last digits.

    Each C library computes with its own last bits, and a box is rounded to whole pixels.
    """

    stills: int = 0
    dice: int = 0
    same: int = 0
    exact: int = 0
    confidence: float = 0.0
    pixels: int = 0

    def add(self, printed: str, other: str) -> None:
        """Compare what two commands printed, a still a line."""
        for one, another in zip(printed.splitlines(), other.splitlines(), strict=True):
            there, here = json.loads(one), json.loads(another)
            self.stills += 1
            self.dice += len(there["dice"])
            self.same += read(there) == read(here)
            self.exact += there["dice"] == here["dice"]
            for die, twin in zip(there["dice"], here["dice"], strict=False):
                apart = abs(die["confidence"] - twin["confidence"])
                self.confidence = max(self.confidence, apart)
                edges = zip(edges_of(die), edges_of(twin), strict=True)
                self.pixels = max(self.pixels, *(abs(edge - its) for edge, its in edges))

    def check(self) -> None:
        """MachineError unless there were dice, and every still was read the same."""
        alike = self.stills == self.same and self.pixels <= PIXELS
        expect(alike and self.dice > 0 and self.confidence <= CONFIDENCE, self)


def edges_of(die: dict[str, Any]) -> tuple[int, int, int, int]:
    """Return left, top, right and bottom: each is rounded outwards by itself, so that a width may
    differ by two where no edge differs by more than one.
    """
    x, y, width, height = die["box"]
    return x, y, x + width, y + height


def read(row: dict[str, Any]) -> object:
    """Return what was read: the verdict, and of each die what a table would see."""
    dice = [[die[key] for key in ("face", "colour", "flat", "problem")] for die in row["dice"]]
    return row["game"], row["sure"], row["problems"], dice
