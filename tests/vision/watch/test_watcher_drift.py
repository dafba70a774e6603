"""What the watcher notices between rolls of a recorded clip, and what becomes of it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from companion.vision.box import Profile, rules_of
from companion.vision.pictures import Frame, Image, png
from companion.vision.read.reader import Expected, Reader
from companion.vision.readings import Drift, TrayState
from companion.vision.sources.frames import video_frames
from companion.vision.watch.watcher import FrameResult, Watcher
from models.evaluate_clips import Clip, clips
from tests.vision.fakes import CLIP_FPS

FOLDER = Path(__file__).parents[2] / "clips"
SOON = 2 * CLIP_FPS
"""Frames in which a rest is read, and compared once."""
LONG = 9 * CLIP_FPS
"""Frames after which what has changed is reported, or withdrawn."""


class Film:
    """Shows pictures to a watcher, in one unbroken time."""

    def __init__(self, watcher: Watcher) -> None:
        self._watcher = watcher
        self._shown = 0

    def show(self, picture: Image, times: int) -> list[FrameResult]:
        """Show a picture so many times."""
        return [self._watcher.see(frame) for frame in self._frames(picture, times)]

    def _frames(self, picture: Image, times: int) -> Iterator[Frame]:
        for _ in range(times):
            yield Frame(picture, self._shown / CLIP_FPS, self._shown)
            self._shown += 1


def lit(picture: Image, light: float) -> Image:
    return np.asarray(np.clip(picture * light, 0, 255), np.uint8)


@pytest.fixture
def watcher(reader: Reader, clip: Clip) -> Watcher:
    return Watcher(reader, Expected(rules_of(clip.game)))


def test_another_light_is_reported_with_the_state_of_the_tray_until_it_is_accepted(
    watcher: Watcher, lying: Image
) -> None:
    film = Film(watcher)
    first = film.show(lying, SOON)
    assert {result.tray.drift for result in first} == {None}
    later = film.show(lit(lying, 0.6), LONG)
    assert later[SOON].tray.drift is None
    assert later[-1].tray.drift is Drift.LIGHT
    assert later[-1].tray.state in {TrayState.READ, TrayState.UNSURE, TrayState.COUNT}
    assert [result.reading for result in later if result.reading is not None] == []
    watcher.accept_scene()
    accepted = film.show(lit(lying, 0.6), LONG)
    assert {result.tray.drift for result in accepted} == {None}
    assert film.show(lying, LONG)[-1].tray.drift is Drift.LIGHT


def test_a_light_that_is_back_is_reported_no_more(watcher: Watcher, lying: Image) -> None:
    film = Film(watcher)
    film.show(lying, SOON)
    assert film.show(lit(lying, 0.6), LONG)[-1].tray.drift is Drift.LIGHT
    assert film.show(lying, LONG)[-1].tray.drift is None


def test_the_clips_show_no_drift(reader: Reader) -> None:
    for clip in clips(FOLDER):
        watcher = Watcher(reader, Expected(rules_of(clip.game)))
        drifts = {watcher.see(frame).tray.drift for frame in video_frames(str(FOLDER / clip.clip))}
        assert drifts == {None}


def drawn(seed: int) -> bytes:
    """A print that no die shows: a pattern of sixteen squares."""
    squares = np.random.default_rng(seed).integers(0, 2, (4, 4, 1)).repeat(3, axis=2) * 200 + 30
    return png(np.asarray(squares.repeat(16, axis=0).repeat(16, axis=1), np.uint8))


def test_dice_that_no_print_fits_are_another_box_until_that_is_accepted(clip: Clip) -> None:
    faces = rules_of(clip.game).faces
    prints = {face: tuple(drawn(10 * n + m) for m in range(5)) for n, face in enumerate(faces)}
    reader = Reader.shipped(Profile(dice={clip.game: prints}))
    assert reader.knows(clip.game)
    watcher = Watcher(reader, Expected(rules_of(clip.game)))
    frames = list(video_frames(str(FOLDER / clip.clip)))
    assert Drift.BOX in {watcher.see(frame).tray.drift for frame in frames}
    watcher.accept_scene()
    assert watcher.see(frames[-1]).tray.drift is None
    unknown = Watcher(Reader.shipped(), Expected(rules_of(clip.game)))
    assert {unknown.see(frame).tray.drift for frame in frames} == {None}
