"""What enrolled prints are trusted with is fitted on rolls of the same drawings; no pictures."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from companion.engine.values import Face
from companion.vision.seen import Floats, SeenDie
from models.measure.bounds import Seen
from models.measure.counting import Still
from models.measure.enrolment import SHOTS, boxes, chosen, enrolled, fitted
from models.scene.render import Label
from models.terms import TERMS
from tests.vision.cubes import SIZE, cubes
from tests.vision.looks import faces, seen

FACES = tuple(Face)[:6]
ROLLS = 8
BLANK = np.zeros((1, 1, 3), np.uint8)


def towards(*places: int) -> Floats:
    """(64,) a unit vector between the axes of these numbers."""
    vector = np.zeros(64, np.float32)
    vector[list(places)] = 1
    return np.asarray(vector / np.linalg.norm(vector), np.float32)


def row(number: int, foreign: int | None = None, doubt: float = 0.2) -> Seen:
    """A roll of six doubted dice, each with another face; its print has a little of its own roll.
    One may be another game's, which is taken for the face all the same."""
    dice: list[SeenDie] = []
    labels = []
    for place, (cube, face) in enumerate(zip(cubes(6), FACES, strict=True)):
        is_own = place != foreign
        chances = faces(face, 1 - doubt, reject=doubt)
        vector = towards(place if is_own else 30 + place) + 0.2 * towards(40 + number)
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
    still = Still(f"roll-{number}", BLANK, "new-york", (), foreign is None, (), 6)
    return Seen(still, tuple(labels), tuple(dice), tuple(dice), SIZE)


ROWS = [*(row(n) for n in range(ROLLS)), row(ROLLS, foreign=2), row(ROLLS + 1, foreign=4)]


def test_a_box_has_prints_of_its_own_drawings_from_other_rolls() -> None:
    found = boxes(ROWS)
    assert len(found) == len(ROWS)
    for number, box in enumerate(found):
        assert box.keys() == set(FACES)
        for place, face in enumerate(FACES):
            assert box[face].shape == (SHOTS, 64)
            assert (box[face] @ towards(place) > 0.9).all()
            assert not (box[face] @ towards(40 + number) > 0.1).any()  # none of the roll itself


def test_too_few_prints_are_no_box() -> None:
    assert boxes(ROWS[:SHOTS]) == [{}] * SHOTS


def test_what_prints_tell_apart_is_trusted() -> None:
    found = boxes(ROWS)
    terms = fitted(ROWS, found, TERMS)
    assert terms.enrolment.weight > 0
    own = enrolled(ROWS[0], found[0], terms).look[2]
    strange = enrolled(ROWS[ROLLS], found[ROLLS], terms).look[2]
    assert own.faces[FACES[2]] > 0.95
    assert strange.faces[FACES[2]] < 0.2


def test_prints_that_are_all_alike_tell_a_strange_sign_from_nothing() -> None:
    blind = [
        replace(one, look=tuple(replace(die, embedding=towards(7)) for die in one.look))
        for one in ROWS
    ]
    found = boxes(blind)
    terms = fitted(blind, found, TERMS)
    own = enrolled(blind[0], found[0], terms).look[2]
    strange = enrolled(blind[ROLLS], found[ROLLS], terms).look[2]
    assert strange.faces[FACES[2]] == pytest.approx(own.faces[FACES[2]], abs=1e-3)


def test_enrolled_boxes_have_bounds_of_their_own() -> None:
    terms = chosen(ROWS, TERMS)
    assert terms.enrolment.sure >= 0.9
    assert terms.classifier == TERMS.classifier
    assert terms.judgement == TERMS.judgement
