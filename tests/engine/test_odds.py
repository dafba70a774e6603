"""Exact odds against counting every way the dice can fall."""

from __future__ import annotations

from itertools import product

import pytest

from companion.engine import RULESETS, IllegalEvent, Setup, apply, new_game
from companion.engine.events import DiceRolled, PutOff
from companion.engine.game import Game
from companion.engine.odds import Odds, odds
from companion.engine.values import Face

TOKYO = "tokyo"
F = Face


def lying(*faces: Face) -> Game:
    game = apply(new_game(Setup(TOKYO, 2)).game, PutOff()).game
    return apply(game, DiceRolled(faces)).game if faces else game


def of(found: tuple[Odds, ...], face: Face) -> Odds:
    return next(each for each in found if each.face is face)


def test_one_throw_of_two_dice_counted_out() -> None:
    game = lying(F.TWO, F.TWO, F.TWO, F.TWO, F.ONE, F.HEAL)
    found = odds(game, keep=(0, 1, 2, 3), rolls=1)
    faces = RULESETS[TOKYO].faces
    ways = [pair.count(F.TWO) for pair in product(faces, repeat=2)]
    for k in (5, 6):
        chance = sum(4 + n >= k for n in ways) / len(ways)
        assert of(found, F.TWO).at_least[k - 1] == pytest.approx(chance)
    assert of(found, F.TWO).at_least[3] == 1.0
    assert of(found, F.HEAL).at_least[0] == 1.0


def test_two_throws_keep_what_came() -> None:
    game = lying(F.ONE, F.ONE, F.ONE, F.ONE, F.ONE, F.HEAL)
    found = odds(game, keep=(0, 1, 2, 3, 4), rolls=2)
    assert of(found, F.ATTACK).at_least[0] == pytest.approx(1 - (5 / 6) ** 2)
    assert of(found, F.HEAL).at_least[0] == 1.0
    assert of(found, F.ONE).at_least[5] == pytest.approx(1 - (5 / 6) ** 2)


def test_avoiding_a_face_throws_only_the_dice_that_show_it() -> None:
    game = lying(F.ATTACK, F.ATTACK, F.ONE, F.ONE, F.ONE, F.HEAL)
    assert of(odds(game, rolls=1), F.ATTACK).none == pytest.approx((5 / 6) ** 2)
    assert of(odds(game, keep=(0,), rolls=2), F.ATTACK).none == 0.0
    assert of(odds(game, rolls=1), F.TWO).none == 1.0


def test_nothing_left_to_throw_is_certain() -> None:
    game = lying(F.ATTACK, F.TWO, F.ONE, F.ONE, F.ONE, F.HEAL)
    found = odds(game, rolls=0)
    assert of(found, F.ONE).at_least[:4] == (1.0, 1.0, 1.0, 0.0)
    assert of(found, F.THREE).at_least[0] == 0.0


def test_before_the_first_throw_all_dice_are_free() -> None:
    found = odds(lying())
    assert of(found, F.ONE).at_least[0] == pytest.approx(1 - (5 / 6) ** 18)


def test_a_die_that_is_not_there_cannot_be_kept() -> None:
    with pytest.raises(IllegalEvent, match="no_such_die"):
        odds(lying(F.ATTACK, F.TWO, F.ONE, F.ONE, F.ONE, F.HEAL), keep=(6,))
