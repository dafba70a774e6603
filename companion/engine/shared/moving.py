"""Where Monsters stand: placing, attacking, fleeing, entering, sliding and making room."""

from __future__ import annotations

from companion.engine.abilities import Quantity, Query
from companion.engine.base_position import BasePosition, My
from companion.engine.effects.numbers import Damage, Eliminate, GainStars, SpendEnergy
from companion.engine.effects.turn import ChooseStart, Claim, MoveTo
from companion.engine.game import Step, Together
from companion.engine.questions import Again, Answer, Choice, Option, decided
from companion.engine.shared.abilities import whenever
from companion.engine.values import How, Seat


@whenever(ChooseStart, clause=("NY-2.6", "TK-2.1"))
def place_monster(my: My, start: ChooseStart) -> Answer:
    """Each puts its Monster in a start place with room; the city stays empty."""
    options = tuple(
        Option(
            "",
            (MoveTo(start.seat, name, How.PLACED),),
            barred="" if my.position.room(name) > 0 else "full",
            place=name,
        )
        for name in my.rules.start_places
    )
    return decided(
        Choice(start.seat, "place", options, window="place", clause=my.rules.clause("place"))
    )


def targets(position: BasePosition, attacker: Seat) -> tuple[Seat, ...]:
    """Return the Monsters that this one's claws hit: all in the city from outside, all outside from
    within (NY-8.1, TK-7.1).
    """
    inside, others = position.inside(), position.clockwise(attacker)[1:]
    order = (*inside, *(s for s in others if s not in inside))
    across = not position.is_inside(attacker)
    return tuple(
        [
            s
            for s in order
            if s != attacker
            and position.is_alive(s)
            and position.fold(
                Quantity.TARGET, Query(attacker, other=s), int((s in inside) is across)
            )
            > 0
        ]
    )


def attack(position: BasePosition, seat: Seat, amount: int) -> tuple[Step, ...]:
    """Return one packet of damage to every target; none without anybody there (NY-8, TK-7)."""
    hurt = tuple(Damage(each, amount, seat, by_attack=True) for each in targets(position, seat))
    return (Together(hurt),) if hurt else ()


def escapes(position: BasePosition, seat: Seat, dealer: Seat) -> tuple[Option, ...]:
    """Return the ways out of the city for an attacked Monster: each start place, the toll paid
    (NY-13.6, TK-10.1).
    """
    toll = position.toll(seat)
    lacking = max(0, toll - position.purse(seat))
    return tuple(
        Option(
            "flee",
            (SpendEnergy(seat, toll), MoveTo(seat, name, How.FLEE), Claim(dealer)),
            barred="full" if position.room(name) <= 0 else "short" if lacking else "",
            lacking=lacking,
            place=name,
        )
        for name in position.rules.start_places
    )


def may_yield(position: BasePosition, hurt: Damage) -> bool:
    """Whether this hurt comes from claws outside to one in the city (NY-8.6, TK-10.1, B8)."""
    return hurt.by_attack and position.is_inside(hurt.seat) and not position.is_inside(hurt.dealer)


@whenever(Damage, clause=("NY-13.6", "NY-13.9", "TK-10.1"))
def may_flee(my: My, hurt: Damage) -> Answer:
    """Hurt by claws in the city and alive: stay or flee, at once."""
    if hurt.flight_decided or not may_yield(my.position, hurt):
        return None
    if my.game.monsters[hurt.seat].health == 0:
        return None
    ways = escapes(my.position, hurt.seat, hurt.dealer)
    about = (("seat", hurt.dealer), ("amount", hurt.amount))
    options = (Option("stay"), *ways)
    choice = Choice(hurt.seat, "flee", options, "flee", my.rules.clause("flee"), about)
    return choice if len(choice.open()) > 1 else None


@whenever(MoveTo, clause=("NY-13.2", "TK-9.1"))
def entered(my: My, move: MoveTo) -> Answer:
    """Entering the city gives stars."""
    return GainStars(move.seat, my.rules.entering_stars) if move.how is How.ENTER else None


def slide(position: BasePosition) -> tuple[MoveTo, ...]:
    """Return the move of a Monster whose first track beside it is empty (NY-18.6, NY-18.7)."""
    first = next(iter(position.inside()), None)
    place = position.place(first) if first is not None else None
    if first is None or place is None or place.track == 0 or place.slides_to is None:
        return ()
    return (MoveTo(first, place.slides_to, How.SLIDE),)


@whenever(MoveTo, clause=("NY-18.6", "NY-18.10"))
def vacated(my: My, move: MoveTo) -> Answer:
    """When the first track is left, the other Monster slides over to it, for nothing."""
    return slide(my.position)


@whenever(Eliminate, once=True, clause=("NY-18.7", "TK-11.7"))
def make_room(my: My, _: Eliminate) -> Answer:
    """After deaths: slide first, then whoever's space left the game leaves the city (NY-18.7–18.9,
    TK-11.7), or falls back within it (TK-17.3).
    """
    slid = slide(my.position)
    if slid:
        return Again(slid)
    for seat in my.position.inside():
        place = my.position.place(seat)
        if place is None or my.position.is_usable(place):
            continue
        back = place.falls_back_to
        if back is not None and my.position.room(back) > 0:
            return MoveTo(seat, back, How.SLIDE)
        options = tuple(
            Option(
                "",
                (MoveTo(seat, name, How.LEAVE),),
                barred="" if my.position.room(name) > 0 else "full",
                place=name,
            )
            for name in my.rules.start_places
        )
        return decided(
            Choice(seat, "leave", options, window="leave", clause=my.rules.clause("leave"))
        )
    return None


MOVING = (place_monster, may_flee, entered, vacated, make_room)
