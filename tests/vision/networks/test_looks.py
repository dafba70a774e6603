"""Measurements of rectified crops, without networks."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest

from companion.vision.networks.classify import CropMeasures, measure_crops
from companion.vision.pictures import cv2
from companion.vision.readings import Colour

Image = npt.NDArray[np.uint8]
SIZE = 64


def face(ground: tuple[int, int, int], ink: tuple[int, int, int] | None = None) -> Image:
    """Draw a blank or a printed face, BGR: a ring and a bar, as thick as print is."""
    image = np.full((SIZE, SIZE, 3), ground, np.uint8)
    if ink is not None:
        cv2.circle(image, (32, 32), 14, ink, 5)
        cv2.line(image, (32, 22), (32, 42), ink, 5)
    return image


def look(image: Image) -> CropMeasures:
    """Measure one face."""
    return measure_crops(image[None])


def test_the_contrast_is_that_of_the_print() -> None:
    faint, clear = look(face((100,) * 3, (120,) * 3)), look(face((30,) * 3, (200,) * 3))
    assert faint.contrast[0] == pytest.approx(20, abs=8)
    assert clear.contrast[0] == pytest.approx(170, abs=30)


def test_print_of_another_colour_and_no_other_brightness_has_contrast() -> None:
    assert look(face((200, 60, 60), (60, 150, 90))).contrast[0] > 80


def test_a_bright_face_with_a_dark_edge_and_no_print_has_none() -> None:
    image = face((240,) * 3)
    cv2.rectangle(image, (0, 0), (SIZE - 1, SIZE - 1), (20, 20, 20), 13)
    assert look(image).contrast[0] < 5


def test_light_that_falls_off_across_a_face_is_no_print() -> None:
    slope = np.linspace(60, 220, SIZE)[None, :, None]
    image = np.broadcast_to(slope, (SIZE, SIZE, 3)).astype(np.uint8)
    assert look(image).contrast[0] < 25


def test_noise_is_hardly_print() -> None:
    rng = np.random.default_rng(1)
    noisy = np.clip(face((120,) * 3) + rng.normal(0, 8, (SIZE, SIZE, 3)), 0, 255)
    assert look(noisy.astype(np.uint8)).contrast[0] < 15


def test_only_what_is_overexposed_in_every_colour_is_clipped() -> None:
    assert look(face((255, 255, 120))).clipped[0] == 0
    half = face((60,) * 3)
    half[: SIZE // 2] = 255
    assert look(half).clipped[0] == pytest.approx(0.5, abs=0.02)


def test_what_is_out_of_focus_is_less_sharp() -> None:
    sharp = face((30,) * 3, (200,) * 3)
    blurred = np.asarray(cv2.GaussianBlur(sharp, (0, 0), 4), np.uint8)
    assert look(sharp).sharpness[0] > 3 * look(blurred).sharpness[0]


def test_a_green_body_is_distinguished_from_green_print() -> None:
    looks = measure_crops(
        np.stack([face((40, 160, 60), (20,) * 3), face((20,) * 3, (40, 200, 60))])
    )
    assert looks.colours == (Colour.GREEN, Colour.BLACK)


def test_no_faces_look_like_nothing() -> None:
    looks = measure_crops(np.zeros((0, SIZE, SIZE, 3), np.uint8))
    assert (len(looks.contrast), len(looks.clipped), looks.colours) == (0, 0, ())
