"""Frames: the pictures of a source, as generators of small frozen values.

Here are recordings, folders and the pace of frames; cameras are opened in `sources`. Nothing here
looks for dice.
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
    frame_size,
    read_file,
    scaled_size,
)

Grey = npt.NDArray[np.float32]
"""(h, w) float32, 0 to 255."""

Colours = npt.NDArray[np.float32]
"""(h, w, 3) float32 BGR, 0 to 255."""

WIDTH, HEIGHT, FPS = 1280, 720, 30
"""The requested size and rate of a camera; it may choose others."""

STILL_FPS = 10
STILL_HOLD_S = 1.5
"""The time for which a folder shows each still: longer than dice must rest."""

SILENT_S = 15.0
"""The silence after which a camera that is not reopened has ended. The slowest to start, a Pi's
own, takes seven seconds, or twice that."""

_LATE_S = 0.02
"""The delay of a recording's frame above which all later ones are delayed too."""

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
        """The picture in grey, (h, width) float32, averaged over areas."""
        small = cv2.resize(
            self.image,
            scaled_size(self.image, width / self.image.shape[1]),
            interpolation=cv2.INTER_AREA,
        )
        return cv2.cvtColor(small, cv2.COLOR_BGR2GRAY).astype(np.float32)

    def colours(self, width: int) -> Colours:
        """The picture in colour, (h, width, 3) float32, averaged over areas."""
        return _scaled_to(self.image, width)

    def decode(self) -> Frame:
        """Return the frame itself."""
        return self

    def checksum(self) -> int:
        """A checksum that differs between pictures of the same scene, by their noise."""
        return zlib.crc32(self.image[::8].tobytes())


@dataclass(frozen=True, slots=True)
class EncodedFrame:
    """One picture as a JPEG, decoded only when needed: most are only checked for motion.

    A picture that cannot be decoded counts as black: nothing is read from it, and a camera that
    sends nothing else is restarted.
    """

    encoded: bytes
    captured_at: float
    index: int

    def grey(self, width: int) -> Grey:
        """The picture in grey, (h, width) float32, decoded at the smallest sufficient size."""
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
            size = scaled_size(small, width / small.shape[1])
            return np.asarray(cv2.resize(small, size, interpolation=cv2.INTER_AREA), np.float32)
        return small.astype(np.float32)

    def colours(self, width: int) -> Colours:
        """The picture in colour, (h, width, 3) float32, decoded at an eighth where that is wide
        enough."""
        small = as_bgr(self._decoded(cv2.IMREAD_REDUCED_COLOR_8))
        if small.shape[1] < width:
            small = self.decode().image
        return _scaled_to(small, width)

    def decode(self) -> Frame:
        """Decode the whole picture."""
        return Frame(as_bgr(self._decoded(cv2.IMREAD_COLOR)), self.captured_at, self.index)

    def checksum(self) -> int:
        """A checksum that differs between pictures of the same scene, by their noise."""
        return zlib.crc32(self.encoded)

    def _decoded(self, flag: int) -> npt.NDArray[np.uint8]:
        decoded = decode_frame(self.encoded, flag)
        return decoded if decoded is not None else np.zeros((HEIGHT, WIDTH), np.uint8)


def _scaled_to(image: Image, width: int) -> Colours:
    """The picture at another width, averaged over areas."""
    size = scaled_size(image, width / image.shape[1])
    return np.asarray(cv2.resize(image, size, interpolation=cv2.INTER_AREA), np.float32)


AnyFrame = Frame | EncodedFrame
"""A picture of a source, decoded or not."""

F = TypeVar("F", bound=AnyFrame)


def video_frames(path: str) -> Generator[Frame]:
    """Yields each frame of a file with its own time stamp, without delay."""
    capture = cv2.VideoCapture(path, cv2.CAP_FFMPEG)
    try:
        index = 0
        last = -1.0
        while True:
            taken, image = capture.read()
            if not taken:
                break
            at = capture.get(cv2.CAP_PROP_POS_MSEC) / 1000
            if at <= last:  # a container without time stamps gives 0 for every frame
                at = last + 1 / (capture.get(cv2.CAP_PROP_FPS) or FPS)
            frame = _frame(image, at, index)
            yield frame if index else with_checked_size(frame, path)
            last = at
            index += 1
        if index == 0:
            raise SourceError("error.camera.unreadable_file", source=path)
    finally:
        capture.release()


