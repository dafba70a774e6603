"""The contrast of a print that is left in a picture."""

import cv2
import numpy as np
import pytest

from models.arrays import Floats, Image
from models.measure.counting import BLIND
from models.scene.legible import legible

QUAD = np.array([[60.0, 40], [122, 58], [104, 118], [42, 100]], np.float32)
GREEN, BLACK, YELLOW, CYAN = (60, 220, 120), (16, 16, 16), (40, 240, 240), (240, 240, 40)


def ink() -> Floats:
    """Draw a bolt, which has no rotation or mirror symmetry."""
    drawn = np.zeros((80, 80), np.uint8)
    bolt = np.array([[44, 12], [20, 46], [38, 46], [30, 70], [60, 34], [42, 34], [54, 12]])
    cv2.fillPoly(drawn, [bolt], 255, cv2.LINE_AA)
    return np.asarray(drawn / 255, np.float32)


def shown(body: tuple[int, int, int], paint: tuple[int, int, int]) -> Image:
    """Draw a picture (160, 160, 3) of the print on the face at QUAD."""
    print_ = ink()[..., None]
    face = np.asarray(body) * (1 - print_) + np.asarray(paint) * print_
    square = np.array([[0, 0], [79, 0], [79, 79], [0, 79]], np.float32)
    grid = cv2.getPerspectiveTransform(square, QUAD)
    return np.asarray(cv2.warpPerspective(face.astype(np.uint8), grid, (160, 160)), np.uint8)


def left_of(paint: tuple[int, int, int], light: Image | None = None) -> float:
    """The contrast of a print of that colour on black, with light (160, 160, 3) added."""
    pictures = [shown(BLACK, paint), shown(BLACK, BLACK)]
    if light is not None:
        pictures = [np.asarray(cv2.add(picture, light), np.uint8) for picture in pictures]
    return legible(pictures[0], pictures[1], QUAD, ink())


def lamp(corners: Floats) -> Image:
    """Make light that saturates everything within the corners."""
    light = np.zeros((160, 160, 3), np.uint8)
    cv2.fillConvexPoly(light, np.round(corners).astype(np.int32), (255, 255, 255))
    return light


def test_the_whole_contrast_of_a_clear_print_is_left() -> None:
    assert 0.9 * (220 - 16) < left_of(GREEN) < 1.02 * (220 - 16)


def test_a_difference_of_colour_alone_is_a_contrast_as_well() -> None:
    assert legible(shown(CYAN, YELLOW), shown(CYAN, CYAN), QUAD, ink()) > 150


@pytest.mark.parametrize("share", [0.7, 1.2])
def test_of_what_light_drowns_nothing_is_left(share: float) -> None:
    middle = QUAD.mean(axis=0)
    assert left_of(GREEN, lamp(middle + share * (QUAD - middle))) < BLIND


def test_a_patch_of_light_adds_no_print_to_what_is_there() -> None:
    light = np.zeros((160, 160, 3), np.uint8)
    cv2.fillConvexPoly(
        light, np.round(QUAD.mean(0) + 0.4 * (QUAD - QUAD.mean(0))).astype(int), (90,) * 3
    )
    assert left_of((8, 26, 12)) < BLIND
    assert left_of((8, 26, 12), light) < BLIND
    assert left_of((8, 90, 12), light) < 1.05 * left_of((8, 90, 12))


def test_what_changes_all_of_a_face_is_not_its_print() -> None:
    grey = np.full((160, 160, 3), 90, np.uint8)
    assert legible(grey, np.full_like(grey, 40), QUAD, ink()) < 1.0


def test_another_print_is_not_this_one() -> None:
    turned, empty = shown(BLACK, GREEN), shown(BLACK, BLACK)
    other = legible(turned, empty, np.roll(QUAD, 1, axis=0), ink())
    assert other < 0.6 * legible(turned, empty, QUAD, ink())


def test_where_half_is_covered_about_half_is_left() -> None:
    left = (QUAD[[0, 3]] + QUAD[[1, 2]]) / 2
    half = np.array([QUAD[0], left[0], left[1], QUAD[3]])
    assert 0.35 < left_of(GREEN, lamp(half)) / left_of(GREEN) < 0.65


def test_a_face_without_print_has_no_contrast() -> None:
    picture = shown(BLACK, GREEN)
    assert legible(picture, picture, QUAD, np.zeros((80, 80), np.float32)) == 0.0


@pytest.mark.parametrize(("aside", "counts"), [(4, True), (20, False)])
def test_print_that_shows_close_beside_its_place_is_print(aside: int, counts: bool) -> None:
    """Engraved, it shows by the shadow of its edge; 4 of 80 texels are a twentieth of a face."""
    away = np.asarray(np.roll(ink(), aside, axis=1), np.float32)
    left = legible(shown(BLACK, GREEN), shown(BLACK, BLACK), QUAD, away)
    assert (left > 0.8 * left_of(GREEN)) == counts
