"""Causes of what happened, as short clauses: dice, cards, tokens, places, in words."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass

from companion.engine import (
    BROKEN,
    Damage,
    Effect,
    Event,
    Happening,
    IllegalEvent,
    Origin,
    Ruleset,
    Treatment,
)
from companion.service.views.news.kept import Kept
from companion.service.views.reasons import BY_ABILITY
from companion.service.wire import Args, Cause, Words
from companion.table import Entry

MINUS = "−"
_HAPPENINGS = Kept[Entry, Happening | None]()


def happening(entry: Entry) -> Happening | None:
    """Return what the rules did for an event of the game: for one of the newest as they did it, for
    others applied once more. None for other rows, and if today's rules disagree with the log.
    """
    return _HAPPENINGS.of((entry,), lambda: _happened(entry))


def _happened(entry: Entry) -> Happening | None:
    before = entry.before.position
    if before is None or not isinstance(entry.event, Event):
        return None
    outcome = entry.outcome
    if outcome is not None:
        return Happening(entry.seq, before, outcome)
    with suppress(IllegalEvent, *BROKEN):
        return Happening(entry.seq, before, before.apply(entry.event))
    return None


def happenings_before(entry: Entry, entries: Sequence[Entry]) -> Iterator[Happening]:
    """Yield what the rules did in the rows that count before this one, newest first."""
    for seq in reversed(entry.before.line):
        before = entries[seq - 1]
        if not isinstance(before.event, Event):
            continue
        one = happening(before)
        if one is None:
            return
        yield one


@dataclass(frozen=True, slots=True)
class Share:
    """A cause and its share of a number; the shares of one number add up to it."""

    words: Words
    amount: int


def shares(rules: Ruleset, effect: Effect, origin: Origin, amount: int) -> Iterator[Share]:
    """Yield what an amount is made of: what brought it, then each ability that changed it."""
    treated = origin.treated
    yield Share(cause_words(rules, effect, origin), treated[0].before if treated else amount)
    for one in treated:
        yield Share(_ability_words(rules, one), one.after - one.before)
    if treated and effect.adds_to is not None:  # a dial holds no more than its maximum
        yield Share(Words(key="because.most"), amount - treated[-1].after)


def summed(parts: Iterable[Share]) -> list[Share]:
    """Return the shares, those of one cause added up, without what came to nothing."""
    found: list[Share] = []
    for part in parts:
        at = next((n for n, one in enumerate(found) if one.words == part.words), None)
        if at is None:
            found.append(part)
        else:
            found[at] = Share(part.words, found[at].amount + part.amount)
    return [one for one in found if one.amount]


def clauses(parts: Iterable[Share], *, signed: bool = False) -> tuple[Cause, ...]:
    """Return the shares as clauses; a single cause needs no number. `signed`: with a plus."""
    found = summed(parts)
    if len(found) == 1:
        return (Cause(words=found[0].words),)
    return tuple(Cause(words=one.words, change=_change(one.amount, signed)) for one in found)


def _change(amount: int, signed: bool) -> str:
    plus = "+" if signed else ""
    return f"{MINUS}{-amount}" if amount < 0 else f"{plus}{amount}"


def cause_words(rules: Ruleset, effect: Effect, origin: Origin) -> Words:
    """Return what brought an effect about: dice, card, token, place, or the rules."""
    by = origin.by
    if by.card in rules.cards:
        return Words(key="why.card", args={"card": by.card})
    if by.card in rules.tokens:
        return Words(key="because.token", args={"token": by.card})
    if by.card:
        return Words(key="why.condition")
    if isinstance(effect, Damage) and effect.by_units:
        return Words(key="because.ouch")
    if origin.face is not None:
        return Words(key=f"because.{origin.face}")
    names = ("card", "tile", "place") if origin.about else ()
    args: Args = dict.fromkeys(names, origin.about)
    key = BY_ABILITY.get(by.ability, "why.rule")
    if by.ability == "shopping":
        key = "why.bought" if args else "why.swept"
    if key == "why.rule" or (key in NAMING and not args):
        return Words(key="why.rule")
    return Words(key=key, args=args)


NAMING = frozenset({"why.income", "why.entered", "why.destroyed", "why.card", "why.left"})
"""Sentences that name what they are about."""


def _ability_words(rules: Ruleset, one: Treatment) -> Words:
    """Return the card or token whose ability changed an amount."""
    if one.by.card in rules.cards:
        return Words(key="why.card", args={"card": one.by.card})
    if one.by.card in rules.tokens:
        return Words(key="because.token", args={"token": one.by.card})
    return Words(key="why.condition" if one.by.card else "why.rule")
