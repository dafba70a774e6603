"""A drawn tray becomes a sheet: points within its corners are on the page, and no others."""

from __future__ import annotations

import numpy as np
import pytest

from companion.vision.box import PAGE_MM, corners_of, sheet_of_tray
from companion.vision.read.geometry import Calibration
from companion.vision.readings import VisionError

SIZE = (1280, 720)
TRAY = ((0.2, 0.25), (0.75, 0.2), (0.9, 0.85), (0.1, 0.9))


def test_the_page_fills_the_corners_and_they_come_back() -> None:
    sheet = sheet_of_tray(SIZE, TRAY)
    page = Calibration(sheet).millimetres(np.array(TRAY) * SIZE)
    width, height = PAGE_MM
    assert np.allclose(page, [(0, 0), (width, 0), (width, height), (0, height)], atol=1e-6)
    assert np.allclose(corners_of(sheet), TRAY)


def test_points_within_the_corners_are_on_the_page() -> None:
    found = Calibration(sheet_of_tray(SIZE, TRAY))
    inside = np.array([(0.5, 0.5), (0.21, 0.27), (0.88, 0.83)]) * SIZE
    outside = np.array([(0.05, 0.5), (0.5, 0.15), (0.95, 0.9), (0.12, 0.3)]) * SIZE
    assert found.contains(inside).all()
    assert not found.contains(outside).any()


@pytest.mark.parametrize(
    "corners",
    [
        (TRAY[0], TRAY[2], TRAY[1], TRAY[3]),
        (TRAY[0], TRAY[3], TRAY[2], TRAY[1]),
        (TRAY[0], TRAY[0], TRAY[2], TRAY[3]),
        ((0.2, 0.2), (0.8, 0.2), (0.3, 0.3), (0.2, 0.8)),
        ((0.5, 0.5), (0.55, 0.5), (0.55, 0.55), (0.5, 0.55)),
    ],
)
def test_corners_that_make_no_tray_are_refused(
    corners: tuple[tuple[float, float], ...],
) -> None:
    a, b, c, d = corners
    with pytest.raises(VisionError, match=r"error\.setup\.corners"):
        sheet_of_tray(SIZE, (a, b, c, d))
