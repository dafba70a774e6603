"""The rules of both games: pure values and functions; no clock, no chance, no files, no prose."""

from companion.engine.invariants import check
from companion.engine.play import Offer, apply, digest, legal_events, offers, question
from companion.engine.preview import Preview, changed, comes_to, consequences, preview
from companion.engine.resolution import IllegalEvent, Outcome
from companion.engine.rulesets import RULESETS
from companion.engine.setup import Setup, new_game, rules_of

__all__ = [
    "RULESETS",
    "IllegalEvent",
    "Offer",
    "Outcome",
    "Preview",
    "Setup",
    "apply",
    "changed",
    "check",
    "comes_to",
    "consequences",
    "digest",
    "legal_events",
    "new_game",
    "offers",
    "preview",
    "question",
    "rules_of",
]
