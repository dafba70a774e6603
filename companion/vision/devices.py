"""A camera with a device node: how it is opened, and how it is kept from changing its mind.

A camera that goes on adjusting itself changes the picture under the dice. So exposure, white
balance and focus are left to the camera until they have settled, and are then held, until the light
in the room is another.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Generator
from enum import Enum, auto
from itertools import islice
from pathlib import Path

import numpy as np

from companion.vision.errors import SourceError
from companion.vision.frames import FPS, HEIGHT, WIDTH, Capture, Shot, live_frames
from companion.vision.opencv import cv2

WARM_UP_FRAMES = 5
"""A camera's first pictures are black or half exposed."""

_LOG = logging.getLogger(__name__)
_MJPG = cv2.VideoWriter.fourcc(*"MJPG")
_GLANCE_S = 0.5
_GLANCE_WIDTH = 80


def device_frames(
    path: str,
    opening: Callable[[str], Capture] | None = None,
    clock: Callable[[], float] = time.monotonic,
) -> Generator[Shot]:
    """Yields a camera's frames for ever. SourceError once it gives none."""
    if not Path(path).exists():
        raise SourceError("error.camera.unknown_device", source=path)
    capture = (opening or _opened)(path)
    ask(capture, path)
    hold = Hold(capture, clock())
    glance_at = clock()
    for shot in islice(live_frames(capture, path), WARM_UP_FRAMES, None):
        now = clock()
        if now >= glance_at:
            glance_at = now + _GLANCE_S
            hold.see(float(np.median(shot.grey(_GLANCE_WIDTH))), now)
        yield shot


def ask(capture: Capture, path: str) -> None:
    """The camera is asked for its compressed pictures; what it gives instead is in the log.

    The order matters: the pixel format first, or the size is refused by cameras that only reach
    it compressed.
    """
    if not capture.isOpened():
        return
    capture.set(cv2.CAP_PROP_FOURCC, _MJPG)
    capture.set(cv2.CAP_PROP_FRAME_WIDTH, WIDTH)
    capture.set(cv2.CAP_PROP_FRAME_HEIGHT, HEIGHT)
    capture.set(cv2.CAP_PROP_FPS, FPS)
    capture.set(cv2.CAP_PROP_BUFFERSIZE, 1)
    if round(capture.get(cv2.CAP_PROP_FOURCC)) == _MJPG:
        # Most pictures are only glanced at: they come as they are, and are decoded when needed.
        capture.set(cv2.CAP_PROP_CONVERT_RGB, 0)
    width = round(capture.get(cv2.CAP_PROP_FRAME_WIDTH))
    height = round(capture.get(cv2.CAP_PROP_FRAME_HEIGHT))
    if (width, height) != (WIDTH, HEIGHT):
        asked = f"{WIDTH}x{HEIGHT}"
        _LOG.warning("%s gives %dx%d, not %s", path, width, height, asked)


class Held(Enum):
    """Who decides how bright and how sharp the picture is."""

    SETTLING = auto()
    """The camera, for the moment."""
    TRIED = auto()
    """Nobody since a moment: it must turn out whether the picture stays what it was."""
    HELD = auto()
    """Nobody."""
    LEFT = auto()
    """The camera, for good: its values, given back to it, made another picture."""


class Hold:
    """Follows how bright a camera's picture is, and tells the camera when to adjust itself."""

    SETTLE_S = 2.0
    TRY_S = 1.0
    DRIFT = 0.15
    """By such a share the light may change,"""
    DRIFT_S = 3.0
    """or for so long."""
    DARK = 12.0
    """In the dark nothing can be adjusted."""

    def __init__(self, capture: Capture, now: float) -> None:
        self._capture = capture
        self._since = now
        self._level = 0.0
        self.state = Held.SETTLING
        self._leave()

    def see(self, level: float, now: float) -> None:
        """The picture is so bright now: the median of its grey levels."""
        is_steady = abs(level - self._level) <= self.DRIFT * self._level
        match self.state:
            case Held.SETTLING:
                if not is_steady or level < self.DARK:
                    self._level, self._since = level, now
                elif now - self._since >= self.SETTLE_S:
                    self._take(level, now)
            case Held.TRIED:
                if not is_steady:
                    self.state = Held.LEFT
                    self._leave()
                elif now - self._since >= self.TRY_S:
                    self.state = Held.HELD
            case Held.HELD:
                if is_steady:
                    self._since = now
                elif now - self._since >= self.DRIFT_S:
                    self.state, self._level, self._since = Held.SETTLING, level, now
                    self._leave()
            case Held.LEFT:
                return

    def _take(self, level: float, now: float) -> None:
        """What the camera has found is held from now on; what it has not is left alone."""
        self.state, self._level, self._since = Held.TRIED, level, now
        for switch, _, by_hand, value in _CONTROLS:
            found = self._capture.get(value)
            if found > 0 and self._capture.set(switch, by_hand):
                self._capture.set(value, found)

    def _leave(self) -> None:
        """The camera adjusts itself: one that was held in an earlier life still is."""
        for switch, by_itself, _, _ in _CONTROLS:
            self._capture.set(switch, by_itself)


_CONTROLS = (
    # Video4Linux has 3 for a camera that chooses its exposure itself, 1 for one that does not.
    (cv2.CAP_PROP_AUTO_EXPOSURE, 3, 1, cv2.CAP_PROP_EXPOSURE),
    (cv2.CAP_PROP_AUTO_WB, 1, 0, cv2.CAP_PROP_WB_TEMPERATURE),
    (cv2.CAP_PROP_AUTOFOCUS, 1, 0, cv2.CAP_PROP_FOCUS),
)
"""Switch, its value for a camera that decides itself, its value for one that does not, value."""


def _opened(path: str) -> Capture:
    return cv2.VideoCapture(path, cv2.CAP_V4L2)
