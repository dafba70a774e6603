"""The position in an Outcome equals one built afresh from its game."""

from __future__ import annotations

from random import Random

import pytest

from companion.engine import Position, Setup, new_game
from companion.engine.questions import Choice, Question
from companion.engine.values import Seat
from companion.virtual import deal_keep_cards, random_event


@pytest.mark.parametrize("game", ["new-york", "tokyo"])
def test_the_abilities_in_force_are_those_of_the_position(game: str) -> None:
    chance = Random(7)
    start = deal_keep_cards(new_game(Setup(game, 4, Seat(0), "first")).game, 4, chance)
    position = Position.of(start)
    shops = set()
    for _ in range(400):
        if position.question is None:
            break
        position = position.apply(random_event(position, chance, 0.2)).position
        fresh = Position.of(position.game)
        for part in ("by_ref", "insteads", "whenevers", "modifiers", "offers"):
            assert getattr(position.index, part) == getattr(fresh.index, part)
        assert position.offers() == fresh.offers()
        assert _plain(position.question) == _plain(fresh.question)
        shops.add(position.game.in_play.shop)
    assert len(shops) > 3  # else nothing was bought or swept


def _plain(question: Question | None) -> tuple[object, ...]:
    """What a question asks; what its answers lead to are functions, equal to nothing else."""
    if question is None:
        return ()
    options = question.options if isinstance(question, Choice) else ()
    return type(question), question.key, question.seat, tuple(option.key for option in options)
