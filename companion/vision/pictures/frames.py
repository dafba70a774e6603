"""Frames: the pictures of a source, as generators of small frozen values.

Nothing here looks into a picture.
"""

from __future__ import annotations

import logging
import threading
import time
import zlib
from collections.abc import Callable, Generator, Iterable, Iterator
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Protocol, TypeVar

import numpy as np
import numpy.typing as npt

from companion.vision.errors import PhotoError, SourceError
from companion.vision.opencv import cv2
from companion.vision.pictures.decoding import (
    Image,
    as_bgr,
    check_size,
    decode,
    decode_frame,
    fitting,
    frame_size,
    read_file,
)

Grey = npt.NDArray[np.float32]
"""(h, w) float32, 0 to 255."""

WIDTH, HEIGHT, FPS = 1280, 720, 30
"""What a camera is asked for; it may answer with something else."""

STILL_FPS = 10
STILL_HOLD_S = 1.5
"""A folder shows each of its stills for as long as dice need to be read, and some more."""

SILENT_S = 15.0
"""A camera that nobody opens again has ended once it has shown nothing new for so long; the slowest
to start, a Pi's own, takes seven seconds, or twice that."""

_LATE_S = 0.02
"""A recording's frame may come so much late before all others are put off too."""

_PICTURES = frozenset({".jpg", ".jpeg", ".png"})
_LOG = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Frame:
    """One picture. `image` (H, W, 3) uint8 BGR; `captured_at` s on the source's own clock."""

    image: Image
    captured_at: float
    index: int
    """Counted from 0 in the source, dropped frames included."""

    def grey(self, width: int) -> Grey:
        """The picture in grey, (h, width) float32, by areas."""
        small = cv2.resize(
            self.image,
            fitting(self.image, width / self.image.shape[1]),
            interpolation=cv2.INTER_AREA,
        )
        return cv2.cvtColor(small, cv2.COLOR_BGR2GRAY).astype(np.float32)

    def decode(self) -> Frame:
        """Itself."""
        return self

    def trace(self) -> int:
        """A number that another picture of the same scene does not have: each has its noise."""
        return zlib.crc32(self.image[::8].tobytes())


@dataclass(frozen=True, slots=True)
class EncodedFrame:
    """One picture as its camera sent it, `encoded` a JPEG: most are only glanced at.

    One that cannot be decoded is black: nothing is read of it, and a camera that sends nothing
    else is started again.
    """

    encoded: bytes
    captured_at: float
    index: int

    def grey(self, width: int) -> Grey:
        """The picture in grey, (h, width) float32, decoded no larger than that takes."""
        # An eighth is the mean of each of the JPEG's own blocks, and costs a third of the whole.
        for reduced in (
            cv2.IMREAD_REDUCED_GRAYSCALE_8,
            cv2.IMREAD_REDUCED_GRAYSCALE_4,
            cv2.IMREAD_REDUCED_GRAYSCALE_2,
            cv2.IMREAD_GRAYSCALE,
        ):
            small = self._decoded(reduced)
            if small.shape[1] >= width:
                break
        if small.shape[1] != width:
            size = fitting(small, width / small.shape[1])
            return np.asarray(cv2.resize(small, size, interpolation=cv2.INTER_AREA), np.float32)
        return small.astype(np.float32)

    def decode(self) -> Frame:
        """The whole picture."""
        return Frame(as_bgr(self._decoded(cv2.IMREAD_COLOR)), self.captured_at, self.index)

    def trace(self) -> int:
        """A number that another picture of the same scene does not have: each has its noise."""
        return zlib.crc32(self.encoded)

    def _decoded(self, how: int) -> npt.NDArray[np.uint8]:
        decoded = decode_frame(self.encoded, how)
        return decoded if decoded is not None else np.zeros((HEIGHT, WIDTH), np.uint8)


Shot = Frame | EncodedFrame
"""What a source gives."""

S = TypeVar("S", bound=Shot)


