"""Frames to readings: motion and hands, and each new roll read once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from itertools import pairwise

import msgspec
import numpy as np
import pytest
from msgspec.structs import replace as with_fields

from companion.resources import resource_dir
from companion.vision.box import rules_of
from companion.vision.networks.classify import Networks
from companion.vision.pictures import Frame, Image, cv2
from companion.vision.read.decision import Verdict
from companion.vision.read.reader import LOOKS, Expected, Reader
from companion.vision.read.seen import SeenDie
from companion.vision.readings import (
    DiceReading,
    Drift,
    ReadingProblem,
    TrayReading,
    TrayState,
)
from companion.vision.sources.frames import video_frames
from companion.vision.watch.motion import NONE, Motion, MotionState, Rects
from companion.vision.watch.watcher import DOUBT_S, FrameResult, Watcher
from models.evaluate_clips import Clip, Light, clips, play, score
from tests.vision.conftest import FOLDER, Film
from tests.vision.fakes import CLIP_FPS, FPS, WIDTH, film, grain, tray

CLIPS = clips(FOLDER)
REST = 30
"""Frames in which a rest is certainly read."""


def with_arm(image: Image, reach: int) -> Image:
    """Add an arm to the picture, from the right."""
    covered = image.copy()
    covered[100:190, image.shape[1] - reach :] = (150, 180, 220)
    return covered


@pytest.fixture(scope="module", params=CLIPS, ids=lambda clip: clip.clip)
def played(request: pytest.FixtureRequest, reader: Reader) -> tuple[Clip, list[DiceReading]]:
    """A whole clip, and its readings."""
    clip: Clip = request.param
    watcher = Watcher(reader, Expected(rules_of(clip.game)))
    sights = map(watcher.see, video_frames(str(FOLDER / clip.clip)))
    return clip, [s.reading for s in sights if s.reading is not None]


def test_each_throw_of_a_clip_is_read_once_and_no_die_wrongly(
    played: tuple[Clip, list[DiceReading]],
) -> None:
    clip, readings = played
    result = score(clip, readings)
    assert result.readings == (1,) * len(clip.throws)
    assert (result.stray, result.sure_and_wrong) == (0, 0)
    assert (result.doubtful, result.wrong, result.missed) == (0, 0, 0)
    assert result.right >= 0.9 * result.dice
    assert [reading.roll for reading in readings] == list(range(len(readings)))
    for reading, throw in zip(readings, clip.throws, strict=True):
        assert len(reading.moved) >= throw.thrown
        assert reading.picture.startswith(b"\xff\xd8")
        assert len(reading.crops) == len(reading.dice)


@pytest.mark.parametrize("light", [Light(0.05, 120, 20), Light(0.1, 100, 30)], ids=str)
def test_throws_are_read_under_a_lamp_that_flickers(reader: Reader, light: Light) -> None:
    clip = CLIPS[0]
    result = score(clip, play(FOLDER, clip, reader, light).readings)
    assert (all(result.throws_right), result.stray) == (True, 0)


def swaying(image: Image, count: int, bands: float) -> list[Image]:
    """Shadows of leaves sway over the picture, under a lamp that flickers so much."""
    height, width = image.shape[:2]
    y, x = np.mgrid[0:height, 0:width].astype(np.float32)
    leaves = np.random.default_rng(5).uniform(0.1, 0.9, (14, 2)) * (width, height)
    frames = []
    for n in range(count):
        light = 1 + bands * np.sin(2 * np.pi * (n * 0.37 + y / 140))
        for phase, (across, down) in enumerate(leaves):
            shift = 40 * np.sin(n * (0.15 + 0.02 * phase) + phase)
            light *= 1 - 0.4 * np.exp(-(((x - across - shift) / 35) ** 2 + ((y - down) / 25) ** 2))
        frames.append(np.asarray(np.clip(image * light[..., None], 0, 255), np.uint8))
    return frames


def test_light_that_never_rests_keeps_no_more_pictures(
    reader: Reader, clip: Clip, lying: Image
) -> None:
    watcher = Watcher(reader, Expected(rules_of(clip.game)))
    film = Film(watcher)
    assert film.read(*swaying(lying, 240, 0.1))
    watcher.read_now()
    assert film.read(*swaying(lying, 20, 0.1))
    assert watcher.voted is not None
    assert len(watcher.voted.frames) <= LOOKS + 1


@pytest.mark.parametrize(("bands", "drift"), [(0.0, Drift.RESTLESS), (0.08, Drift.FLICKER)])
def test_light_that_never_rests_is_said_within_5_s_and_dice_that_lie_are_read(
    watcher: Watcher, lying: Image, bands: float, drift: Drift
) -> None:
    film = Film(watcher)
    other = np.ascontiguousarray(lying[:, ::-1])
    for image in (lying, other):
        sights = film.show(*swaying(image, 5 * CLIP_FPS, bands))
        assert len([s.reading for s in sights if s.reading is not None]) == 1
        assert sights[-1].tray.drift is drift
    away = [swaying(np.roll(other, 12 * n, axis=1), 1, bands)[0] for n in range(2 * CLIP_FPS)]
    assert film.read(*away) == [], "dice that move are not read"
    assert film.show(lying, times=3 * CLIP_FPS)[-1].tray.drift is None


def test_kept_dice_keep_their_places(played: tuple[Clip, list[DiceReading]]) -> None:
    _, readings = played
    for before, now in pairwise(readings):
        for place in set(range(len(now.dice))) - set(now.moved):
            assert now.dice[place].face == before.dice[place].face
            assert now.dice[place].centre == pytest.approx(before.dice[place].centre, abs=6)


def test_the_states_of_a_roll_follow_each_other(watcher: Watcher, lying: Image) -> None:
    film = Film(watcher)
    moving = [np.roll(lying, 15 * n, axis=1) for n in range(5)]
    states = [s.tray.state for s in film.show(*moving) + film.show(lying, times=REST)]
    assert states[0] is TrayState.SETTLING, "of the first picture nobody can say whether it moves"
    order = list(dict.fromkeys(states[1:]))
    assert order == [TrayState.ROLLING, TrayState.SETTLING, states[-1]]
    assert states[-1] in {TrayState.READ, TrayState.UNSURE}


class Doubting(Reader):
    """The shipped networks; of the first die no look is sure but the closer one. Keeps the pictures
    that it looked at, and looked at closer."""

    def __init__(self, networks: Networks) -> None:
        super().__init__(networks)
        self.looked: list[Image] = []
        self.closely: list[Image] = []

    def look_closely(self, image: Image, look: tuple[SeenDie, ...]) -> tuple[SeenDie, ...]:
        self.closely.append(image)
        return super().look_closely(image, look)

    def look(
        self, image: Image, before: Sequence[tuple[SeenDie, ...]] = (), *, finer: bool = False
    ) -> tuple[SeenDie, ...]:
        self.looked.append(image)
        first, *rest = super().look(image, before, finer=finer)
        face = max(first.faces, key=first.faces.__getitem__)
        chances = {f: 0.6 if f is face else 0.05 for f in first.faces}
        return replace(first, faces=chances, reject=0.0), *rest


def test_a_rest_that_stays_doubtful_is_looked_at_closer_in_the_end(
    clip: Clip, lying: Image
) -> None:
    doubting = Doubting(Networks(resource_dir("models")))
    count = len(clip.throws[0].dice)
    read = []
    for known in (count, None):
        film = Film(Watcher(doubting, Expected(rules_of(clip.game), known)))
        sights = film.show(*(lying.copy() for _ in range(REST)))
        at = [n for n, sight in enumerate(sights) if sight.reading is not None]
        assert len(at) == 1
        assert at[0] / CLIP_FPS >= DOUBT_S, "not before the rest is over"
        read.append(sights[at[0]].reading)
    sure, unsure = read
    assert sure is not None
    assert sure.sure
    assert unsure is not None
    assert unsure.problems == (ReadingProblem.DOUBTFUL,), (
        "whose number is not known is not looked at"
    )
    (closely,) = doubting.closely
    assert any(closely is image for image in doubting.looked), "where those dice were found"


class Strange(Reader):
    """The shipped networks, of dice whose symbols are new: so many of them have a face."""

    named = 0

    def decide(
        self, looks: Sequence[tuple[SeenDie, ...]], expected: Expected, image: Image, *,
        closely: bool = True,
    ) -> Verdict:  # fmt: skip
        verdict = super().decide(looks, expected, image, closely=closely)
        doubt = ReadingProblem.DOUBTFUL
        dice = tuple(
            die if n < self.named else with_fields(die, face=None, problem=doubt)
            for n, die in enumerate(verdict.dice)
        )
        return replace(verdict, dice=dice, problems=(doubt,))


def test_each_rest_of_new_dice_may_teach_whatever_was_named_before(
    clip: Clip, lying: Image
) -> None:
    strange = Strange(Networks(resource_dir("models")))
    expected = Expected(rules_of(clip.game), len(clip.throws[0].dice))
    film = Film(Watcher(strange, expected))
    for n, strange.named in enumerate((1, 0, 2, 1)):
        moved = np.roll(lying, -25 * n, axis=1)
        asked = [s.unnamed for s in film.show(moved, times=REST) if s.unnamed is not None]
        assert [len(one.prints) for one in asked] == [expected.count]


@pytest.fixture
def shown(watcher: Watcher, lying: Image) -> tuple[Film, DiceReading]:
    """A film in which the dice have just been read."""
    film = Film(watcher)
    (reading,) = film.read(lying, times=REST)
    return film, reading


def passing(image: Image) -> list[Image]:
    """A shadow passes over the table."""
    across = np.arange(image.shape[1], dtype=np.float32) / image.shape[1]
    bands = (1 - 0.6 * np.exp(-(((across - n / 10) / 0.25) ** 2)) for n in range(-4, 15))
    return [np.asarray(image * band[None, :, None], np.uint8) for band in bands]


def knocked(image: Image) -> list[Image]:
    """The camera is pushed aside, stands there for a while, and is put back."""
    height, width = image.shape[:2]
    grid = cv2.getRotationMatrix2D((width / 2, height / 2), 1.8, 1.0)
    grid[:, 2] += (26, -14)
    aside = cv2.warpAffine(image, grid, (width, height), borderMode=cv2.BORDER_REPLICATE)
    shaken = [cv2.blur(np.roll(image, n, axis=1), (9, 5)) for n in (9, -14, 20)]
    return [np.asarray(each, np.uint8) for each in (*shaken, *[aside] * REST)]


def littered(image: Image) -> list[Image]:
    """Somebody lays coins and a card on the table."""
    there = image.copy()
    height, width = image.shape[:2]
    for x, y in ((0.06, 0.12), (0.94, 0.1), (0.06, 0.9)):
        at = (round(x * width), round(y * height))
        cv2.circle(there, at, width // 30, (60, 150, 190), -1, cv2.LINE_AA)
        cv2.putText(there, "2", at, cv2.FONT_HERSHEY_DUPLEX, 0.8, (20, 50, 60), 2, cv2.LINE_AA)
    corner = (width - width // 9, height - height // 5)
    cv2.rectangle(there, corner, (width, height), (30, 30, 200), -1)
    return [with_arm(image, 200), with_arm(there, 200), *[there] * REST]


@pytest.mark.parametrize(
    "happens",
    [
        lambda image: [with_arm(image, 40 * n) for n in (1, 3, 5, 7, *[8] * REST, 6, 3)],
        passing,
        knocked,
        littered,
        lambda image: [np.zeros_like(image)] * 8,
        lambda image: [np.full_like(image, 255)] * 8,
        lambda image: [cv2.GaussianBlur(image, (0, 0), 6)] * 8,
    ],
    ids=["hand", "shadow", "knock", "things", "dark", "blinded", "focus"],
)
def test_what_happens_while_the_dice_lie_is_no_roll(
    shown: tuple[Film, DiceReading], lying: Image, happens: Callable[[Image], list[Image]]
) -> None:
    film, _ = shown
    assert film.read(*happens(lying)) == []
    assert film.read(lying, times=REST) == []


def test_a_throw_with_a_die_over_the_edge_is_read_before_a_hand_would_be_gone(
    shown: tuple[Film, DiceReading], watcher: Watcher, lying: Image
) -> None:
    centres = np.array([die.centre for die in shown[1].dice], np.float32)
    across, down = 320 - 1.5 * centres.mean(axis=0)[0], 180 - 1.5 * centres.mean(axis=0)[1]

    def near(across: float) -> Image:
        """The dice as a nearer camera sees them, so far to the right."""
        closer = np.array([[1.5, 0, across], [0, 1.5, down]])
        return np.asarray(cv2.warpAffine(lying, closer, lying.shape[1::-1]), np.uint8)

    film = Film(watcher)
    assert len(film.read(near(across), times=REST)) == 1
    over = np.ascontiguousarray(near(-1.5 * centres[:, 0].min())[:, ::-1])
    sights = film.show(over, times=REST)
    assert sights[0].tray.state is TrayState.HAND
    assert sum(sight.reading is not None for sight in sights[: round(0.8 * CLIP_FPS)]) == 1


def test_only_a_tray_that_was_read_may_be_looked_at_less_often(
    watcher: Watcher, lying: Image
) -> None:
    sights = Film(watcher).show(lying, times=REST)
    first_read = next(index for index, sight in enumerate(sights) if sight.reading is not None)
    assert [s.is_idle for s in sights] == [False] * (first_read + 1) + [True] * (
        REST - first_read - 1
    )


def test_dice_in_the_dark_are_no_camera_that_went_black(watcher: Watcher, lying: Image) -> None:
    assert not FrameResult(
        TrayReading(state=TrayState.UNSURE, problem=ReadingProblem.TOO_DARK)
    ).is_dark
    film = Film(watcher)
    assert [s.is_dark for s in film.show(lying, np.zeros_like(lying))] == [False, True]


def test_another_expectation_counts_from_the_next_roll(
    shown: tuple[Film, DiceReading], watcher: Watcher, lying: Image
) -> None:
    film, before = shown
    watcher.expect(3)
    assert film.read(lying, times=REST) == []
    (now,) = film.read(np.ascontiguousarray(lying[:, ::-1]), times=REST)
    assert ReadingProblem.COUNT in now.problems
    assert now.roll == before.roll + 1


def test_a_roll_can_be_read_again_when_somebody_asks(
    shown: tuple[Film, DiceReading], watcher: Watcher, lying: Image
) -> None:
    film, before = shown
    watcher.read_now()
    (now,) = film.read(lying, times=5)
    assert now.roll == before.roll


def test_dice_that_lay_there_when_a_camera_was_opened_are_no_roll(
    reader: Reader, lying: Image
) -> None:
    expected = Expected(rules_of(CLIPS[0].game))
    film = Film(Watcher(reader, expected, at_once=False))
    moving = [np.roll(lying, 9 * n, axis=0) for n in range(4)]
    assert film.read(*moving) == [], "a camera that is put up"
    assert film.read(lying, times=REST) == []
    assert film.show(lying)[0].tray.state in {TrayState.READ, TrayState.UNSURE}
    assert len(film.read(np.ascontiguousarray(lying[:, ::-1]), times=REST)) == 1


def test_what_was_known_before_the_process_was_replaced_is_not_read_again(
    shown: tuple[Film, DiceReading], reader: Reader, lying: Image
) -> None:
    _, before = shown
    expected = Expected(rules_of(CLIPS[0].game))
    known = msgspec.structs.replace(before, roll=4)
    film = Film(Watcher(reader, expected, known, at_once=False))
    assert film.read(lying, times=REST) == []
    (other,) = film.read(np.ascontiguousarray(lying[:, ::-1]), times=REST)
    assert other.roll == 5


HERE = [(100, 100), (200, 150)]
THERE = [(300, 200), (420, 90)]


def states(motion: Motion, frames: Iterable[Frame]) -> list[MotionState]:
    return [motion.see(frame).state for frame in frames]


def rested(motion: Motion, image: Image, frames: int = 20) -> float:
    """Let the tray rest and accept it; returns the time after it."""
    states(motion, film(grain(image, seed) for seed in range(frames)))
    motion.accept(NONE)
    return frames / FPS


def test_a_tray_at_rest_is_still_in_spite_of_the_cameras_grain() -> None:
    seen = states(Motion(), film(grain(tray(HERE), seed) for seed in range(60)))
    assert seen == [MotionState.UNKNOWN] + [MotionState.STILL] * 59


def test_a_die_that_moves_one_pixel_a_frame_is_moving() -> None:
    motion = Motion()
    start = rested(motion, tray(HERE))
    seen = states(motion, film((tray([(100 + n, 100)]) for n in range(30)), start))
    assert MotionState.MOVING in seen[:2]
    assert max(_runs(seen, MotionState.STILL)) <= 3


def test_rest_is_counted_from_the_last_movement() -> None:
    motion = Motion()
    start = rested(motion, tray(HERE))
    scenes = [motion.see(frame) for frame in film([tray(THERE)] * 16, start)]
    assert scenes[0].state is MotionState.MOVING
    assert scenes[0].still_s == 0
    assert scenes[-1].still_s == pytest.approx(0.5)


def test_a_hand_is_a_hand_whether_it_moves_or_rests() -> None:
    motion = Motion()
    start = rested(motion, tray(HERE))
    reaching = [tray(HERE, arm=40 * n) for n in range(1, 8)] + [tray(HERE, arm=280)] * 40
    seen = states(motion, film(reaching, start))
    assert set(seen[1:]) == {MotionState.HAND}


EDGE, INSIDE = (0, 100, 60, 90), (300, 100, 60, 90)
"""A large die, half of it outside, and one in the middle: x, y, width, height, px."""


def blocks(*boxes: tuple[int, int, int, int]) -> Image:
    """Draw the table with dark dice on it."""
    image = tray()
    for x, y, width, height in boxes:
        image[y : y + height, x : x + width] = 20
    return image


def places(*boxes: tuple[int, int, int, int]) -> Rects:
    return np.array(boxes, np.float32).reshape(-1, 4) / np.float32(WIDTH)


def reaching(before: Image, lay: Rects, now: Image) -> Motion:
    """Make the motion state of a tray into which something reaches, without movement."""
    motion = Motion()
    states(motion, film(grain(before, seed) for seed in range(20)))
    motion.accept(lay)
    seen = states(motion, film((grain(now, seed) for seed in range(10)), 20 / FPS))
    assert set(seen[1:]) == {MotionState.HAND}
    return motion


def test_a_die_that_lay_over_the_edge_and_is_gone_is_no_hand() -> None:
    before = blocks(EDGE, INSIDE)
    gone = reaching(before, places(EDGE, INSIDE), blocks(INSIDE))
    assert gone.are_dice(places(INSIDE))
    unseen = reaching(before, places(INSIDE), blocks(INSIDE))
    assert unseen.are_dice(places(INSIDE)), "no longer than a die, although nobody saw it as one"


def test_what_is_longer_than_a_die_is_a_hand_whatever_dice_lie_under_it() -> None:
    arm = blocks(EDGE, INSIDE)
    arm[140:230, WIDTH - 200 :] = (150, 180, 220)
    motion = reaching(blocks(EDGE, INSIDE), places(EDGE, INSIDE), arm)
    assert not motion.are_dice(places(EDGE, INSIDE))
    over = blocks(EDGE)
    over[120:180, : INSIDE[0] + 60] = (150, 180, 220)
    motion = reaching(blocks(EDGE, INSIDE), places(EDGE, INSIDE), over)
    assert not motion.are_dice(places(EDGE))


@pytest.mark.parametrize(("light", "state"), [(0.05, MotionState.DARK), (9.0, MotionState.BRIGHT)])
def test_a_picture_without_light_or_full_of_it_is_neither(light: float, state: MotionState) -> None:
    assert set(states(Motion(), film([tray(HERE, light=light)] * 5))) == {state}


def test_nothing_is_known_of_a_gap_between_frames() -> None:
    motion = Motion()
    start = rested(motion, tray(HERE))
    assert motion.see(Frame(tray(HERE), start + 5, 99)).state is MotionState.UNKNOWN


def test_a_clock_that_starts_again_means_a_reopened_camera() -> None:
    motion = Motion()
    rested(motion, tray(HERE))
    scenes = [motion.see(frame) for frame in film([tray(HERE)] * 3)]
    assert [scene.state for scene in scenes] == [MotionState.UNKNOWN] + [MotionState.STILL] * 2
    assert scenes[-1].still_s == pytest.approx(2 / FPS)


def test_a_hand_over_a_reopened_camera_makes_no_restless_picture() -> None:
    motion = Motion()
    rested(motion, tray(HERE))
    states(motion, film([tray(HERE, arm=280)] * 5, 1000))
    restarted = [motion.see(frame) for frame in film([tray(HERE, arm=280), tray(THERE)])]
    assert restarted[-1].state is MotionState.MOVING
    assert restarted[-1].restless_s < 1


def _runs(seen: list[MotionState], wanted: MotionState) -> list[int]:
    """The lengths of unbroken runs of the state."""
    runs = [0]
    for state in seen:
        if state is wanted:
            runs[-1] += 1
        else:
            runs.append(0)
    return runs
