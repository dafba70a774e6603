"""Icons as filled masks, from SVG path data."""

import numpy as np
import pytest

from models.art.outlines import icon_mask, rings

DISC = '<circle cx="12" cy="12" r="9"/>'
RING = '<path d="M12 3a9 9 0 1 0 0 18a9 9 0 0 0 0-18m0 4a5 5 0 0 1 0 10a5 5 0 0 1 0-10z"/>'


@pytest.mark.parametrize(
    ("data", "corners"),
    [
        ("M1 2H5V6z", [(1, 2), (5, 2), (5, 6), (1, 2)]),
        ("m1 2 4 0v4z", [(1, 2), (5, 2), (5, 6), (1, 2)]),
        ("M1,2L5,2", [(1, 2), (5, 2)]),
        ("M1-2.5.5-3", [(1, -2.5), (0.5, -3)]),
    ],
)
def test_straight_outlines_keep_their_corners(
    data: str, corners: list[tuple[float, float]]
) -> None:
    assert rings(data) == [corners]


def test_what_follows_a_closed_outline_begins_where_that_began() -> None:
    first, second = rings("M1 1h4v4zm10 0h4v4z")
    assert (first[0], second[0]) == ((1, 1), (11, 1))


@pytest.mark.parametrize("data", ["M3 12a9 9 0 0118 0", "M3 12A9,9,0,0,1,21,12"])
def test_an_arc_stays_on_its_circle(data: str) -> None:
    (ring,) = rings(data)
    away = np.hypot(*(np.asarray(ring) - (12, 12)).T)
    assert np.abs(away - 9).max() < 0.01
    assert min(y for _, y in ring) == pytest.approx(3, abs=0.1), "over the top, not below"


@pytest.mark.parametrize("data", ["M0 0C0 8 8 8 8 0", "M0 0c0 8 8 8 8 0"])
def test_a_curve_is_followed(data: str) -> None:
    (ring,) = rings(data)
    assert ring[0] == (0, 0)
    assert ring[-1] == pytest.approx((8, 0))
    assert max(y for _, y in ring) == pytest.approx(6, abs=0.1)


def test_a_hole_stays_open_and_a_stroke_has_its_width() -> None:
    disc, ring = icon_mask(DISC, 24), icon_mask(RING, 24)
    assert disc is not None
    assert ring is not None
    middle = disc.shape[0] // 2
    assert (disc[middle, middle], ring[middle, middle]) == (255, 0)
    line = icon_mask('<path fill="none" stroke="#000" stroke-width="2" d="M3 12H21"/>', 24)
    assert line is not None
    assert 0 < (line > 127).mean() < 0.2


def test_an_icon_without_a_path_is_none() -> None:
    assert icon_mask("<g/>", 24) is None
