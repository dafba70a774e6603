"""What the faces that a table says, in no order, teach about its dice."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from companion.engine import RULESETS, Face
from companion.vision.box import MOST_ROLLS
from companion.vision.pictures import Floats
from companion.vision.read.playing import PlayedRoll, Playing
from companion.vision.read.seen import Views

FACES = RULESETS["tokyo"].faces
CLASSES = tuple(Face)


def views_of(faces: Sequence[Face], rng: np.random.Generator) -> Floats:
    """Look at dice with these faces: every face has its own direction, every look some noise."""
    found = np.eye(64)[[FACES.index(face) for face in faces]]
    found = found + rng.normal(0, 0.08, found.shape)
    return np.asarray(found / np.linalg.norm(found, axis=1, keepdims=True), np.float32)


def a_roll(rng: np.random.Generator, named: float = 0.0) -> tuple[PlayedRoll, list[Face]]:
    """Throw six dice, which the classifier names with this probability; and what each shows."""
    shown = [FACES[int(place)] for place in rng.integers(6, size=6)]
    chances = np.zeros((6, len(CLASSES)), np.float32)
    chances[np.arange(6), [CLASSES.index(face) for face in shown]] = named
    clear = np.ones(6, np.bool_)
    return PlayedRoll(views_of(shown, rng), chances, clear, tuple(sorted(shown))), shown


def wrong_prints(playing: Playing) -> int:
    """How many views are of another face than they stand for."""
    return sum(
        int((np.argmax(one.vectors[:, :6], axis=1) != FACES.index(face)).sum())
        for face, one in playing.views.items()
    )


def swapped(roll: PlayedRoll) -> PlayedRoll:
    """The roll, entered with ones for twos and the other way round."""
    other = {Face.ONE: Face.TWO, Face.TWO: Face.ONE}
    return replace(roll, faces=tuple(other.get(face, face) for face in roll.faces))


@pytest.mark.parametrize("seed", range(5))
def test_a_dozen_rolls_of_strange_symbols_teach_every_face(seed: int) -> None:
    rng = np.random.default_rng(seed)
    playing = Playing(CLASSES)
    known, confirmed = [], []
    for _ in range(12):
        playing.learn(a_roll(rng)[0])
        known.append(len(playing.known))
        confirmed.append(playing.is_confirmed)
    assert playing.known == set(FACES)
    assert (confirmed[0], confirmed[-1]) == (False, True)
    assert wrong_prints(playing) == 0
    assert known[0] == 0


def test_a_roll_entered_wrongly_spoils_no_print() -> None:
    rng = np.random.default_rng(2)
    playing = Playing(CLASSES)
    for number in range(14):
        roll, _ = a_roll(rng)
        if number in (3, 9):
            first, *others = roll.faces
            roll = replace(roll, faces=(FACES[FACES.index(first) - 1], *others))
        playing.learn(roll)
    assert playing.known == set(FACES)
    assert wrong_prints(playing) == 0


def test_later_rolls_contradict_and_a_withdrawn_roll_is_forgotten() -> None:
    rng = np.random.default_rng(3)
    playing = Playing(CLASSES)
    for number in range(4):
        playing.learn(replace(swapped(a_roll(rng)[0]), roll=f"{number}"))
    for _ in range(10):
        playing.learn(a_roll(rng)[0])
    assert wrong_prints(playing) == 0
    alone = Playing(CLASSES)
    roll = replace(a_roll(rng, named=1.0)[0], roll="one")
    alone.learn(roll)
    assert alone.views
    alone.learn(replace(roll, faces=()))
    assert not alone.views


def test_what_the_classifier_names_teaches_from_the_first_roll_on_but_only_the_newest_count() -> (
    None
):
    rng = np.random.default_rng(4)
    playing = Playing(CLASSES)
    roll, shown = a_roll(rng, named=1.0)
    playing.learn(roll)
    assert playing.taught == [tuple(shown)]
    playing.learn(replace(roll, faces=roll.faces[1:]))
    assert len(playing.taught) == 1
    for _ in range(MOST_ROLLS + 1):
        playing.learn(a_roll(rng, named=1.0)[0])
    assert len(playing.taught) == MOST_ROLLS


def test_a_die_that_can_hardly_be_seen_is_no_print() -> None:
    rng = np.random.default_rng(8)
    playing = Playing(CLASSES)
    roll, shown = a_roll(rng, named=1.0)
    playing.learn(replace(roll, clear=np.arange(6) > 0))
    assert playing.taught == [(None, *shown[1:])]


def test_the_table_teaches_a_face_that_the_classifier_takes_for_another() -> None:
    rng = np.random.default_rng(6)
    playing = Playing(CLASSES)
    for _ in range(12):
        roll, shown = a_roll(rng, named=0.97)
        vectors, chances = roll.vectors.copy(), roll.chances.copy()
        for n in np.flatnonzero([face is Face.THREE for face in shown]):
            vectors[n] = 0.6 * vectors[n] + 0.8 * views_of([Face.TWO], rng)[0]
            chances[n] = np.roll(chances[n], CLASSES.index(Face.TWO) - CLASSES.index(Face.THREE))
        playing.learn(replace(roll, vectors=vectors, chances=chances))
    assert playing.known == set(FACES)
    assert (playing.views[Face.THREE].vectors[:, FACES.index(Face.THREE)] > 0.4).all()


def test_a_face_that_no_other_die_shows_is_not_learned_against_the_classifier() -> None:
    rng = np.random.default_rng(7)
    playing = Playing(CLASSES)
    rolls = [a_roll(rng, named=0.97) for _ in range(20)]
    *before, (last, shown) = [one for one in rolls if Face.THREE not in one[1]][:5]
    playing.learn(*(roll for roll, _ in before))
    vectors = last.vectors.copy()
    vectors[0] = 0.25 * vectors[0] + 0.97 * np.eye(64)[40]
    entered = tuple(sorted((Face.THREE, *shown[1:])))
    playing.learn(replace(last, vectors=vectors, faces=entered))
    assert Face.THREE not in playing.views


def test_enrolled_views_tell_what_the_dice_show() -> None:
    rng = np.random.default_rng(5)
    playing = Playing(CLASSES)
    enrolled = {face: Views(views_of([face] * 3, rng), np.zeros(3, np.float32)) for face in FACES}
    roll, shown = a_roll(rng)
    playing.learn(roll, fixed=enrolled)
    assert playing.taught == [tuple(shown)]
