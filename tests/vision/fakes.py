"""Fake sources: drawn trays, a camera that follows a script, a recording that waits; and bad
photos.
"""

from __future__ import annotations

import os
import select
import signal
import threading
from collections.abc import Generator, Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from itertools import count
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from companion.vision.pictures import AnyFrame, Frame, Image, cv2
from companion.vision.readings import SourceError
from companion.vision.sources.frames import LatestFrame, video_frames
from companion.vision.sources.kinds import FrameStream
from tests.waiting import WITHIN_S

WIDTH, HEIGHT = 640, 360
FPS = 30
CLIP_FPS = 20
"""Of the recordings in `tests/clips`."""


def tray(dice: Iterable[tuple[int, int]] = (), arm: int = 0, light: float = 1.0) -> Image:
    """Draw a grey table with dark squares of 40 px, and an arm that reaches in from the right."""
    image = np.full((HEIGHT, WIDTH, 3), 90, np.float32)
    image += np.linspace(-12, 12, WIDTH, dtype=np.float32)[None, :, None]
    for x, y in dice:
        image[y : y + 40, x : x + 40] = 30
        image[y + 10 : y + 30, x + 10 : x + 30] = (60, 200, 120)
    if arm:
        image[140:230, WIDTH - arm :] = (150, 180, 220)
    return np.asarray(np.clip(image * light, 0, 255), np.uint8)


def grain(image: Image, seed: int) -> Image:
    """Add a camera's noise to the picture, with one of seven seeds."""
    return np.asarray(cv2.add(image, _noise(seed % 7), dtype=cv2.CV_8U), np.uint8)


@cache
def _noise(seed: int) -> npt.NDArray[np.int16]:
    noise = np.random.default_rng(seed).normal(0, 3, (HEIGHT, WIDTH, 3))
    return noise.round().astype(np.int16)


def film(images: Iterable[Image], start_s: float = 0.0, fps: float = FPS) -> Iterator[Frame]:
    """Yields the pictures as frames, evenly in time."""
    for index, image in enumerate(images):
        yield Frame(image, start_s + index / fps, index)


@dataclass(frozen=True, slots=True)
class Scripted:
    """A camera that follows `script`: each time it is opened, the next word of it.

    good: frames for ever; black: black frames for ever. The others give frames until the test
    says `now`, then: darkened: black frames; unplugged: gone until the test puts the node back;
    killed: the process dies.
    Each frame comes when it is asked for, at a time of the script's own.
    """

    live: ClassVar[bool] = True
    folder: str
    script: tuple[str, ...]

    @property
    def node(self) -> Path:
        """A stand-in for the device node; the test removes and creates it."""
        return Path(self.folder) / "node"

    @property
    def cue(self) -> Path:
        return Path(self.folder) / "now"

    def now(self) -> None:
        """Let the script's event happen."""
        self.cue.touch()

    def present(self) -> bool:
        return self.node.exists()

    def play(self) -> FrameStream:
        requested = threading.Semaphore(0)
        return OnDemand(LatestFrame(paced(self.frames(), requested)), requested)

    def frames(self) -> Generator[AnyFrame]:
        opened = Path(self.folder) / "opened"
        before = int(opened.read_text()) if opened.exists() else 0
        opened.write_text(str(before + 1))
        word = self.script[min(before, len(self.script) - 1)]
        index = 0
        while word in {"good", "black"} or not self.cue.exists():
            yield self._frame(index, light=0.0 if word == "black" else 1.0)
            index += 1
        match word:
            case "darkened":
                for later in count(index):
                    yield self._frame(later, light=0.0)
            case "unplugged":
                self.node.unlink()
                raise SourceError("error.camera.lost", source=str(self.node))
            case "killed":
                os.kill(os.getpid(), signal.SIGKILL)

    def _frame(self, index: int, light: float = 1.0) -> Frame:
        return Frame(grain(tray(light=light), index), index / FPS, index)


def signal_event(pipe: Path) -> None:
    """Signal the event to the other side; returns once it is received."""
    pipe.write_bytes(b"!")


def wait_for(pipe: Path) -> None:
    """Wait until the other side has signalled the event."""
    opened = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    ready, _, _ = select.select([opened], [], [], WITHIN_S)
    os.close(opened)
    assert ready, f"no signal in {pipe.name}"


def paced(frames: Iterable[AnyFrame], requested: threading.Semaphore) -> Iterator[AnyFrame]:
    """Yields each frame once it is requested."""
    for frame in frames:
        requested.acquire()
        yield frame


class OnDemand:
    """A camera that takes a picture for each request, and no others."""

    def __init__(self, newest: LatestFrame, requested: threading.Semaphore) -> None:
        self._newest = newest
        self._calls = requested

    def take(self, timeout_s: float) -> AnyFrame | None:
        self._calls.release()
        return self._newest.take(timeout_s)


@dataclass(frozen=True, slots=True)
class Recorded:
    """A recording with its own time stamps, played as fast as it is read.

    Where `rests` says so it shows the same frame on and on, until the test has called `go_on` once
    more: a slow reader misses nothing.
    """

    live: ClassVar[bool] = False
    path: str
    folder: str
    rests: tuple[int, ...] = ()

    def go_on(self) -> None:
        """Let the recording pass its next rest without waiting, or end the current wait."""
        folder = Path(self.folder)
        folder.mkdir(exist_ok=True)
        (folder / str(len(list(folder.iterdir())))).touch()

    def present(self) -> bool:
        return True

    def frames(self) -> Generator[Frame]:
        shown = 0
        for frame in video_frames(self.path):
            yield Frame(frame.image, shown / CLIP_FPS, shown)
            shown += 1
            while frame.index in self.rests and not self._goes_on(self.rests.index(frame.index)):
                yield Frame(frame.image, shown / CLIP_FPS, shown)
                shown += 1

    def play(self) -> FrameStream:
        return AtOnce(self.frames())

    def _goes_on(self, rest: int) -> bool:
        return (Path(self.folder) / str(rest)).exists()


class AtOnce:
    """Gives every frame as soon as it is taken."""

    def __init__(self, frames: Iterator[Frame]) -> None:
        self._frames = frames

    def take(self, timeout_s: float) -> Frame:
        frame = next(self._frames, None)
        if frame is None:
            raise EOFError
        return frame


class SlowPhoto(bytes):
    """A PNG whose reading takes as long as the test wants: reading its head blocks.

    It signals in `begun` that it is being read, and waits for a signal in `goes_on`.
    """

    folder: Path

    @staticmethod
    def kept_in(folder: Path) -> SlowPhoto:
        """Make a photo of an empty tray."""
        _, encoded = cv2.imencode(".png", tray())
        photo = SlowPhoto(encoded.tobytes())
        photo.folder = folder
        os.mkfifo(photo.begun)
        os.mkfifo(photo.goes_on)
        return photo

    @property
    def begun(self) -> Path:
        return self.folder / "begun"

    @property
    def goes_on(self) -> Path:
        return self.folder / "goes_on"

    def startswith(self, *args: Any) -> bool:
        signal_event(self.begun)
        wait_for(self.goes_on)
        return super().startswith(*args)


class FatalPhoto(bytes):
    """A picture whose decoder ends its process."""

    def startswith(self, *args: Any) -> bool:
        os.kill(os.getpid(), signal.SIGSEGV)
        return False
