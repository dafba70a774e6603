"""Cards of Tokyo that gain energy and stars, or heal."""

from __future__ import annotations

from collections import Counter

from msgspec.structs import replace

from companion.engine.abilities import Quantity, Stage
from companion.engine.base_position import My
from companion.engine.effects.cards import AddCounters, CardArrived, SpendCounters
from companion.engine.effects.numbers import (
    Damage,
    GainEnergy,
    GainStars,
    Heal,
    SpendEnergy,
    TakeBackEnergy,
)
from companion.engine.effects.sources import Mark
from companion.engine.effects.turn import (
    Ask,
    EndPhase,
    MarkUsed,
    ResolveFace,
    ShareHearts,
    TurnStarted,
)
from companion.engine.game import Step
from companion.engine.games.tokyo.buying import shrinks_back
from companion.engine.questions import Answer, Choice, Option, decided
from companion.engine.shared.abilities import (
    MANY,
    can_pay,
    drop_me,
    gains,
    instead_of,
    keep,
    modifier,
    my_deed,
    new,
    offers,
    others,
    transfer,
    whenever,
)
from companion.engine.values import Deed, Face

# -- cards that gain energy, or stars at the end of a turn -----------------------------------------


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


# -- cards that heal, or share healing with others -------------------------------------------------


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
    """You give hearts away one at a time; the rest is yours. Each gets one healing (D8)."""
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
    keep("dedicated_news_team", 3, in_the_news),
    keep("energy_hoarder", 3, hoard),
    keep("friend_of_children", 3, one_more_energy),
    keep("herbivore", 5, harm_nobody),
    keep("monster_batteries", 2, new(batteries), how_much_to_store, drain_the_batteries, most=MANY),
    keep("rooting_for_the_underdog", 3, cheer_the_last),
    keep("solar_powered", 2, catch_the_sun),
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
