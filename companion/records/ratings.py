"""Ratings of players over many games of any number of players.

The model is Plackett and Luce's (Weng and Lin 2011): a game's ranks say who is stronger, and each
player has a skill that is known the better the more games it played.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

import msgspec
from openskill.models import PlackettLuce, PlackettLuceRating

from companion.intervals import Z_95
from companion.records.results import GameResult, PlayerResult

FEWEST: Final = 2
"""A game with fewer named players says nothing of their strength."""


class Rating(msgspec.Struct, frozen=True):
    """A player's skill, 25 for a stranger, and its 95 % interval."""

    skill: float
    low: float
    high: float


def player_key(player: PlayerResult) -> str:
    """Return what tells players apart: their names, whatever the case of their letters; "" without
    one."""
    return player.player.casefold()


def ratings(results: Iterable[GameResult]) -> dict[str, Rating]:
    """Return the rating of each named player after these games, oldest first."""
    model = PlackettLuce()
    known: dict[str, PlackettLuceRating] = {}
    for game in results:
        named = [player for player in game.players if player.player]
        if len(named) < FEWEST:
            continue
        teams = [[known.get(player_key(player)) or model.rating()] for player in named]
        rated = model.rate(teams, ranks=[float(player.rank) for player in named])
        known |= {player_key(one): team[0] for one, team in zip(named, rated, strict=True)}
    return {key: _rating(value) for key, value in known.items()}


def _rating(value: PlackettLuceRating) -> Rating:
    half = Z_95 * value.sigma
    low, high = value.mu - half, value.mu + half
    return Rating(round(value.mu, 1), round(low, 1), round(high, 1))
