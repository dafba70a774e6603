"""King of New York: the ruleset, and what it alone has: boroughs, tiles, Units, goals, Ouch!"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from companion.engine.abilities import Quantity, Query
from companion.engine.base_position import BasePosition, My
from companion.engine.effects.cards import TakeGoal
from companion.engine.effects.numbers import (
    Damage,
    GainEnergy,
    GainStars,
    Heal,
    LoseStars,
    SpendEnergy,
)
from companion.engine.effects.sources import Mark
from companion.engine.effects.tiles import (
    Destroying,
    DestroyUnit,
    KeepTrophy,
    SmashBuilding,
    StackGone,
    TileRevealed,
)
from companion.engine.effects.turn import (
    BuyPhase,
    DiceFinal,
    EndPhase,
    MarkUsed,
    MovePhase,
    MoveTo,
    ResolvePhase,
    RollPhase,
)
from companion.engine.game import Step, Together
from companion.engine.games.new_york import buying, city, dice, fighting
from companion.engine.questions import Answer, Choice, Option, Reveal, decided
from companion.engine.ruleset import OddsColumn, Ruleset
from companion.engine.shared.abilities import card_table, modifies, whenever
from companion.engine.shared.buying import BUYING
from companion.engine.shared.moving import MOVING, attack
from companion.engine.shared.turn import TURN, default_order
from companion.engine.values import (
    TABLE,
    Borough,
    CardInPlay,
    CardKind,
    Face,
    How,
    Place,
    Seat,
    Tile,
    TileReward,
    Token,
    Unit,
    UnitKind,
)

_SUPERSTAR: Final = "superstar"
_STATUE: Final = "statue_of_liberty"
_STATUE_STARS: Final = 3
_ENTERED: Final = "entered"
"""Noted in the turn in which the active Monster entered Manhattan."""


def score_energy(position: BasePosition, seat: Seat, amount: int) -> tuple[Step, ...]:
    """Give 1 energy for each ENERGY (NY-7.1)."""
    return (GainEnergy(seat, amount),)


def score_attack(position: BasePosition, seat: Seat, amount: int) -> tuple[Step, ...]:
    """Deal 1 damage for each ATTACK to the other side; none if Manhattan was empty when the turn
    began (NY-8.1, NY-8.3).
    """
    return attack(position, seat, amount) if position.game.turn.inside_at_start else ()


def score_heal(position: BasePosition, seat: Seat, amount: int) -> tuple[Step, ...]:
    """Give 1 health for each HEAL, outside Manhattan only (NY-9.1, NY-9.2)."""
    return () if position.is_inside(seat) else (Heal(seat, amount),)


def score_destruction(position: BasePosition, seat: Seat, amount: int) -> tuple[Step, ...]:
    """Give the DESTRUCTION to spend on the borough's tiles (NY-10.1)."""
    return (Destroying(seat, amount),)


def goal_card(position: BasePosition, name: str) -> CardInPlay:
    """Return the goal card of that name, owned or not."""
    return next(card for card in position.game.in_play.cards if card.name == name)


def score_celebrity(position: BasePosition, seat: Seat, amount: int) -> tuple[Step, ...]:
    """Give Superstar for three CELEBRITY, and stars from then on (NY-11.2, NY-11.3)."""
    card = goal_card(position, _SUPERSTAR)
    if card.owner == seat:
        return (GainStars(seat, amount),)
    if amount < position.fold(Quantity.GOAL_FACES, Query(seat, card.name), 3):
        return ()
    return (TakeGoal(seat, card.id, card.name, card.owner), GainStars(seat, amount - 2))


def score_ouch(position: BasePosition, seat: Seat, amount: int) -> tuple[Step, ...]:
    """Let the Units strike: one for the active Monster, two for everybody in its borough, three for
    all, with the Statue (NY-12.4, NY-12.1–12.3). Seats are asked clockwise (NY-G1).
    """
    living = (s for s in position.clockwise(seat) if position.is_alive(s))
    if amount == 1:
        hit: tuple[Seat, ...] = (seat,)
    elif amount == 2:
        hit = tuple(s for s in living if position.area(s) == position.area(seat))
    else:
        hit = tuple(living)
    strike = Together(tuple(Damage(s, len(position.units(s)), by_units=True) for s in hit))
    card = goal_card(position, _STATUE)
    if amount < 3 or card.owner == seat:
        return (strike,)
    return (strike, TakeGoal(seat, card.id, card.name, card.owner))


def units_beside(position: BasePosition, seat: Seat) -> int:
    """Count the Units in a Monster's borough."""
    return len(position.units(seat))


