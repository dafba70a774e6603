"""Pictures: OpenCV with its limits set, decoding, frames as values, and pictures at halved sizes.

OpenCV reads its limits once, when its library is loaded, so every module imports it from here: a
picture of 30,000 x 30,000 pixels would otherwise be decoded into gigabytes, a stalled camera would
block a read for ten seconds, and every failed opening would print lines of its own.
"""

from __future__ import annotations

import os
import zlib
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from companion.vision.readings import PhotoError

MAX_PIXELS: Final = 16_000_000
"""The most pixels of a decoded picture: a phone's twelve megapixels, and a reserve."""

os.environ.setdefault("OPENCV_IO_MAX_IMAGE_PIXELS", str(MAX_PIXELS))
os.environ.setdefault("OPENCV_VIDEOIO_V4L_SELECT_TIMEOUT", "2")
os.environ.setdefault("OPENCV_LOG_LEVEL", "SILENT")
os.environ.setdefault("OPENCV_FFMPEG_LOGLEVEL", "-8")

import cv2 as cv2  # noqa: E402

cv2.setNumThreads(1)

Image = npt.NDArray[np.uint8]
"""(H, W, 3) uint8, BGR."""
Floats = npt.NDArray[np.float32]
Grey = npt.NDArray[np.float32]
"""(h, w) float32, 0 to 255."""
Colours = npt.NDArray[np.float32]
"""(h, w, 3) float32 BGR, 0 to 255."""

WIDTH, HEIGHT, FPS = 1280, 720, 30
"""The requested size and rate of a camera; it may choose others."""

MIN_SIDE: Final = 16
MAX_SIDE: Final = 16_384
MAX_ASPECT: Final = 32
"""The largest ratio of a picture's sides."""

MAX_SCANS: Final = 100
"""Each scan of a JPEG covers the whole picture. Progressive ones have about ten; thousands fit into
a small file."""

_PNG, _JPEG, _SCAN = b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff", b"\xff\xda"
"""How these begin: a PNG, a JPEG, and each scan of one."""
_APPLE_BRANDS = frozenset(
    {b"heic", b"heix", b"hevc", b"heim", b"heis", b"hevx", b"mif1", b"msf1", b"avif"}
)
_QUALITY = (cv2.IMWRITE_JPEG_QUALITY, 85)


def decode(encoded: bytes) -> Image:
    """Decode a JPEG or PNG, turned by its camera's orientation. PhotoError if it is neither,
    damaged, or not of a size that can be read."""
    if not encoded.startswith((_PNG, _JPEG)):
        is_apple = encoded[4:8] == b"ftyp" and encoded[8:12] in _APPLE_BRANDS
        raise PhotoError("error.photo.heic" if is_apple else "error.photo.format")
    if encoded[:3] == _JPEG and encoded.count(_SCAN) > MAX_SCANS:
        raise PhotoError("error.photo.damaged")
    try:
        found = cv2.imdecode(np.frombuffer(encoded, np.uint8), cv2.IMREAD_COLOR)
    except cv2.error as error:
        megapixels = MAX_PIXELS // 1_000_000
        raise PhotoError("error.photo.too_large", megapixels=megapixels) from error
    if found is None:
        raise PhotoError("error.photo.damaged")
    _check_size(found.shape[1], found.shape[0])
    return as_bgr(found)


def _check_size(width: int, height: int) -> None:
    short, long = sorted((width, height))
    if short < MIN_SIDE or long > MAX_SIDE or long > MAX_ASPECT * short:
        raise PhotoError(
            "error.photo.shape",
            width=width,
            height=height,
            least=MIN_SIDE,
            most=MAX_SIDE,
            aspect=MAX_ASPECT,
        )


def as_bgr(image: npt.NDArray[np.generic]) -> Image:
    """Convert a picture to (H, W, 3) uint8, BGR."""
    pixels = np.asarray(image, np.uint8)
    if pixels.ndim == 2:
        return np.repeat(pixels[:, :, None], 3, axis=2)
    return pixels[:, :, :3]


def scaled_size(image: npt.NDArray[np.generic], scale: float) -> tuple[int, int]:
    """Scale the picture's (width, height), px, each at least 1."""
    return max(1, round(image.shape[1] * scale)), max(1, round(image.shape[0] * scale))


def scaled_to(image: Image, width: int) -> Image:
    """Scale a picture to this width, averaged over areas."""
    size = scaled_size(image, width / image.shape[1])
    return np.asarray(cv2.resize(image, size, interpolation=cv2.INTER_AREA), np.uint8)


def jpeg(image: Image) -> bytes:
    """Encode a picture as JPEG."""
    _, encoded = cv2.imencode(".jpg", image, _QUALITY)
    return encoded.tobytes()


def png(image: Image) -> bytes:
    """Encode a picture as PNG, without loss."""
    _, encoded = cv2.imencode(".png", image)
    return encoded.tobytes()


