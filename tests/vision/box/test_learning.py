"""Lessons from applied readings; no pictures."""

from __future__ import annotations

import pytest

from companion.engine import Face
from companion.vision.box import MOST_PRINTS, Dice, Lesson, add_lesson, lesson_of
from companion.vision.readings import Colour, DiceReading, DieReading, ReadingProblem

SHOWN = (Face.ATTACK, Face.HEAL, Face.HEAL, Face.OUCH)


def die(face: Face | None, problem: ReadingProblem | None = None) -> DieReading:
    return DieReading(
        face=face, confidence=0.9, colour=Colour.BLACK, box=(0, 0, 9, 9), flat=True, problem=problem
    )


def reading(*dice: DieReading) -> DiceReading:
    """Make a reading of these dice; the print of each is its number."""
    return DiceReading(
        game="new-york", dice=dice, problems=(), sure=False, frame=0, at_s=0.0, size=(640, 360),
        prints=tuple(b"%d" % place for place in range(len(dice))),
    )  # fmt: skip


def plain() -> DiceReading:
    return reading(*(die(face) for face in SHOWN))


def test_what_was_applied_as_read_is_learnt() -> None:
    lesson = lesson_of(plain(), SHOWN)
    assert lesson == Lesson(
        "new-york",
        ((Face.ATTACK, b"0"), (Face.HEAL, b"1"), (Face.HEAL, b"2"), (Face.OUCH, b"3")),
    )


def test_a_face_that_was_put_right_is_learnt_as_the_table_has_it() -> None:
    faces = (Face.ATTACK, Face.ENERGY, Face.HEAL, Face.OUCH)
    lesson = lesson_of(plain(), faces)
    assert lesson is not None
    assert lesson.prints[1] == (Face.ENERGY, b"1")


def test_where_the_table_has_another_order_each_die_teaches_what_it_was_read_as() -> None:
    """Rethrown dice take the places of their faces among dice that were entered before."""
    lesson = lesson_of(plain(), (Face.HEAL, Face.HEAL, Face.OUCH, Face.ATTACK))
    assert lesson == lesson_of(plain(), SHOWN)


def test_what_was_put_right_in_another_order_teaches_nothing() -> None:
    doubted = reading(die(Face.ENERGY, ReadingProblem.DOUBTFUL), die(Face.HEAL), die(Face.OUCH))
    assert lesson_of(doubted, (Face.ATTACK, Face.HEAL, Face.OUCH)) is not None
    assert lesson_of(doubted, (Face.HEAL, Face.ATTACK, Face.OUCH)) is None
    assert lesson_of(doubted, (Face.ATTACK, Face.HEAL, Face.ENERGY)) is None


@pytest.mark.parametrize("faces", [SHOWN[:3], (*SHOWN, Face.OUCH), ()])
def test_another_number_of_dice_than_was_read_teaches_nothing(faces: tuple[Face, ...]) -> None:
    assert lesson_of(plain(), faces) is None


def test_a_doubtful_die_is_learnt_with_the_face_the_table_says() -> None:
    dice = (die(None, ReadingProblem.DOUBTFUL), die(Face.HEAL, ReadingProblem.WRONG_GAME))
    lesson = lesson_of(reading(*dice), SHOWN[:2])
    assert lesson == Lesson("new-york", ((Face.ATTACK, b"0"), (Face.HEAL, b"1")))


@pytest.mark.parametrize(
    "problem",
    [
        ReadingProblem.NOT_FLAT, ReadingProblem.CUT, ReadingProblem.SMALL, ReadingProblem.STACKED,
        ReadingProblem.TOO_DARK,
        ReadingProblem.GLARE, ReadingProblem.BLURRED,
    ],
)  # fmt: skip
def test_what_cannot_be_seen_well_is_not_learnt(problem: ReadingProblem) -> None:
    assert lesson_of(reading(die(Face.ATTACK, problem)), SHOWN[:1]) is None
    lesson = lesson_of(reading(die(Face.ATTACK, problem), die(Face.HEAL)), SHOWN[:2])
    assert lesson == Lesson("new-york", ((Face.HEAL, b"1"),))


def test_a_reading_without_prints_and_dice_without_one_teach_nothing() -> None:
    rows = plain()
    bare = DiceReading(
        game=rows.game, dice=rows.dice, problems=(), sure=True, frame=0, at_s=0.0, size=(9, 9)
    )
    assert lesson_of(bare, SHOWN) is None
    lost = DiceReading(
        game=rows.game, dice=rows.dice, problems=(), sure=True, frame=0, at_s=0.0, size=(9, 9),
        prints=(b"", b"1", b"", b""),
    )  # fmt: skip
    assert lesson_of(lost, SHOWN) == Lesson("new-york", ((Face.HEAL, b"1"),))


def test_the_newest_prints_of_each_face_are_known_by_game() -> None:
    known = add_lesson({}, Lesson("tokyo", ((Face.ONE, b"one"),)))
    for number in range(MOST_PRINTS + 2):
        print_ = b"%d" % number
        known = add_lesson(known, Lesson("new-york", ((Face.HEAL, print_), (Face.OUCH, b"same"))))
    assert known["tokyo"] == {Face.ONE: (b"one",)}
    assert known["new-york"][Face.HEAL] == tuple(b"%d" % n for n in range(2, MOST_PRINTS + 2))
    assert known["new-york"][Face.OUCH] == (b"same",) * MOST_PRINTS


def test_what_was_known_before_is_left_as_it_was() -> None:
    before: Dice = {"new-york": {Face.HEAL: (b"0",)}}
    add_lesson(before, Lesson("new-york", ((Face.HEAL, b"1"),)))
    assert before == {"new-york": {Face.HEAL: (b"0",)}}
