"""Cards that are discarded after one use."""

from __future__ import annotations

from companion.engine.base_position import My
from companion.engine.effects.numbers import LoseEnergy, LoseHealth, LoseStars
from companion.engine.effects.turn import MoveTo
from companion.engine.game import Step
from companion.engine.shared.cards import (
    bought,
    discard,
    extra_turn,
    gain,
    gains,
    hurt_all,
    hurt_me,
    hurt_others,
    others,
)
from companion.engine.values import How, Seat


def drop_in(my: My) -> tuple[Step, ...]:
    """Move the owner to Tokyo City, unless it is in Tokyo (City or Bay); a Monster in Tokyo City
    leaves without damage (TK-16.7, C20).
    """
    if my.position.is_inside(my.seat):
        return ()
    city = next(p.name for p in my.rules.places.values() if p.entry and not p.track)
    outside = my.rules.start_places[0]
    there = (m.seat for m in my.game.monsters if m.alive and m.place == city)
    out = tuple(MoveTo(s, outside, How.LEAVE) for s in there)
    return (*out, MoveTo(my.seat, city, How.ENTER))


def evacuate(my: My) -> tuple[Step, ...]:
    """Make every other Monster lose 5 stars (H21)."""
    return tuple(LoseStars(s, 5) for s in others(my))


def storm(my: My) -> tuple[Step, ...]:
    """Make every other Monster lose half of its own energy, rounded down."""
    return tuple(LoseEnergy(s, my.game.monsters[s].energy // 2) for s in others(my))


def shrinks_back(seat: Seat) -> tuple[Step, ...]:
    """Return the step that costs the owner 2 health when its Even Bigger leaves play
    (TK-16.1, D7).
    """
    return (LoseHealth(seat, 2),)


CARDS = (
    discard("apartment_building", 5, gains(stars=3)),
    discard("commuter_train", 4, gains(stars=2)),
    discard("corner_store", 3, gains(stars=1)),
    discard("drop_from_high_altitude", 5, bought(gain(stars=2), drop_in)),
    discard("energize", 8, gains(energy=9)),
    discard("evacuation_orders", 7, bought(evacuate), copies=2),
    discard("fire_blast", 3, bought(hurt_others(2))),
    discard("frenzy", 7, bought(extra_turn())),
    discard("gas_refinery", 6, bought(gain(stars=2), hurt_others(3))),
    discard("heal", 3, gains(health=2)),
    discard("high_altitude_bombing", 4, bought(hurt_all(3))),
    discard("jet_fighters", 5, bought(gain(stars=5), hurt_me(4))),
    discard("national_guard", 3, bought(gain(stars=2), hurt_me(2))),
    discard("nuclear_power_plant", 6, gains(stars=2, health=3)),
    discard("skyscraper", 6, gains(stars=4)),
    discard("tanks", 4, bought(gain(stars=4), hurt_me(3))),
    discard("vast_storm", 6, bought(gain(stars=2), storm)),
)
