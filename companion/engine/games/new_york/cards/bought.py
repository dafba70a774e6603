"""Cards that work once, when they are bought."""

from __future__ import annotations

from companion.engine.base_position import My
from companion.engine.effects.cards import DropCard
from companion.engine.effects.numbers import Damage, GainEnergy, GainStars, Heal, LoseStars
from companion.engine.effects.turn import Ask
from companion.engine.game import Step, Together
from companion.engine.questions import Answer, Choice, Option, decided
from companion.engine.shared.cards import (
    amount_options,
    bought,
    discard,
    extra_turn,
    gain,
    gains,
    hurt_all,
    hurt_me,
    only_after,
)
from companion.engine.shared.decorators import whenever
from companion.engine.values import CardKind, Deed, UnitKind


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


_MANHATTAN = ("manhattan",)
_BROOKLYN = ("brooklyn",)

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
)
