"""Cards about buildings and Units."""

from __future__ import annotations

from msgspec.structs import replace

from companion.engine.abilities import Modifies, Quantity, Query, Stage
from companion.engine.base_position import My
from companion.engine.effects.numbers import GainStars, Heal, SpendEnergy
from companion.engine.effects.tiles import Destroying, DestroyUnit, SmashBuilding
from companion.engine.effects.turn import MarkUsed
from companion.engine.questions import Answer, Choice, Option
from companion.engine.shared.cards import can_pay, keep
from companion.engine.shared.decorators import instead_of, modifies, whenever
from companion.engine.values import UnitKind


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


CARDS = (
    keep("can_opener", 4, easier(UnitKind.TANK, 3)),
    keep("hunter", 5, hunt),
    keep("leveler", 5, level_it),
    keep("long_neck", 3, easier(UnitKind.JET, 2)),
    keep("seismic_ray", 4, shake_elsewhere),
    keep("sharp_shooter", 4, shoot_far, shot_down),
    keep("trophy_hunter", 5, take_a_trophy),
)