def still_frames(path: str) -> Generator[Frame]:
    """Yields every still of a folder, by name, for 1.5 s each at 10 frames a second.

    A still that cannot be read is skipped, with a warning that has the PhotoError as its
    `refusal`; SourceError where no still can be read.
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
    """Whether a file is a still; names with a leading dot are other systems' metadata."""
    is_hidden = path.name.startswith(".")
    return path.suffix.lower() in _PICTURES and not is_hidden and path.is_file()


def _still(path: Path) -> Image | None:
    """Read a still; None, with a warning, where it cannot be read."""
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
    frames: Iterable[AnyFrame],
    clock: Callable[[], float] = time.monotonic,
    sleep: Callable[[float], None] = time.sleep,
) -> Iterator[AnyFrame]:
    """Yields a recording's frames no sooner than their time stamps, counted from now."""
    start = clock()
    for frame in frames:
        early = start + frame.captured_at - clock()
        if early > 0:
            sleep(early)
        yield frame


def without_repeats(frames: Iterable[AnyFrame]) -> Iterator[AnyFrame]:
    """Yields a camera's frames without the exact repetitions of a hanging one (see
    `process.child.Feed`)."""
    before = None
    for frame in frames:
        checksum = frame.checksum()
        if checksum != before:
            yield frame
        before = checksum


def with_checked_size(shot: F, name: str) -> F:
    """Check the size of a source's first picture and return it. SourceError where it is outside the
    limits; all others of the camera would be too."""
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
    """Keeps the newest frame of a camera, which a thread of its own reads.

    A driver queues old frames for a slow reader. Here they are dropped, so that each look is at
    the present.
    """

    def __init__(
        self, frames: Iterator[AnyFrame], is_starting: Callable[[], bool] = lambda: False
    ) -> None:
        self.is_starting = is_starting
        self._frames = frames
        self._changed = threading.Condition()
        self._frame: AnyFrame | None = None
        self._error: SourceError | None = None
        self._ended = False
        self._closed = False
        self._thread = threading.Thread(target=self._drain, name="frames", daemon=True)
        self._thread.start()

    def take(self, timeout_s: float) -> AnyFrame | None:
        """Take the newest new frame; None where none comes in time. EOFError at the end."""
        with self._changed:
            self._changed.wait_for(lambda: self._frame is not None or self._ended, timeout_s)
            frame, self._frame = self._frame, None
            if frame is None and self._ended:
                raise self._error or EOFError
            return frame

    def __iter__(self) -> Iterator[AnyFrame]:
        return self.until_silent(SILENT_S)

    def until_silent(self, silent_s: float) -> Iterator[AnyFrame]:
        """Yields the newest frame each time. SourceError where the camera breaks off, or gives none
        for `silent_s`."""
        while True:
            try:
                frame = self.take(silent_s)
            except EOFError:
                return
            if frame is None:
                raise SourceError("error.camera.stalled")
            yield frame

    def close(self) -> None:
        """Stop reading frames after the current one."""
        self._closed = True

    def _drain(self) -> None:
        """Read frames until closed, keeping only the newest."""
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
    """Plays a recording at its own speed, or slower for a slow reader, without dropping a frame.

    So the readings do not depend on the machine.
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
        """False: a recording needs no start."""
        return False

    def take(self, timeout_s: float) -> Frame | None:
        """Take the next frame when it is due; None if that is later. EOFError at the end."""
        if self._next is None:
            self._next = next(self._frames, None)
        frame = self._next
        if frame is None:
            raise EOFError
        # A late reader does not make the rest play faster.
        self._began_at = max(self._began_at, self._clock() - frame.captured_at - _LATE_S)
        early = self._began_at + frame.captured_at - self._clock()
        if early > timeout_s:
            self._sleep(timeout_s)
            return None
        if early > 0:
            self._sleep(early)
        self._next = None
        return frame


class VideoCapture(Protocol):
    """The part of `cv2.VideoCapture` that is used here."""

    def isOpened(self) -> bool:  # noqa: N802
        """Whether the capture is open."""

    def read(self) -> tuple[bool, npt.NDArray[np.generic]]:
        """Read the next picture, and whether there is one."""

    def get(self, what: int, /) -> float:
        """Get a property; 0 or less where the camera does not have it."""

    def set(self, what: int, value: float, /) -> bool:
        """Set a property; whether the camera accepted it."""

    def release(self) -> None:
        """Release the camera."""


def live_frames(capture: VideoCapture, name: str) -> Generator[AnyFrame]:
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
            yield shot if index else with_checked_size(shot, name)
    finally:
        capture.release()
