"""Rest, motion and hands in drawn pictures, with scripted time stamps."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import pytest

from companion.vision.pictures import Frame, Image
from companion.vision.watch.motion import NONE, Motion, MotionState, Rects
from tests.vision.fakes import FPS, WIDTH, film, grain, tray

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


def test_a_die_that_turns_too_slowly_for_one_frame_is_still_noticed() -> None:
    motion = Motion()
    start = rested(motion, tray(HERE))
    slow = (tray([HERE[0], (200 + n // 3, 150)]) for n in range(60))
    assert max(_runs(states(motion, film(slow, start)), MotionState.STILL)) < 0.5 * FPS


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


def test_what_lies_longer_than_a_hand_would_belongs_to_the_scene() -> None:
    motion = Motion()
    start = rested(motion, tray(HERE))
    mug = film([tray(HERE, arm=120)] * (4 * FPS), start)
    assert states(motion, mug)[-1] is MotionState.STILL


def test_dice_that_have_moved_are_no_hand() -> None:
    motion = Motion()
    start = rested(motion, tray(HERE))
    assert MotionState.HAND not in states(motion, film([tray(THERE)] * 10, start))


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


def test_a_die_that_lies_over_the_edge_now_is_no_hand() -> None:
    motion = reaching(blocks(INSIDE), places(INSIDE), blocks(EDGE))
    assert motion.are_dice(places(EDGE))


def test_what_is_longer_than_a_die_is_a_hand_whatever_dice_lie_under_it() -> None:
    arm = blocks(EDGE, INSIDE)
    arm[140:230, WIDTH - 200 :] = (150, 180, 220)
    motion = reaching(blocks(EDGE, INSIDE), places(EDGE, INSIDE), arm)
    assert not motion.are_dice(places(EDGE, INSIDE))
    over = blocks(EDGE)
    over[120:180, : INSIDE[0] + 60] = (150, 180, 220)
    motion = reaching(blocks(EDGE, INSIDE), places(EDGE, INSIDE), over)
    assert not motion.are_dice(places(EDGE))


def test_where_no_dice_are_known_what_reaches_in_is_a_hand() -> None:
    assert not reaching(blocks(), NONE, blocks(EDGE)).are_dice(NONE)


def test_a_light_that_is_switched_is_no_hand() -> None:
    motion = Motion()
    start = rested(motion, tray(HERE))
    seen = states(motion, film([tray(HERE, light=1.4)] * 10, start))
    assert MotionState.HAND not in seen


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


def _runs(seen: list[MotionState], wanted: MotionState) -> list[int]:
    """The lengths of unbroken runs of the state."""
    runs = [0]
    for state in seen:
        if state is wanted:
            runs[-1] += 1
        else:
            runs.append(0)
    return runs
