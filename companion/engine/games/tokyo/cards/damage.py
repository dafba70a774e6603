"""Cards that react to damage, to reaching 0 health and to elimination."""

from __future__ import annotations

from msgspec.structs import replace

from companion.engine.abilities import Stage
from companion.engine.base_position import My
from companion.engine.effects.cards import AddCondition, DropCard
from companion.engine.effects.numbers import (
    Damage,
    Eliminate,
    GainEnergy,
    GainStars,
    ReachedZero,
    SpendEnergy,
    StartAgain,
)
from companion.engine.game import Step, Together
from companion.engine.questions import Answer, Choice, Option, Roll
from companion.engine.shared.cards import keep, my_deed, occasion, to_another
from companion.engine.shared.decorators import instead_of, whenever
from companion.engine.shared.moving import escapes, may_yield
from companion.engine.values import Face


def _cancel(my: My, hurt: Damage, points: int) -> Roll:
    """Ask for a roll of a die for each point, as many as the box has; the other points wait
    (TK-4.3).
    """
    dice = min(points, my.rules.dice_max)

    def thrown(faces: tuple[Face, ...], _: tuple[int, ...], __: bool) -> tuple[Step, ...]:
        left = hurt.amount - faces.count(Face.HEAL)
        return (replace(hurt, amount=left, untreated=points - dice),)

    free, about = tuple(range(dice)), (("amount", hurt.amount),)
    return Roll(my.seat, "cancel", dice, thrown, free=free, window="hurt", about=about)


@instead_of(Damage, mine=True, clause="TK-7.5")
def hearts_cancel_damage(my: My, hurt: Damage) -> Answer:
    """Roll a die for each point of damage to you; each heart cancels one (H14)."""
    return None if hurt.untreated else _cancel(my, hurt, hurt.amount)


@instead_of(Damage, mine=True)
def roll_for_the_rest(my: My, hurt: Damage) -> Answer:
    """More points than dice: a second roll for the points that waited (H14)."""
    return _cancel(my, hurt, hurt.untreated) if hurt.untreated else None


@instead_of(Damage, mine=True, clause="TK-16.18")
def take_wing(my: My, hurt: Damage) -> Answer:
    """You may pay 2 energy to lose no health for the rest of the turn (H13)."""
    if my.monster.energy < 2:
        return None
    fly = (SpendEnergy(my.seat, 2), AddCondition(my.seat, "wings", my.game.turn.number))
    options = (Option("use", fly), Option("pass", (hurt,)))
    about = (("amount", hurt.amount),)
    return Choice(my.seat, "take_wing", options, window="hurt", clause="TK-16.18", about=about)


@instead_of(Damage, Stage.FORBID, mine=True, clause="TK-16.18")
def nothing_hurts(my: My, hurt: Damage) -> Answer:
    """While you fly: no damage this turn."""
    return ()


@instead_of(Damage, mine=True, clause="TK-10.2")
def flee_unhurt(my: My, hurt: Damage) -> Answer:
    """Yield to an attack and it does no damage; the attacker still moves in (C21)."""
    if hurt.flight_decided or not may_yield(my.position, hurt):
        return None
    options = (
        Option("stay", (replace(hurt, flight_decided=True),)),
        *escapes(my.position, my.seat, hurt.dealer),
    )
    about = (("seat", hurt.dealer), ("amount", hurt.amount))
    return Choice(my.seat, "flee_unhurt", options, window="flee", clause="TK-10.2", about=about)


@whenever(Damage, once=True, at_once=True, when=my_deed, clause=("TK-16.4", "TK-16.13"))
def singe_the_neighbours(my: My, hurt: Damage) -> Answer:
    """When you deal damage, your nearest neighbours take 1 more, not by an attack.

    Neighbours are those of the moment of the blow: nobody steps in for one it kills (G9). It is a
    source of its own, of one occasion with the blow (H33).
    """
    began = occasion(my, hurt)
    return Together(
        tuple(Damage(s, 1, my.seat, occasion=began) for s in my.position.neighbours(my.seat))
    )


@instead_of(Eliminate, mine=True, clause="TK-16.17")
def start_again(my: My, end: Eliminate) -> Answer:
    """At 0 health: lose all cards and stars, go on with 10 health outside the city (G8).

    The cards go first, with all they take along.
    """
    mine = (c for c in my.game.in_play.cards if c.owner == my.seat)
    cards = Together(tuple(DropCard(my.seat, c.id, c.name) for c in mine))
    return (cards, StartAgain(my.seat))


@instead_of(Damage, Stage.IGNORE, mine=True, clause="TK-16.19")
def single_points_bounce(my: My, hurt: Damage) -> Answer:
    """Damage of exactly 1 does nothing to you."""
    return () if hurt.amount == 1 else None


@whenever(Damage, mine=True, at_once=True)
def pain_is_power(my: My, hurt: Damage) -> Answer:
    """1 energy when you lose 2 health or more at once, whatever the same blow does to the card
    (H34).
    """
    return GainEnergy(my.seat, 1) if hurt.amount >= 2 else None


@whenever(ReachedZero, when=to_another, clause="TK-16.2")
def eat_the_dead(my: My, fell: ReachedZero) -> Answer:
    """3 stars each time another Monster reaches 0 health."""
    return GainStars(my.seat, 3)


CARDS = (
    keep("armor_plating", 4, single_points_bounce),
    keep("camouflage", 3, hearts_cancel_damage, roll_for_the_rest),
    keep("eater_of_the_dead", 4, eat_the_dead),
    keep("fire_breathing", 4, singe_the_neighbours),
    keep("it_has_a_child", 7, start_again),
    keep("jets", 5, flee_unhurt),
    keep("were_only_making_it_stronger", 3, pain_is_power),
    keep("wings", 6, take_wing),
)
