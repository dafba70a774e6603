"""The order of groups that most players would choose, unless the active Monster chooses another."""

from __future__ import annotations

from companion.engine.base_position import BasePosition
from companion.engine.values import Face


def plain_order(position: BasePosition) -> tuple[Face, ...]:
    """Return all faces of the result in the ruleset's own order."""
    shown = position.game.turn.faces
    return tuple([face for face in position.rules.sensible if face in shown])


def sensible_order(position: BasePosition) -> tuple[Face, ...]:
    """Return all faces of the result, best order first, as far as the ruleset knows one
    (NY-6.2).
    """
    return (position.rules.order or plain_order)(position)
