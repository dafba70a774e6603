"""The audit's findings in words: what was not done, and which rule asks for it."""

from __future__ import annotations

from companion.engine import Difference, Reason, Ruleset
from companion.service.wire import Args, Words

WAYS = ("gain", "loss")
OF_PLACES = ("income", "entered")
"""The abilities of the game that pay for a Monster's place."""


def difference_words(one: Difference) -> Words:
    """Return the sentence of a difference: what, of which seat, since which turn."""
    args: Args = {"turn": one.turn, "seat": one.seat}
    if one.what is None:
        key = "audit.not_moved" if one.reason is not None else "audit.moved"
        return Words(key=key, args={**args, "place": one.place or ""})
    if one.reason is None:
        change = f"{one.amount:+}".replace("-", "−")
        return Words(key="audit.uncaused", args={**args, "what": one.what.value, "change": change})
    way = WAYS[one.reason.delta < 0]
    return Words(key=f"audit.{way}.{one.what}", args={**args, "count": abs(one.amount)})


def reason_words(rules: Ruleset, reason: Reason) -> Words | None:
    """Return the cause of the change that the rules ask for; None where only the clause says it."""
    if reason.card in rules.cards:
        return _cause_words("card", {"card": reason.card})
    if reason.face is not None:
        return _cause_words("dice", {"face": reason.face.value})
    if reason.about in rules.cards:
        return _cause_words("bought", {"card": reason.about})
    if reason.about in rules.tiles:
        return _cause_words("tile", {"tile": reason.about})
    if reason.ability in OF_PLACES and reason.about in rules.places:
        return _cause_words(reason.ability, {"place": reason.about})
    return None


def _cause_words(cause: str, args: Args) -> Words:
    return Words(key=f"audit.why.{cause}", args=args)
