"""Checks of the picture: each property fails alone, the right way and in the right place."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from companion.vision.messages import Check, CheckKey, Corners, Grade, Quadrant, worst
from companion.vision.pictures import Image, cv2
from companion.vision.read.reader import Reader
from companion.vision.setup import check_picture, find_tray, tilt_of
from tests.vision.cubes import corners, cubes
from tests.vision.showing import ShownBox, dimmed, with_glare

TRAY: Corners = ((0.1, 0.12), (0.9, 0.12), (0.95, 0.9), (0.05, 0.9))


@pytest.fixture(scope="module")
def box() -> ShownBox:
    return ShownBox.of()


@pytest.fixture(scope="module")
def good(box: ShownBox) -> Image:
    return box.show(box.faces[0], 1)


def checked(reader: Reader, image: Image, tray: Corners | None = TRAY) -> dict[CheckKey, Check]:
    found = check_picture(image, reader.look(image), tray, reader.contract.die_limits)
    assert [check.key for check in found] == sorted(
        CheckKey, key=[check.key for check in found].index
    )
    return {check.key: check for check in found}


def failing(checks: dict[CheckKey, Check]) -> dict[CheckKey, tuple[Grade, str]]:
    return {
        key: (check.verdict, check.reason)
        for key, check in checks.items()
        if check.verdict is not Grade.GOOD
    }


def test_a_good_picture_has_nothing_to_mend(reader: Reader, good: Image) -> None:
    checks = checked(reader, good)
    assert failing(checks) == {}
    assert worst(tuple(checks.values())) is None
    assert checks[CheckKey.TILT].value == pytest.approx(12, abs=4)
    assert checks[CheckKey.SIZE].value == pytest.approx(62, abs=8)


def test_a_dark_picture_needs_light_alone(reader: Reader, good: Image) -> None:
    assert failing(checked(reader, dimmed(good, 0.14))) == {CheckKey.LIGHT: (Grade.BAD, "dark")}
    white = np.full_like(good, 240)
    assert failing(checked(reader, white))[CheckKey.LIGHT] == (Grade.BAD, "bright")


@pytest.mark.parametrize(
    ("at", "quadrant"),
    [
        ((0.25, 0.25), Quadrant.TOP_LEFT),
        ((0.75, 0.25), Quadrant.TOP_RIGHT),
        ((0.25, 0.75), Quadrant.BOTTOM_LEFT),
        ((0.75, 0.75), Quadrant.BOTTOM_RIGHT),
    ],
)
def test_glare_is_named_with_its_quarter(
    reader: Reader, good: Image, at: tuple[float, float], quadrant: Quadrant
) -> None:
    checks = checked(reader, with_glare(good, *at))
    assert failing(checks) == {CheckKey.GLARE: (Grade.BAD, "glare")}
    assert checks[CheckKey.GLARE].quadrant is quadrant
    small = checked(reader, with_glare(good, *at, width=0.08))
    assert small[CheckKey.GLARE].verdict is not Grade.GOOD
    assert small[CheckKey.GLARE].quadrant is quadrant


@pytest.mark.parametrize(
    ("tilt", "verdict"), [(20.0, Grade.GOOD), (38.0, Grade.WARN), (55.0, Grade.BAD)]
)
def test_tilt_is_measured_by_the_dice(
    reader: Reader, box: ShownBox, tilt: float, verdict: Grade
) -> None:
    image = replace(box, tilt=tilt).show(box.faces[0], 1)
    check = checked(reader, image)[CheckKey.TILT]
    assert check.value == pytest.approx(tilt, abs=6)
    assert check.verdict is verdict


@pytest.mark.parametrize("tilt", [0.0, 15.0, 30.0, 45.0, 60.0])
def test_tilt_of_exact_corners_is_exact_to_the_perspective(tilt: float) -> None:
    quads = np.stack([corners(cube, tilt)[0] for cube in cubes(8)]).astype(np.float32)
    assert tilt_of(quads) == pytest.approx(tilt, abs=7)


def test_a_camera_too_far_away_or_too_near_is_told(reader: Reader, box: ShownBox) -> None:
    far = replace(box, die_px=22.0).show(box.faces[0], 1)
    assert checked(reader, far)[CheckKey.SIZE].verdict is Grade.BAD
    assert checked(reader, far)[CheckKey.SIZE].reason == "far"
    face = box.faces[0]
    near = replace(box, die_px=160.0).roll((face,), 4)
    assert checked(reader, near)[CheckKey.SIZE].reason in {"near", "no_dice"}


def test_a_blurred_picture_is_told(reader: Reader, good: Image) -> None:
    blurred = np.asarray(cv2.GaussianBlur(good, (0, 0), 7), np.uint8)
    look = reader.look(good)
    soft = tuple(replace(die, sharpness=0.01) for die in look)
    limits = reader.contract.die_limits
    found = {one.key: one for one in check_picture(good, soft, TRAY, limits)}
    assert found[CheckKey.SHARP].verdict is Grade.BAD
    assert checked(reader, blurred)[CheckKey.SHARP].verdict is not Grade.GOOD


def test_without_dice_it_says_so(reader: Reader) -> None:
    checks = checked(reader, np.full((540, 960, 3), 110, np.uint8))
    assert {check.reason for check in checks.values()} == {"no_dice", "good"}


def test_a_tray_is_found_by_its_outline_and_its_corners_are_in_order() -> None:
    image = np.full((540, 960, 3), 60, np.uint8)
    points = np.array(TRAY) * (960, 540)
    cv2.fillConvexPoly(image, points.astype(np.int32), (40, 60, 120))
    found = find_tray(image)
    assert found is not None
    assert np.abs(np.array(found) - np.array(TRAY)).max() < 0.03


def test_a_tray_that_is_cut_off_or_missing_is_told(reader: Reader, good: Image) -> None:
    assert find_tray(np.full((540, 960, 3), 110, np.uint8)) is None
    cut: Corners = ((0.0, 0.0), (0.9, 0.12), (0.95, 0.9), (0.05, 0.9))
    assert checked(reader, good, cut)[CheckKey.TRAY].reason == "cut"
    assert checked(reader, good, None)[CheckKey.TRAY].reason == "not_found"
