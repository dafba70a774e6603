"""How readings are counted, and what the measured bounds let pass."""

from __future__ import annotations

from dataclasses import replace

import cv2
import msgspec
import numpy as np
import pytest

from companion.engine import Face
from companion.resources import resource_dir
from companion.vision.networks.contract import load_contract
from companion.vision.pictures import Floats
from companion.vision.read.decision import Decider
from companion.vision.read.seen import FEWEST, SeenDie
from companion.vision.readings import Colour, DiceReading, DieReading, ReadingProblem
from models.dataset import EVENING, Picture
from models.evaluate import LESSONS, read_all, read_enrolled, read_played
from models.measure.boxes import enrolled, evenings_of, mistaken_roll, played, taught_by
from models.measure.counting import (
    BLIND,
    ENROL,
    Results,
    Still,
    TrueDie,
    calibration_error,
    count,
    is_silent,
    lines_of,
    still_of,
    without_count,
)
from models.measure.fit import LEAST_SURE, Curve, outcomes, sure_from
from models.measure.looks import Looked
from models.scene.render import Label
from tests.vision.looks import SIZE, cubes, faces, roll, seen


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
        TrueDie(face, (i * 80.0, 0.0, 40.0, 40.0), True, flat=i != leaning)
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
    return Picture(jpeg.tobytes(), labels)


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


def test_a_sure_roll_of_another_number_is_a_silent_error() -> None:
    results = Results()
    hidden = a_still("heal", "one", is_fit=False)
    count(results, hidden, a_reading(a_die(Face.HEAL, 0), sure=True))
    one = a_still("heal", is_fit=False)
    both = (a_die(Face.HEAL, 0), a_die(Face.ONE, 200))
    count(results, one, a_reading(*both, sure=True))
    assert len(results.silent) == 2


def test_a_lean_alone_is_no_silent_error_but_counted_if_it_was_not_noticed() -> None:
    results = Results()
    dice = (a_die(Face.HEAL, 2), a_die(Face.ONE, 81))
    leaning = a_still("heal", "one", is_fit=False, leaning=1)
    count(results, leaning, a_reading(*dice, sure=True))
    seen = (dice[0], msgspec.structs.replace(dice[1], flat=False))
    count(results, leaning, a_reading(*seen, sure=True))
    assert (results.silent, results.rolls.leaning, results.rolls.others_sure) == ([], 1, 2)


def test_another_games_die_read_as_a_face_is_a_silent_error_of_a_sure_roll() -> None:
    foreign = a_still("heal", "foreign", is_fit=False)
    dice = (a_die(Face.HEAL, 2), a_die(Face.ONE, 81))
    assert is_silent(foreign, a_reading(*dice, sure=True))
    assert not is_silent(foreign, a_reading(*dice, sure=False))


def test_the_calibration_error_is_how_far_confidence_is_from_being_right() -> None:
    honest = [(0.75, place % 4 != 0) for place in range(400)]
    assert calibration_error(honest, bins=1) < 0.001
    assert abs(calibration_error([(0.9, False)] * 20) - 0.9) < 1e-9


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
    assert results.strangers == {"a face": 1, "with a problem": 1, "no face": 1}
    assert any("surely read as a face 1/3" in line for line in lines_of(results))


FACES = tuple(Face)[:6]
BLANK = np.zeros((1, 1, 3), np.uint8)
STRANGE = (12, 30)
"""The rolls in which a die is another game's."""


def towards(*places: int) -> Floats:
    """Make a (64,) unit vector between the axes of these numbers."""
    vector = np.zeros(64, np.float32)
    vector[list(places)] = 1
    return np.asarray(vector / np.linalg.norm(vector), np.float32)


def row(number: int, foreign: int | None = None, doubt: float = 0.2) -> Looked:
    """Make a roll of six doubtful dice, each with another face; its prints vary a little with the
    roll. One may be a foreign die that is taken for the face.
    """
    dice: list[SeenDie] = []
    labels = []
    for place, (cube, face) in enumerate(zip(cubes(6), FACES, strict=True)):
        is_own = place != foreign
        chances = faces(face, 1 - doubt, reject=doubt)
        vector = towards(place if is_own else 30 + place) + 0.2 * towards(40 + number % 20)
        die = replace(
            seen(cube),
            faces=chances,
            reject=doubt,
            embedding=np.asarray(vector / np.linalg.norm(vector), np.float32),
        )
        dice.append(die)
        labels.append(
            Label(face if is_own else "foreign", "black", die.quad, die.base, True, 1.0, 1.0,
                  f"{face}-a", 90.0)
        )  # fmt: skip
    true = tuple(
        TrueDie(label.face, label.box(), place != foreign) for place, label in enumerate(labels)
    )
    still = Still(f"roll-{number}", BLANK, "new-york", (), foreign is None, true, 6)
    return Looked(still, tuple(labels), tuple(dice), tuple(dice), SIZE)


ROWS = [row(n, foreign=n % 6 if n in STRANGE else None) for n in range(EVENING)]


def test_evenings_are_grouped_by_their_rolls_with_or_without_stills_to_enrol_from() -> None:
    shown = [replace(one, still=replace(one.still, tags=(ENROL,))) for one in ROWS[:10]]
    groups = list(evenings_of([*shown, *ROWS, *ROWS, *ROWS[:3]]))
    assert [(len(some), len(rolls)) for some, rolls in groups] == [
        (10, EVENING), (0, EVENING), (0, 3),
    ]  # fmt: skip


