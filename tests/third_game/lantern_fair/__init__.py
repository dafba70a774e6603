"""Lantern Fair: a small game of its own for Monster Table."""

from lantern_fair.rules import LANTERN_FAIR

__all__ = ["LANTERN_FAIR"]
