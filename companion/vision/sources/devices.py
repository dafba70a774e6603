"""USB cameras (Video4Linux device nodes), and holding a camera's exposure once it has settled."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Generator
from enum import Enum, auto
from itertools import islice
from pathlib import Path
from typing import Final, Protocol

import numpy as np

from companion.vision.pictures import FPS, HEIGHT, WIDTH, AnyFrame, cv2
from companion.vision.readings import SourceError
from companion.vision.sources.cameras import open_failure
from companion.vision.sources.frames import VideoCapture, live_frames

_GLANCE_WIDTH: Final = 80


class Adjustable(Protocol):
    """A camera that can keep its automatic values."""

    def hold(self) -> bool:
        """Keep the current values; False if it cannot, or has none yet."""

    def leave(self) -> None:
        """Adjust automatically again."""


class HoldState(Enum):
    """The state of holding: whether a camera adjusts itself."""

    SETTLING = auto()
    """It adjusts, and the picture is not steady yet."""
    TRIED = auto()
    """Its values were just held: the picture must stay as it was."""
    HELD = auto()
    """Its values are held."""
    LEFT = auto()
    """It adjusts for good: held values changed the picture twice in a row."""


class Hold:
    """Follows a camera's brightness, and decides when it adjusts itself."""

    GLANCE_S = 0.5
    SETTLE_S = 2.0
    TRY_S = 1.0
    STEADY = 0.15
    """The relative change of brightness of a steady picture."""
    DARK = 12.0
    """The brightness below which nothing can be adjusted."""
    TRIALS = 2
    """The attempts at holding; a hand may interfere with one."""

    def __init__(
        self, camera: Adjustable, now: float, drift: float = STEADY, drift_s: float = 3.0
    ) -> None:
        """`drift` is the relative change of light, and `drift_s` its duration, that ends
        holding."""
        self._camera = camera
        self._drift, self._drift_s = drift, drift_s
        self._since = self._glance_at = now
        self._level = 0.0
        self._trials = self.TRIALS
        self.state = HoldState.SETTLING
        self._camera.leave()  # it may still be held since an earlier run

    def glance(self, shot: AnyFrame, now: float) -> None:
        """Measure a picture's brightness twice a second."""
        if now >= self._glance_at:
            self._glance_at = now + self.GLANCE_S
            self.see(float(np.median(shot.grey(_GLANCE_WIDTH))), now)

    def see(self, level: float, now: float) -> None:
        """Take in the current brightness, the median of the grey levels."""
        away = abs(level - self._level)
        is_steady = away <= self.STEADY * self._level
        match self.state:
            case HoldState.SETTLING:
                if not is_steady or level < self.DARK:
                    self._level, self._since = level, now
                elif now - self._since >= self.SETTLE_S and self._camera.hold():
                    # After holding, its next picture may take a while.
                    self.state, self._level, self._since = HoldState.TRIED, level, np.inf
            case HoldState.TRIED:
                self._since = min(self._since, now)
                if not is_steady:
                    self._release(level, now)
                    self._trials -= 1
                    if self._trials == 0:
                        self.state = HoldState.LEFT
                elif now - self._since >= self.TRY_S:
                    self.state, self._trials = HoldState.HELD, self.TRIALS
            case HoldState.HELD:
                # At most half the range to white, or a light picture could never become too light.
                if away <= min(self._drift * self._level, (255 - self._level) / 2):
                    self._since = now
                elif now - self._since >= self._drift_s:
                    self._release(level, now)
            case HoldState.LEFT:
                return

    def _release(self, level: float, now: float) -> None:
        self.state, self._level, self._since = HoldState.SETTLING, level, now
        self._camera.leave()


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
    """The switches and values of a capture (`devices.Adjustable`)."""

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
