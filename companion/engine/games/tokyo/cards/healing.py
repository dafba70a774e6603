"""Cards that heal, or share healing with others."""

from __future__ import annotations

from collections import Counter

from msgspec.structs import replace

from companion.engine.abilities import Quantity, Stage
from companion.engine.base_position import My
from companion.engine.effects.numbers import Damage, Heal, SpendEnergy
from companion.engine.effects.sources import Mark
from companion.engine.effects.turn import MarkUsed, ResolveFace, ShareHearts
from companion.engine.games.tokyo.cards.bought import shrinks_back
from companion.engine.questions import Answer, Choice, Option, decided
from companion.engine.shared.cards import (
    can_pay,
    gains,
    keep,
    modifier,
    my_deed,
    others,
    transfer,
)
from companion.engine.shared.decorators import instead_of, offers, whenever
from companion.engine.values import Face


@instead_of(ResolveFace, Stage.ADD, mine=True, clause="TK-16.14")
def hearts_for_others(my: My, group: ResolveFace) -> Answer:
    """Hearts may heal others, who pay 2 energy a point or what they have (D9).

    A second such card has nothing to add: all hearts of a group are shared out once.
    """
    mark = Mark("hearts_for_others", seat=my.seat)
    if group.face is not Face.HEAL or my.has_used(mark):
        return None
    return (MarkUsed(my.seat, str(mark)), ShareHearts(my.seat, my.card_id, group.amount))


@whenever(ShareHearts, mine=True)
def whom_to_heal(my: My, hearts: ShareHearts) -> Answer:
    """You give hearts away one at a time; the rest is yours. What one Monster gets is one healing
    (D8).
    """
    if hearts.card != my.card_id:
        return None
    healed = tuple(Heal(s, n, my.seat, my.card_id) for s, n in Counter(hearts.given).items())
    rest = Option("rest", (*healed, ResolveFace(my.seat, hearts.left, Face.HEAL)))
    options = tuple(
        Option(
            "seat",
            (replace(hearts, left=hearts.left - 1, given=(*hearts.given, s)),),
            other=s,
        )
        for s in (others(my) if hearts.left else ())
        if my.game.monsters[s].health + hearts.given.count(s) < my.position.health_max(s)
    )
    about = (("amount", hearts.left),)
    return decided(Choice(my.seat, "heal_others", (*options, rest), window="group", about=about))


@whenever(Heal, clause="TK-16.14")
def the_healed_pay(my: My, heal: Heal) -> Answer:
    """2 energy for each point healed, or what they have (D8)."""
    return transfer(my, heal.seat, 2 * heal.amount, my.seat) if heal.card == my.card_id else None


@instead_of(Heal, Stage.ADD, when=my_deed, clause="TK-16.15")
def heal_faster(my: My, heal: Heal) -> Answer:
    """1 more each time you heal, yourself or another, not when another heals you."""
    return replace(heal, amount=heal.amount + 1)


def _sick_and_rich(my: My) -> bool:
    return can_pay(my, 2) and my.monster.health < my.position.health_max(my.seat)


@offers(_sick_and_rich, clause="TK-12.6")
def heal_for_energy(my: My) -> Answer:
    """2 energy for 1 health, at any time, as often as you can pay."""
    return (SpendEnergy(my.seat, 2), Heal(my.seat, 1))


@instead_of(Damage, Stage.LAST, mine=True)
def last_moment(my: My, hurt: Damage) -> Answer:
    """Before damage that would kill you, you are asked how often you pay."""
    if hurt.amount < my.monster.health:
        return None
    most = min(my.position.purse(my.seat) // 2, my.position.health_max(my.seat) - my.monster.health)
    if most <= 0:
        return None
    once = (SpendEnergy(my.seat, 2), Heal(my.seat, 1))
    uses = (Option("use", (*(once * k), hurt), count=k) for k in range(1, most + 1))
    options = (*uses, Option("pass", (hurt,)))
    about = (("amount", hurt.amount),)
    return Choice(my.seat, "last_moment", options, window="hurt", clause="TK-12.6", about=about)


CARDS = (
    keep(
        "even_bigger",
        4,
        modifier(Quantity.HEALTH_MAX, 2),
        gains(health=2),
        leaving=shrinks_back,
    ),
    keep("healing_ray", 4, hearts_for_others, whom_to_heal, the_healed_pay),
    keep("rapid_healing", 3, heal_for_energy, last_moment),
    keep("regeneration", 4, heal_faster),
)
