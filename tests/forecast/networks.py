"""The shipped networks, and positions of random games to ask them about."""

from __future__ import annotations

from functools import cache

from companion.engine import RULESETS, Position
from companion.forecast.network import FOLDER, Forecaster
from companion.resources import resource_dir
from tests.properties.games import steps_of

SHIPPED = resource_dir("models") / FOLDER
GAMES = tuple(RULESETS)


@cache
def network(game: str) -> Forecaster:
    return Forecaster.load(SHIPPED, game)


@cache
def positions(game: str, players: int, every: int = 5, cards: int = 2) -> tuple[Position, ...]:
    """Every few positions of a random game, the last before its end among them."""
    steps = steps_of(game, players, 11 * players, cards)
    return tuple(Position.of(step.game) for step in reversed(steps[::-every]))