@whenever(TakeGoal, clause=("NY-12.7", "NY-12.9"))
def statue_stars(my: My, taken: TakeGoal) -> Answer:
    """The Statue brings 3 stars; a Monster that loses it loses as many."""
    if taken.name != _STATUE:
        return None
    won = GainStars(taken.seat, _STATUE_STARS)
    return won if taken.former == TABLE else (LoseStars(taken.former, _STATUE_STARS), won)


@modifies(Quantity.PRICE, clause="NY-15.5")
def district_price(my: My, query: Query, price: int) -> int:
    """Cards of a borough cost 1 less to a buyer in it."""
    return price - (my.position.area(query.seat) in my.rules.cards[query.card].district)


def smashable(position: BasePosition, spending: Destroying, borough: Borough) -> tuple[Option, ...]:
    """Return an option for each tile that may be a target, barred if it is too strong, new or
    not allowed (NY-10.5, NY-10.7).

    All of the borough where it spends, and Units elsewhere that something lets it reach.
    """
    buildings = (s for s in borough.stacks if s.top is not None)
    far = position.is_modified(Quantity.REACH)
    elsewhere = (b for b in position.game.boroughs if far and b is not borough)
    reached = (u for b in elsewhere for u in b.units if _reaches(position, spending.seat, u))
    return (
        *(_smash_option(position, spending, s.id, s.top) for s in buildings if s.top is not None),
        *(_unit_option(position, spending, unit) for unit in (*borough.units, *reached)),
    )


def may_stop(borough: Borough, options: tuple[Option, ...]) -> bool:
    """Whether nothing in the borough can be destroyed any more, only a Unit elsewhere: that one
    need not be (NY-G5).
    """
    here = {unit.id for unit in borough.units}
    ways = [option for option in options if not option.barred]
    return bool(ways) and all(o.unit is not None and o.unit not in here for o in ways)


def _reaches(position: BasePosition, seat: Seat, unit: Unit) -> bool:
    return position.fold(Quantity.REACH, Query(seat, unit.kind), 0) > 0


def _smash_option(position: BasePosition, spending: Destroying, stack: int, top: str) -> Option:
    seat, left = spending.seat, spending.amount
    need = position.durability(seat, top)
    allowed = position.fold(Quantity.MAY_DESTROY, Query(seat, top), 1) > 0
    return Option(
        "stack",
        (SmashBuilding(seat, stack, top), Destroying(seat, left - need, spending.area)),
        barred="forbidden" if not allowed else "short" if need > left else "",
        lacking=max(0, need - left),
        stack=stack,
    )


def _unit_option(position: BasePosition, spending: Destroying, unit: Unit) -> Option:
    seat, left = spending.seat, spending.amount
    need = position.durability(seat, unit.kind)
    new = unit.turn == position.game.turn.number
    return Option(
        "unit",
        (DestroyUnit(seat, unit.id, unit.kind), Destroying(seat, left - need, spending.area)),
        barred="new" if new else "short" if need > left else "",
        lacking=max(0, need - left),
        unit=unit.id,
    )


@whenever(Destroying, clause=("NY-10.4", "NY-10.7"))
def destroying(my: My, spending: Destroying) -> Answer:
    """While something can be destroyed, something must be; unknown tops are named first."""
    seat = spending.seat
    borough = my.position.borough(spending.area or my.position.area(seat))
    if borough is None:
        return None
    unknown = next((s for s in borough.stacks if s.top is None and s.left), None)
    if unknown is not None:
        stack = unknown.id

        def named(name: str | None) -> tuple[Step, ...]:
            return (StackGone(seat, stack) if name is None else TileRevealed(seat, stack, name),)

        names = tuple(dict.fromkeys(my.game.tile_pool))
        return Reveal(seat, "tile", names, named, stack=stack)
    options = smashable(my.position, spending, borough)
    options += (Option("stop"),) * may_stop(borough, options)
    about = (("amount", spending.amount),)
    return decided(Choice(seat, "destroy", options, "destroy", "NY-10.7", about))


def _reward(my: My, seat: Seat, name: str) -> Answer:
    reward = my.rules.tiles[name].reward
    return (
        GainStars(seat, reward.stars),
        GainEnergy(seat, reward.energy),
        Heal(seat, reward.health),
    )


@whenever(SmashBuilding, clause=("NY-10.3", "NY-3.4"))
def building_reward(my: My, smashed: SmashBuilding) -> Answer:
    """The tile's reward, at once."""
    return _reward(my, smashed.seat, smashed.name)


@whenever(DestroyUnit, clause=("NY-10.3", "NY-3.5"))
def unit_reward(my: My, destroyed: DestroyUnit) -> Answer:
    """The Unit's reward, at once."""
    return _reward(my, destroyed.seat, destroyed.kind)


