"""The rules of both games: pure values and functions; no clock, no chance, no files, no prose."""

from companion.engine.errors import IllegalEvent
from companion.engine.invariants import check
from companion.engine.play import Offer
from companion.engine.position import Position
from companion.engine.preview import Preview, changed
from companion.engine.resolution import Outcome
from companion.engine.rulesets import RULESETS, rules_of
from companion.engine.setup import Setup, new_game

__all__ = [
    "RULESETS",
    "IllegalEvent",
    "Offer",
    "Outcome",
    "Position",
    "Preview",
    "Setup",
    "changed",
    "check",
    "new_game",
    "rules_of",
]
