"""Counting results: right, doubtful, wrong, missed and extra dice, and silent errors."""

from dataclasses import replace

import cv2
import msgspec
import numpy as np

from companion.engine import Face
from companion.intervals import wilson
from companion.vision.readings import Colour, DiceReading, DieReading, ReadingProblem
from models.dataset import EVENING, Picture
from models.measure.counting import (
    BLIND,
    ENROL,
    Results,
    Still,
    TrueDie,
    calibration_error,
    count,
    evenings_of,
    report,
    still_of,
    without_count,
)
from models.scene.render import Label


def a_die(face: Face | None, x: int, confidence: float = 0.9) -> DieReading:
    return DieReading(
        face=face, confidence=confidence, colour=Colour.BLACK, box=(x, 0, 40, 40), flat=True
    )


def a_reading(*dice: DieReading, sure: bool) -> DiceReading:
    problems = () if sure else (ReadingProblem.DOUBTFUL,)
    return DiceReading(
        game="tokyo", dice=dice, problems=problems, sure=sure, frame=0, at_s=0.0, size=(400, 100)
    )


def a_still(*faces: str, is_fit: bool = True, leaning: int | None = None) -> Still:
    dice = tuple(
        TrueDie(face, (i * 80 + 20.0, 20.0), (i * 80.0, 0.0, 40.0, 40.0), True, flat=i != leaning)
        for i, face in enumerate(faces)
    )
    return Still("a.jpg", np.zeros((100, 400, 3), np.uint8), "tokyo", ("dim",), is_fit, dice)


def a_picture(count: int, contrast: float = 255.0) -> Picture:
    """Make a picture of this number of dice, 40 px wide, all flat and whole."""
    square = np.array([[0, 0], [40, 0], [40, 40], [0, 40]], np.float32)
    labels = tuple(
        Label("heal", "black", square + 60 * n, square + 60 * n, True, 1.0, 1.0, "", contrast)
        for n in range(count)
    )
    jpeg = cv2.imencode(".jpg", np.zeros((600, 600, 3), np.uint8))[1]
    return Picture(np.asarray(jpeg, np.uint8), labels)


def test_five_dice_are_a_roll_for_who_knows_that_five_were_thrown() -> None:
    five, six = still_of(a_picture(5), "five"), still_of(a_picture(6), "six")
    assert (five.thrown, five.is_fit) == (5, True)
    assert (without_count(five).thrown, without_count(five).is_fit) == (None, False)
    assert without_count(six).is_fit


def test_a_blinded_die_is_not_counted_and_its_roll_is_not_fit() -> None:
    just, under = (still_of(a_picture(6, BLIND - less), "roll") for less in (0, 0.1))
    assert just.is_fit
    assert all(die.countable for die in just.dice)
    assert not under.is_fit
    assert not any(die.countable for die in under.dice)
    assert under.tags == ("blinded",)


def test_each_true_die_is_right_doubtful_wrong_or_missed() -> None:
    results = Results()
    reading = a_reading(
        a_die(Face.HEAL, 2), a_die(None, 81), a_die(Face.ONE, 159), a_die(Face.TWO, 350), sure=False
    )
    count(results, a_still("heal", "energy", "two", "three"), reading)
    assert results.dice == {"right": 1, "doubtful": 1, "wrong": 1, "missed": 1}
    assert results.extra == 1
    assert results.silent == []


def test_a_wrong_face_called_sure_is_a_silent_error() -> None:
    results = Results()
    count(results, a_still("heal"), a_reading(a_die(Face.ONE, 0), sure=True))
    assert results.silent == ["a.jpg dim"]


def test_a_roll_that_is_not_fit_is_no_silent_error_where_its_faces_and_number_are_right() -> None:
    results = Results()
    count(results, a_still("heal", is_fit=False), a_reading(a_die(Face.HEAL, 0), sure=True))
    assert results.silent == []
    assert (results.rolls.others, results.rolls.others_sure) == (1, 1)


def test_a_sure_roll_of_another_number_is_a_silent_error() -> None:
    results = Results()
    hidden = a_still("heal", "one", is_fit=False)
    count(results, hidden, a_reading(a_die(Face.HEAL, 0), sure=True))
    one = a_still("heal", is_fit=False)
    both = (a_die(Face.HEAL, 0), a_die(Face.ONE, 200))
    count(results, one, a_reading(*both, sure=True))
    assert len(results.silent) == 2