@whenever(DestroyUnit, clause="NY-10.6")
def keep_trophy(my: My, destroyed: DestroyUnit) -> Answer:
    """The Unit's tile leaves the board; its destroyer keeps it, for show."""
    return KeepTrophy(destroyed.seat, destroyed.kind)


def without_trophies(rules: Ruleset) -> Ruleset:
    """House rule: destroyed Units go back into the box (NY-10.6)."""
    abilities = tuple(a for a in rules.abilities if a is not keep_trophy)
    return replace(rules, abilities=abilities, trophies=False)


@whenever(MovePhase, clause=("NY-14.2", "NY-13.3", "NY-18.2"))
def move(my: My, phase: MovePhase) -> Answer:
    """Enter Manhattan, or advance unless you entered this turn; if it is full, move as you like."""
    position, seat = my.position, phase.seat
    place = position.place(seat)
    if place is None or len(position.alive()) == 1:
        return None
    if place.inside:
        onward = None if my.has_used(Mark(_ENTERED)) else place.onward
        return MoveTo(seat, onward, How.ADVANCE) if onward is not None else None
    entry = position.free_entry()
    if entry is not None:
        return (MarkUsed(seat, _ENTERED), MoveTo(seat, entry, How.ENTER))
    toll = position.toll(seat)
    lacking = max(0, toll - position.purse(seat))
    ways = tuple(
        Option(
            "move",
            (SpendEnergy(seat, toll), MoveTo(seat, name, How.MOVE)),
            barred="full" if position.room(name) <= 0 else "short" if lacking else "",
            lacking=lacking,
            place=name,
        )
        for name in my.rules.start_places
        if name != place.name
    )
    choice = Choice(seat, "move", (Option("stay"), *ways), window="move", clause="NY-14.2")
    return choice if len(choice.open()) > 1 else None


def _zone(name: str, onward: str | None, stars: int, energy: int) -> tuple[Place, Place]:
    """Return the two spaces of a zone of Manhattan (NY-13.4, NY-18.4, NY-18.5)."""
    entry = name == "lower"
    first = Place(
        f"{name}_2_4",
        "manhattan",
        1,
        inside=True,
        track=0,
        entry=entry,
        stars=stars,
        energy=energy,
        onward=onward and f"{onward}_2_4",
    )
    second = Place(
        f"{name}_5_6",
        "manhattan",
        1,
        inside=True,
        track=1,
        entry=entry,
        needs_alive=5,
        stars=stars,
        energy=energy,
        onward=onward and f"{onward}_5_6",
        slides_to=f"{name}_2_4",
    )
    return first, second


_OUTER: Final = ("staten_island", "bronx", "queens", "brooklyn")

_FACES: Final = (
    Face.ENERGY,
    Face.ATTACK,
    Face.HEAL,
    Face.DESTRUCTION,
    Face.CELEBRITY,
    Face.OUCH,
)


def order_of_groups(position: BasePosition) -> tuple[Face, ...]:
    """Return all faces of the result: what pays, then destruction and Ouch!, claws last.

    Heal comes before Ouch! only if none of it would be lost or Ouch! could eliminate the Monster;
    destruction comes before Ouch! only when it can remove a Unit.
    """
    turn, order = position.game.turn, list(default_order(position))
    if Face.OUCH not in order:
        return tuple(order)
    seat = turn.active
    monster = position.game.monsters[seat]
    units = len(position.units(seat))
    room = position.health_max(seat) - monster.health
    heals = turn.faces.count(Face.HEAL)
    order.remove(Face.OUCH)
    before = []
    if heals and (heals <= room or monster.health <= units):
        before.append(Face.HEAL)
    if _can_remove_unit(position, turn.faces.count(Face.DESTRUCTION)):
        before.append(Face.DESTRUCTION)
    after = [f for f in order if f in (Face.HEAL, Face.DESTRUCTION) and f not in before]
    rest = [f for f in order if f not in (Face.HEAL, Face.DESTRUCTION, Face.ATTACK)]
    last = [Face.ATTACK] if Face.ATTACK in order else []
    return (*rest, *before, Face.OUCH, *after, *last)


def _can_remove_unit(position: BasePosition, symbols: int) -> bool:
    """Whether the DESTRUCTION rolled is enough for a Unit that was there before this turn."""
    turn = position.game.turn
    return any(
        unit.turn != turn.number and position.rules.tiles[unit.kind].durability <= symbols
        for unit in position.units(turn.active)
    )


