"""The order in which most players of King of New York would resolve their groups (NY-6.2)."""

from __future__ import annotations

from companion.engine.base_position import BasePosition
from companion.engine.shared.order import plain_order
from companion.engine.values import Face


def order_of_groups(position: BasePosition) -> tuple[Face, ...]:
    """Return all faces of the result: what pays, then destruction and Ouch!, claws last.

    Heal comes before Ouch! only if none of it would be lost or Ouch! could eliminate the Monster;
    destruction comes before Ouch! only when it can remove a Unit.
    """
    turn, order = position.game.turn, list(plain_order(position))
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
