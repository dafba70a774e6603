"""Statistics of many evenings, for scenes: games made up by chance, counted as real ones."""

from __future__ import annotations

import random
from collections import Counter
from datetime import UTC, datetime, timedelta

from companion.engine import RULESETS
from companion.forecast.child import answer
from companion.forecast.messages import AdviceAsked, AdviceFound, StoryAsked, StoryFound
from companion.records import (
    GameResult,
    GameTally,
    Names,
    PlayerResult,
    SeatTally,
    named,
    statistics,
    story_of,
    tally_of,
    turn_positions,
)
from companion.records.names import Merge
from companion.service import requests, wire_pages
from companion.service.records.statistics import statistics_view
from companion.service.records.stories import story_view
from companion.service.views.preview import coach_answer, keeps_answer, with_dice
from companion.table import Table
from tests.browser.evening import PEOPLE
from tests.forecast.networks import SHIPPED

BEGAN = datetime(2026, 3, 6, 19, 0, tzinfo=UTC)
SPELT = Names((Merge("Þordis", "Þórdís"),))
CARDS = {
    "new-york": ("flatiron_building", "trophy_hunter", "shadow_double", "carapace"),
    "tokyo": ("corner_store", "wings", "energize", "jets"),
}
SKILLS = (5, 4, 7, 2, 3, 2)
"""How often each of PEOPLE wins."""


def many_games(games: int = 23, dice: int = 30) -> wire_pages.StatisticsView:
    """Return the statistics of so many games, each seat with so many thrown dice."""
    chance = random.Random(11)
    tallies = [_game(n, chance, dice) for n in range(games)]
    return statistics_view(statistics(named(one, SPELT) for one in tallies), SPELT, 0)


def story_on(table: Table, game: str) -> wire_pages.StoryView:
    """Return the story of a finished game, as the service makes it."""
    entries = table.snapshot_of(game).entries
    tally = tally_of(game, entries)
    assert tally is not None
    turns = tuple((row, position.game) for row, position in turn_positions(entries))
    found = answer(StoryAsked(turns), SHIPPED)
    assert isinstance(found, StoryFound)
    return story_view(tally, story_of(tally, entries), entries, found)


def advice_on(
    table: Table, path: str, form: requests.PreviewRequest
) -> requests.KeepsAnswer | requests.CoachAnswer:
    """Return odds, or advice, for the seat that decides, as the service makes them."""
    state = table.snapshot().state
    seat = None if state.question is None else state.question.seat
    position = with_dice(state, seat, form.faces, form.rethrown)
    if path == "/api/keeps":
        return keeps_answer(position)
    found = answer(AdviceAsked(position.game), SHIPPED)
    assert isinstance(found, AdviceFound)
    return coach_answer(position, found)


def _game(number: int, chance: random.Random, dice: int) -> GameTally:
    game = "tokyo" if number % 3 == 2 else "new-york"
    people = sorted(chance.sample(range(len(PEOPLE)), 4))
    winner = chance.choices(range(4), [SKILLS[one] for one in people])[0]
    began = BEGAN + timedelta(days=7 * (number * 14 // 23), hours=number % 2 * 1.5)
    reason = chance.choice(("stars", "stars", "survival"))
    players, seats = [], []
    for seat, person in enumerate(people):
        name, monster = PEOPLE[person]
        won = seat == winner
        stars = 20 if won and reason == "stars" else chance.randrange(6, 18)
        players.append(
            PlayerResult(
                seat=seat, player="Þordis" if number == 4 and person == 2 else name,
                monster=monster if chance.random() < 0.8 else "crabminster",
                rank=1 if won else 2 + seat, won=won, first=seat == 0,
                health=chance.randrange(1, 10), stars=stars, energy=chance.randrange(8),
            )
        )  # fmt: skip
        seats.append(_seat(seat, game, chance, dice))
    result = GameResult(
        table=f"g{number + 1}", game=game, edition="first", house=(),
        turns=chance.randrange(14, 29), players=tuple(players), reason=reason, began=began,
        ended=began + timedelta(minutes=chance.randrange(35, 73)),
    )  # fmt: skip
    return GameTally(result, tuple(seats))


def _seat(seat: int, game: str, chance: random.Random, dice: int) -> SeatTally:
    rules = RULESETS[game]
    places = Counter(chance.choices(sorted(rules.places), k=6))
    thrown = Counter(chance.choices(rules.faces, k=dice))
    inside = sum(count for place, count in places.items() if rules.places[place].inside)
    return SeatTally(
        seat=seat, turns=6, turns_inside=inside, dealt=chance.randrange(4, 20),
        taken=chance.randrange(4, 16), best_turn=chance.randrange(2, 9),
        best_hit=chance.randrange(1, 8), places=dict(places), thrown=dict(thrown),
        bought=tuple(chance.sample(CARDS[game], 2)),
    )  # fmt: skip
