"""USB cameras (Video4Linux device nodes), holding a camera's exposure once it has settled, and a
Raspberry Pi's own camera.
"""

from __future__ import annotations

import os
import select
import signal
import subprocess
import time
from collections import deque
from collections.abc import Callable, Generator
from contextlib import suppress
from enum import Enum, auto
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Final

import numpy as np

from companion.vision.pictures import FPS, HEIGHT, WIDTH, AnyFrame, EncodedFrame, Grey, cv2, gains
from companion.vision.readings import SourceError
from companion.vision.sources.cameras import PROGRAM, open_failure, set_power_line
from companion.vision.sources.frames import jpeg_frames, live_frames

_GLANCE_WIDTH: Final = 80


class HoldState(Enum):
    """The state of holding: whether a camera adjusts itself."""

    SETTLING = auto()
    """It adjusts, and the picture is not steady yet."""
    TRIED = auto()
    """Its values were just held: the picture must stay as it was."""
    HELD = auto()
    """Its values are held."""


class Hold:
    """Follows a camera's brightness, and decides when it adjusts itself."""

    GLANCE_S = 0.5
    SETTLE_S = 2.0
    TRY_S = 1.0
    STEADY = 0.15
    """The relative change of brightness of a steady picture."""
    DARK = 12.0
    """The brightness below which nothing can be adjusted."""
    DRIFT_S = 3.0
    """How long the light must have changed before the camera adjusts itself again."""
    TRIALS = 2
    """The attempts at holding in a row; a hand may interfere with one."""
    BANDS = 0.015
    """The spread of `gains` between two pictures above which a lamp's bands are in them."""
    ARM, ARM_SHARE = 10.0, 0.01
    """The change beside bands, and its share of the picture, above which something else moves."""
    WHITE = 240.0
    """The brightness above which a lamp's bands may not show."""

    def __init__(self, camera: Controls, now: float) -> None:
        self._camera = camera
        self._since = self._glance_at = now
        self._level = 0.0
        self._trials = self.TRIALS
        self._last: Grey | None = None
        self._spreads = deque[float](maxlen=6)
        self._mains = 0
        """The mains frequency that the camera was suited to, Hz; 0 for none."""
        self._untried = [50, 60]
        self._best = float("inf"), 0
        """The least spread of `gains`, and its mains frequency."""
        self.state = HoldState.SETTLING
        self._camera.leave()  # it may still be held since an earlier run

    def glance(self, shot: AnyFrame, now: float) -> None:
        """Measure a picture's brightness and bands twice a second."""
        if now >= self._glance_at:
            self._glance_at = now + self.GLANCE_S
            last, self._last = self._last, shot.grey(_GLANCE_WIDTH)
            if last is not None and last.shape == self._last.shape:
                since = gains(self._last, last)
                moved = np.abs(self._last - since * last) > self.ARM
                moved &= np.maximum(self._last, last) < self.WHITE
                if moved.mean() < self.ARM_SHARE:
                    self._spreads.append(float(np.log(since).std()))
            self.see(float(np.median(self._last)), now)

    def see(self, level: float, now: float) -> None:
        """Take in the current brightness, the median of the grey levels."""
        if not self._trials:
            return  # it adjusts for good: held values have changed the picture twice
        away = abs(level - self._level)
        is_steady = away <= self.STEADY * self._level
        match self.state:
            case HoldState.SETTLING:
                if not is_steady or level < self.DARK:
                    self._level, self._since = level, now
                    self._spreads.clear()
                elif now - self._since < self.SETTLE_S:
                    return
                elif self._suits_other_mains():
                    self._level, self._since = level, now
                else:
                    self._camera.hold()
                    self.state, self._level, self._since = HoldState.TRIED, level, now
            case HoldState.TRIED:
                if not is_steady:
                    self._release(level, now)
                    self._trials -= 1
                elif now - self._since >= self.TRY_S:
                    self.state, self._trials = HoldState.HELD, self.TRIALS
            case HoldState.HELD:
                # At most half the range to white, or a light picture could never become too light.
                if away <= min(self.STEADY * self._level, (255 - self._level) / 2):
                    self._since = now
                elif now - self._since >= self.DRIFT_S:
                    self._release(level, now)
                if self._untried and self._spread() > self.BANDS:
                    self._release(level, now)

    def _suits_other_mains(self) -> bool:
        """Whether the camera now adjusts to another mains frequency: there are bands with this one.
        After the last one, the best is kept."""
        spread = self._spread()
        self._spreads.clear()
        if self._mains and spread:
            self._best = min(self._best, (spread, self._mains))
        if spread <= self.BANDS:
            return False
        hz = self._untried.pop(0) if self._untried else self._best[1]
        if hz == self._mains or not self._camera.suit(hz):
            self._untried.clear()
            return False
        self._mains = hz
        return True

    def _spread(self) -> float:
        """The usual spread of `gains`; 0 before it is known."""
        is_known = len(self._spreads) >= self.SETTLE_S / self.GLANCE_S
        return float(np.median(self._spreads)) if is_known else 0.0

    def _release(self, level: float, now: float) -> None:
        self.state, self._level, self._since = HoldState.SETTLING, level, now
        self._camera.leave()


WARM_UP_FRAMES = 5
"""The first pictures that are dropped: black or half exposed."""

_MJPG = cv2.VideoWriter.fourcc(*"MJPG")


