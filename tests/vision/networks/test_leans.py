"""The lean of each of several dice, from their upward axes as one camera sees them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from companion.vision.networks.corners import Solids, leans
from tests.vision.cubes import SIZE, Cube, corners, cubes

TILTS = [0.0, 20.0, 40.0]


def away(dice: list[Cube], tilt: float, spreads: list[float] | None = None) -> list[float]:
    """Compute the leans of these dice; `spreads` are 1 degree where none are given."""
    seen = [corners(die, tilt) for die in dice]
    quads, bases = (np.array(part, np.float32) for part in zip(*seen, strict=True))
    ones = np.ones(len(dice), np.float32)
    spread_deg = ones if spreads is None else np.array(spreads, np.float32)
    return [float(one) for one in leans(Solids(quads, bases, ones, ones, spread_deg), SIZE)]


@pytest.mark.parametrize("tilt", TILTS)
def test_dice_that_lie_flat_agree(tilt: float) -> None:
    assert max(away(cubes(6), tilt)) < 2


@pytest.mark.parametrize("tilt", TILTS)
@pytest.mark.parametrize("lean", [-25.0, 25.0])
def test_a_leaning_die_stands_out_the_more_the_less_it_leans_along_the_line_of_sight(
    tilt: float, lean: float
) -> None:
    dice = [replace(die, lean=lean) if place == 2 else die for place, die in enumerate(cubes(6))]
    found = away(dice, tilt)
    assert found[2] > 25 * np.cos(np.radians(tilt + 25))
    assert found[2] > 3 * max(found[:2] + found[3:])


def test_two_that_lean_do_not_make_the_others_lean() -> None:
    dice = [
        replace(die, lean=20.0) if place in (0, 3) else die for place, die in enumerate(cubes(6))
    ]
    found = away(dice, 10.0)
    flat = [found[place] for place in (1, 2, 4, 5)]
    assert min(found[0], found[3]) > 12
    assert max(flat) < 4


def test_of_two_sides_the_one_whose_axes_are_known_is_believed() -> None:
    dice = [replace(die, lean=20.0 * (place % 2)) for place, die in enumerate(cubes(6))]
    even = away(dice, 10.0, [1.0, 9.0] * 3)
    odd = away(dice, 10.0, [9.0, 1.0] * 3)
    assert max(even[::2]) < min(even[1::2])
    assert min(odd[::2]) > max(odd[1::2])


def test_two_dice_cannot_tell_which_of_them_leans() -> None:
    assert away([cubes(1)[0], replace(cubes(2)[1], lean=25.0)], 20.0) == [0, 0]
