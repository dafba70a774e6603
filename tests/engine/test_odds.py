"""Exact odds and what to keep, compared with enumerating every way the dice can fall."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import combinations, product

import pytest
from msgspec.structs import replace

from companion.engine import (
    RULESETS,
    DiceRolled,
    Face,
    Position,
    Setup,
    new_game,
    rules_of,
)
from companion.engine.queries.odds import MOST_KEEPS, chances_of
from tests.browser.evening import named
from tests.engine.tables import NEW_YORK, Scene

TOKYO = "tokyo"
F = Face


@dataclass(frozen=True)
class Rules:
    """What the counting below needs to know of the rules."""

    faces: tuple[Face, ...]
    stuck: frozenset[Face] = frozenset()
    """May not be thrown again."""


def best(rules: Rules, lying: tuple[Face, ...], rolls: int, goal: Goal) -> Fraction:
    """The chance of the goal by the best play of all there is, every throw counted out."""

    @cache
    def play(lying: tuple[Face, ...], rolls: int) -> Fraction:
        chances = [Fraction(goal(lying))]
        indices = [i for i, face in enumerate(lying) if face not in rules.stuck]
        for again in chosen(indices) if rolls else ():
            ways = list(product(rules.faces, repeat=len(again)))
            after = (play(tuple(sorted(put(lying, again, way))), rolls - 1) for way in ways)
            chances.append(sum(after, Fraction(0)) / len(ways))
        return max(chances)

    return play(tuple(sorted(lying)), rolls)


def at_least(face: Face, count: int) -> Goal:
    return lambda lying: lying.count(face) >= count


def chosen(indices: list[int]) -> list[tuple[int, ...]]:
    """Every choice of one or more."""
    return [c for n in range(1, len(indices) + 1) for c in combinations(indices, n)]


def put(lying: tuple[Face, ...], again: tuple[int, ...], way: tuple[Face, ...]) -> list[Face]:
    dice = list(lying)
    for die, face in zip(again, way, strict=True):
        dice[die] = face
    return dice


Goal = Callable[[tuple[Face, ...]], bool]


@pytest.mark.parametrize("dice", [1, 2, 3])
@pytest.mark.parametrize("rolls", [1, 2])
@pytest.mark.parametrize("stuck", [frozenset(), {F.ATTACK}])
def test_no_play_brings_a_face_more_often_and_this_one_as_often(
    dice: int, rolls: int, stuck: frozenset[Face]
) -> None:
    """Claws stay with Terminal Rage: a die that comes to show one is lost for other faces."""
    cards = {0: ("terminal_rage",)} if stuck else {}
    position = Position.of(Scene(NEW_YORK, cards=cards).begin().game)
    rules = Rules(RULESETS[NEW_YORK].faces, frozenset(stuck))
    chances = chances_of(position, F.ENERGY, dice, rolls)
    for k in range(1, dice + 1):
        counted = best(rules, (F.OUCH,) * dice, rolls, at_least(F.ENERGY, k))
        assert sum(chances[k:]) == counted


def test_dice_that_cost_no_roll_are_counted_in() -> None:
    """Background Dweller throws THREE again for nothing, as often as it comes."""
    scene = Scene(TOKYO, cards={0: ("background_dweller",)})
    position = Position.of(scene.begin().game)
    assert chances_of(position, F.ONE, 1, 1) == (Fraction(4, 5), Fraction(1, 5))
    assert chances_of(position, F.ONE, 1, 2)[1] == Fraction(1, 5) + Fraction(4, 5) * Fraction(1, 5)


def lying_first(game: str, faces: str, left: int = 1) -> Position:
    """The first turn's roll with these dice shown, and so many throws left."""
    outcome = new_game(Setup(game, 3))
    while outcome.position.question is not None and outcome.position.game.turn.number == 0:
        outcome = outcome.position.apply(outcome.position.legal_events()[0])
    position = outcome.position
    shown = position.apply(DiceRolled(named(faces))).position
    return position.moved_on(replace(shown.game, turn=replace(shown.game.turn, rolls_left=left)))


def values_of(position: Position, dice: tuple[int, ...]) -> tuple[float, ...]:
    return next(one.values for one in position.keeps().keeps if one.dice == dice)


def test_the_figures_of_the_drawing() -> None:
    """Two threes, an Attack, a 1, a heart and an Energy, one throw left: 52 and 42 percent."""
    found = lying_first("tokyo", "2 three attack one heal energy").keeps()
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
    position = lying_first(game, faces.get(game, "6 energy"))
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
    position = lying_first("tokyo", "2 three one two heal energy", left=2)
    hit = 1 - (5 / 6) ** 2
    assert values_of(position, (0, 1))[0] == pytest.approx(1 - (1 - hit) ** 4)


def test_nothing_is_kept_before_a_throw_and_after_the_last() -> None:
    outcome = new_game(Setup("tokyo", 3))
    assert outcome.position.keeps().keeps == ()
    assert lying_first("tokyo", "6 heal", left=0).keeps().keeps == ()
