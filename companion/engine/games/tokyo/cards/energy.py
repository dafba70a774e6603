"""Cards that gain energy, or stars at the end of a turn."""

from __future__ import annotations

from msgspec.structs import replace

from companion.engine.abilities import Stage
from companion.engine.base_position import My
from companion.engine.effects.cards import AddCounters, CardArrived, SpendCounters
from companion.engine.effects.numbers import GainEnergy, GainStars, SpendEnergy, TakeBackEnergy
from companion.engine.effects.turn import Ask, EndPhase, TurnStarted
from companion.engine.game import Step
from companion.engine.questions import Answer, Choice, Option
from companion.engine.shared.cards import MANY, drop_me, keep, new, others
from companion.engine.shared.decorators import instead_of, whenever
from companion.engine.values import Deed


@instead_of(GainEnergy, Stage.ADD, mine=True, clause="TK-16.21")
def one_more_energy(my: My, gain: GainEnergy) -> Answer:
    """Your energy gains are 1 larger."""
    return replace(gain, amount=gain.amount + 1)


@whenever(CardArrived, mine=True)
def in_the_news(my: My, arrived: CardArrived) -> Answer:
    """1 star for each other card you buy, from the shop or from a Monster."""
    paid = arrived.how in ("bought", "taken") and arrived.card != my.card_id
    return GainStars(my.seat, 1) if paid else None


@whenever(EndPhase, mine=True)
def hoard(my: My, phase: EndPhase) -> Answer:
    """1 star for each full 6 energy at the end of your turn (H23)."""
    return GainStars(my.seat, my.monster.energy // 6)


@whenever(EndPhase, mine=True)
def harm_nobody(my: My, phase: EndPhase) -> Answer:
    """1 star if you damaged nobody in your turn (H24)."""
    hurt = my.position.tallied(Deed.DAMAGE, by=my.seat) - my.position.tallied(
        Deed.DAMAGE, my.seat, my.seat
    )
    return GainStars(my.seat, 1) if not hurt else None


@whenever(EndPhase, mine=True, clause="TK-16.23")
def cheer_the_last(my: My, phase: EndPhase) -> Answer:
    """1 star if you alone have the fewest at the end of your turn."""
    fewest = all(my.monster.stars < my.game.monsters[s].stars for s in others(my))
    return GainStars(my.seat, 1) if fewest else None


@whenever(EndPhase, mine=True, clause="TK-16.6")
def catch_the_sun(my: My, phase: EndPhase) -> Answer:
    """1 energy if you have none at the end of your turn."""
    return GainEnergy(my.seat, 1) if not my.monster.energy else None


def batteries(my: My) -> tuple[Step, ...]:
    """Ask how much energy goes onto the card; the bank adds as much."""
    return (Ask(my.seat, "batteries", my.card_id),)


@whenever(Ask)
def how_much_to_store(my: My, ask: Ask) -> Answer:
    """You choose any amount, from nothing to all you have."""
    if ask.topic != "batteries" or ask.card != my.card_id:
        return None
    name = my.card.name
    options = tuple(
        Option(
            "use", (SpendEnergy(my.seat, k), AddCounters(my.seat, 2 * k, my.card_id, name)), count=k
        )
        for k in range(my.monster.energy + 1)
    )
    return Choice(my.seat, "batteries", options, window="buy")


@whenever(TurnStarted, mine=True, clause="TK-16.21")
def drain_the_batteries(my: My, started: TurnStarted) -> Answer:
    """Take 2 energy off the card; empty, it is discarded."""
    left = my.card.counters
    empty = drop_me(my) if left <= 2 else ()
    taken = min(2, left)
    spend = SpendCounters(my.seat, taken, my.card_id, my.card.name)
    return (spend, TakeBackEnergy(my.seat, taken), *empty)


CARDS = (
    keep("dedicated_news_team", 3, in_the_news),
    keep("energy_hoarder", 3, hoard),
    keep("friend_of_children", 3, one_more_energy),
    keep("herbivore", 5, harm_nobody),
    keep("monster_batteries", 2, new(batteries), how_much_to_store, drain_the_batteries, most=MANY),
    keep("rooting_for_the_underdog", 3, cheer_the_last),
    keep("solar_powered", 2, catch_the_sun),
)