def video_frames(path: str) -> Generator[Frame]:
    """Yields each frame of a file with its own time stamp, as fast as it is asked."""
    capture = cv2.VideoCapture(path, cv2.CAP_FFMPEG)
    try:
        index = 0
        last = -1.0
        while True:
            taken, image = capture.read()
            if not taken:
                break
            at = capture.get(cv2.CAP_PROP_POS_MSEC) / 1000
            if at <= last:  # a container without time stamps says 0 for every frame
                at = last + 1 / (capture.get(cv2.CAP_PROP_FPS) or FPS)
            frame = _frame(image, at, index)
            yield frame if index else checked(frame, path)
            last = at
            index += 1
        if index == 0:
            raise SourceError("error.camera.unreadable_file", source=path)
    finally:
        capture.release()


def still_frames(path: str) -> Generator[Frame]:
    """Yields every still of a folder, by name, for 1.5 s each at 10 frames a second.

    One that cannot be read is left out, with a warning that has the PhotoError as its `refusal`;
    SourceError where that is every one, or there is none.
    """
    try:
        pictures = [p for p in sorted(Path(path).iterdir()) if _is_still(p)]
    except OSError as error:
        raise SourceError("error.camera.unreadable_file", source=path) from error
    if not pictures:
        raise SourceError("error.camera.empty_folder", source=path)
    each = round(STILL_HOLD_S * STILL_FPS)
    number = 0
    for picture in pictures:
        image = _still(picture)
        if image is None:
            continue
        for index in range(number * each, (number + 1) * each):
            yield Frame(image, index / STILL_FPS, index)
        number += 1
    if number == 0:
        raise SourceError("error.camera.unreadable_stills", source=path)


def _is_still(path: Path) -> bool:
    """Whether a folder shows it: not what other systems keep beside a picture, by a dotted name."""
    is_hidden = path.name.startswith(".")
    return path.suffix.lower() in _PICTURES and not is_hidden and path.is_file()


def _still(path: Path) -> Image | None:
    """The picture of the file; None with a warning where it cannot be read."""
    try:
        return decode(read_file(path), shrink=True)
    except OSError as error:
        refusal = PhotoError("error.photo.unreadable_file", reason=error.strerror or "")
    except PhotoError as error:
        refusal = error
    about = {"picture": str(path), "refusal": refusal}
    _LOG.warning("%s is left out: %s", path, refusal.key, extra=about)
    return None


def in_real_time(
    frames: Iterable[Shot],
    clock: Callable[[], float] = time.monotonic,
    sleep: Callable[[float], None] = time.sleep,
) -> Iterator[Shot]:
    """Yields a recording's frames no sooner than their own time stamps, from now on."""
    start = clock()
    for frame in frames:
        early = start + frame.captured_at - clock()
        if early > 0:
            sleep(early)
        yield frame


def unfrozen(frames: Iterable[Shot]) -> Iterator[Shot]:
    """Yields a camera's frames without those that are the same to the last bit as the one before:
    what a camera shows that has hung (`camera_process.Feed`)."""
    before = None
    for frame in frames:
        trace = frame.trace()
        if trace != before:
            yield frame
        before = trace


def checked(shot: S, name: str) -> S:
    """The first picture of a source. SourceError where it is larger, or longer, than any that is
    read; a camera that is set so sends no other."""
    try:
        if isinstance(shot, EncodedFrame):
            frame_size(shot.encoded)
        else:
            check_size(shot.image.shape[1], shot.image.shape[0])
    except PhotoError as refusal:
        raise SourceError("error.camera.size", source=name) from refusal
    return shot


def _frame(image: npt.NDArray[np.generic], at: float, index: int) -> Frame:
    return Frame(as_bgr(image), at, index)


