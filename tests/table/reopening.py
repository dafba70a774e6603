"""Positions of random games, set-up and corrections included, as a log stores them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from random import Random

import msgspec

from companion.engine import (
    EDITIONS,
    RULESETS,
    Corrected,
    Correction,
    Game,
    IllegalEvent,
    Moved,
    Number,
    Position,
    Seat,
    Setup,
    new_game,
    rules_of,
    uncomputable,
)
from companion.virtual import deal_keep_cards, random_event

CORRECTED = 0.15
OFFERED = 0.2
MOST_EVENTS = 300


def reopened(games: int, seed: int = 1) -> tuple[int, list[str]]:
    """Return how many positions of so many games came back from JSON, and why others did not, or
    why the rules cannot compute with them.
    """
    count, refused = 0, []
    for number in range(games):
        for position in positions(Random(f"{seed}/{number}")):
            again = msgspec.json.decode(msgspec.json.encode(position), type=Game)
            reason = uncomputable(again)
            count += 1
            if reason is not None or again != position:
                refused.append(f"game {number}: {reason}")
    return count, refused


def positions(chance: Random) -> Iterator[Game]:
    """Yield the positions of a random game of any box and edition, some of them set by hand."""
    (name, edition) = chance.choice(sorted(EDITIONS))
    rules = RULESETS[name]
    players = chance.randint(rules.players_min, rules.players_max)
    house = tuple(switch for switch in EDITIONS[name, edition].house if chance.random() < 0.3)
    first = Seat(chance.randrange(players))
    outcome = new_game(Setup(name, players, first, edition, house))
    if chance.random() < 0.3:
        dealt_game = deal_keep_cards(outcome.game, chance.randint(1, 4), chance)
        outcome = Position.of(dealt_game).apply(Corrected())
    for _ in range(MOST_EVENTS):
        yield outcome.game
        asked = outcome.question
        if asked is None:
            return
        if chance.random() < CORRECTED:
            with suppress(IllegalEvent):  # the table may not set this now
                outcome = outcome.position.apply(corrected(outcome.game, chance))
            continue
        event = random_event(outcome.position, chance, OFFERED)
        outcome = outcome.position.apply(event)


def corrected(game: Game, chance: Random) -> Corrected:
    """Set a few numbers and a place by hand to random values."""
    seats = range(len(game.monsters))
    numbers = tuple(
        Correction(Seat(chance.choice(seats)), chance.choice(list(Number)), chance.randrange(13))
        for _ in range(chance.randrange(3))
    )
    places = tuple(rules_of(game).places)
    moved = (Moved(Seat(chance.choice(seats)), chance.choice(places)),)
    return Corrected(numbers, moved if chance.random() < 0.4 else ())
