"""Exact odds and what to keep, compared with enumerating every way the dice can fall."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import combinations, pairwise, product

import pytest
from msgspec.structs import replace

from companion.engine import (
    RULESETS,
    DiceRolled,
    Face,
    IllegalEvent,
    Position,
    Setup,
    new_game,
    rules_of,
)
from companion.engine.events import PutOff
from companion.engine.game import Game
from companion.engine.queries.odds import MOST_KEEPS, FaceOdds, Odds
from companion.engine.values import Token
from tests.browser.evening import named
from tests.engine.tables import NEW_YORK, Scene, Table, dice

TOKYO = "tokyo"
F = Face


def lying(*faces: Face) -> Game:
    game = Position.of(new_game(Setup(TOKYO, 2)).game).apply(PutOff()).game
    return Position.of(game).apply(DiceRolled(faces)).game if faces else game


def of(found: Odds, face: Face) -> FaceOdds:
    return next(each for each in found.faces if each.face is face)


def thrown(letters: str, scene: Scene | None = None) -> Table:
    """A table at which these dice lie after the first throw."""
    return (scene or Scene(TOKYO)).begin().roll(letters, final=False)


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


def without(face: Face) -> Goal:
    return lambda lying: face not in lying


def chosen(indices: list[int]) -> list[tuple[int, ...]]:
    """Every choice of one or more."""
    return [c for n in range(1, len(indices) + 1) for c in combinations(indices, n)]


def put(lying: tuple[Face, ...], again: tuple[int, ...], way: tuple[Face, ...]) -> list[Face]:
    dice = list(lying)
    for die, face in zip(again, way, strict=True):
        dice[die] = face
    return dice


Goal = Callable[[tuple[Face, ...]], bool]
THREE_DICE = Scene(TOKYO, tokens={0: {Token.SHRINK: 3}})


@pytest.mark.parametrize("letters", ["112", "A3H", "222", "E1A"])
@pytest.mark.parametrize("rolls", [0, 1, 2])
def test_no_play_does_better_on_a_face_and_this_one_does_as_well(letters: str, rolls: int) -> None:
    found = Position.of(thrown(letters, THREE_DICE).game).odds(rolls=rolls)
    rules, lying = Rules(RULESETS[TOKYO].faces), dice(letters)
    for face in (F.ONE, F.ATTACK):
        face_odds = of(found, face)
        for k in (1, 2, 3):
            wanted = best(rules, lying, rolls, at_least(face, k))
            assert face_odds.at_least[k - 1] == pytest.approx(float(wanted))
        avoided = best(rules, lying, rolls, without(face))
        assert face_odds.none == pytest.approx(float(avoided))


@pytest.mark.parametrize("letters", ["112", "A3H", "222", "123", "311"])
@pytest.mark.parametrize("rolls", [0, 1, 2])
def test_no_play_does_better_on_a_set_and_this_one_does_as_well(letters: str, rolls: int) -> None:
    wanted = (F.ONE, F.TWO, F.THREE)
    found = next(
        s
        for s in Position.of(thrown(letters, THREE_DICE).game).odds(rolls=rolls).sets
        if s.faces == wanted
    )
    rules = Rules(RULESETS[TOKYO].faces)
    counted = best(rules, dice(letters), rolls, lambda lying: set(wanted) <= set(lying))
    assert found.chance == pytest.approx(float(counted))


def test_a_kept_die_counts_for_a_set_and_is_not_thrown() -> None:
    game = thrown("11A", THREE_DICE).game
    assert Position.of(game).odds(keep=(0, 1), rolls=2).sets[0].chance == 0.0
    assert Position.of(game).odds(keep=(0,), rolls=1).sets[0].chance == pytest.approx(2 / 36)
    assert Position.of(game).odds(keep=(0,), rolls=1).free == (1, 2)


@pytest.mark.parametrize("rolls", [0, 1, 2])
def test_dice_that_may_not_be_thrown_again_are_counted_in(rolls: int) -> None:
    """Claws stay with Terminal Rage: a die that comes to show one is lost for other faces."""
    scene = Scene(NEW_YORK, cards={0: ("terminal_rage",)})
    found = Position.of(thrown("AEHDCO", scene).game).odds(keep=(3, 4, 5), rolls=rolls)
    rules = Rules(RULESETS[NEW_YORK].faces, stuck=frozenset({F.ATTACK}))
    lying = dice("AEH")
    for k in (1, 2):
        counted = best(rules, lying, rolls, at_least(F.ENERGY, k))
        assert of(found, F.ENERGY).at_least[k - 1] == pytest.approx(float(counted))
    assert of(found, F.ATTACK).none == 0.0


def test_dice_that_cost_no_roll_are_counted_in() -> None:
    """Background Dweller throws THREE again for nothing, as often as it comes."""
    scene = Scene(TOKYO, cards={0: ("background_dweller",)}, tokens={0: {Token.SHRINK: 4}})
    game = thrown("3A", scene).game
    found = Position.of(game).odds(rolls=0)
    assert found.free == (0, 1)
    assert of(found, F.ONE).at_least[0] == pytest.approx(1 / 5)
    assert of(found, F.THREE).none == 1.0
    once = Position.of(game).odds(rolls=1)
    die = 1 / 5 + 4 / 5 * 1 / 5
    assert of(once, F.ONE).at_least[0] == pytest.approx(1 - (1 - die) * (1 - 1 / 5))


@pytest.mark.parametrize("game", RULESETS)
def test_all_six_faces_before_the_first_throw(game: str) -> None:
    table = Scene(game).begin()
    whole = Position.of(table.game).odds().sets[-1]
    assert whole.faces == RULESETS[game].faces
    assert Position.of(table.game).odds(rolls=1).sets[-1].chance == pytest.approx(720 / 6**6)
    assert 720 / 6**6 < whole.chance < 1 - (5 / 6) ** 18


def test_chances_are_between_none_and_all_and_fall_with_what_is_wanted() -> None:
    cards = {0: ("extra_head", "giant_brain")}
    found = Position.of(Scene(TOKYO, cards=cards).begin().game).odds()
    assert found.rolls == 4
    for face in found.faces:
        assert len(face.at_least) == 7
        assert all(0 <= b <= a <= 1 for a, b in pairwise(face.at_least))
        assert 0 <= face.none <= 1


def test_before_the_first_throw_all_dice_are_free() -> None:
    found = Position.of(lying()).odds()
    assert of(found, F.ONE).at_least[0] == pytest.approx(1 - (5 / 6) ** 18)


def test_a_die_that_is_not_there_cannot_be_kept() -> None:
    with pytest.raises(IllegalEvent, match="no_such_die"):
        Position.of(lying(F.ATTACK, F.TWO, F.ONE, F.ONE, F.ONE, F.HEAL)).odds(keep=(6,))


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
