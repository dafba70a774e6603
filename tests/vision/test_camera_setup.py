"""The set-up: checks of the picture, and a session in which the faces are shown."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from companion.engine import Face
from companion.vision.box import Corners, Profile, rules_of
from companion.vision.camera_setup import Prints, SetupSession, check_picture, find_tray
from companion.vision.messages import (
    NEED,
    Check,
    CheckKey,
    Grade,
    Quadrant,
    SetupSeen,
    Stage,
    ViewProblem,
    worst,
)
from companion.vision.pictures import Frame, Image, cv2
from companion.vision.read.reader import Reader
from tests.vision.showing import ShownBox, dimmed, with_glare

TRAY: Corners = ((0.1, 0.12), (0.9, 0.12), (0.95, 0.9), (0.05, 0.9))


@pytest.fixture(scope="module")
def good(box: ShownBox) -> Image:
    return box.show(box.faces[0], 1)


def checked(reader: Reader, image: Image, tray: Corners | None = TRAY) -> dict[CheckKey, Check]:
    _, dice = reader.dice_of(reader.look(image), image)
    found = check_picture(image, dice, tray, reader.contract.die_limits)
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
    assert checks[CheckKey.TILT].value == pytest.approx(12, abs=6)
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


STEP_S = 0.25
"""The time between two pictures while dice lie; four times as long while hands turn them."""
TURN_S, REST_S = 6.0, 2.0
"""How long hands turn six dice, and how long they then stay away."""


class Table:
    """A camera whose frames a test draws, and the set-up that follows them."""

    def __init__(self, reader: Reader, game: str) -> None:
        rules = rules_of(game)

        def with_prints(prints: Prints) -> Reader:
            return Reader.shipped(Profile(dice={game: prints}))

        self.session = SetupSession(reader, rules, with_prints)
        self.at_s = 0.0
        self.seen: SetupSeen | None = None

    def show(self, image: Image, seconds: float = REST_S) -> SetupSeen:
        """Let this picture rest before the camera."""
        for _ in range(round(seconds / STEP_S)):
            self._take(image, STEP_S)
        return self.newest

    def turn(self, image: Image, seconds: float = TURN_S) -> None:
        """Let hands move over this picture."""
        for n in range(round(seconds / (4 * STEP_S))):
            moving = image.copy()
            moving[:, 60 * (n % 8) : 60 * (n % 8) + 90] = (120, 150, 190)
            self._take(moving, 4 * STEP_S)

    @property
    def newest(self) -> SetupSeen:
        assert self.seen is not None
        return self.seen

    def good(self, face: Face) -> int:
        return next(one.good for one in self.newest.views if one.face is face)

    def _take(self, image: Image, step_s: float) -> None:
        self.at_s += step_s
        found = self.session.see(Frame(image, self.at_s, 0))
        self.seen = found or self.seen


@pytest.fixture(scope="module")
def box() -> ShownBox:
    return ShownBox.of()


@pytest.fixture
def table(reader: Reader, box: ShownBox) -> Table:
    return Table(reader, "new-york" if Face.OUCH in box.faces else "tokyo")


def test_six_faces_are_learned_in_two_minutes_and_a_test_roll_is_sure(
    table: Table, box: ShownBox
) -> None:
    assert table.show(box.show(box.faces[0], 1)).stage is Stage.PLACE
    table.session.show(None)
    seed = 10
    for _ in range(40):
        face = table.newest.face
        if table.newest.stage is Stage.RESULT:
            break
        asked = face or box.faces[0]
        lying = box.show(asked, seed)
        seed += 1
        table.turn(lying)
        table.show(lying)
    seen = table.newest
    assert seen.stage is Stage.RESULT
    assert seen.seconds <= 120, seen.seconds
    assert all(one.good >= NEED for one in seen.views)
    result = seen.result
    assert result is not None
    assert {one.face for one in result.faces} == set(box.faces)
    assert all(one.after >= one.before and one.after == one.views for one in result.faces)
    assert result.low > 0.9
    assert result.alike == ()
    assert set(table.session.prints()) == set(box.faces)
    table.session.test()
    rolled = (*box.faces[:5], box.faces[0])
    lying = box.roll(rolled, 99)
    table.turn(lying, 1)
    roll = table.show(lying, 4).roll
    assert roll is not None
    assert roll.sure
    assert sorted(die.face or "" for die in roll.dice) == sorted(rolled)


def test_dice_that_lie_still_count_once_and_undo_takes_them_back(
    table: Table, box: ShownBox
) -> None:
    table.session.show(None)
    lying = box.show(box.faces[0], 1)
    table.show(lying, 4)
    assert table.good(box.faces[0]) == 6
    table.turn(lying)
    table.show(lying, 4)
    assert table.good(box.faces[0]) == 6, "hands passed, and nothing was turned"
    table.session.undo()
    table.show(lying, 1)
    assert table.good(box.faces[0]) == 0


def test_a_die_that_was_not_turned_to_the_new_face_does_not_count(
    table: Table, box: ShownBox
) -> None:
    first, second = box.faces[:2]
    table.session.show(first)
    for seed in (1, 2):
        table.turn(box.show(first, seed))
        table.show(box.show(first, seed))
    assert table.newest.face is second
    mixed = box.roll((first, *[second] * 5), 3)
    table.turn(mixed)
    table.show(mixed)
    assert table.good(second) == 5
    again = box.show(first, 7)
    table.turn(again)
    assert {die.problem for die in table.show(again).dice} == {ViewProblem.KNOWN}
    assert table.good(second) == 5


def test_a_face_is_left_for_later_and_comes_back(table: Table, box: ShownBox) -> None:
    first, second = box.faces[:2]
    table.session.show(None)
    table.show(box.show(first, 1))
    table.session.skip()  # six views are enough to leave it
    assert table.show(box.show(first, 1), 1).face is second
    table.session.skip()
    assert table.show(box.show(first, 1), 1).face is box.faces[2]
    table.session.show(first)
    newest = table.show(box.show(first, 1), 1)
    assert next(one for one in newest.views if one.face is first).need == NEED


def test_dice_that_touch_do_not_count(reader: Reader, table: Table, box: ShownBox) -> None:
    near = replace(box, die_px=62.0)
    table.session.show(None)
    seen = table.show(near.touching(box.faces[0]), 3)
    assert [die.problem for die in seen.dice].count(ViewProblem.TOUCHING) == 2
    assert table.good(box.faces[0]) == len(seen.dice) - 2
