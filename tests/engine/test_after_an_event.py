"""What an Outcome knows of its position is what anybody else would find there."""

from __future__ import annotations

from random import Random

import pytest

from companion.engine import Setup, apply, new_game, offers, question
from companion.engine.resolution import Outcome
from companion.engine.setup import rules_of
from companion.engine.standing import Standing
from companion.engine.values import Seat
from companion.virtual import dealt, random_event


@pytest.mark.parametrize("game", ["new-york", "tokyo"])
def test_the_abilities_in_force_are_those_of_the_position(game: str) -> None:
    chance = Random(7)
    start = dealt(new_game(Setup(game, 4, Seat(0), "first")).game, 4, chance)
    outcome = Outcome(start, (), question(start))
    shops = set()
    for _ in range(400):
        if outcome.question is None:
            break
        known = outcome.now
        event = random_event(outcome.game, outcome.question, chance, 0.2, known)
        outcome = apply(outcome.game, event, outcome.question, known)
        fresh = Standing.of(outcome.game, rules_of(outcome.game))
        assert outcome.now is not None
        assert outcome.now.game is outcome.game
        for part in ("by_ref", "insteads", "whenevers", "modifiers", "offers"):
            assert getattr(outcome.now.index, part) == getattr(fresh.index, part)
        if outcome.question is not None:
            known_offers = offers(outcome.game, outcome.question, outcome.now)
            assert known_offers == offers(outcome.game, outcome.question)
        shops.add(outcome.game.in_play.shop)
    assert len(shops) > 3  # else nothing was bought or swept
