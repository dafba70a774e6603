"""Cards that move Monsters and Units, or react to moves."""

from __future__ import annotations

from companion.engine.abilities import Quantity, Query, Where
from companion.engine.base_position import My
from companion.engine.effects.numbers import GainEnergy, GainStars, Heal, SpendEnergy
from companion.engine.effects.tiles import MoveUnit, PutMarker
from companion.engine.effects.turn import Ask, MarkUsed, MovePhase, MoveTo, TurnStarted
from companion.engine.game import Step
from companion.engine.questions import Answer, Choice, Option
from companion.engine.shared.cards import before_first_roll, bought, can_pay, discard, gains, keep
from companion.engine.shared.decorators import modifies, offers, whenever
from companion.engine.values import How


@modifies(Quantity.TOLL, Where.FOR_SALE)
def closed_streets(my: My, query: Query, toll: int) -> int:
    """While it is for sale, moving by choice costs 2 energy, fleeing too (C23)."""
    return toll + 2


def _stops(my: My) -> tuple[Option, ...]:
    toll = my.position.toll(my.seat)
    if not can_pay(my, toll):
        return ()
    return tuple(
        Option(
            "",
            (SpendEnergy(my.seat, toll), MoveTo(my.seat, name, How.MOVE)),
            place=name,
        )
        for name in my.rules.start_places
        if name != my.monster.place and my.position.room(name) > 0
    )


def _can_ride(my: My) -> bool:
    return my.is_active and bool(_stops(my))


@offers(_can_ride, clause="NY-13.10")
def ride(my: My) -> Answer:
    """Go to another borough with room, at any moment of this turn (C24)."""
    return Ask(my.seat, "ride")


@whenever(Ask, mine=True)
def where_to(my: My, ask: Ask) -> Answer:
    """Any outer borough with room, or stay after all."""
    if ask.topic != "ride":
        return None
    return Choice(my.seat, "ride", (*_stops(my), Option("stay")), window="move")


@whenever(MoveTo, mine=True)
def back_in_chinatown(my: My, move: MoveTo) -> Answer:
    """2 health each time you enter Manhattan."""
    return Heal(my.seat, 2) if move.how is How.ENTER else None


@whenever(TurnStarted, mine=True)
def at_home_in_queens(my: My, started: TurnStarted) -> Answer:
    """Starting your turn in Queens: 1 energy and 1 health."""
    there = my.position.area(my.seat) == "queens"
    return (GainEnergy(my.seat, 1), Heal(my.seat, 1)) if there else None


@offers(before_first_roll, window="roll", clause="NY-14")
def move_before_rolling(my: My) -> Answer:
    """One more move before your first roll, by the usual rules."""
    return (MarkUsed(my.seat, my.ref), MovePhase(my.seat))


def souvenir(my: My) -> tuple[Step, ...]:
    """Put a Souvenir into the owner's borough if it has none: 1 star and 1 energy; five in all."""
    area = my.position.area(my.seat)
    borough = my.position.borough(area)
    if borough is None or borough.marked:
        return ()
    return (PutMarker(my.seat, borough.area), GainStars(my.seat, 1), GainEnergy(my.seat, 1))


@whenever(MoveTo, mine=True)
def buy_a_souvenir(my: My, move: MoveTo) -> Answer:
    """A Souvenir in each borough you enter."""
    return souvenir(my)


@whenever(MoveTo, mine=True)
def reek(my: My, move: MoveTo) -> Answer:
    """In each borough you enter, you may send up to four Units away, each to another borough."""
    came = my.rules.area_of(move.former) != my.position.area(my.seat)  # advancing is no coming
    if not came or not my.position.units(my.seat):
        return None
    return Ask(my.seat, "reek", my.card_id, used_up=())


@whenever(Ask)
def whom_to_send(my: My, ask: Ask) -> Answer:
    """One Unit at a time; boroughs already used take no second one."""
    used_up = ask.used_up or ()
    if ask.topic != "reek" or ask.card != my.card_id or len(used_up) >= 4:
        return None
    here = my.position.area(my.seat)
    options = tuple(
        Option(
            "send",
            (
                MoveUnit(my.seat, unit.id, unit.kind, area),
                Ask(my.seat, "reek", my.card_id, used_up=(*used_up, area)),
            ),
            unit=unit.id,
            place=area,
        )
        for unit in my.position.units(my.seat)
        for area in my.rules.areas
        if area != here and area not in used_up
    )
    return Choice(my.seat, "send_unit", (*options, Option("stop")), "move") if options else None


CARDS = (
    keep("chinatown_regular", 3, back_in_chinatown),
    keep("king_of_queens", 5, at_home_in_queens),
    discard("new_york_marathon", 6, closed_streets, gains(stars=2, energy=2, health=2)),
    keep("stink_attack", 5, reek, whom_to_send),
    keep("super_speed", 4, move_before_rolling),
    keep("tourist", 6, bought(souvenir), buy_a_souvenir),
)
