"""Checks of positions: a module for each part, one sentence for each fault.

A sentence names the seat, card, place or field and says what would be right. The measure is what
play and corrections by the table can lead to. Every function takes a position that speaks only of
what its game has (`known.unknown`).
"""

from __future__ import annotations

from collections.abc import Iterator

from companion.engine.base_position import BasePosition
from companion.engine.checks.agenda import agenda
from companion.engine.checks.counters import counters
from companion.engine.checks.in_play import cards, held
from companion.engine.checks.monsters import monsters
from companion.engine.checks.places import places
from companion.engine.checks.result import result
from companion.engine.checks.tiles import ages, tiles
from companion.engine.checks.turn import turn


def faults(position: BasePosition, *, at_rest: bool) -> Iterator[str]:
    """Yield each fault of a position as one sentence.

    `at_rest`: everything on the agenda has happened up to a question, as after each event; a
    position written by hand may still have steps to take.
    """
    yield from tiles(position)
    yield from counters(position)
    yield from monsters(position, at_rest)
    yield from places(position)
    yield from turn(position, at_rest)
    yield from result(position)
    yield from ages(position)
    yield from cards(position)
    yield from held(position)
    yield from agenda(position, at_rest)
