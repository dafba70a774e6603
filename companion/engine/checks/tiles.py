"""Checks of boroughs, stacks of tiles and Units."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from functools import lru_cache

from companion.engine.base_position import BasePosition
from companion.engine.checks.fields import check_range
from companion.engine.ruleset import Ruleset
from companion.engine.setup import full_pool
from companion.engine.values import Borough


def tiles(position: BasePosition) -> Iterator[str]:
    """Yield the faults of each borough, and of all tiles together against the box."""
    areas = [borough.area for borough in position.game.boroughs]
    if areas != list(position.rules.areas):
        order = ", ".join(position.rules.areas)
        yield f"boroughs: area is {', '.join(areas)}, not {order} in order"
        return
    for at, borough in enumerate(position.game.boroughs):
        yield from _borough(position, at, borough)
    yield from _in_the_box(position)


def unit_turns(position: BasePosition) -> Iterator[str]:
    """Check that each Unit came up in this turn or an earlier one (NY-10.5)."""
    most = position.game.turn.number
    for borough in position.game.boroughs:
        for unit in borough.units:
            where = f"{borough.area}, {unit.kind} {unit.id}"
            yield from check_range(where, "turn", unit.turn, 0, most)


def _borough(position: BasePosition, at: int, borough: Borough) -> Iterator[str]:
    """Check that a borough has its stacks, numbered through all boroughs in order (NY-2.4)."""
    count, area = position.rules.stacks_per_area, borough.area
    if len(borough.stacks) != count:
        yield f"{area}: stacks are {len(borough.stacks)}, not {count}"
    for k, stack in enumerate(borough.stacks):
        where, right = f"{area}, stack {stack.id}", at * count + k
        if stack.id != right and k < count:
            yield f"{area}: id of stack {k + 1} is {stack.id}, not {right}"
        yield from check_range(where, "left", stack.left, 0, position.rules.tiles_per_stack)
        if stack.top is not None and not stack.left:
            yield f"{where}: top is {stack.top}, not null where left is 0"
        if stack.top is not None and position.rules.tiles[stack.top].unit is None:
            yield f"{where}: top is {stack.top}, not a building"


def _in_the_box(position: BasePosition) -> Iterator[str]:
    """Check that no tile occurs more often than in the box; a Unit is the back of one (NY-3.1,
    NY-3.6).
    """
    game, rules = position.game, position.rules
    box = in_the_box(rules)
    if game.tile_pool != tuple(sorted(game.tile_pool)):
        yield "tile_pool: its tiles are not sorted"
    tops = [s.top for b in game.boroughs for s in b.stacks if s.top is not None]
    seen = Counter(tops) + Counter(game.tile_pool)
    for name, count in seen.items():
        if rules.tiles[name].unit is None:
            yield f"tile_pool: {name} is no building"
        elif count > box[name]:
            yield f"tile_pool and top: {name} is there {count} times, not at most {box[name]}"
    left, known = sum(s.left for b in game.boroughs for s in b.stacks), len(tops)
    if left > known + len(game.tile_pool):
        unseen = left - known
        yield f"tile_pool: {len(game.tile_pool)} tiles, not at least the {unseen} that are left"
    units = Counter(str(unit.kind) for b in game.boroughs for unit in b.units)
    units += Counter(str(kind) for m in game.monsters for kind in m.trophies)
    units += Counter(str(rules.tiles[top].unit) for top in tops)
    for kind, count in units.items():
        if count > box[kind]:
            yield f"units, trophies and top: {count} {kind} tiles, not at most {box[kind]}"


@lru_cache(maxsize=64)
def in_the_box(rules: Ruleset) -> Mapping[str, int]:
    """Return how often the box has each building, and each Unit as the back of one; 0
    for others.
    """
    found = Counter(full_pool(rules))
    for tile in rules.tiles.values():
        if tile.unit is not None:
            found[str(tile.unit)] += tile.count
    return found
