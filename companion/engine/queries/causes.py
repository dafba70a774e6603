"""Abilities as causes: who carries them, and the clause they carry out."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from companion.engine.effects import AnyEffect
from companion.engine.effects.sources import Source
from companion.engine.ruleset import Ruleset
from companion.engine.values import TABLE, CardKind, Face, Value

SCORE: Final = "score"
"""The ability of the rules by which a group of dice does what its face does."""


class Cause(Value, frozen=True):
    """An ability: its name, the card, token or condition that carries it ("" for the rules), and
    the clause it carries out ("" where it names none).
    """

    ability: str
    card: str
    clause: str


def scored_by(rules: Ruleset, effect: AnyEffect, face: Face | None) -> Cause:
    """Return the ability behind an effect; for a group of dice, its scoring."""
    if face is not None:
        return Cause(SCORE, "", rules.clause(face))
    return cause_of(rules, effect)


def cause_of(rules: Ruleset, effect: AnyEffect) -> Cause:
    """Return the ability that brought the effect; where the loop itself did, the effect's own
    clause.
    """
    found = cause_named(rules, effect.source) if effect.source else Cause("", "", "")
    if found.clause:
        return found
    verb = type(effect)
    clause = rules.own_clause(verb.clause) or rules.clause(verb.__name__)
    return Cause(found.ability, found.card, clause)


def cause_named(rules: Ruleset, source: str) -> Cause:
    """Return the ability that a history names."""
    carrier, name, _ = Source.read(source) or Source("", source, TABLE)
    carrier, clause = _clauses_by_ability(rules).get((carrier, name), (carrier, ""))
    return Cause(name, carrier, clause or _general_clause(rules, carrier, name))


def _general_clause(rules: Ruleset, carrier: str, name: str) -> str:
    """Return the clause of an ability that names none: the ruleset's for it, or the general one for
    its kind.
    """
    if not carrier:
        return rules.clause(name)
    card = rules.cards.get(carrier)
    return rules.clause(card.kind if card is not None else CardKind.KEEP)


@lru_cache(maxsize=8)
def _clauses_by_ability(rules: Ruleset) -> dict[tuple[str, str], tuple[str, str]]:
    """Return for each ability as histories name it (card or "", name): its carrier and
    its clause.
    """
    found: dict[tuple[str, str], tuple[str, str]] = {}
    for kind, carried in (*rules.conditions.items(), *rules.tokens.items()):
        found |= {("", a.name): (str(kind), rules.own_clause(a.clause)) for a in carried}
    found |= {("", a.name): ("", rules.own_clause(a.clause)) for a in rules.abilities}
    for card in rules.cards.values():
        found |= {
            (card.name, a.name): (card.name, rules.own_clause(a.clause)) for a in card.abilities
        }
    return found
