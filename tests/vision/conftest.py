"""Fixtures: the shipped networks, loaded once, a picture of dice at rest, and a watcher of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from companion.vision.box import rules_of
from companion.vision.pictures import Frame, Image
from companion.vision.read.reader import Expected, Reader
from companion.vision.readings import DiceReading
from companion.vision.sources.frames import video_frames
from companion.vision.watch.watcher import FrameResult, Watcher
from models.evaluate_clips import Clip, clips
from tests.vision.fakes import CLIP_FPS

FOLDER = Path(__file__).parent.parent / "clips"


class Film:
    """Shows pictures to a watcher, in one unbroken time."""

    def __init__(self, watcher: Watcher) -> None:
        self._watcher = watcher
        self._shown = 0

    def show(self, *pictures: Image, times: int = 1) -> list[FrameResult]:
        """Show each picture so many times."""
        sights = []
        for picture in pictures:
            for _ in range(times):
                frame = Frame(picture, self._shown / CLIP_FPS, self._shown)
                sights.append(self._watcher.see(frame))
                self._shown += 1
        return sights

    def read(self, *pictures: Image, times: int = 1) -> list[DiceReading]:
        """The readings made while the pictures were shown."""
        return [s.reading for s in self.show(*pictures, times=times) if s.reading is not None]


@pytest.fixture(scope="session")
def reader() -> Reader:
    return Reader.shipped()


@pytest.fixture(scope="session")
def clip() -> Clip:
    """The first of the project's own clips."""
    return clips(FOLDER)[0]


@pytest.fixture(scope="session")
def lying(clip: Clip) -> Image:
    """A picture of the first rest of the first clip."""
    throw = clip.throws[0]
    middle = (throw.settled_frame + throw.next_motion_frame) // 2
    frames = video_frames(str(FOLDER / clip.clip))
    return next(frame.image for frame in frames if frame.index == middle)


@pytest.fixture
def watcher(reader: Reader, clip: Clip) -> Watcher:
    """A watcher of dice as those of the first clip, however many."""
    return Watcher(reader, Expected(rules_of(clip.game)))
