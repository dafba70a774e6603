"""Checks of the numbers that only grow: turns, happenings, ids."""

from __future__ import annotations

from collections.abc import Iterator

from companion.engine.base_position import BasePosition
from companion.engine.checks.fields import check_range, coming_effects
from companion.engine.effects.turn import BeginTurn
from companion.engine.values import LASTING


def counters(position: BasePosition) -> Iterator[str]:
    """Yield the faults of the turn's number, the clock, and the next id."""
    game = position.game
    set_up = any(isinstance(effect, BeginTurn) for effect in coming_effects(game))
    yield from check_range("turn", "number", game.turn.number, 0 if set_up else 1, LASTING - 1)
    if not 0 <= game.clock < LASTING:
        yield f"clock is {game.clock}, not 0 to {LASTING - 1}"
    yield from _ids(position)


def _ids(position: BasePosition) -> Iterator[str]:
    """Check that cards and Units share one numbering, each id once, all below the next one."""
    game = position.game
    ids = [card.id for card in (*game.in_play.cards, *game.in_play.shop) if card is not None]
    units = [unit.id for borough in game.boroughs for unit in borough.units]
    largest = max((*ids, *units), default=0)
    if game.next_id <= max(largest, 0):
        yield f"next_id is {game.next_id}, not {max(largest, 0) + 1} or more: above every id"
    elif game.next_id >= LASTING:
        yield f"next_id is {game.next_id}, not at most {LASTING - 1}"
    taken: set[int] = set()
    for each in (*ids, *units):
        if each < 1:
            yield f"cards and units: id is {each}, not 1 or more"
        elif each in taken:
            yield f"cards and units: id {each} is there twice, not once"
        taken.add(each)
