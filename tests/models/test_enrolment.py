"""Fitting the weights of known prints on evenings of one box; no pictures."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from companion.engine import Face
from companion.vision.pictures import Floats
from companion.vision.read.decision import FACE_SIGNS
from companion.vision.read.reader import FEWEST
from companion.vision.read.seen import SeenDie
from models.dataset import EVENING
from models.measure.counting import Still
from models.measure.enrolment import (
    choose_known,
    enrolled_prints,
    fit_weights,
    known_prints,
    with_prints,
)
from models.measure.sure import StillLooks
from models.scene.render import Label
from models.terms import TERMS
from tests.vision.looks import SIZE, cubes, faces, seen

FACES = tuple(Face)[:6]
BLANK = np.zeros((1, 1, 3), np.uint8)
STRANGE = (12, 30)
"""The rolls in which a die is another game's."""


def towards(*places: int) -> Floats:
    """Make a (64,) unit vector between the axes of these numbers."""
    vector = np.zeros(64, np.float32)
    vector[list(places)] = 1
    return np.asarray(vector / np.linalg.norm(vector), np.float32)


def row(number: int, foreign: int | None = None, doubt: float = 0.2) -> StillLooks:
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
    still = Still(f"roll-{number}", BLANK, "new-york", (), foreign is None, (), 6)
    return StillLooks(still, tuple(labels), tuple(dice), tuple(dice), SIZE)


ROWS = [row(n, foreign=n % 6 if n in STRANGE else None) for n in range(EVENING)]


def known(rows: list[StillLooks], face: Face) -> list[int]:
    """The number of known prints of the face when each roll is read."""
    return [len(box.get(face, ())) for box in known_prints(rows, TERMS)]


def test_a_roll_counts_when_the_second_after_it_is_read() -> None:
    """A face is known from FEWEST prints on."""
    assert known(ROWS[:6], Face.ATTACK) == [0, 0, 0, 0, FEWEST, FEWEST + 1]
    place = FACES.index(Face.ATTACK)
    first = known_prints(ROWS[:5], TERMS)[4][Face.ATTACK][0]
    assert first.tolist() == ROWS[0].look[place].embedding.tolist()


def test_a_roll_that_must_be_refused_teaches_nothing() -> None:
    before, after = STRANGE[0], STRANGE[0] + 2
    counts = known(ROWS, Face.ATTACK)[before : after + 1]
    assert counts == [before - 1, before - 1, before]


def test_every_evening_begins_with_nothing_known() -> None:
    found = known_prints([*ROWS, *ROWS[:5]], TERMS)
    assert found[EVENING - 1].keys() == set(FACES)
    assert not any(found[EVENING : EVENING + 4])
    assert found[EVENING + 4].keys() == set(FACES)


def test_a_die_that_cannot_be_seen_well_is_not_learnt() -> None:
    faint = replace(ROWS[0].look[0], contrast=5.0)
    dim = replace(ROWS[0], look=(faint, *ROWS[0].look[1:]))
    found = known_prints([dim, *ROWS[1:5]], TERMS)
    assert found[4].keys() == set(FACES[1:])


def test_what_prints_tell_apart_is_trusted() -> None:
    found = known_prints(ROWS, TERMS)
    terms = fit_weights(ROWS, found, TERMS)
    assert terms.enrolment.prints_weight > 0
    number = STRANGE[1]
    place = number % 6
    own = with_prints(ROWS[number - 1], found[number - 1], terms).look[place]
    strange = with_prints(ROWS[number], found[number], terms).look[place]
    assert own.faces[FACES[place]] > 0.95
    assert strange.faces[FACES[place]] < 0.2


def test_prints_that_are_all_alike_tell_a_strange_sign_from_nothing() -> None:
    blind = [
        replace(one, look=tuple(replace(die, embedding=towards(7)) for die in one.look))
        for one in ROWS
    ]
    found = known_prints(blind, TERMS)
    terms = fit_weights(blind, found, TERMS)
    number = STRANGE[1]
    place = number % 6
    own = with_prints(blind[number - 1], found[number - 1], terms).look[place]
    strange = with_prints(blind[number], found[number], terms).look[place]
    assert strange.faces[FACES[place]] == pytest.approx(own.faces[FACES[place]], abs=1e-3)


def test_an_enrolled_box_has_the_first_views_of_each_face_and_does_not_read_those_again() -> None:
    found = enrolled_prints(ROWS, TERMS, views=5)
    assert found[:5] == [None] * 5
    assert None not in found[5:]
    box = found[5]
    assert box is not None
    assert {len(prints) for prints in box.values()} == {5}
    assert box[FACES[0]][4].tolist() == ROWS[4].look[0].embedding.tolist()


def test_some_boxes_were_enrolled_in_part() -> None:
    boxes = [box for box in enrolled_prints(ROWS * 20, TERMS) if box is not None]
    sizes = {len(box) for box in boxes}
    assert sizes == {3, 4, 5, 6}


def test_known_boxes_have_a_bound_and_weights_of_their_own() -> None:
    terms = choose_known(ROWS, TERMS)
    assert terms.enrolment.sure >= 0.9
    assert len(terms.enrolment.face_weights) == len(FACE_SIGNS)
    assert terms.enrolment.face_weights != TERMS.enrolment.face_weights
    assert terms.evidence == TERMS.evidence
    assert terms.classifier == TERMS.classifier