class LatestFrame:
    """The newest frame of a camera, drained by a thread of its own.

    A camera's driver keeps old frames for a reader that is slow; here they are thrown away, so
    that what is looked at is what is there now.
    """

    def __init__(
        self, frames: Iterator[Shot], is_starting: Callable[[], bool] = lambda: False
    ) -> None:
        self.is_starting = is_starting
        self._frames = frames
        self._changed = threading.Condition()
        self._frame: Shot | None = None
        self._error: SourceError | None = None
        self._ended = False
        self._closed = False
        self._thread = threading.Thread(target=self._drain, name="frames", daemon=True)
        self._thread.start()

    def take(self, timeout_s: float) -> Shot | None:
        """The newest frame not yet taken; None if there is none in time. EOFError at the end."""
        with self._changed:
            self._changed.wait_for(lambda: self._frame is not None or self._ended, timeout_s)
            frame, self._frame = self._frame, None
            if frame is None and self._ended:
                raise self._error or EOFError
            return frame

    def __iter__(self) -> Iterator[Shot]:
        return self.until_silent(SILENT_S)

    def until_silent(self, silent_s: float) -> Iterator[Shot]:
        """Yields the newest frame as often as one is taken. SourceError where it breaks off, or
        gives none for so long."""
        while True:
            try:
                frame = self.take(silent_s)
            except EOFError:
                return
            if frame is None:
                raise SourceError("error.camera.stalled")
            yield frame

    def close(self) -> None:
        """No frame is drained any more, once the one being read has come."""
        self._closed = True

    def _drain(self) -> None:
        try:
            for frame in self._frames:
                with self._changed:
                    self._frame = frame
                    self._changed.notify_all()
                if self._closed:
                    return
        except SourceError as error:
            self._error = error
        finally:
            with self._changed:
                self._ended = True
                self._changed.notify_all()


class PacedPlayback:
    """A recording at its own speed, or slower where its reader is: no frame is ever left out.

    So what is read of it does not depend on the machine.
    """

    def __init__(
        self,
        frames: Iterator[Frame],
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._frames = frames
        self._clock = clock
        self._sleep = sleep
        self._next: Frame | None = None
        self._began_at = float("-inf")

    def is_starting(self) -> bool:
        """False."""
        return False

    def take(self, timeout_s: float) -> Frame | None:
        """The next frame, when it is time for it; None if that is later. EOFError at the end."""
        if self._next is None:
            self._next = next(self._frames, None)
        frame = self._next
        if frame is None:
            raise EOFError
        # A reader that was late does not make the rest play faster.
        self._began_at = max(self._began_at, self._clock() - frame.captured_at - _LATE_S)
        early = self._began_at + frame.captured_at - self._clock()
        if early > timeout_s:
            self._sleep(timeout_s)
            return None
        if early > 0:
            self._sleep(early)
        self._next = None
        return frame


class Capture(Protocol):
    """What is used of `cv2.VideoCapture`."""

    def isOpened(self) -> bool:  # noqa: N802
        """Whether frames may be asked for."""

    def read(self) -> tuple[bool, npt.NDArray[np.generic]]:
        """The next picture, and whether there is one."""

    def get(self, what: int, /) -> float:
        """A property's value; 0 or less where the camera has no such thing."""

    def set(self, what: int, value: float, /) -> bool:
        """A property is given this value; whether the camera took it."""

    def release(self) -> None:
        """The camera is free for others."""


def live_frames(capture: Capture, name: str) -> Generator[Shot]:
    """Yields a live capture's frames, stamped as they arrive; SourceError when they stop.

    A capture set not to decode gives a JPEG's bytes in one row.
    """
    try:
        if not capture.isOpened():
            raise SourceError("error.camera.cannot_open", source=name)
        start = time.monotonic()
        for index in count():
            taken, image = capture.read()
            if not taken:
                raise SourceError("error.camera.lost", source=name)
            at = time.monotonic() - start
            is_packed = image.ndim == 2 and 1 in image.shape
            shot = (
                EncodedFrame(image.tobytes(), at, index) if is_packed else _frame(image, at, index)
            )
            yield shot if index else checked(shot, name)
    finally:
        capture.release()
