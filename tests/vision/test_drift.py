"""What changes between rolls: the camera, the light, the box of dice."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

import numpy as np
import pytest
from msgspec.structs import replace

from companion.engine import Face
from companion.vision.box import Profile, rules_of
from companion.vision.pictures import Frame, Image, cv2, png
from companion.vision.read.reader import Expected, Reader
from companion.vision.readings import (
    Colour,
    DiceReading,
    DieReading,
    Drift,
    ReadingProblem,
    TrayState,
)
from companion.vision.sources.frames import video_frames
from companion.vision.watch.drift import (
    GONE_S,
    STAYS_S,
    WIDTH,
    BoxWatch,
    DriftWatch,
    RestlessWatch,
    Scene,
    compare,
    fits_box,
    scene_of,
)
from companion.vision.watch.motion import NONE, MotionResult, MotionState
from companion.vision.watch.watcher import Watcher
from models.evaluate_clips import Clip
from tests.vision.conftest import FOLDER, Film
from tests.vision.fakes import CLIP_FPS
from tests.vision.showing import dimmed

SIZE = (640, 360)
DICE = ((250, 120), (330, 170), (400, 90))


@cache
def table() -> Image:
    """A wooden table with a tray on it, a card and a cup: what a camera over a table sees."""
    chance = np.random.default_rng(3)
    grain = cv2.resize(chance.normal(0, 1, (45, 4)).astype(np.float32), SIZE)
    image = np.full((SIZE[1], SIZE[0], 3), (70, 95, 120), np.float32) + 14 * grain[..., None]
    cv2.rectangle(image, (120, 50), (520, 310), (40, 60, 80), -1)
    cv2.rectangle(image, (136, 66), (504, 294), (60, 105, 55), -1)
    cv2.circle(image, (60, 70), 34, (190, 190, 180), -1)
    cv2.rectangle(image, (545, 210), (620, 320), (150, 160, 200), -1)
    return np.asarray(np.clip(image, 0, 255), np.uint8)


def shown(
    image: Image | None = None,
    dice: Iterable[tuple[int, int]] = (),
    light: tuple[float, float, float] = (1.0, 1.0, 1.0),
    seed: int = 0,
) -> Image:
    """The table with dice on it, in this light (B, G, R), with a camera's noise."""
    picture = (table() if image is None else image).astype(np.float32)
    for x, y in dice:
        picture[y : y + 40, x : x + 40] = 30
        picture[y + 10 : y + 30, x + 10 : x + 30] = (60, 200, 120)
        picture[y + 38 : y + 46, x + 4 : x + 46] *= 0.6
    noise = np.random.default_rng(seed).normal(0, 3, picture.shape)
    return np.asarray(np.clip(picture * light + noise, 0, 255), np.uint8)


def scene(picture: Image, dice: Iterable[tuple[int, int]] = ()) -> Scene:
    """The scene as the watcher makes it, dice as the reader found them."""
    boxes = [(x, y, 40, 40) for x, y in dice]
    found = np.array(boxes, np.float32).reshape(-1, 4) / np.float32(SIZE[0])
    return scene_of(Frame(picture, 0.0, 0).colours(WIDTH), found if boxes else NONE)


def moved(x: float = 0, y: float = 0, degrees: float = 0, zoom: float = 1) -> Image:
    """The table as a camera sees it that was pushed, turned or lowered."""
    warp = cv2.getRotationMatrix2D((SIZE[0] / 2, SIZE[1] / 2), degrees, zoom)
    warp = warp + np.array([[0, 0, x], [0, 0, y]])
    moved = cv2.warpAffine(table(), warp, SIZE, borderMode=cv2.BORDER_REFLECT)
    return np.asarray(moved, np.uint8)


def with_lamp(radius: int, middle: tuple[int, int] = (300, 180)) -> Image:
    """The table with the reflection of a lamp in it."""
    image = table().copy()
    cv2.circle(image, middle, radius, (255, 255, 255), -1)
    return image


def with_cards() -> Image:
    """The table with two cards put beside the tray, and the cup taken away."""
    image = table().copy()
    cv2.circle(image, (60, 70), 34, (70, 95, 120), -1)
    cv2.rectangle(image, (20, 170), (90, 280), (50, 60, 200), -1)
    cv2.rectangle(image, (540, 40), (610, 150), (200, 120, 60), -1)
    return image


BEFORE = scene(shown())
LIGHTS = {
    "as it was": ((1.0, 1.0, 1.0), None),
    "a flicker of the exposure": ((1.12, 1.12, 1.12), None),
    "darker, but not much": ((0.85, 0.85, 0.85), None),
    "brighter, but not enough": ((1.2, 1.2, 1.2), None),
    "brighter": ((1.45, 1.45, 1.45), Drift.LIGHT),
    "darker": ((0.65, 0.65, 0.65), Drift.LIGHT),
    "much darker": ((0.4, 0.4, 0.4), Drift.LIGHT),
    "a little warmer": ((0.95, 1.0, 1.05), None),
    "warm instead of cold": ((0.75, 1.0, 1.25), Drift.COLOUR),
    "green": ((0.9, 1.2, 0.9), Drift.COLOUR),
}


