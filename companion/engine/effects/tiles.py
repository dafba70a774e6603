"""Effects on buildings and Units: revealed, destroyed, moved (NY-10)."""

from __future__ import annotations

from typing import ClassVar

from msgspec.structs import replace

from companion.engine.effects.base import Effect, Lookups, with_borough, with_monster, with_turn
from companion.engine.values import B, Borough, Clause, Stack, Unit, UnitKind


def _with_stack(borough: Borough, stack: Stack) -> Borough:
    """Return the borough with the stack of that id replaced."""
    stacks = tuple(stack if each.id == stack.id else each for each in borough.stacks)
    return replace(borough, stacks=stacks)


class Destroying(Effect, frozen=True):
    """A Monster has `amount` DESTRUCTION still to spend on buildings and Units of its borough. By
    itself it changes nothing.
    """

    clause: ClassVar[Clause] = "NY-10.7"

    counted: ClassVar = True
    quiet: ClassVar = True
    while_alive: ClassVar = True
    amount: int
    area: str = ""
    """Where it is spent; "" for the borough in which the Monster stands."""


class TileRevealed(Effect, frozen=True):
    """The building on top of a stack gets its name."""

    clause: ClassVar[Clause] = "NY-10.4"

    to_dead: ClassVar = True
    stack: int
    name: str

    def apply(self, position: Lookups[B]) -> B:
        """Set the stack's top building to `name`, and take that tile from those still unseen."""
        borough, stack = position.stack(self.stack)
        pool = list(position.game.tile_pool)
        pool.remove(self.name)
        game = with_borough(position.game, _with_stack(borough, replace(stack, top=self.name)))
        return replace(game, tile_pool=tuple(pool))


class StackGone(Effect, frozen=True):
    """The table reports that a stack is used up."""

    to_dead: ClassVar = True
    stack: int

    def apply(self, position: Lookups[B]) -> B:
        """Mark the stack as empty."""
        borough, _ = position.stack(self.stack)
        return with_borough(position.game, _with_stack(borough, Stack(self.stack, None, 0)))


class SmashBuilding(Effect, frozen=True):
    """The top building of a stack is destroyed; its back, a Unit, comes up beside the stack."""

    clause: ClassVar[Clause] = "NY-10.4"

    stack: int
    name: str

    def apply(self, position: Lookups[B]) -> B:
        """Remove the top building, leave the next one unknown, add the Unit, and record the
        building as destroyed this turn.
        """
        game = position.game
        borough, stack = position.stack(self.stack)
        unit = position.rules.tiles[self.name].unit
        assert unit is not None  # every building has a Unit on its back (NY-3.2)
        units = (*borough.units, Unit(game.next_id, unit, game.turn.number))
        borough = _with_stack(replace(borough, units=units), Stack(stack.id, None, stack.left - 1))
        game = with_borough(game, borough)
        game = with_turn(game, destroyed=(*game.turn.destroyed, self.name))
        return replace(game, next_id=game.next_id + 1)


class MoveUnit(Effect, frozen=True, tag="SendUnit"):
    """A Unit goes to another borough."""

    unit: int
    kind: UnitKind
    area: str

    def apply(self, position: Lookups[B]) -> B:
        """Move the Unit to the other borough; it keeps the turn in which it came up."""
        here, there = position.borough_of_unit(self.unit), position.borough(self.area)
        assert there is not None  # only boroughs are offered
        unit = next(each for each in here.units if each.id == self.unit)
        rest = tuple(each for each in here.units if each.id != self.unit)
        game = with_borough(position.game, replace(here, units=rest))
        return with_borough(game, replace(there, units=(*there.units, unit)))


class PutMarker(Effect, frozen=True, tag="LaySouvenir"):
    """A marker is put down in a borough, as by a card that pays once for each borough."""

    area: str

    def apply(self, position: Lookups[B]) -> B:
        """Set the borough's `marked` flag."""
        borough = position.borough(self.area)
        assert borough is not None  # only boroughs take markers
        return with_borough(position.game, replace(borough, marked=True))


class DestroyUnit(Effect, frozen=True):
    """A Unit leaves the board for good."""

    clause: ClassVar[Clause] = "NY-10.6"

    unit: int
    kind: UnitKind

    def apply(self, position: Lookups[B]) -> B:
        """Remove the Unit, and note it among what was destroyed this turn."""
        game = position.game
        borough = position.borough_of_unit(self.unit)
        units = tuple(each for each in borough.units if each.id != self.unit)
        game = with_borough(game, replace(borough, units=units))
        return with_turn(game, destroyed=(*game.turn.destroyed, self.kind.value))


class KeepTrophy(Effect, frozen=True):
    """A destroyed Unit's tile is kept by its destroyer, for show."""

    clause: ClassVar[Clause] = "NY-10.6"

    quiet: ClassVar = True
    kind: UnitKind

    def apply(self, position: Lookups[B]) -> B:
        """Add it to the trophies."""
        trophies = (*position.game.monsters[self.seat].trophies, self.kind)
        return with_monster(position.game, self.seat, trophies=trophies)


TileEffect = (
    Destroying
    | TileRevealed
    | StackGone
    | SmashBuilding
    | MoveUnit
    | PutMarker
    | DestroyUnit
    | KeepTrophy
)
"""Every effect of this module."""
