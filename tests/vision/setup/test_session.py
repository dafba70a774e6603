"""The set-up from the camera's place to a test roll, with drawn frames at the camera's own pace."""

from __future__ import annotations

from dataclasses import replace

import pytest

from companion.engine import Face
from companion.vision.box import Profile, rules_of
from companion.vision.messages import NEED, SetupSeen, Stage, ViewProblem
from companion.vision.pictures import Frame, Image
from companion.vision.read.reader import Reader
from companion.vision.setup import Prints, SetupSession
from tests.vision.showing import ShownBox, dimmed

FPS = 5
TURN_S, REST_S = 6.0, 2.0
"""How long hands turn six dice, and how long they then stay away."""


class Table:
    """A camera whose frames a test draws, and the set-up that follows them."""

    def __init__(self, reader: Reader, game: str) -> None:
        rules = rules_of(game)

        def with_prints(prints: Prints) -> Reader:
            return Reader.shipped(Profile(dice={game: prints}))

        self.session = SetupSession(reader, rules, with_prints)
        self.frames = 0
        self.seen: SetupSeen | None = None

    def show(self, image: Image, seconds: float = REST_S) -> SetupSeen:
        """Let this picture rest before the camera."""
        for _ in range(round(seconds * FPS)):
            self._take(image)
        return self.newest

    def turn(self, image: Image, seconds: float = TURN_S) -> None:
        """Let hands move over this picture."""
        for n in range(round(seconds * FPS)):
            moving = image.copy()
            moving[:, 60 * (n % 8) : 60 * (n % 8) + 90] = (120, 150, 190)
            self._take(moving)

    @property
    def newest(self) -> SetupSeen:
        assert self.seen is not None
        return self.seen

    def good(self, face: Face) -> int:
        return next(one.good for one in self.newest.views if one.face is face)

    def _take(self, image: Image) -> None:
        found = self.session.see(Frame(image, self.frames / FPS, self.frames))
        self.frames += 1
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


@pytest.mark.parametrize(("share", "counted"), [(1.0, 6), (0.12, 0)])
def test_views_in_the_dark_do_not_count(
    table: Table, box: ShownBox, share: float, counted: int
) -> None:
    table.session.show(None)
    table.show(dimmed(box.show(box.faces[0], 1), share))
    assert table.good(box.faces[0]) == counted


def test_dice_that_touch_do_not_count(reader: Reader, table: Table, box: ShownBox) -> None:
    near = replace(box, die_px=62.0)
    table.session.show(None)
    seen = table.show(near.touching(box.faces[0]), 3)
    assert [die.problem for die in seen.dice].count(ViewProblem.TOUCHING) == 2
    assert table.good(box.faces[0]) == len(seen.dice) - 2
