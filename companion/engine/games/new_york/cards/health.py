"""Cards that protect health, or trade it for energy."""

from __future__ import annotations

from msgspec.structs import replace

from companion.engine.abilities import Quantity, Query, Stage
from companion.engine.base_position import My
from companion.engine.effects.cards import AddCounters, DropCard
from companion.engine.effects.numbers import (
    Damage,
    GainEnergy,
    Heal,
    LoseEnergy,
    LoseHealth,
    SpendEnergy,
)
from companion.engine.effects.turn import ResolvePhase
from companion.engine.questions import Answer, Choice, Option, decided
from companion.engine.shared.cards import MANY, amount_options, each_turn, keep, modifier
from companion.engine.shared.decorators import instead_of, modifies, offers, whenever
from companion.engine.values import Face


@whenever(ResolvePhase, mine=True)
def grow_a_shell(my: My, phase: ResolvePhase) -> Answer:
    """Each OUCH of your final roll puts a token on the card."""
    ouches = my.game.turn.faces.count(Face.OUCH)
    return AddCounters(my.seat, ouches, my.card_id, my.card.name)


def _shell_would_heal(my: My) -> bool:
    return my.card.counters > 0 and my.monster.health < my.rules.health


@offers(_shell_would_heal)
def shed_the_shell(my: My) -> Answer:
    """Discard the card: 1 health for each token on it, up to the usual maximum."""
    return (DropCard(my.seat, my.card_id, my.card.name), Heal(my.seat, my.card.counters))


@instead_of(Damage, Stage.LAST, mine=True)
def shed_at_last(my: My, hurt: Damage) -> Answer:
    """Before damage that would kill you, you are asked whether you discard it now."""
    if hurt.amount < my.monster.health or not _shell_would_heal(my):
        return None
    shed = (DropCard(my.seat, my.card_id, my.card.name), Heal(my.seat, my.card.counters), hurt)
    options = (Option("use", shed), Option("pass", (hurt,)))
    about = (("amount", hurt.amount),)
    return Choice(my.seat, "shed_at_last", options, window="hurt", about=about)


@whenever(Damage, mine=True)
def rise_from_ashes(my: My, hurt: Damage) -> Answer:
    """1 energy each time you take damage, however much."""
    return GainEnergy(my.seat, 1)


@modifies(Quantity.PURSE, mine=True)
def health_is_energy(my: My, query: Query, purse: int) -> int:
    """Your health pays like energy, except the last point."""
    return purse + my.monster.health - 1


@instead_of(SpendEnergy, Stage.LAST, mine=True)
def pay_with_health(my: My, price: SpendEnergy) -> Answer:
    """You choose how much of a price you pay with health; what your energy does not cover, health
    must.
    """
    least = max(0, price.amount - my.monster.energy)
    most = min(price.amount, my.monster.health - 1)
    options = amount_options(
        range(least, most + 1),
        lambda k: (replace(price, amount=price.amount - k), LoseHealth(my.seat, k)),
    )
    about = (("amount", price.amount),)
    return decided(Choice(my.seat, "pay_with_health", options, window="pay", about=about))


@instead_of(Damage, Stage.LAST, mine=True)
def lose_energy_instead(my: My, hurt: Damage) -> Answer:
    """You choose how much of the damage you take as lost energy."""
    most = min(hurt.amount, my.monster.energy)
    if not most:
        return None
    options = amount_options(
        range(most + 1),
        lambda k: (LoseEnergy(my.seat, k), replace(hurt, amount=hurt.amount - k)),
    )
    about = (("amount", hurt.amount),)
    return Choice(my.seat, "energy_for_health", options, window="hurt", about=about)


CARDS = (
    keep(
        "carapace",
        3,
        modifier(Quantity.HEALTH_MAX, 2),
        grow_a_shell,
        shed_the_shell,
        shed_at_last,
        most=MANY,
    ),
    keep("of_another_world", 6, health_is_energy, pay_with_health, lose_energy_instead),
    keep("phoenix_blood", 4, rise_from_ashes),
    keep("regeneration", 5, each_turn(health=1)),
)
