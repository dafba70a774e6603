"""Faces by classifier and enrolled prints together; no pictures."""

from __future__ import annotations

from dataclasses import replace

import msgspec
import numpy as np
import pytest

from companion.engine import Face
from companion.vision.box.profile import MOST_PRINTS
from companion.vision.networks.contract import Enrolment
from companion.vision.read.enrolled import FEWEST, EnrolledBox, fuse_with_prints
from companion.vision.read.seen import Floats, SeenDie
from models.terms import TERMS
from tests.vision.looks import faces, seen

CONTRACT = msgspec.structs.replace(
    TERMS,
    enrolment=Enrolment(
        classifier_weight=0.5, prints_weight=3.0, without_prints=0.6, sure=0.95, alike=0.8, flat=0.0
    ),
)


def towards(place: int, cosine: float = 1.0) -> Floats:
    """Make a (64,) unit vector near the axis of that number."""
    vector = np.zeros(64, np.float32)
    vector[place], vector[63] = cosine, np.sqrt(1 - cosine**2)
    return vector


PRINTS: dict[Face, Floats] = {
    face: np.array([towards(n), towards(n, 0.95)]) for n, face in enumerate(tuple(Face)[:6])
}
ATTACK = tuple(PRINTS).index(Face.ATTACK)


def doubtful(embedding: Floats) -> SeenDie:
    """Make a die that may be an attack, or no face at all."""
    return replace(
        seen(), faces=faces(Face.ATTACK, 0.6, reject=0.35), reject=0.35, embedding=embedding
    )


def without(face: Face) -> dict[Face, Floats]:
    return {other: vectors for other, vectors in PRINTS.items() if other != face}


def total(die: SeenDie) -> float:
    return sum(die.faces.values()) + die.reject


def test_a_doubted_face_that_is_like_its_prints_is_surer() -> None:
    die = fuse_with_prints(doubtful(towards(ATTACK, 0.97)), PRINTS, CONTRACT)
    assert die.faces[Face.ATTACK] > 0.9
    assert die.reject < 0.1
    assert total(die) == pytest.approx(1)


def test_a_sign_that_is_like_no_print_is_rather_none() -> None:
    before = doubtful(towards(40))
    die = fuse_with_prints(before, PRINTS, CONTRACT)
    assert die.faces[Face.ATTACK] < before.faces[Face.ATTACK]
    assert die.reject > 0.5
    assert total(die) == pytest.approx(1)


def test_what_a_die_is_like_outweighs_a_face_that_the_classifier_leans_to() -> None:
    die = fuse_with_prints(doubtful(towards(tuple(PRINTS).index(Face.HEAL))), PRINTS, CONTRACT)
    assert max(die.faces, key=lambda face: die.faces[face]) is Face.HEAL


def test_a_die_whose_likeliest_face_has_no_prints_stays_as_it_is() -> None:
    prints = without(Face.ATTACK)
    die = doubtful(towards(40))
    assert fuse_with_prints(die, prints, CONTRACT) is die


def test_a_face_without_prints_is_as_like_as_is_expected_of_a_stranger() -> None:
    prints = without(Face.HEAL)
    die = doubtful(towards(40))
    found = fuse_with_prints(die, prints, CONTRACT)
    before = die.faces[Face.HEAL] / die.reject
    assert found.faces[Face.HEAL] / found.reject == pytest.approx(before**0.5, rel=1e-5)


def test_prints_of_no_weight_change_nothing_and_faces_of_the_other_game_stay() -> None:
    terms = msgspec.structs.replace(CONTRACT.enrolment, classifier_weight=1.0, prints_weight=0.0)
    die = doubtful(towards(ATTACK))
    same = fuse_with_prints(die, PRINTS, msgspec.structs.replace(CONTRACT, enrolment=terms))
    assert same.faces.keys() == die.faces.keys()
    likely = {face: chance for face, chance in die.faces.items() if chance > 0}
    for face, chance in likely.items():
        assert same.faces[face] == pytest.approx(chance, abs=1e-5)
    assert same.reject == pytest.approx(die.reject, abs=1e-5)


def test_what_a_box_learns_is_known_beside_what_was_enrolled_and_the_newest_stays() -> None:
    fixed = {
        face: np.array([towards(n)] * FEWEST) for n, face in ((1, Face.HEAL), (0, Face.ATTACK))
    }
    box = EnrolledBox.of(CONTRACT, fixed, {})
    first, later = np.array([towards(2)] * FEWEST), np.repeat(towards(3)[None], MOST_PRINTS, axis=0)
    assert len(box.with_learned({Face.ATTACK: first}).decider.prints[Face.ATTACK]) == 2 * FEWEST
    taught = box.with_learned({Face.ATTACK: first}).with_learned(
        {Face.ATTACK: later, Face.OUCH: first}
    )
    known = taught.decider.prints
    assert known[Face.HEAL].tolist() == fixed[Face.HEAL].tolist()
    assert known[Face.OUCH].tolist() == first.tolist()
    assert known[Face.ATTACK].tolist() == [*fixed[Face.ATTACK].tolist(), *later.tolist()]
    assert box.decider.prints.keys() == fixed.keys()


def test_a_face_is_known_from_the_third_print_on() -> None:
    """Fewer prints do not show how they vary; enrolled and learned ones count together."""
    box = EnrolledBox.of(CONTRACT, {Face.HEAL: np.array([towards(1)])}, {})
    one = {face: np.array([towards(n)]) for n, face in ((1, Face.HEAL), (0, Face.ATTACK))}
    assert not box.decider.prints
    box = box.with_learned(one).with_learned(one)
    assert box.decider.prints.keys() == {Face.HEAL}
    assert box.with_learned(one).decider.prints.keys() == {Face.HEAL, Face.ATTACK}