def device_frames(
    path: str,
    opening: Callable[[str], cv2.VideoCapture] | None = None,
    clock: Callable[[], float] = time.monotonic,
) -> Generator[AnyFrame]:
    """Yields a camera's frames for ever. SourceError once it gives none."""
    if not Path(path).exists():
        raise SourceError("error.camera.unknown_device", source=path)
    capture = opening(path) if opening else cv2.VideoCapture(path, cv2.CAP_V4L2)
    if not capture.isOpened():
        capture.release()
        raise SourceError(f"error.camera.{open_failure(path)}", source=path)
    request_format(capture)
    hold = Hold(Controls(capture, path), clock())
    for shot in islice(live_frames(capture, path), WARM_UP_FRAMES, None):
        hold.glance(shot, clock())
        yield shot


def request_format(capture: cv2.VideoCapture) -> None:
    """Request compressed pictures from a camera.

    The order matters: the pixel format first, or the size is refused by cameras that only reach
    it compressed.
    """
    capture.set(cv2.CAP_PROP_FOURCC, _MJPG)
    capture.set(cv2.CAP_PROP_FRAME_WIDTH, WIDTH)
    capture.set(cv2.CAP_PROP_FRAME_HEIGHT, HEIGHT)
    capture.set(cv2.CAP_PROP_FPS, FPS)
    capture.set(cv2.CAP_PROP_BUFFERSIZE, 1)
    if round(capture.get(cv2.CAP_PROP_FOURCC)) == _MJPG:
        # Most pictures are only checked for motion: kept encoded, they are decoded when needed.
        capture.set(cv2.CAP_PROP_CONVERT_RGB, 0)


class Controls:
    """The switches and values of a capture."""

    def __init__(self, capture: cv2.VideoCapture, path: str) -> None:
        self._capture, self._path = capture, path
        self._mains = 0

    def hold(self) -> None:
        """Hold the values that the camera has found; leave the others automatic."""
        for switch, _, by_hand, value in _CONTROLS:
            found = self._capture.get(value)
            if value == cv2.CAP_PROP_EXPOSURE and self._mains:
                found = suited(found, self._mains)
            if found > 0 and self._capture.set(switch, by_hand):
                self._capture.set(value, found)

    def leave(self) -> None:
        """Let the camera adjust itself."""
        for switch, by_itself, _, _ in _CONTROLS:
            self._capture.set(switch, by_itself)

    def suit(self, mains_hz: int) -> bool:
        """Adjust the exposure to lamps on this mains frequency, if the driver can."""
        is_set = set_power_line(self._path, mains_hz)
        self._mains = mains_hz if is_set else self._mains
        return is_set


def suited(exposure: float, mains_hz: int) -> float:
    """Return the whole number of a lamp's half periods nearest to an exposure, 0.1 ms; the exposure
    itself if that would change the brightness: no lamp's light is whole in less."""
    half = 1e4 / (2 * mains_hz)
    whole = round(exposure / half) * half
    return whole if abs(whole - exposure) <= Hold.STEADY * exposure else exposure


_CONTROLS = (
    # Video4Linux has 3 for a camera that chooses its exposure itself, 1 for one that does not.
    (cv2.CAP_PROP_AUTO_EXPOSURE, 3, 1, cv2.CAP_PROP_EXPOSURE),
    (cv2.CAP_PROP_AUTO_WB, 1, 0, cv2.CAP_PROP_WB_TEMPERATURE),
    (cv2.CAP_PROP_AUTOFOCUS, 1, 0, cv2.CAP_PROP_FOCUS),
)
"""Each control: its switch, the switch's automatic and manual settings, its value."""


_PI_FPS: Final = 15
PI_SILENT_S = 1.5
"""The longest time between two pictures of a Pi's own camera."""
PI_BEGIN_S = 6.0
"""The time limit for its first picture."""
PI_END_S = 0.5
"""The time limit for ending its program and releasing the camera."""

_CHUNK = 1 << 16


def rpicam_frames(number: int) -> Generator[EncodedFrame]:
    """Yields the frames of a Pi's own camera, stamped as they arrive, for ever, through a program
    that writes JPEGs into a pipe. SourceError if it is not installed, ends, is silent or sends no
    pictures.

    The camera adjusts its exposure and colours all the time, as network cameras do: what changes
    all of the picture is no motion (`pictures.gains`). It focuses once, when it starts.
    """
    try:
        process = _started(number)
    except OSError as error:
        raise SourceError("error.camera.no_rpicam") from error
    try:
        yield from jpeg_frames(partial(_more, process), f"csi:{number}", PI_BEGIN_S, PI_SILENT_S)
    finally:
        _end(process)


def _more(process: subprocess.Popen[bytes], deadline: float) -> bytes:
    """Read more bytes; none at the end, or if none come in time."""
    assert process.stdout is not None
    ready, _, _ = select.select([process.stdout], [], [], max(0.0, deadline - time.monotonic()))
    return os.read(process.stdout.fileno(), _CHUNK) if ready else b""


def _started(number: int) -> subprocess.Popen[bytes]:
    command = [
        *(PROGRAM, "--camera", str(number), "--timeout", "0", "--nopreview", "--verbose", "0"),
        *("--codec", "mjpeg", "--width", str(WIDTH), "--height", str(HEIGHT)),
        *("--framerate", str(_PI_FPS), "--autofocus-mode", "auto", "--flush", "--output", "-"),
    ]
    quiet = subprocess.DEVNULL
    return subprocess.Popen(command, stdin=quiet, stdout=subprocess.PIPE, stderr=quiet)


def _end(process: subprocess.Popen[bytes]) -> None:
    """End the program, so that it releases the camera."""
    process.send_signal(signal.SIGINT)
    with suppress(subprocess.TimeoutExpired):
        process.communicate(timeout=PI_END_S)  # it may be blocked until its output is read
    process.kill()
    with suppress(subprocess.TimeoutExpired):
        process.wait(PI_END_S)  # with a hanging driver it may never end
