"""Two rests compared: a new roll, dice taken up, or the same roll again."""

from __future__ import annotations

import cmath

import msgspec
import pytest

from companion.engine import Face
from companion.vision.readings import Colour, DiceReading, DieReading, ReadingProblem
from companion.vision.watch.rolls import (
    NUDGE,
    RestComparison,
    compare,
    compare_with_last,
    first_rest,
)

FACES = (Face.ATTACK, Face.HEAL, Face.ENERGY)
SPOTS = ((100, 100), (300, 120), (200, 250))


def die(
    spot: tuple[float, float],
    face: Face | None = Face.ATTACK,
    problem: ReadingProblem | None = None,
) -> DieReading:
    return DieReading(
        face=face,
        confidence=0.99,
        colour=Colour.BLACK,
        box=(round(spot[0]), round(spot[1]), 60, 70),
        flat=True,
        problem=problem,
    )


def lying(*shift: float) -> list[DieReading]:
    dx, dy = shift or (0, 0)
    return [die((x + dx, y + dy), face) for (x, y), face in zip(SPOTS, FACES, strict=True)]


def is_same(comparison: RestComparison) -> bool:
    """Whether no die was thrown and none is gone."""
    return not comparison.is_throw and not comparison.is_taken_up


def test_the_same_dice_are_the_same_roll_though_their_corners_tremble() -> None:
    assert is_same(compare(lying(), lying(3, -2)))


def test_a_knocked_camera_is_no_roll() -> None:
    assert is_same(compare(lying(), lying(55, 40)))


def test_a_doubtful_face_that_clears_up_is_the_same_die() -> None:
    before = [die(SPOTS[0], None, ReadingProblem.DOUBTFUL), *lying()[1:]]
    assert is_same(compare(before, lying()))


def test_a_die_turned_on_its_spot_is_another_roll() -> None:
    turned = [die(SPOTS[0], Face.OUCH), *lying()[1:]]
    comparison = compare(lying(), turned)
    assert not is_same(comparison)
    assert comparison.moved() == (0,)


def test_a_leaning_die_put_flat_is_news_though_it_hardly_moved() -> None:
    before = [die(SPOTS[0], Face.ATTACK, ReadingProblem.NOT_FLAT), *lying()[1:]]
    assert is_same(compare(before, lying())), "a lean that was only thought to be one"
    put_right = [die((SPOTS[0][0] + 8, SPOTS[0][1])), *lying()[1:]]
    assert compare(before, put_right).moved() == (0,)


def test_dice_taken_up_are_no_roll() -> None:
    comparison = compare(lying(), lying()[1:])
    assert comparison.is_taken_up
    assert not is_same(comparison)


def test_kept_dice_keep_their_places_and_the_thrown_take_the_others() -> None:
    thrown = die((20, 20), Face.CELEBRITY)
    now = [thrown, lying()[0], lying()[2]]  # left to right: the second die was thrown far left
    comparison = compare(lying(), now)
    ordered = [now[index] for index in comparison.order()]
    assert [d.face for d in ordered] == [Face.ATTACK, Face.CELEBRITY, Face.ENERGY]
    assert comparison.moved() == (1,)


def coin(spot: tuple[float, float]) -> DieReading:
    """Make the reading of a coin: a find without a face."""
    return die(spot, None, ReadingProblem.DOUBTFUL)


def reading(dice: list[DieReading], *problems: ReadingProblem) -> DiceReading:
    found = (*problems, *(die.problem for die in dice if die.problem is not None))
    return DiceReading(
        game="x",
        dice=tuple(dice),
        problems=found,
        sure=not found,
        frame=0,
        at_s=0.0,
        size=(640, 360),
    )


def turned(dice: list[DieReading], degrees: float) -> list[DieReading]:
    """Move the dice as in the picture of a camera that was knocked and turned."""
    turn = cmath.rect(1.0, cmath.pi * degrees / 180)
    places = [turn * complex(*d.centre) + 20 for d in dice]
    return [
        die((place.real - 30, place.imag - 35), d.face)
        for place, d in zip(places, dice, strict=True)
    ]


def test_a_camera_that_was_turned_by_a_knock_is_no_roll() -> None:
    assert is_same(compare(lying(), turned(lying(), 5)))
    assert compare(lying(), turned(lying(), -4)[1:]).is_taken_up
    assert compare(lying(), turned(lying(), 30)).is_throw


def test_a_knock_leaves_the_dice_where_they_are_then_for_the_next_roll() -> None:
    before, knocked = reading(lying()), reading(turned(lying(), 5))
    known = compare_with_last(before, knocked, None, was_empty=False).known
    thrown = [*turned(lying(), 5)[:2], die((500, 300), Face.OUCH)]
    rest = compare_with_last(known, reading(thrown), None, was_empty=False)
    assert (rest.is_news, rest.reading.moved) == (True, (2,))


