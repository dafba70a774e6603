"""Faces by classifier and enrolled prints together; no pictures."""

from __future__ import annotations

from dataclasses import replace

import msgspec
import numpy as np
import pytest

from companion.engine import RULESETS, Face
from companion.vision.box import MOST_PRINTS
from companion.vision.networks.contract import Enrolment
from companion.vision.pictures import Floats
from companion.vision.read.reader import FEWEST, EnrolledBox, fuse_with_prints
from companion.vision.read.seen import SeenDie
from models.terms import TERMS
from tests.vision.looks import faces, seen

CONTRACT = msgspec.structs.replace(
    TERMS,
    enrolment=Enrolment(
        prints_weight=3.0,
        without_prints=0.6,
        sure=0.95,
        face_weights=TERMS.enrolment.face_weights,
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


def test_what_the_classifier_says_of_a_known_face_counts_for_nothing() -> None:
    """Any dice may stand in: a heart that was enrolled as attack is an attack."""
    prints = {Face.ATTACK: np.array([towards(2)] * 3)}
    heart = replace(seen(), faces=faces(Face.HEAL, 0.2), embedding=towards(2))
    same = replace(heart, faces=faces(Face.HEAL, 0.2, reject=heart.reject))
    found = fuse_with_prints(heart, prints, CONTRACT)
    assert max(found.faces, key=found.faces.__getitem__) is Face.ATTACK
    assert found.faces[Face.ATTACK] == fuse_with_prints(same, prints, CONTRACT).faces[Face.ATTACK]


def test_against_prints_learned_in_play_the_classifier_may_object() -> None:
    """A table that entered hearts as claws must not make that reading sure."""
    prints = {Face.ATTACK: np.array([towards(2)] * 3)}
    heart = replace(seen(), faces=faces(Face.HEAL), embedding=towards(2))
    claw = replace(heart, faces=faces(Face.ATTACK))
    objected, agreed = (fuse_with_prints(die, prints, CONTRACT, shown=()) for die in (heart, claw))
    assert objected.faces[Face.ATTACK] < 0.5 < agreed.faces[Face.ATTACK]
    assert agreed.faces == fuse_with_prints(claw, prints, CONTRACT).faces
    shown = fuse_with_prints(heart, prints, CONTRACT, shown={Face.ATTACK})
    assert shown.faces[Face.ATTACK] > 0.8


def test_a_face_without_prints_is_as_likely_as_the_classifier_says() -> None:
    prints = without(Face.HEAL)
    die = replace(doubtful(towards(40)), faces=faces(Face.HEAL, 0.6, reject=0.35))
    found = fuse_with_prints(die, prints, CONTRACT)
    before = die.faces[Face.HEAL] / die.reject
    assert found.faces[Face.HEAL] / found.reject == pytest.approx(before, rel=1e-5)


def test_where_a_whole_game_was_shown_no_face_of_the_other_game_counts() -> None:
    """A symbol that stands in for a claw may look like a face that the box does not have."""
    rules = RULESETS["tokyo"].faces
    whole = {face: np.array([towards(place)] * 3) for place, face in enumerate(rules)}
    other = next(face for face in RULESETS["new-york"].faces if face not in rules)
    die = replace(seen(), faces=faces(other), embedding=towards(1, 0.9))
    found = fuse_with_prints(die, whole, CONTRACT)
    assert found.faces[other] == 0
    assert max(found.faces, key=found.faces.__getitem__) is rules[1]
    parted = {face: vectors for face, vectors in whole.items() if face is not rules[5]}
    for box, shown in ((parted, None), (whole, set(parted))):
        assert fuse_with_prints(die, box, CONTRACT, shown).faces[other] > 0.1


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