@pytest.mark.parametrize("light", LIGHTS)
def test_the_light_is_compared(light: str) -> None:
    factors, drift = LIGHTS[light]
    assert compare(BEFORE, scene(shown(light=factors, seed=1))) is drift


MOVES = {
    "not at all": (moved(), None),
    "not at all, but things beside the tray": (with_cards(), None),
    "by less than can be told": (moved(2), None),
    "by a little more than a pixel of the small picture": (moved(5), None),
    "to the side": (moved(16), Drift.MOVED),
    "up": (moved(0, -14), Drift.MOVED),
    "far": (moved(90, 40), Drift.MOVED),
    "turned": (moved(degrees=5), Drift.MOVED),
    "turned and pushed": (moved(-20, 10, 3), Drift.MOVED),
    "lowered": (moved(zoom=1.12), Drift.MOVED),
}


@pytest.mark.parametrize("move", MOVES)
@pytest.mark.parametrize("light", [(1.0, 1.0, 1.0), (0.8, 0.8, 0.8)])
def test_the_camera_is_compared_whatever_the_light(
    move: str, light: tuple[float, float, float]
) -> None:
    image, drift = MOVES[move]
    assert compare(BEFORE, scene(shown(image, light=light, seed=2))) is drift


def test_dice_that_were_moved_thrown_or_taken_away_are_no_change() -> None:
    before = scene(shown(dice=DICE), DICE)
    elsewhere = tuple((x - 90, y + 40) for x, y in DICE)
    for dice in (DICE, elsewhere, (), DICE[:1], (*DICE, *elsewhere)):
        assert compare(before, scene(shown(dice=dice, seed=4), dice)) is None
        assert compare(BEFORE, scene(shown(dice=dice, seed=4), dice)) is None


@pytest.mark.parametrize(("radius", "drift"), [(12, None), (60, Drift.GLARE)])
def test_the_reflection_of_a_lamp_counts_where_it_is_large(
    radius: int, drift: Drift | None
) -> None:
    assert compare(BEFORE, scene(shown(with_lamp(radius), seed=7))) is drift


class Rests:
    """Scenes shown to a watch, one a second."""

    def __init__(self, start: float = 0.0) -> None:
        self.watch = DriftWatch()
        self.at = start

    def show(
        self, picture: Image | None = None, times: int = 1, dice: tuple[tuple[int, int], ...] = ()
    ) -> list[Drift | None]:
        """Show a picture so many times; what is reported each time."""
        found = []
        for _ in range(times):
            now = shown(picture, dice, seed=int(self.at) % 7)
            found.append(self.watch.see(scene(now, dice), self.at))
            self.at += 1.0
        return found


def test_a_change_is_reported_once_it_has_lasted() -> None:
    rests = Rests()
    assert rests.show(times=3) == [None] * 3
    later = rests.show(moved(30), times=8)
    assert later == [None] * int(STAYS_S) + [Drift.MOVED] * (8 - int(STAYS_S))


def test_a_change_is_withdrawn_once_it_has_been_gone_for_a_while() -> None:
    rests = Rests()
    rests.show()
    rests.show(moved(30), times=6)
    back = rests.show(times=5)
    assert back == [Drift.MOVED] * int(GONE_S) + [None] * (5 - int(GONE_S))


def test_daylight_that_fades_slowly_says_nothing() -> None:
    watch, reported = DriftWatch(), set()
    for look in range(300):
        light = np.float32(1 - 0.3 * look / 300)
        reported.add(watch.see(Scene(BEFORE.picture * light, BEFORE.seen), 2.0 * look))
    assert reported == {None}


def test_what_is_accepted_is_reported_no_more() -> None:
    rests = Rests()
    rests.show()
    assert rests.show(moved(30), times=6)[-1] is Drift.MOVED
    rests.watch.accept()
    assert rests.watch.drift is None
    assert set(rests.show(moved(30), times=9)) == {None}
    assert rests.show(times=6)[-1] is Drift.MOVED


def die(face: Face | None, problem: ReadingProblem | None = None, flat: bool = True) -> DieReading:
    return DieReading(
        face=face,
        confidence=0.9,
        colour=Colour.BLACK,
        box=(0, 0, 40, 40),
        flat=flat,
        problem=problem,
    )


GOOD = die(Face.HEAL)
DOUBTED = die(Face.HEAL, ReadingProblem.DOUBTFUL)
FOREIGN = die(None, ReadingProblem.WRONG_GAME)
LEANING = die(None, ReadingProblem.NOT_FLAT, flat=False)
DIM = die(None, ReadingProblem.TOO_DARK)


def roll(*dice: DieReading, at: int = 0, count: bool = True) -> DiceReading:
    """A roll whose dice lie side by side, `at` px from the left."""
    lying = tuple(replace(one, box=(at + 60 * n, 0, 40, 40)) for n, one in enumerate(dice))
    problems = () if count else (ReadingProblem.COUNT,)
    return DiceReading(
        game="tokyo", dice=lying, problems=problems, sure=False, frame=0, at_s=0.0, size=SIZE
    )