def test_a_roll_counts_when_the_second_after_it_is_read() -> None:
    """A face is known from FEWEST prints on."""
    known = [len(prints) for _, prints, _ in played(ROWS[:7])]
    assert known == [0] * (FEWEST + 1) + [6] * 3


def test_a_roll_with_a_strange_die_teaches_nothing_and_a_mistaken_one_has_one_wrong_face() -> None:
    assert taught_by(ROWS[STRANGE[0]]) is None
    roll = taught_by(ROWS[0])
    assert roll is not None
    assert sorted(roll.faces) == sorted(FACES)
    wrong = mistaken_roll(roll, FACES, np.random.default_rng(1))
    assert len(set(FACES) - set(wrong.faces)) == 1


def test_an_enrolled_box_has_the_first_views_of_each_face_and_does_not_read_those_again() -> None:
    prints, rest = enrolled([], ROWS, 5)
    assert rest == ROWS[5:]
    assert {len(one.vectors) for one in prints.values()} == {5}
    assert prints[FACES[0]].vectors[4].tolist() == ROWS[4].look[0].embedding.tolist()
    assert enrolled(ROWS[:5], ROWS[5:], 5)[1] == ROWS[5:]


def test_what_is_known_of_a_box_makes_doubtful_dice_sure() -> None:
    terms = load_contract(resource_dir("models"))
    nothing = read_all(ROWS, terms)
    shown = read_enrolled(ROWS, terms, 5)
    lessons = LESSONS["played"]
    every, later = read_played(ROWS, terms, lessons)
    assert nothing.rolls.sure == 0
    assert shown.rolls.sure == shown.rolls.fit == EVENING - 10 - len(STRANGE)
    assert 0 < later.rolls.total < every.rolls.total == EVENING
    assert later.rolls.sure == later.rolls.fit == EVENING - lessons - 1 - len(STRANGE)
    assert shown.silent == every.silent == []
    assert set(later.labelled) == {True}


CHANCES = [(0.9, False), (0.999, False), (0.95, True), (0.97, False), (0.8, True), (0.85, False)]


def test_without_errors_everything_surer_than_the_first_of_them_is_covered() -> None:
    sure, covered = Curve.of(CHANCES).best(0)
    assert covered == 2
    assert 0.95 < sure <= 0.97


def test_an_error_that_is_allowed_brings_what_lies_between_it_and_the_next() -> None:
    sure, covered = Curve.of(CHANCES).best(1)
    assert covered == 4
    assert 0.8 < sure <= 0.85


def test_from_a_chance_on_only_what_is_right_is_covered() -> None:
    curve = Curve.of(CHANCES)
    assert [curve.covered(sure) for sure in (0.98, 0.95, 0.9, 0.0)] == [1, 2, 3, 4]


SPOILED: dict[str, SeenDie] = {
    "clean": seen(),
    "likely": replace(seen(), faces=faces(chance=0.97)),
    "doubtful": replace(seen(), faces=faces(chance=0.5)),
    "another": replace(seen(), faces=faces(Face.HEAL, 0.6)),
    "leaning": replace(seen(), flat=0.02),
    "perhaps leaning": replace(seen(), flat=0.6),
    "blurred": replace(seen(), sharpness=0.0),
    "leaning and blurred": replace(seen(), flat=0.02, sharpness=0.0),
    "hardly a die": replace(seen(), score=0.05, top=0.5),
}


def a_row(look: str, again: str, finer: str = "", first: str = "attack") -> Looked:
    """Make a roll of six claws, the first of them spoiled in a look, in the closer one and in the
    finer one, if any; its labels say that die shows the face `first`."""
    looks = [(SPOILED[name], *roll()[1:]) for name in (look, again)]
    found = (SPOILED[finer], *roll()[1:]) if finer else ()
    names = (first, *["attack"] * 5)
    dice = tuple(
        TrueDie(name, die.box(), countable=True) for name, die in zip(names, looks[0], strict=True)
    )
    still = Still("roll", np.zeros((1, 1, 3), np.uint8), "new-york", (), True, dice, 6)
    return Looked(still, (), looks[0], looks[1], SIZE, found)


def test_a_finer_look_counts_if_too_few_finds_are_dice() -> None:
    terms = load_contract(resource_dir("models"))
    missed = a_row("hardly a die", "hardly a die")
    assert not missed.read(Decider(terms)).sure
    found = a_row("hardly a die", "hardly a die", "clean")
    assert found.read(Decider(terms)).sure
    assert not found.read(Decider(terms), counted=False).sure
    wrong = a_row("hardly a die", "hardly a die", "clean", first="heal")
    assert outcomes([found, wrong], terms).silent.tolist() == [False, True]


def test_a_sure_roll_with_another_face_is_a_silent_error_by_either_look() -> None:
    terms = load_contract(resource_dir("models"))
    rows = [a_row("clean", "clean"), a_row("clean", "clean", first="heal")]
    assert sorted(outcomes(rows, terms).silent.tolist()) == [False, True]
    doubted = a_row("doubtful", "clean").read(Decider(terms))
    assert doubted.sure
    assert not a_row("doubtful", "clean").read(Decider(terms), counted=False).sure


@pytest.mark.parametrize(("allowed", "covered"), [(0.0, 1), (0.34, 2), (0.67, 3)])
def test_the_bound_lets_no_more_errors_pass_than_allowed(allowed: float, covered: int) -> None:
    curve = Curve.of([(0.999, False), (0.99, True), (0.98, False), (0.97, True), (0.95, False)])
    bound = sure_from(curve, 3, allowed)
    assert curve.covered(bound) == covered
    assert bound > LEAST_SURE