NEW_YORK: Final = Ruleset(
    name="new-york",
    edition="first",
    editions=("first",),
    prefix="NY",
    faces=_FACES,
    odds=(
        OddsColumn((Face.CELEBRITY,), 3),
        OddsColumn((Face.OUCH,), 3),
        OddsColumn((Face.DESTRUCTION,)),
    ),
    sensible=(
        Face.ENERGY,
        Face.CELEBRITY,
        Face.HEAL,
        Face.DESTRUCTION,
        Face.OUCH,
        Face.ATTACK,
    ),
    dice=6,
    dice_min=6,
    dice_max=8,
    first_roll_dice=8,
    rolls=3,
    players_min=2,
    players_max=6,
    health=10,
    goal_stars=20,
    entering_stars=1,
    sweep_cost=2,
    phases=(RollPhase, DiceFinal, ResolvePhase, MovePhase, BuyPhase, EndPhase),
    entering=MovePhase,
    places={
        place.name: place
        for place in (
            *(Place(name, name, 2) for name in _OUTER),
            *_zone("lower", "midtown", 1, 1),
            *_zone("midtown", "upper", 2, 1),
            *_zone("upper", None, 2, 2),
        )
    },
    start_places=_OUTER,
    scoring={
        Face.ENERGY: score_energy,
        Face.ATTACK: score_attack,
        Face.HEAL: score_heal,
        Face.DESTRUCTION: score_destruction,
        Face.CELEBRITY: score_celebrity,
        Face.OUCH: score_ouch,
    },
    order=order_of_groups,
    looks_at={Face.OUCH: {"units": units_beside}},
    cards=card_table(*buying.CARDS, *city.CARDS, *dice.CARDS, *fighting.CARDS),
    abilities=(
        statue_stars,
        destroying,
        building_reward,
        unit_reward,
        keep_trophy,
        move,
        district_price,
        *TURN,
        *MOVING,
        *BUYING,
    ),
    clauses={
        "place": "NY-2.6",
        "start": "NY-2.3",
        "health_max": "NY-9.1",
        "dice": "NY-5.1",
        "rolls": "NY-5.2",
        "price": "NY-15.1",
        "limit": "NY-5.4",
        CardKind.KEEP: "NY-15.3",
        CardKind.DISCARD: "NY-15.3",
        CardKind.GOAL: "NY-2.1",
        Face.ENERGY: "NY-7.1",
        Face.ATTACK: "NY-8.1",
        Face.HEAL: "NY-9.1",
        Face.DESTRUCTION: "NY-10.1",
        Face.CELEBRITY: "NY-11.2",
        Face.OUCH: "NY-12.4",
        "group": "NY-6.2",
        "flee": "NY-13.6",
        "buy": "NY-15.1",
        "leave": "NY-18.8",
        "reveal_tile": "NY-10.4",
        "which_first": "NY-G3",
        "reminder.attack_out": "NY-8.1",
        "reminder.card_by_hand": "NY-15.3",
        "reminder.new_unit": "NY-10.5",
        "reminder.no_heal": "NY-9.2",
        "reminder.place_closed": "NY-18.8",
        "reminder.survive": "NY-17.2",
    },
    tokens={
        Token.CURSE: (fighting.pay_for_ouches, fighting.lift_the_curse),
        Token.WEB: (fighting.fewer_rerolls, fighting.tear_the_web),
    },
    conditions={
        "columbia_university": (buying.enrol,),
        "hailing_cabs": (dice.units_only,),
        "subway": (city.ride, city.where_to),
    },
    areas=(*_OUTER, "manhattan"),
    stacks_per_area=3,
    tiles_per_stack=3,
    tiles={
        tile.name: tile
        for tile in (
            Tile("skyscraper_1", 1, TileReward(stars=1), UnitKind.INFANTRY, 22),
            Tile("skyscraper_2", 2, TileReward(stars=2), UnitKind.JET, 8),
            Tile("skyscraper_3", 3, TileReward(stars=3), UnitKind.TANK, 3),
            Tile("power_plant_2", 2, TileReward(energy=2), UnitKind.JET, 3),
            Tile("power_plant_3", 3, TileReward(energy=3), UnitKind.TANK, 3),
            Tile("hospital_2", 2, TileReward(health=2), UnitKind.JET, 3),
            Tile("hospital_3", 3, TileReward(health=3), UnitKind.TANK, 3),
            Tile(UnitKind.INFANTRY, 2, TileReward(health=1)),
            Tile(UnitKind.JET, 3, TileReward(energy=2)),
            Tile(UnitKind.TANK, 4, TileReward(stars=3)),
        )
    },
    goals=(_SUPERSTAR, _STATUE),
    house={"no_trophies": without_trophies},
    trophies=True,
    marks=frozenset((_ENTERED, "tapped")),
    package=__package__,
    rulebook="rules.md",
    bgg_id=160499,
)
