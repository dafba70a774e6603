"""What must hold in every position: a module for each part of it, one sentence for each fault.

A sentence names the seat, card, place or field and says what would be right. The measure is what
play and corrections by the table can lead to. Every function takes a position that speaks only of
what its game has (`known.unknown`).
"""

from __future__ import annotations

from collections.abc import Iterator

from companion.engine.checks.agenda import agenda
from companion.engine.checks.counters import counters
from companion.engine.checks.in_play import cards, held
from companion.engine.checks.monsters import monsters
from companion.engine.checks.places import places
from companion.engine.checks.result import result
from companion.engine.checks.tiles import ages, tiles
from companion.engine.checks.turn import turn
from companion.engine.standing import Standing


def faults(now: Standing, *, at_rest: bool) -> Iterator[str]:
    """Each fault of a position as one sentence.

    `at_rest`: everything on the agenda has happened up to a question, as after each event; a
    position written by hand may still have steps to take.
    """
    yield from tiles(now)
    yield from counters(now)
    yield from monsters(now, at_rest)
    yield from places(now)
    yield from turn(now, at_rest)
    yield from result(now)
    yield from ages(now)
    yield from cards(now)
    yield from held(now)
    yield from agenda(now, at_rest)
