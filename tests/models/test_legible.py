"""What of a print is left in a picture of it."""

import cv2
import numpy as np
import pytest

from models.arrays import Floats, Image
from models.counting import BLIND
from models.legible import legible

QUAD = np.array([[60.0, 40], [122, 58], [104, 118], [42, 100]], np.float32)
GREEN, BLACK, YELLOW, CYAN = (60, 220, 120), (16, 16, 16), (40, 240, 240), (240, 240, 40)


def ink() -> Floats:
    """A bolt: neither turned nor mirrored it is itself."""
    drawn = np.zeros((80, 80), np.uint8)
    bolt = np.array([[44, 12], [20, 46], [38, 46], [30, 70], [60, 34], [42, 34], [54, 12]])
    cv2.fillPoly(drawn, [bolt], 255, cv2.LINE_AA)
    return np.asarray(drawn / 255, np.float32)


def shown(body: tuple[int, int, int], paint: tuple[int, int, int]) -> Image:
    """A picture (160, 160, 3) of the print on the face at QUAD."""
    print_ = ink()[..., None]
    face = np.asarray(body) * (1 - print_) + np.asarray(paint) * print_
    square = np.array([[0, 0], [79, 0], [79, 79], [0, 79]], np.float32)
    grid = cv2.getPerspectiveTransform(square, QUAD)
    return np.asarray(cv2.warpPerspective(face.astype(np.uint8), grid, (160, 160)), np.uint8)


def test_the_whole_contrast_of_a_clear_print_is_left() -> None:
    found = legible(shown(BLACK, GREEN), QUAD, ink())
    assert 0.75 * (220 - 16) < found < 1.1 * (220 - 16)


def test_a_difference_of_colour_alone_is_a_contrast_as_well() -> None:
    assert legible(shown(CYAN, YELLOW), QUAD, ink()) > 120


@pytest.mark.parametrize("level", [0, 255])
def test_of_what_light_or_darkness_covers_nothing_is_left(level: int) -> None:
    picture = shown(BLACK, GREEN)
    cv2.fillConvexPoly(picture, QUAD.astype(np.int32), (level, level, level))
    assert legible(picture, QUAD, ink()) < BLIND


def test_a_patch_of_light_is_no_print() -> None:
    picture = shown(BLACK, BLACK)
    cv2.ellipse(picture, (90, 70), (18, 12), 30, 0, 360, (250, 250, 250), -1)
    bright = legible(picture, QUAD, ink())
    assert bright < 0.5 * legible(shown(BLACK, (250, 250, 250)), QUAD, ink())


def test_where_half_is_covered_about_half_is_left() -> None:
    clear, picture = shown(BLACK, GREEN), shown(BLACK, GREEN)
    left = (QUAD[[0, 3]] + QUAD[[1, 2]]) / 2
    cv2.fillConvexPoly(picture, np.array([QUAD[0], left[0], left[1], QUAD[3]]).astype(np.int32),
                       (255, 255, 255))  # fmt: skip
    share = legible(picture, QUAD, ink()) / legible(clear, QUAD, ink())
    assert 0.2 < share < 0.8


def test_another_print_is_not_this_one() -> None:
    turned = shown(BLACK, GREEN)
    assert legible(turned, np.roll(QUAD, 1, axis=0), ink()) < 0.5 * legible(turned, QUAD, ink())


def test_a_face_without_print_has_no_contrast() -> None:
    assert legible(shown(BLACK, GREEN), QUAD, np.zeros((80, 80), np.float32)) == 0.0