@pytest.mark.parametrize(
    ("dice", "fits"),
    [
        ([GOOD] * 6, True),
        ([GOOD] * 4 + [DOUBTED] * 2, True),
        ([GOOD] * 3 + [DOUBTED] * 3, None),
        ([GOOD] * 2 + [DOUBTED] * 4, False),
        ([FOREIGN] * 6, False),
        ([FOREIGN] * 3, False),
        ([FOREIGN] * 2, None),
        ([FOREIGN] * 2 + [LEANING] * 4, None),
        ([DIM] * 6, None),
        ([], None),
    ],
)
def test_dice_fit_the_box_or_do_not_or_say_nothing(
    dice: list[DieReading], fits: bool | None
) -> None:
    assert fits_box(roll(*dice)) is fits


def seen(watch: BoxWatch, *rolls: DiceReading, is_known: bool = True) -> list[Drift | None]:
    """Show rolls to a watch; what is reported after each."""
    found = []
    for one in rolls:
        watch.see(one, is_known=is_known)
        found.append(watch.drift)
    return found


def test_another_box_is_reported_after_two_rolls_until_one_fits() -> None:
    dice = [FOREIGN, GOOD, FOREIGN, LEANING, FOREIGN, FOREIGN, DIM, GOOD]
    rolls = [roll(*[one] * 6, at=20 * (n % 2)) for n, one in enumerate(dice)]
    box = Drift.BOX
    assert seen(BoxWatch(), *rolls) == [None, None, None, None, box, box, box, None]


def test_a_roll_that_is_read_again_counts_once() -> None:
    nudged = [roll(*[FOREIGN] * 6, at=at) for at in (0, 3, 0, 7, 3)]
    assert set(seen(BoxWatch(), *nudged)) == {None}


def test_without_a_known_box_dice_are_never_of_another_one() -> None:
    rolls = [roll(*[FOREIGN] * 6, at=20 * (n % 2)) for n in range(5)]
    assert set(seen(BoxWatch(), *rolls, is_known=False)) == {None}


SOON = 2 * CLIP_FPS
"""Frames in which a rest is read, and compared once."""
LONG = 9 * CLIP_FPS
"""Frames after which what has changed is reported, or withdrawn."""


def test_another_light_is_reported_with_the_state_of_the_tray_until_it_is_accepted(
    watcher: Watcher, lying: Image
) -> None:
    film = Film(watcher)
    first = film.show(lying, times=SOON)
    assert {result.tray.drift for result in first} == {None}
    later = film.show(dimmed(lying, 0.6), times=LONG)
    assert later[SOON].tray.drift is None
    assert later[-1].tray.drift is Drift.LIGHT
    assert later[-1].tray.state in {TrayState.READ, TrayState.UNSURE, TrayState.COUNT}
    assert [result.reading for result in later if result.reading is not None] == []
    watcher.accept_scene()
    accepted = film.show(dimmed(lying, 0.6), times=LONG)
    assert {result.tray.drift for result in accepted} == {None}
    assert film.show(lying, times=LONG)[-1].tray.drift is Drift.LIGHT


def drawn(seed: int) -> bytes:
    """A print that no die shows: a pattern of sixteen squares."""
    squares = np.random.default_rng(seed).integers(0, 2, (4, 4, 1)).repeat(3, axis=2) * 200 + 30
    return png(np.asarray(squares.repeat(16, axis=0).repeat(16, axis=1), np.uint8))


def test_dice_that_no_print_fits_are_another_box_until_that_is_accepted(clip: Clip) -> None:
    faces = rules_of(clip.game).faces
    prints = {face: tuple(drawn(10 * n + m) for m in range(5)) for n, face in enumerate(faces)}
    reader = Reader.shipped(Profile(dice={clip.game: prints}))
    assert reader.known(clip.game)
    watcher = Watcher(reader, Expected(rules_of(clip.game)))
    frames = list(video_frames(str(FOLDER / clip.clip)))
    assert Drift.BOX in {watcher.see(frame).tray.drift for frame in frames}
    watcher.accept_scene()
    assert watcher.see(frames[-1]).tray.drift is None
    unknown = Watcher(Reader.shipped(), Expected(rules_of(clip.game)))
    assert {unknown.see(frame).tray.drift for frame in frames} == {None}


def test_a_restless_picture_is_forgotten_when_the_camera_is_reopened() -> None:
    watch = RestlessWatch()
    watch.see(MotionResult(MotionState.MOVING, 0.0, STAYS_S), 1000.0, flickers=False)
    assert watch.drift is Drift.RESTLESS
    rest = MotionResult(MotionState.STILL, 0.1)
    watch.see(rest, 1000.1, flickers=False)
    assert watch.drift is Drift.RESTLESS
    watch.see(rest, 0.0, flickers=False)
    assert watch.drift is None
