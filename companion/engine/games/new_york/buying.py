"""Cards of New York that work once, gain energy, or bring other cards."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from companion.engine.base_position import My
from companion.engine.effects.cards import (
    AddCondition,
    BuyCard,
    CardRevealed,
    DropCard,
    EndCondition,
    TakeFromDiscards,
)
from companion.engine.effects.numbers import (
    Damage,
    GainEnergy,
    GainStars,
    HandOver,
    Heal,
    LoseStars,
    SpendEnergy,
)
from companion.engine.effects.sources import Mark
from companion.engine.effects.turn import Ask, MarkUsed
from companion.engine.game import Step, Together
from companion.engine.questions import Answer, Choice, Option, decided
from companion.engine.shared.abilities import (
    amount_options,
    bought,
    can_pay,
    discard,
    extra_turn,
    gain,
    gains,
    hurt_all,
    hurt_me,
    keep,
    offers,
    only_after,
    whenever,
)
from companion.engine.values import LASTING, CardId, CardKind, Deed, Seat, UnitKind

_MANHATTAN = ("manhattan",)


# -- cards that work once, when they are bought ----------------------------------------------------


def bomb_by_units(my: My) -> tuple[Step, ...]:
    """Deal damage to every Monster, 1 for each Unit in its own borough; not by Ouch! (E14)."""
    hit = (s for s in my.position.clockwise(my.seat) if my.position.is_alive(s))
    return (Together(tuple(Damage(s, len(my.position.units(s)), my.seat) for s in hit)),)


def everyone_discards(my: My) -> tuple[Step, ...]:
    """Ask every Monster with Keep cards which one it discards."""
    hit = (s for s in my.position.clockwise(my.seat) if my.position.is_alive(s))
    return tuple(Ask(s, "discard_keep", my.card_id) for s in hit)


@whenever(Ask)
def which_to_discard(my: My, ask: Ask) -> Answer:
    """The Monster chooses one of its own Keep cards."""
    if ask.topic != "discard_keep" or ask.card != my.card_id:
        return None
    options = tuple(
        Option("drop", (DropCard(ask.seat, c.id, c.name),), card=c.id)
        for c in my.game.in_play.cards
        if c.owner == ask.seat and my.rules.cards[c.name].kind is CardKind.KEEP
    )
    return decided(Choice(ask.seat, "discard_keep", options, window="discard"))


def picture_taken(my: My) -> tuple[Step, ...]:
    """Ask for a Monster: 1 star for each damage done to it this turn, by whatever means (H26)."""
    return (Ask(my.seat, "photo", my.card_id),)


@whenever(Ask)
def whose_picture(my: My, ask: Ask) -> Answer:
    """The buyer chooses any other Monster hurt this turn; all that damage counts as its own."""
    if ask.topic != "photo" or ask.card != my.card_id:
        return None
    hurt = {m.seat: my.position.tallied(Deed.DAMAGE, seat=m.seat) for m in my.game.monsters}
    options = tuple(
        Option("seat", (GainStars(my.seat, n),), other=s)
        for s, n in hurt.items()
        if n and s != my.seat
    )
    return decided(Choice(my.seat, "photo", options, window="buy"))


def start_over_smaller(my: My) -> tuple[Step, ...]:
    """Take all stars, and ask how they are split: each becomes 1 energy or 1 health."""
    stars = my.monster.stars
    return (LoseStars(my.seat, stars), Ask(my.seat, "split_stars", my.card_id, stars))


@whenever(Ask)
def energy_or_health(my: My, ask: Ask) -> Answer:
    """The buyer chooses how many of the lost stars become health; the rest become energy."""
    if ask.topic != "split_stars" or ask.card != my.card_id or not ask.number:
        return None
    options = amount_options(
        range(ask.number + 1),
        lambda k: (Heal(my.seat, k), GainEnergy(my.seat, ask.number - k)),
    )
    about = (("amount", ask.number),)
    return decided(Choice(my.seat, "split_stars", options, window="buy", about=about))


_BROOKLYN = ("brooklyn",)


# -- cards that gain energy or take it -------------------------------------------------------------


def _tap(my: My, gainer: Seat) -> Answer:
    mark = Mark("tapped", my.card_id, seat=gainer)
    gained = my.position.tallied(Deed.ENERGY_GAINED, by=gainer)
    if gainer == my.seat or gained < 3 or my.has_used(mark):
        return None
    return (MarkUsed(my.seat, str(mark)), HandOver(gainer, 1, my.seat))


@whenever(GainEnergy)
def tap_power(my: My, gain: GainEnergy) -> Answer:
    """Another Monster that has gained 3 energy in a turn pays you 1, once a turn."""
    return _tap(my, gain.seat)


@whenever(HandOver)
def tap_gifts(my: My, given: HandOver) -> Answer:
    """Energy that another Monster is given counts as gained, too."""
    return _tap(my, given.to)


def everyone_gains_energy(amount: int) -> Callable[[My], tuple[Step, ...]]:
    """Make steps that give this much energy to every living Monster."""
    return lambda my: tuple(
        GainEnergy(s, amount) for s in my.position.clockwise(my.seat) if my.position.is_alive(s)
    )


# -- cards that bring cards in other ways than the usual purchase ----------------------------------


def _salvage(my: My) -> Iterator[Option]:
    for name in dict.fromkeys(my.game.discards):
        if my.rules.cards[name].kind is not CardKind.KEEP:
            continue
        cost = max(0, my.position.price(my.seat, name) - 1)
        if can_pay(my, cost):
            card = CardId(my.game.next_id)
            steps = (
                SpendEnergy(my.seat, cost),
                TakeFromDiscards(my.seat, card, name),
                BuyCard(my.seat, card, name),
            )
            yield Option("salvage", steps, name=name)


def _can_salvage(my: My) -> bool:
    return my.is_active and any(_salvage(my))


@offers(_can_salvage, window="buy")
def rummage(my: My) -> Answer:
    """Keep cards of the discard pile are for sale to you, 1 cheaper."""
    return Ask(my.seat, "salvage", my.card_id)


@whenever(Ask)
def what_to_salvage(my: My, ask: Ask) -> Answer:
    """You choose any that you can pay for, or none."""
    if ask.topic != "salvage" or ask.card != my.card_id:
        return None
    return Choice(my.seat, "salvage", (*_salvage(my), Option("pass")), window="salvage")


@whenever(CardRevealed)
def enrol(my: My, revealed: CardRevealed) -> Answer:
    """The next Keep card that is revealed is yours, for free."""
    card = my.position.for_sale(revealed.card)
    if card is None or my.rules.cards[card.name].kind is not CardKind.KEEP:
        return None
    return (EndCondition(my.seat, "columbia_university"), BuyCard(my.seat, card.id, card.name))


CARDS = (
    discard("air_force_one", 6, only_after(UnitKind.JET), bought(gain(stars=4), bomb_by_units)),
    discard("brooklyn_bridge", 6, gains(stars=4), district=_BROOKLYN),
    discard("central_park", 5, gains(stars=2, health=2), district=_MANHATTAN),
    discard("coney_island", 4, gains(stars=3), district=_BROOKLYN),
    discard(
        "drink_the_hudson",
        12,
        gains(stars=1, energy=13, health=2),
        district=("manhattan", "brooklyn", "staten_island"),
    ),
    discard("flatiron_building", 3, gains(stars=2), district=_MANHATTAN),
    discard("general_ellis", 5, only_after(UnitKind.TANK), bought(gain(stars=3), hurt_all(1))),
    discard("next_stage", 4, bought(start_over_smaller), energy_or_health),
    discard("photo_op", 4, bought(picture_taken), whose_picture),
    discard("power_substation", 5, bought(gain(stars=1, energy=8), hurt_me(3))),
    discard("subterranean_cable", 0, bought(gain(energy=4), hurt_me(4))),
    discard("subway", 10, bought(gain(health=2), extra_turn("subway"))),
    discard("tesla_cannon", 5, bought(gain(stars=2), everyone_discards), which_to_discard),
    discard("the_unisphere", 5, gains(stars=4), district=("queens",)),
    discard("yankee_stadium", 9, gains(stars=5, health=5), district=("bronx",)),
    discard(
        "holland_tunnel", 9, bought(gain(stars=6), everyone_gains_energy(3)), district=_MANHATTAN
    ),
    keep("power_tap", 4, tap_power, tap_gifts),
    discard(
        "columbia_university",
        6,
        bought(gain(stars=2), lambda my: (AddCondition(my.seat, "columbia_university", LASTING),)),
        district=_MANHATTAN,
    ),
    keep("scavenger", 3, rummage, what_to_salvage),
)
