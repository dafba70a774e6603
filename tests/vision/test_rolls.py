"""New roll, or the one that was read already?"""

from __future__ import annotations

import pytest

from companion.engine.values import Face
from companion.vision.readings import DieReading
from companion.vision.rolls import compare
from companion.vision.states import Colour, Problem

FACES = (Face.ATTACK, Face.HEAL, Face.ENERGY)
SPOTS = ((100, 100), (300, 120), (200, 250))


def die(
    spot: tuple[float, float], face: Face | None = Face.ATTACK, problem: Problem | None = None
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


def test_the_same_dice_are_the_same_roll_though_their_corners_tremble() -> None:
    assert compare(lying(), lying(3, -2)).is_same


def test_a_knocked_camera_is_no_roll() -> None:
    assert compare(lying(), lying(55, 40)).is_same


def test_dice_far_from_where_they_were_are_no_knock() -> None:
    assert not compare(lying(), lying(400, 0)).is_same


def test_a_doubtful_face_that_clears_up_is_the_same_die() -> None:
    before = [die(SPOTS[0], None, Problem.DOUBTFUL), *lying()[1:]]
    assert compare(before, lying()).is_same


def test_a_die_turned_on_its_spot_is_another_roll() -> None:
    turned = [die(SPOTS[0], Face.OUCH), *lying()[1:]]
    comparison = compare(lying(), turned)
    assert not comparison.is_same
    assert comparison.moved() == (0,)


def test_a_leaning_die_put_flat_is_news_though_it_hardly_moved() -> None:
    before = [die(SPOTS[0], Face.ATTACK, Problem.NOT_FLAT), *lying()[1:]]
    assert compare(before, lying()).is_same, "a lean that was only thought to be one"
    put_right = [die((SPOTS[0][0] + 8, SPOTS[0][1])), *lying()[1:]]
    assert compare(before, put_right).moved() == (0,)


def test_dice_taken_up_are_no_roll() -> None:
    comparison = compare(lying(), lying()[1:])
    assert comparison.is_taken_up
    assert not comparison.is_same


def test_dice_pushed_aside_after_one_was_taken_are_not_merely_taken_up() -> None:
    assert not compare(lying(), lying(100, 0)[1:]).is_taken_up


def test_kept_dice_keep_their_places_and_the_thrown_take_the_others() -> None:
    thrown = die((20, 20), Face.CELEBRITY)
    now = [thrown, lying()[0], lying()[2]]  # left to right: the second die was thrown far left
    comparison = compare(lying(), now)
    told = [now[index] for index in comparison.order()]
    assert [d.face for d in told] == [Face.ATTACK, Face.CELEBRITY, Face.ENERGY]
    assert comparison.moved() == (1,)


@pytest.mark.parametrize("count", [1, 2])
def test_dice_that_come_on_top_take_the_last_places(count: int) -> None:
    new = [die((500 + 80 * n, 300)) for n in range(count)]
    comparison = compare(lying(), [*new, *lying()])
    assert comparison.moved() == tuple(range(3, 3 + count))
    assert comparison.order()[:3] == (count, count + 1, count + 2)


def test_fewer_dice_than_before_still_get_every_place() -> None:
    comparison = compare(lying(), [die((500, 300)), lying()[2]])
    assert sorted(comparison.order()) == [0, 1]
