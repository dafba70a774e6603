"""USB cameras (Video4Linux device nodes): opening one, and holding its exposure."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Generator
from itertools import islice
from pathlib import Path

from companion.vision.errors import SourceError
from companion.vision.opencv import cv2
from companion.vision.pictures.frames import FPS, HEIGHT, WIDTH, AnyFrame, VideoCapture, live_frames
from companion.vision.sources.cameras import open_failure
from companion.vision.sources.hold import Hold

WARM_UP_FRAMES = 5
"""The first pictures that are dropped: black or half exposed."""

_LOG = logging.getLogger(__name__)
_MJPG = cv2.VideoWriter.fourcc(*"MJPG")


def device_frames(
    path: str,
    opening: Callable[[str], VideoCapture] | None = None,
    clock: Callable[[], float] = time.monotonic,
) -> Generator[AnyFrame]:
    """Yields a camera's frames for ever. SourceError once it gives none."""
    if not Path(path).exists():
        raise SourceError("error.camera.unknown_device", source=path)
    capture = (opening or _opened)(path)
    if not capture.isOpened():
        capture.release()
        raise SourceError(f"error.camera.{open_failure(path)}", source=path)
    request_format(capture, path)
    hold = Hold(Controls(capture), clock())
    for shot in islice(live_frames(capture, path), WARM_UP_FRAMES, None):
        hold.glance(shot, clock())
        yield shot


def request_format(capture: VideoCapture, path: str) -> None:
    """Request compressed pictures from a camera; a different answer is logged.

    The order matters: the pixel format first, or the size is refused by cameras that only reach
    it compressed.
    """
    capture.set(cv2.CAP_PROP_FOURCC, _MJPG)
    capture.set(cv2.CAP_PROP_FRAME_WIDTH, WIDTH)
    capture.set(cv2.CAP_PROP_FRAME_HEIGHT, HEIGHT)
    capture.set(cv2.CAP_PROP_FPS, FPS)
    capture.set(cv2.CAP_PROP_BUFFERSIZE, 1)
    if round(capture.get(cv2.CAP_PROP_FOURCC)) == _MJPG:
        # Most pictures are only checked for motion, so they are kept encoded and decoded when
        # needed.
        capture.set(cv2.CAP_PROP_CONVERT_RGB, 0)
    width = round(capture.get(cv2.CAP_PROP_FRAME_WIDTH))
    height = round(capture.get(cv2.CAP_PROP_FRAME_HEIGHT))
    if (width, height) != (WIDTH, HEIGHT):
        requested = f"{WIDTH}x{HEIGHT}"
        _LOG.warning("%s gives %dx%d, not %s", path, width, height, requested)


class Controls:
    """The switches and values of a capture (`hold.Adjustable`)."""

    def __init__(self, capture: VideoCapture) -> None:
        self._capture = capture

    def hold(self) -> bool:
        """Hold the values that the camera has found; leave the others automatic."""
        for switch, _, by_hand, value in _CONTROLS:
            found = self._capture.get(value)
            if found > 0 and self._capture.set(switch, by_hand):
                self._capture.set(value, found)
        return True

    def leave(self) -> None:
        """Let the camera adjust itself."""
        for switch, by_itself, _, _ in _CONTROLS:
            self._capture.set(switch, by_itself)


_CONTROLS = (
    # Video4Linux has 3 for a camera that chooses its exposure itself, 1 for one that does not.
    (cv2.CAP_PROP_AUTO_EXPOSURE, 3, 1, cv2.CAP_PROP_EXPOSURE),
    (cv2.CAP_PROP_AUTO_WB, 1, 0, cv2.CAP_PROP_WB_TEMPERATURE),
    (cv2.CAP_PROP_AUTOFOCUS, 1, 0, cv2.CAP_PROP_FOCUS),
)
"""Each control: its switch, the switch's automatic and manual settings, its value."""


def _opened(path: str) -> VideoCapture:
    return cv2.VideoCapture(path, cv2.CAP_V4L2)
