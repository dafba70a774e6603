"""Cards of New York about moving, buildings and Units, and Superstar."""

from __future__ import annotations

from msgspec.structs import replace

from companion.engine.abilities import Modifies, Quantity, Query, Stage, Whenever, Where
from companion.engine.base_position import My
from companion.engine.effects.cards import TakeGoal
from companion.engine.effects.numbers import Damage, GainEnergy, GainStars, Heal, SpendEnergy
from companion.engine.effects.tiles import (
    Destroying,
    DestroyUnit,
    MoveUnit,
    PutMarker,
    SmashBuilding,
)
from companion.engine.effects.turn import Ask, MarkUsed, MovePhase, MoveTo, TurnStarted
from companion.engine.game import Step
from companion.engine.questions import Answer, Choice, Option
from companion.engine.shared.abilities import (
    before_first_roll,
    bought,
    can_pay,
    discard,
    gain,
    gains,
    goal,
    instead_of,
    keep,
    modifies,
    offers,
    whenever,
)
from companion.engine.values import How, UnitKind

# -- cards that move Monsters and Units, or react to moves -----------------------------------------


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


# -- cards about buildings and Units ---------------------------------------------------------------


def easier(unit: UnitKind, need: int) -> Modifies:
    """Make an ability: the owner needs only this much DESTRUCTION for this kind of Unit (E12)."""

    @modifies(Quantity.DURABILITY, mine=True)
    def needs_less(my: My, query: Query, durability: int) -> int:
        return min(durability, need) if query.card == unit else durability

    return needs_less


@whenever(DestroyUnit, mine=True)
def hunt(my: My, kill: DestroyUnit) -> Answer:
    """1 health for each Infantry you destroy."""
    return Heal(my.seat, 1) if kill.kind is UnitKind.INFANTRY else None


@whenever(DestroyUnit, mine=True)
def take_a_trophy(my: My, kill: DestroyUnit) -> Answer:
    """1 star for each Unit you destroy."""
    return GainStars(my.seat, 1)


@whenever(SmashBuilding, mine=True)
def level_it(my: My, smashed: SmashBuilding) -> Answer:
    """1 star in a turn in which you destroy a building, once."""
    if my.has_used():
        return None
    return (MarkUsed(my.seat, my.ref), GainStars(my.seat, 1))


@modifies(Quantity.REACH, mine=True)
def shoot_far(my: My, query: Query, reach: int) -> int:
    """Your DESTRUCTION reaches Jets in every borough."""
    return 1 if query.card == UnitKind.JET else reach


@whenever(DestroyUnit, mine=True)
def shot_down(my: My, kill: DestroyUnit) -> Answer:
    """1 star for each Jet you destroy."""
    return GainStars(my.seat, 1) if kill.kind is UnitKind.JET else None


@instead_of(Destroying, Stage.ADD, mine=True)
def shake_elsewhere(my: My, spending: Destroying) -> Answer:
    """You may pay 1 energy to use your DESTRUCTION in another borough (H19)."""
    if spending.area or not can_pay(my, 1):
        return None
    here = my.position.area(my.seat) or ""
    away = tuple(
        Option(
            "area",
            (SpendEnergy(my.seat, 1), replace(spending, area=area)),
            place=area,
        )
        for area in my.rules.areas
        if area != here
    )
    options = (Option("here", (replace(spending, area=here),)), *away)
    return Choice(my.seat, "shake", options, window="destroy")


# -- cards about Superstar -------------------------------------------------------------------------


def _shines(my: My) -> bool:
    return any(c.name == "superstar" and c.owner == my.seat for c in my.game.in_play.cards)


def stardom(**won: int) -> tuple[Whenever, Whenever]:
    """Make two abilities that pay the owner on taking Superstar, and at the start of its turns
    while it holds Superstar.
    """

    @whenever(TakeGoal)
    def on_becoming_a_star(my: My, taken: TakeGoal) -> Answer:
        mine = taken.seat == my.seat and taken.name == "superstar"
        return gain(**won)(my) if mine else None

    @whenever(TurnStarted, mine=True)
    def while_a_star(my: My, started: TurnStarted) -> Answer:
        return gain(**won)(my) if _shines(my) else None

    return on_becoming_a_star, while_a_star


@modifies(Quantity.GOAL_FACES)
def hard_to_outshine(my: My, query: Query, faces: int) -> int:
    """While you hold Superstar others need 4 CELEBRITY for it (F9)."""
    return 4 if query.seat != my.seat and query.card == "superstar" and _shines(my) else faces


@whenever(TakeGoal)
def star_wars(my: My, taken: TakeGoal) -> Answer:
    """Taking Superstar deals 2 damage to its former owner; losing it, 1 to the new one (F9)."""
    if taken.name != "superstar" or taken.former < 0:
        return None
    if taken.seat == my.seat:
        return Damage(taken.former, 2, my.seat)
    return Damage(taken.seat, 1, my.seat) if taken.former == my.seat else None


CARDS = (
    keep("chinatown_regular", 3, back_in_chinatown),
    keep("king_of_queens", 5, at_home_in_queens),
    discard("new_york_marathon", 6, closed_streets, gains(stars=2, energy=2, health=2)),
    keep("stink_attack", 5, reek, whom_to_send),
    keep("super_speed", 4, move_before_rolling),
    keep("tourist", 6, bought(souvenir), buy_a_souvenir),
    keep("can_opener", 4, easier(UnitKind.TANK, 3)),
    keep("hunter", 5, hunt),
    keep("leveler", 5, level_it),
    keep("long_neck", 3, easier(UnitKind.JET, 2)),
    keep("seismic_ray", 4, shake_elsewhere),
    keep("sharp_shooter", 4, shoot_far, shot_down),
    keep("trophy_hunter", 5, take_a_trophy),
    keep("broadway_star", 5, *stardom(stars=1)),
    keep("diva", 5, hard_to_outshine),
    keep("ego_trip", 3, *stardom(energy=1)),
    goal("statue_of_liberty"),
    goal("superstar"),
    keep("violent_star", 3, star_wars),
)