@dataclass(frozen=True, slots=True)
class Frame:
    """One picture. `image` (H, W, 3) uint8 BGR; `captured_at` s on the source's own clock."""

    image: Image
    captured_at: float
    index: int
    """Counted from 0 in the source, dropped frames included."""

    def grey(self, width: int) -> Grey:
        """The picture in grey, (h, width) float32."""
        small = scaled_to(self.image, width)
        return cv2.cvtColor(small, cv2.COLOR_BGR2GRAY).astype(np.float32)

    def colours(self, width: int) -> Colours:
        """The picture in colour, (h, width, 3) float32."""
        return scaled_to(self.image, width).astype(np.float32)

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
        """As `Frame.grey`, decoded at an eighth if that is wide enough: a third of the cost."""
        eighth = self._decoded(cv2.IMREAD_REDUCED_GRAYSCALE_8)
        is_wide = eighth.shape[1] >= width
        small = eighth if is_wide else self._decoded(cv2.IMREAD_GRAYSCALE)
        return scaled_to(small, width).astype(np.float32)

    def colours(self, width: int) -> Colours:
        """As `Frame.colours`, decoded at an eighth if that is wide enough."""
        eighth = as_bgr(self._decoded(cv2.IMREAD_REDUCED_COLOR_8))
        is_wide = eighth.shape[1] >= width
        return scaled_to(eighth if is_wide else self.decode().image, width).astype(np.float32)

    def decode(self) -> Frame:
        """Decode the whole picture."""
        return Frame(as_bgr(self._decoded(cv2.IMREAD_COLOR)), self.captured_at, self.index)

    def checksum(self) -> int:
        """A checksum that differs between pictures of the same scene, by their noise."""
        return zlib.crc32(self.encoded)

    def _decoded(self, flag: int) -> npt.NDArray[np.uint8]:
        try:
            found = cv2.imdecode(np.frombuffer(self.encoded, np.uint8), flag)
        except cv2.error:  # too large, or empty
            found = None
        return np.zeros((HEIGHT, WIDTH), np.uint8) if found is None else np.asarray(found, np.uint8)


DARK_LEVEL: Final = 8.0
"""Added to grey levels before they are compared as ratios: dark pixels are mostly noise."""
_MOST_GAIN: Final = 1.4
"""Between the brightest and the darkest moment of a lamp that flickers by 16 %."""


def gains(now: Grey, before: Grey) -> Grey:
    """(h, w) how many times brighter each row, and then each column, has become.

    The medians of ratios: what covers less than half of a row says nothing of it. Exposure changes
    all rows alike; a lamp that flickers gives each row, or each column of a camera that stands on
    its side, a brightness of its own, up to _MOST_GAIN: an arm along a row may change it more.
    """
    ratios = (now + np.float32(DARK_LEVEL)) / (before + np.float32(DARK_LEVEL))
    rows = _median(ratios)
    middle = np.median(rows)
    rows = np.clip(rows, middle / _MOST_GAIN, middle * _MOST_GAIN)
    return np.asarray(rows * _median((ratios / rows).T).T, np.float32)


def _median(rows: npt.NDArray[np.floating]) -> npt.NDArray[np.floating]:
    """(h, 1) the middle of each row: `np.median` takes four times as long."""
    middle = rows.shape[1] // 2
    return np.partition(rows, middle, axis=1)[:, middle : middle + 1]


AnyFrame = Frame | EncodedFrame
"""A picture of a source, decoded or not."""


_MOST = 4
_ROOM = 0.6
"""The excess of detail, as a power of 2, up to which a picture is used as it is: 1.5 times."""


class Pyramid:
    """The (H, W, 3) uint8 picture in sizes of 1, 1/2, 1/4, 1/8 and 1/16."""

    def __init__(self, image: Image) -> None:
        self._levels = [image]

    def reduced_to(self, scale: float) -> tuple[Image, int]:
        """The picture reduced to the detail of a crop with `scale` px for each px of the picture,
        and the number of halvings.
        """
        level = int(np.ceil(-np.log2(max(scale, 1e-3)) - _ROOM))
        level = max(0, min(_MOST, level))
        while len(self._levels) <= level:
            self._levels.append(_halved(self._levels[-1]))
        return self._levels[level], level


def at_level(points: Floats, level: int) -> Floats:
    """Map points (..., 2) px of the picture (pixels' middles at whole numbers) to a `level`."""
    return np.asarray((points + 0.5) / 2**level - 0.5, np.float32)


def _halved(image: Image) -> Image:
    height, width = image.shape[:2]
    even = image[: height // 2 * 2, : width // 2 * 2]
    if even.size == 0:
        return image
    half = (even.shape[1] // 2, even.shape[0] // 2)
    return np.asarray(cv2.resize(even, half, interpolation=cv2.INTER_AREA), np.uint8)