@pytest.mark.parametrize("coins", [1, 2, 3])
def test_coins_beside_the_dice_are_no_roll(coins: int) -> None:
    there = [*lying(), *(coin((500, 60 + 90 * n)) for n in range(coins))]
    rest = compare_with_last(
        reading(lying()), reading(there, ReadingProblem.COUNT), 3, was_empty=False
    )
    assert (rest.is_news, rest.is_taken_up) == (False, False)
    assert rest.known.dice == tuple(lying()), "they are not remembered as dice"


def test_coins_alone_are_no_roll_however_many_are_awaited() -> None:
    coins = [coin((100 + 90 * n, 100)) for n in range(6)]
    assert not first_rest(reading(coins), 6).is_news
    assert not first_rest(reading(coins), None).is_news


def test_one_print_that_looks_like_a_die_is_no_roll_unless_one_is_awaited() -> None:
    alone = [die((400, 50))]
    assert not first_rest(reading(alone, ReadingProblem.COUNT), 6).is_news
    assert first_rest(reading(alone), 1).is_news
    beside = [*lying(), die((500, 60))]
    assert not compare_with_last(reading(lying()), reading(beside), None, was_empty=False).is_news
    assert compare_with_last(reading(lying()), reading(beside), 4, was_empty=False).is_news


def test_a_roll_without_a_sure_die_is_reported_where_the_number_is_right() -> None:
    doubtful = [
        die(spot, face, ReadingProblem.DOUBTFUL) for spot, face in zip(SPOTS, FACES, strict=True)
    ]
    assert first_rest(reading(doubtful), 3).is_news
    assert not first_rest(reading(doubtful, ReadingProblem.COUNT), 6).is_news


def test_dice_that_lie_where_they_lay_before_the_tray_seemed_empty_are_no_roll() -> None:
    back = compare_with_last(reading(lying()), reading(lying(2, -2)), None, was_empty=True)
    assert (back.is_news, back.is_taken_up) == (False, False)
    some = compare_with_last(reading(lying()), reading(lying()[:2]), None, was_empty=True)
    assert (some.is_news, some.is_taken_up) == (False, True)
    thrown = compare_with_last(reading(lying()), reading(lying(400, 0)), None, was_empty=True)
    assert (thrown.is_news, thrown.reading.moved) == (True, (0, 1, 2))


def test_dice_that_are_read_again_are_named_as_thrown_only_where_they_lie() -> None:
    first = [coin((20, 20)), *lying()]
    before = msgspec.structs.replace(reading(first), moved=(0, 1, 3))
    rest = compare_with_last(before, reading(lying()), None, was_empty=False)
    assert (rest.is_news, rest.is_taken_up) == (False, False)
    thrown = [rest.reading.dice[place].face for place in rest.reading.moved]
    assert sorted(face for face in thrown if face is not None) == sorted((FACES[0], FACES[2]))


def nudged(
    widths: float, face: Face = Face.HEAL, problem: ReadingProblem | None = None
) -> DiceReading:
    """Make a single die, moved by so many of its widths."""
    there = [die((100 + 60 * widths, 100), face, problem)]
    return reading(there, ReadingProblem.COUNT)


@pytest.mark.parametrize("expected", [None, 1, 6])
def test_a_knock_with_one_die_on_the_table_is_no_roll(expected: int | None) -> None:
    rest = compare_with_last(nudged(0), nudged(0.95 * NUDGE), expected, was_empty=False)
    assert (rest.is_news, rest.is_taken_up) == (False, False)
    assert rest.reading.roll == 0
    assert rest.known.dice[0].box == nudged(0.95 * NUDGE).dice[0].box
    further = compare_with_last(rest.known, nudged(1.9 * NUDGE), expected, was_empty=False)
    assert not further.is_news


@pytest.mark.parametrize(
    ("before", "now"),
    [
        (nudged(0), nudged(1.2 * NUDGE)),
        (nudged(0), nudged(0.8 * NUDGE, Face.OUCH)),
        (nudged(0, problem=ReadingProblem.NOT_FLAT), nudged(0.8 * NUDGE)),
        (nudged(0), nudged(0.8 * NUDGE, problem=ReadingProblem.DOUBTFUL)),
    ],
    ids=["farther", "another face", "leaned", "doubtful now"],
)
def test_a_single_die_that_may_have_rolled_was_thrown(
    before: DiceReading, now: DiceReading
) -> None:
    rest = compare_with_last(before, now, None, was_empty=False)
    assert (rest.is_news, rest.reading.moved) == (True, (0,))
