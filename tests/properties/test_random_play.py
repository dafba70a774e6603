"""Random legal play: every game ends, no invariant breaks."""

from __future__ import annotations

from random import Random

import pytest

from companion.engine import EDITIONS, RULESETS, Seat, Setup
from companion.virtual import SimulationOptions, play_random

GAMES = 20
CHECKED = 4
"""So many of them are checked after every event; the others need only come to an end."""


@pytest.mark.parametrize("players", range(2, 7))
@pytest.mark.parametrize("game", RULESETS)
@pytest.mark.parametrize("cards", [0, 4])
def test_random_games_end_and_stay_sound(game: str, players: int, cards: int) -> None:
    for seed in range(GAMES // 2):
        options = SimulationOptions(cards=cards, checks=seed < CHECKED // 2)
        played = play_random(Setup(game, players), Random(seed + 1000 * cards), options)
        assert played.broken == (), f"seed {seed}, {played.events} events"
        assert played.reason in ("stars", "survival", "all_dead")


OTHERWISE = [
    *((key, ()) for key, rules in EDITIONS.items() if rules.edition != rules.editions[0]),
    *((key, (switch,)) for key, rules in EDITIONS.items() for switch in rules.house),
]
"""Editions, and house rules that may be switched on."""


@pytest.mark.parametrize(("edition", "house"), OTHERWISE)
def test_other_editions_and_house_rules_too(
    edition: tuple[str, str], house: tuple[str, ...]
) -> None:
    game, year = edition
    for players in range(2, 7):
        setup = Setup(game, players, Seat(0), year, house)
        played = play_random(setup, Random(players), SimulationOptions(cards=4))
        assert played.broken == (), f"{players} play, {played.events} events"
        assert played.reason in ("stars", "survival", "all_dead")
