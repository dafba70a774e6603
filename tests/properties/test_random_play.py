"""Random legal play: every game ends, no invariant breaks."""

from __future__ import annotations

from random import Random

import pytest

from companion.engine import RULESETS, Setup
from companion.virtual import Habits, play_random

GAMES = 20
CHECKED = 4
"""So many of them are checked after every event; the others at their end."""


@pytest.mark.parametrize("players", range(2, 7))
@pytest.mark.parametrize("game", RULESETS)
@pytest.mark.parametrize("cards", [0, 4])
def test_random_games_end_and_stay_sound(game: str, players: int, cards: int) -> None:
    for seed in range(GAMES // 2):
        habits = Habits(cards=cards, checks=seed < CHECKED // 2)
        played = play_random(Setup(game, players), Random(seed + 1000 * cards), habits)
        assert played.broken == (), f"seed {seed}, {played.events} events"
        assert played.reason in ("stars", "survival", "all_dead")
