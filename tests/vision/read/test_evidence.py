"""Evidence that a find is a die, and the geometry of dice on one plane."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt
import pytest

from companion.resources import resource_dir
from companion.vision.networks.contract import Evidence, load_contract
from companion.vision.read.decision import (
    CUT_SIGNS,
    FACE_SIGNS,
    FLAT_SIGNS,
    SIGNS,
    choose_dice,
    cut_signs,
    face_signs,
    flat_signs,
    log_odds,
    signs,
)
from companion.vision.read.geometry import covered, is_far, misfits, overlap
from tests.vision.cubes import corners, cubes


@pytest.fixture(scope="module")
def evidence() -> Evidence:
    return load_contract(resource_dir("models")).evidence


def test_the_contract_weighs_every_sign(evidence: Evidence) -> None:
    assert len(evidence.weights) == len(SIGNS)
    assert len(evidence.flat_weights) == len(FLAT_SIGNS)
    assert evidence.possible <= evidence.accept


def test_what_is_liked_and_fits_is_a_die_and_what_is_neither_is_none(evidence: Evidence) -> None:
    good, bad = (0.7, 0.99, 0.01, 0.98), (0.13, 0.4, 0.6, 0.3)
    odds = log_odds(evidence.weights, signs([good, bad], [2.0, 40.0], [0.03, 0.9], [120.0, 30.0]))
    assert odds[0] > evidence.accept
    assert odds[1] < evidence.possible


def test_the_more_a_die_leans_the_less_it_lies_flat(evidence: Evidence) -> None:
    angles = np.array([1.0, 8.0, 16.0, 30.0])
    odds = log_odds(evidence.flat_weights, flat_signs([(0.8, 3.0)] * 4, angles, np.full(4, 0.05)))
    assert (np.diff(odds) < 0).all()
    assert odds[0] > 0 > odds[-1]


GOOD = (0.999, 0.0005, 0.0004)


def odds_of_faces(
    evidence: Evidence, *dice: tuple[tuple[float, float, float], float]
) -> list[float]:
    """The log-odds of the faces of dice, each by its probabilities and what it is like."""
    seen = face_signs([chances for chances, _ in dice], [alike for _, alike in dice])
    return [float(value) for value in log_odds(evidence.face_weights, seen)]


def test_a_face_that_leads_and_is_like_another_die_is_right(evidence: Evidence) -> None:
    assert len(evidence.face_weights) == len(FACE_SIGNS)
    like, unlike, close, foreign, alone = odds_of_faces(
        evidence,
        (GOOD, 0.99),
        (GOOD, 0.3),
        ((0.5, 0.45, 0.04), 0.99),
        ((0.3, 0.01, 0.68), 0.99),
        (GOOD, float("nan")),
    )
    assert like > 5 > max(unlike, close, foreign)
    assert like > alone > unlike


def test_a_die_that_is_no_face_of_the_game_is_company_for_all_others() -> None:
    strange = (0.002, 0.001, 0.996)
    company = FACE_SIGNS.index("company")

    def companies(*chances: tuple[float, float, float]) -> list[float]:
        return [float(v) for v in face_signs(chances, [0.9] * len(chances))[:, company]]

    assert companies(GOOD, GOOD) == [0, 0]
    assert companies(GOOD, strange, GOOD) == pytest.approx([5.5, 0, 5.5], abs=0.1)
    assert companies(strange, strange) == pytest.approx([5.5, 5.5], abs=0.1)
    assert companies(strange) == [0]
    assert companies(GOOD, (0.6, 0.01, 0.39))[0] == 0


def test_a_die_at_the_edge_is_judged_by_its_visible_part(evidence: Evidence) -> None:
    assert len(evidence.cut_weights) == len(CUT_SIGNS)
    chances = [(0.5, 0.95, 0.1, 0.8), (0.06, 0.26, 0.9, 0.2)]
    seen = cut_signs(chances, [110.0, 12.0], [60.0, 60.0], [0.5, 0.5])
    odds = log_odds(evidence.cut_weights, seen)
    assert odds[0] > odds[1]
    assert odds[0] > evidence.cut


def test_the_likeliest_of_the_doubtful_fill_up_what_is_expected(evidence: Evidence) -> None:
    between = (evidence.accept + evidence.possible) / 2
    odds = [evidence.accept + 1, between, between + 0.01, evidence.possible - 1]
    assert choose_dice(evidence, odds, 2) == [0, 2]
    assert choose_dice(evidence, odds, None) == [0, 2, 1]
    assert choose_dice(evidence, odds, 1) == [0]


def test_an_uncertain_die_is_reported_only_where_the_count_shows_one_missing(
    evidence: Evidence,
) -> None:
    assert evidence.possible_if_counted < evidence.possible < evidence.accept
    between = (evidence.possible_if_counted + evidence.possible) / 2
    odds = [
        evidence.accept,
        between,
        evidence.possible_if_counted - 0.1,
        evidence.possible,
        evidence.possible_if_counted,
    ]
    assert choose_dice(evidence, odds, None) == [0, 3]
    assert choose_dice(evidence, odds, 1) == [0]
    assert choose_dice(evidence, odds, 3) == [0, 3, 1]
    assert choose_dice(evidence, odds, 5) == [0, 3, 1, 4]


def test_at_the_edge_what_is_of_another_size_than_the_dice_is_less_likely_one(
    evidence: Evidence,
) -> None:
    lengths = [60.0, 62.0, 58.0, 61.0, 60.0, 180.0, 25.0]
    chances = [(0.9, 0.95, 0.1, 0.8)] * 5 + [(0.3, 0.6, 0.4, 0.5)] * 2
    seen = cut_signs(chances, [80.0] * 7, lengths, [0.6] * 7)
    size = seen[:, CUT_SIGNS.index("size")]
    assert size[:5].max() < 0.05
    assert size[5] == pytest.approx(np.log(3.0))
    assert size[6] == pytest.approx(np.log(60 / 25))
    same = seen[5].copy()
    same[CUT_SIGNS.index("size")] = 0.0
    odds = log_odds(evidence.cut_weights, np.stack([same, seen[5]]))
    assert odds[1] < odds[0]


Floats = npt.NDArray[np.float64]


def tops(count: int, tilt: float, lean: float = 0.0, size: float = 1.0) -> Floats:
    """(count, 4, 2) px: the top faces of dice; the first leans or has another size."""
    first, *others = cubes(count)
    dice = [replace(first, lean=lean, size=size), *others]
    return np.array([corners(die, tilt)[0] for die in dice])


@pytest.mark.parametrize("count", [4, 5, 6, 8])
@pytest.mark.parametrize("tilt", [0, 20, 45])
def test_dice_that_lie_flat_fit_from_wherever_they_are_seen(count: int, tilt: float) -> None:
    misfit = misfits(tops(count, tilt))
    assert misfit is not None
    assert misfit.max() < 0.06


@pytest.mark.parametrize("count", [4, 6, 8])
def test_a_die_that_leans_does_not_fit_and_the_others_do(count: int) -> None:
    misfit = misfits(tops(count, tilt=45, lean=30))
    assert misfit is not None
    assert misfit[0] > 0.2
    assert misfit[1:].max() < 0.1


@pytest.mark.parametrize("size", [0.7, 1.4])
def test_a_die_of_another_size_does_not_fit(size: float) -> None:
    misfit = misfits(tops(6, tilt=20, size=size))
    assert misfit is not None
    assert misfit[0] > 0.2
    assert misfit[1:].max() < 0.1


def test_three_dice_say_nothing_of_a_plane() -> None:
    assert misfits(tops(3, tilt=20)) is None


def test_faces_on_one_spot_do_not_fit_and_do_not_fail() -> None:
    misfit = misfits(np.zeros((5, 4, 2)))
    assert misfit is not None
    assert len(misfit) == 5


def test_overlap_is_the_shared_part_of_both() -> None:
    square = np.array([[0, 0], [10, 0], [10, 10], [0, 10]], float)
    assert overlap(square, square) == pytest.approx(1)
    assert overlap(square, square + np.array([5.0, 0.0])) == pytest.approx(1 / 3)
    assert overlap(square, square + np.array([20.0, 0.0])) == 0


def moved(right: float = 0, down: float = 0) -> npt.NDArray[np.float64]:
    """Make a square of 10 px, this far from the corner of the picture."""
    square = np.array([[0, 0], [10, 0], [10, 10], [0, 10]], float)
    return np.asarray(square + np.array([right, down]), float)


def test_only_outlines_whose_boxes_do_not_meet_are_far() -> None:
    square = moved()
    assert is_far(square, moved(11, 0))
    assert is_far(moved(0, 11), square)
    assert not is_far(square, moved(10, 0))
    assert not is_far(square, square * 3 - 10)


def test_what_is_covered_is_the_share_of_the_first() -> None:
    square = moved()
    assert covered(square, moved(5, 0)) == pytest.approx(0.5)
    assert covered(square, square * 3 - 10) == pytest.approx(1)
    assert covered(square * 3 - 10, square) == pytest.approx(1 / 9)
    assert covered(square, moved(40, 0)) == 0
