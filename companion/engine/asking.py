"""Asking abilities what they say to an effect, and who comes first where several speak up."""

from __future__ import annotations

from collections.abc import Iterable

from companion.engine.abilities import Instead, Stage, mine
from companion.engine.effects import AnyEffect, Damage
from companion.engine.index import AnyEntry, Entry
from companion.engine.questions import Answer, Choice, Option
from companion.engine.standing import Standing


def ask(now: Standing, entry: AnyEntry, effect: AnyEffect) -> Answer:
    """What an ability that answers effects says to this one, with the game as it is now."""
    answer: Answer = entry.ability.steps(mine(now, entry), effect)
    return answer


def preventing(
    now: Standing, entry: Entry[Instead], effect: AnyEffect
) -> tuple[Entry[Instead], ...]:
    """Replacing abilities of the entry's stage that have not treated the effect yet; nothing in a
    stage whose order the rules fix.
    """
    stage = entry.ability.stage
    if stage < Stage.PREVENT:
        return ()
    return tuple(
        other
        for other in now.index.insteads.get(type(effect), ())
        if other.ability.stage is stage
        and other.ref not in effect.seen
        and other.cause not in effect.causes
    )


def speaking(
    now: Standing, entry: AnyEntry, found: Iterable[AnyEntry], effect: AnyEffect
) -> tuple[AnyEntry, ...]:
    """Those of `found` that are cards of the entry's owner and answer the effect now; of a card and
    its copy the older one.
    """
    kinds: dict[str, AnyEntry] = {}
    for other in found:
        mine = other.card is not None and other.seat == entry.seat and other.cause not in kinds
        if mine and ask(now, other, effect) is not None:
            kinds[other.cause] = other
    return tuple(kinds.values())


def which_first(now: Standing, rivals: tuple[AnyEntry, ...], effect: AnyEffect) -> Choice:
    """The owner of several cards that speak up says which comes first (NY-G3, TK-G1)."""
    options = tuple(Option(f"card_{e.card}", card=e.card, first=e.ref) for e in rivals)
    seat, clause = rivals[0].seat, now.rules.clause("which_first")
    if not isinstance(effect, Damage):
        return Choice(seat, "which_first", options, "order", clause)
    return Choice(seat, "saved_by", options, "order", clause, (("amount", effect.amount),))
