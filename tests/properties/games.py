"""Positions of random games, each with the event that followed: material for properties."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from random import Random

from companion.engine import AnyEvent, Game, Outcome, Position, Setup, new_game
from companion.virtual import deal_keep_cards, random_event

OFFERED = 0.2


@dataclass(frozen=True)
class Step:
    """A position, an event that answers its open question, and the outcome."""

    game: Game
    event: AnyEvent
    outcome: Outcome[Position]


@lru_cache(maxsize=64)
def steps_of(game: str, players: int, seed: int, cards: int = 0) -> tuple[Step, ...]:
    """Yield every step of one random game, to its end."""
    chance = Random(seed)
    position = new_game(Setup(game, players)).game
    if cards:
        position = deal_keep_cards(position, cards, chance)
    steps = []
    while Position.of(position).question is not None:
        event = random_event(Position.of(position), chance, OFFERED)
        outcome = Position.of(position).apply(event)
        steps.append(Step(position, event, outcome))
        position = outcome.game
    return tuple(steps)
