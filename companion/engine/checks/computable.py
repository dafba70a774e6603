"""Whether the rules can go on from a stored position; an implausible one is accepted.

Used for positions read from a log: refusing one would end a game that people are playing.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import Final

import msgspec

from companion.engine.checks.references import dangling_references
from companion.engine.game import Game
from companion.engine.games.registry import rules_of
from companion.engine.position import Position

MOST: Final = (1 << 31) - 1
"""No number of a position is larger; hands and turns count far less."""
BROKEN: Final = (
    ArithmeticError,
    AssertionError,
    AttributeError,
    LookupError,
    RuntimeError,
    TypeError,
    ValueError,
)
"""What the rules may raise on a position that no rule has led to."""


def uncomputable(game: Game) -> str | None:
    """Return why the rules cannot go on from a position, as one line: unknown names, ids that
    dangle or collide, numbers outside their type; None where they can.
    """
    try:
        found = next(chain(dangling_references(game), _collisions(game), _numbers(game)), None)
        if found is None and game.ended is None:
            Position.of(game).legal_events()
    except BROKEN as broken:
        return f"{type(broken).__name__}: {broken}"
    return found


def _collisions(game: Game) -> Iterator[str]:
    in_play = game.in_play
    named: tuple[tuple[str, list[int]], ...] = (
        ("card", [c.id for c in (*in_play.cards, *in_play.shop) if c is not None]),
        ("stack", [stack.id for borough in game.boroughs for stack in borough.stacks]),
        ("unit", [unit.id for borough in game.boroughs for unit in borough.units]),
    )
    for kind, ids in named:
        twice = next((one for one in ids if ids.count(one) > 1), None)
        if twice is not None:
            yield f"two of {kind} {twice}"


def _numbers(game: Game) -> Iterator[str]:
    dice, most = game.turn.dice, rules_of(game).dice_max
    if not 0 <= max(dice, len(game.turn.faces)) <= most or dice < 0:
        yield f"turn: {dice} dice; the box has {most}"
    yield from _large(msgspec.to_builtins(game), "position")


def _large(value: object, where: str) -> Iterator[str]:
    if isinstance(value, int) and abs(value) > MOST:
        yield f"{where}: {value}"
    elif isinstance(value, dict):
        for name, inner in value.items():
            yield from _large(inner, str(name))
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from _large(inner, where)
