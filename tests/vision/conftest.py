"""Fixtures: the shipped networks, loaded once, and a picture of dice at rest."""

from __future__ import annotations

from pathlib import Path

import pytest

from companion.vision.pictures import Image
from companion.vision.read.reader import Reader
from companion.vision.sources.frames import video_frames
from models.evaluate_clips import Clip, clips

FOLDER = Path(__file__).parent.parent / "clips"


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
