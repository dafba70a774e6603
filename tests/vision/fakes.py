"""Trays drawn with a few squares, and a camera that follows a script."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Generator, Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
import numpy.typing as npt

from companion.vision.errors import SourceError
from companion.vision.frames import Frame, Image
from companion.vision.opencv import cv2

WIDTH, HEIGHT = 640, 360
FPS = 30


def tray(dice: Iterable[tuple[int, int]] = (), arm: int = 0, light: float = 1.0) -> Image:
    """A grey table with pale squares of 40 px, and an arm that reaches in from the right."""
    image = np.full((HEIGHT, WIDTH, 3), 90, np.float32)
    image += np.linspace(-12, 12, WIDTH, dtype=np.float32)[None, :, None]
    for x, y in dice:
        image[y : y + 40, x : x + 40] = 30
        image[y + 10 : y + 30, x + 10 : x + 30] = (60, 200, 120)
    if arm:
        image[140:230, WIDTH - arm :] = (150, 180, 220)
    return np.asarray(np.clip(image * light, 0, 255), np.uint8)


def grain(image: Image, seed: int) -> Image:
    """The picture with a camera's noise, another for each of seven seeds."""
    return np.asarray(cv2.add(image, _noise(seed % 7), dtype=cv2.CV_8U), np.uint8)


@cache
def _noise(seed: int) -> npt.NDArray[np.int16]:
    noise = np.random.default_rng(seed).normal(0, 3, (HEIGHT, WIDTH, 3))
    return noise.round().astype(np.int16)


def film(images: Iterable[Image], start_s: float = 0.0, fps: float = FPS) -> Iterator[Frame]:
    """The pictures as frames, evenly in time."""
    for index, image in enumerate(images):
        yield Frame(image, start_s + index / fps, index)


@dataclass(frozen=True, slots=True)
class Scripted:
    """A camera that does what `script` says, each time it is opened the next word of it.

    good: frames for ever; frozen: ten frames, then the last for ever; blocked: ten frames, then a
    read that does not return; black: black frames; unplugged: ten frames, then gone until the test
    puts the node back; killed, illegal: ten frames, then the process dies of that signal.
    """

    folder: str
    script: tuple[str, ...]

    @property
    def live(self) -> bool:
        return True

    @property
    def node(self) -> Path:
        """Stands for the device node; the test removes and creates it."""
        return Path(self.folder) / "node"

    def present(self) -> bool:
        return self.node.exists()

    def frames(self) -> Generator[Frame]:
        opened = Path(self.folder) / "opened"
        before = int(opened.read_text()) if opened.exists() else 0
        opened.write_text(str(before + 1))
        word = self.script[min(before, len(self.script) - 1)]
        light = 0.0 if word == "black" else 1.0
        for index in range(10):
            yield self._frame(index, light)
        match word:
            case "frozen":
                while True:
                    yield self._frame(9, light)
            case "blocked":
                threading.Event().wait()
            case "unplugged":
                self.node.unlink()
                raise SourceError("error.camera.lost", source=str(self.node))
            case "killed":
                os.kill(os.getpid(), signal.SIGKILL)
            case "illegal":
                os.kill(os.getpid(), signal.SIGILL)
            case _:
                index = 10
                while True:
                    yield self._frame(index, light)
                    index += 1

    def _frame(self, index: int, light: float) -> Frame:
        time.sleep(0.01)  # the camera's own pace
        return Frame(grain(tray(light=light), index), time.monotonic(), index)