def test_dice_read_in_each_others_place_are_the_same_roll() -> None:
    results = Results()
    reading = a_reading(a_die(Face.ONE, 2), a_die(Face.HEAL, 81), sure=True)
    count(results, a_still("heal", "one"), reading)
    assert results.silent == []


def test_a_sure_roll_with_a_die_that_must_be_thrown_again_is_a_silent_error() -> None:
    """Whatever its faces: it leans, or is another game's."""
    results = Results()
    dice = (a_die(Face.HEAL, 2), a_die(Face.ONE, 81))
    leaning = a_still("heal", "one", is_fit=False, leaning=1)
    count(results, leaning, a_reading(*dice, sure=True))
    foreign = a_still("heal", "foreign", is_fit=False)
    count(results, foreign, a_reading(*dice, sure=True))
    assert len(results.silent) == 2
    assert (results.rolls.refuse, results.rolls.refused) == (2, 0)


def test_a_foreign_die_that_is_not_counted_spoils_no_roll() -> None:
    results = Results()
    beside = a_still("heal", "foreign", is_fit=False)
    count(results, beside, a_reading(a_die(Face.HEAL, 2), sure=True))
    assert results.silent == []


def test_a_right_roll_called_sure_is_counted_so() -> None:
    results = Results()
    count(results, a_still("heal"), a_reading(a_die(Face.HEAL, 0), sure=True))
    lines = "\n".join(report(results))
    assert "sure-able stills called sure: 1/1" in lines
    assert "silent errors: 0/1" in lines


def test_the_interval_holds_the_share_and_narrows_with_more() -> None:
    low, high = wilson(95, 100)
    assert low < 0.95 < high
    narrower = wilson(950, 1000)
    assert narrower[1] - narrower[0] < high - low
    assert wilson(0, 0) == (0.0, 1.0)


def test_a_roll_is_exact_by_its_likeliest_faces_and_nothing_else_found() -> None:
    results = Results()
    count(results, a_still("heal"), a_reading(a_die(Face.HEAL, 0), sure=False))
    extra = a_reading(a_die(Face.HEAL, 0), a_die(None, 200), sure=False)
    count(results, a_still("heal"), extra)
    assert (results.rolls.fit, results.rolls.exact, results.rolls.sure) == (2, 1, 0)
    assert (results.rolls.dice, results.rolls.top) == (2, 2)
    assert results.rolls_by_tag["dim"] == results.rolls


def test_a_roll_that_must_be_refused_counts_neither_for_nor_against_coverage() -> None:
    results = Results()
    leaning = a_still("heal", is_fit=False, leaning=0)
    count(results, leaning, a_reading(a_die(Face.HEAL, 0), sure=False))
    assert (results.rolls.fit, results.rolls.refuse, results.rolls.refused) == (0, 1, 1)
    assert results.rolls.silent == 0


def test_the_calibration_error_is_how_far_confidence_is_from_being_right() -> None:
    honest = [(0.75, place % 4 != 0) for place in range(400)]
    assert calibration_error(honest, bins=1) < 0.001
    assert abs(calibration_error([(0.9, False)] * 20) - 0.9) < 1e-9


def test_evenings_are_grouped_by_their_rolls_with_or_without_stills_to_enrol_from() -> None:
    box = [{ENROL}] * 10 + [set[str]()] * EVENING
    groups = list(evenings_of([*box, *box[10:], *box[:13]], lambda tags: tags))
    assert [len(group) for group in groups] == [EVENING + 10, EVENING, 13]
    assert sum(ENROL in tags for tags in groups[0]) == 10
    assert not any(ENROL in tags for tags in groups[1])


def test_another_games_dice_are_counted_by_what_they_are_read_as() -> None:
    still = a_still("foreign", "heal", "foreign", "foreign")
    dice = tuple(
        replace(die, countable=die.face == "heal", drawing=drawing)
        for die, drawing in zip(
            still.dice, ("icons:a:x", "own:round", "icons:b:y", "letters:tamil:k"), strict=True
        )
    )
    results = Results()
    read = a_reading(
        a_die(Face.HEAL, 0),
        a_die(Face.HEAL, 80),
        msgspec.structs.replace(a_die(Face.ATTACK, 160), problem=ReadingProblem.DOUBTFUL),
        a_die(None, 240),
        sure=False,
    )
    count(results, replace(still, dice=dice), read)
    assert results.strangers["icons"] == {"a face": 1, "a face with a problem": 1}
    assert results.strangers["letters"] == {"no face": 1}
    assert any("another game's read as a face: 1/3" in line for line in report(results))
