"""Which dice to keep: exact chances in the columns that a game's table names."""

from __future__ import annotations

from itertools import product

import pytest
from msgspec.structs import replace

from companion.engine import RULESETS, DiceRolled, Face, Position, Setup, new_game, rules_of
from companion.engine.queries.odds import MOST_KEEPS
from tests.browser.evening import named


def thrown(game: str, faces: str, left: int = 1) -> Position:
    """The first turn's roll with these dice shown, and so many throws left."""
    outcome = new_game(Setup(game, 3))
    while outcome.position.question is not None and outcome.position.game.turn.number == 0:
        outcome = outcome.position.apply(outcome.position.legal_events()[0])
    position = outcome.position
    shown = position.apply(DiceRolled(named(faces))).position
    return position.moved_on(replace(shown.game, turn=replace(shown.game.turn, rolls_left=left)))


def of(position: Position, dice: tuple[int, ...]) -> tuple[float, ...]:
    return next(one.values for one in position.keeps().keeps if one.dice == dice)


def test_the_figures_of_the_drawing() -> None:
    """Two threes, an Attack, a 1, a heart and an Energy, one throw left: 52 and 42 percent."""
    found = thrown("tokyo", "2 three attack one heal energy").keeps()
    assert [(one.face, one.count) for one in found.columns] == [
        (Face.THREE, 3), (Face.ATTACK, 1), (Face.HEAL, 0),
    ]  # fmt: skip
    first, second, third = found.keeps
    assert first.dice == (0, 1)
    assert first.values == pytest.approx((1 - (5 / 6) ** 4, 1 - (5 / 6) ** 4, 4 / 6))
    assert second.dice == (0, 1, 2)
    assert second.values == pytest.approx((1 - (5 / 6) ** 3, 1, 3 / 6))
    assert third.dice == (4,)
    assert third.values[2] == pytest.approx(1 + 5 / 6)


@pytest.mark.parametrize("game", RULESETS)
def test_one_throw_is_as_counting_all_of_them_says(game: str) -> None:
    faces = {"tokyo": "2 one 2 two attack heal", "new-york": "2 celebrity 2 ouch heal attack"}
    position = thrown(game, faces.get(game, "6 energy"))
    rules, shown = rules_of(position.game), position.game.turn.faces
    found = position.keeps()
    assert 0 < len(found.keeps) <= MOST_KEEPS
    for keep in found.keeps:
        rest = len(shown) - len(keep.dice)
        for value, column in zip(keep.values, found.columns, strict=True):
            there = sum(shown[die] is column.face for die in keep.dice)
            counts = [
                there + throw.count(column.face) for throw in product(rules.faces, repeat=rest)
            ]
            wanted = (
                sum(count >= column.count for count in counts) / len(counts)
                if column.count
                else sum(counts) / len(counts)
            )
            assert value == pytest.approx(wanted)


def test_two_throws_aim_at_the_column() -> None:
    position = thrown("tokyo", "2 three one two heal energy", left=2)
    hit = 1 - (5 / 6) ** 2
    assert of(position, (0, 1))[0] == pytest.approx(1 - (1 - hit) ** 4)


def test_nothing_is_kept_before_a_throw_and_after_the_last() -> None:
    outcome = new_game(Setup("tokyo", 3))
    assert outcome.position.keeps().keeps == ()
    assert thrown("tokyo", "6 heal", left=0).keeps().keeps == ()
