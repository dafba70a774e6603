"""King of Tokyo, 2016 edition: the first edition's rules with what that edition changed (TK-17)."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Final

from msgspec.structs import replace

from companion.engine.abilities import Instead, Quantity, Stage, Whenever
from companion.engine.base_position import My
from companion.engine.effects.cards import AddCounters
from companion.engine.effects.numbers import Damage, GiveTokens
from companion.engine.effects.turn import AddSymbols, EnterPhase, MoveTo, ResolveFace, ResolvePhase
from companion.engine.game import Step
from companion.engine.games.tokyo.fighting import eat_the_city, leave_a_tunnel
from companion.engine.games.tokyo.gains import drain_the_batteries
from companion.engine.games.tokyo.rules import TOKYO, enter
from companion.engine.questions import Answer
from companion.engine.shared.abilities import (
    card_table,
    gains,
    instead_of,
    keep,
    modifier,
    my_attack,
    new,
    whenever,
)
from companion.engine.values import Face, How, Token


def adds_claws(amount: int, when: Callable[[My], bool]) -> Whenever:
    """Make an ability that adds ATTACK before the groups resolve, if `when` holds (TK-17.6)."""

    @whenever(ResolvePhase, mine=True)
    def add_claws(my: My, phase: ResolvePhase) -> Answer:
        return AddSymbols(my.seat, amount, Face.ATTACK) if when(my) else None

    return add_claws


def adds_to_claws(when: Callable[[My], bool]) -> Instead:
    """Make an ability that adds one ATTACK to a result with any, rolled or added by another card
    (TK-17.6, B5).
    """

    @instead_of(ResolveFace, Stage.ADD, mine=True)
    def add_to_claws(my: My, group: ResolveFace) -> Answer:
        adds = group.face is Face.ATTACK and when(my)
        return replace(group, amount=group.amount + 1) if adds else None

    return add_to_claws


def _always(my: My) -> bool:
    return True


def _in_tokyo(my: My) -> bool:
    return my.position.is_inside(my.seat)


def _three_twos(my: My) -> bool:
    return my.position.count(Face.TWO) >= 3


def struck_get(token: Token) -> Whenever:
    """Make an ability: each Monster that the owner's dice hurt gets a token; other damage gives
    none (TK-17.8).
    """

    @whenever(Damage, at_once=True, when=my_attack)
    def mark_the_struck(my: My, hurt: Damage) -> Answer:
        return GiveTokens(hurt.seat, 1, token)

    return mark_the_struck


def charge(my: My) -> tuple[Step, ...]:
    """Put 6 energy from the bank on the card (TK-17.5)."""
    return (AddCounters(my.seat, 6, my.card_id, my.card.name),)


_CHANGED: Final = card_table(
    keep("acid_attack", 6, adds_claws(1, _always)),
    keep("burrowing", 5, adds_claws(1, _in_tokyo), leave_a_tunnel),
    keep("even_bigger", 4, modifier(Quantity.HEALTH_MAX, 2), gains(health=2)),
    keep("monster_batteries", 3, new(charge), drain_the_batteries, most=6),
    keep("poison_quills", 3, adds_claws(2, _three_twos)),
    keep("poison_spit", 4, struck_get(Token.POISON)),
    keep("shrink_ray", 6, struck_get(Token.SHRINK)),
    keep("spiked_tail", 5, adds_to_claws(_always)),
    keep("urbavore", 4, eat_the_city, adds_to_claws(_in_tokyo)),
)

_RENAMED: Final = (
    "alien_metabolism",
    "dedicated_news_team",
    "drop_from_high_altitude",
    "fire_blast",
    "monster_batteries",
    "omnivore",
    "tanks",
    "telepath",
)

_REWORDED: Final = frozenset(
    (*(f"{name}.name" for name in _RENAMED), *(f"{name}.text" for name in _CHANGED))
)
"""What is called otherwise, or does something else, than in the first edition (TK-17.4)."""


_BAY: Final = "tokyo_bay"
_CITY: Final = "tokyo_city"


@whenever(EnterPhase, clause=("TK-17.1", "TK-17.2"))
def must_enter(my: My, phase: EnterPhase) -> Answer:
    """After all dice a free City, or else a free Bay, must be entered, with or without claws."""
    entry = my.position.free_entry()
    if entry is None or my.position.is_inside(phase.seat):
        return None
    return MoveTo(phase.seat, entry, How.ENTER)


TOKYO_2016: Final = dataclasses.replace(
    TOKYO,
    edition="2016",
    places={**TOKYO.places, _BAY: dataclasses.replace(TOKYO.places[_BAY], falls_back_to=_CITY)},
    abilities=tuple(must_enter if ability is enter else ability for ability in TOKYO.abilities),
    cards={**TOKYO.cards, **_CHANGED},
    reworded=_REWORDED,
)
