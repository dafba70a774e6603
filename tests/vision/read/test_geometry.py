"""The misfit of dice to their common plane, seen by an uncalibrated camera."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt
import pytest

from companion.vision.read.geometry import covered, is_far, misfits, overlap
from tests.vision.cubes import corners, cubes

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
