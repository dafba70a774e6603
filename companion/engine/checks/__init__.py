"""Checks of positions: a module for each part, one sentence for each fault.

A sentence names the seat, card, place or field and the right value. A fault is anything that
neither play nor corrections by the table can lead to. Every function takes a position without
dangling references (`references.dangling_references`).
"""

from __future__ import annotations

from collections.abc import Iterator

from companion.engine.base_position import BasePosition
from companion.engine.checks.agenda import agenda
from companion.engine.checks.counters import counters
from companion.engine.checks.in_play import cards, tokens_and_conditions
from companion.engine.checks.monsters import monsters
from companion.engine.checks.places import places
from companion.engine.checks.result import result
from companion.engine.checks.tiles import tiles, unit_turns
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
    yield from unit_turns(position)
    yield from cards(position)
    yield from tokens_and_conditions(position)
    yield from agenda(position, at_rest)
