"""An uploaded photo: refused with a word where it is none, else a picture the right way up."""

from __future__ import annotations

import struct

import numpy as np
import numpy.typing as npt

from companion.vision.errors import PhotoError
from companion.vision.frames import Frame, Image, as_bgr
from companion.vision.opencv import MAX_PIXELS, cv2
from companion.vision.reader import Expected, Reader, reading_of
from companion.vision.readings import DiceReading

LONG_SIDE = 1920
"""A photo is read at this size: its dice are large, and a phone's finest grain is no help."""

_PNG = b"\x89PNG\r\n\x1a\n"
_JPEG = b"\xff\xd8\xff"
_APPLE_BRANDS = frozenset(
    {b"heic", b"heix", b"hevc", b"heim", b"heis", b"hevx", b"mif1", b"msf1", b"avif"}
)
_SIZE_MARKERS = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}
_BARE_MARKERS = frozenset({0x01, *range(0xD0, 0xD9)})


def read_photo(encoded: bytes, reader: Reader, expected: Expected) -> DiceReading:
    """What the photo shows, with its pictures. PhotoError where it is no photo."""
    image = decode(encoded, LONG_SIDE)
    scale = LONG_SIDE / max(image.shape[:2])
    if scale < 1:
        size = (round(image.shape[1] * scale), round(image.shape[0] * scale))
        image = np.asarray(cv2.resize(image, size, interpolation=cv2.INTER_AREA), np.uint8)
    look = reader.look(image)
    verdict = reader.weigh([look], expected, image)
    reading = reading_of(verdict, expected.rules.game, Frame(image, 0.0, 0))
    return reader.with_pictures(reading, image, look)


def decode(encoded: bytes, long_side: int | None = None) -> Image:
    """The picture of a JPEG or PNG, turned as its camera was held.

    With `long_side`, px, a JPEG is decoded at a half, a quarter or an eighth of its size where its
    longer side keeps as much: a phone's photo then takes a quarter of the memory. PhotoError,
    before anything is decoded, where it is of another kind or would be larger than 16 megapixels;
    and where it is damaged.
    """
    width, height = size_of(encoded)
    if width * height > MAX_PIXELS:
        raise PhotoError("error.photo.too_large", megapixels=round(width * height / 1e6))
    try:
        decoded: npt.NDArray[np.generic] | None = cv2.imdecode(
            np.frombuffer(encoded, np.uint8), _how(max(width, height), long_side)
        )
    except cv2.error as error:
        raise PhotoError("error.photo.unreadable") from error
    if decoded is None:
        raise PhotoError("error.photo.unreadable")
    return as_bgr(decoded)


def _how(side: int, wanted: int | None) -> int:
    """How OpenCV is to decode a picture whose longer side is so long."""
    if wanted is None or side < 2 * wanted:
        return cv2.IMREAD_COLOR
    if side < 4 * wanted:
        return cv2.IMREAD_REDUCED_COLOR_2
    return cv2.IMREAD_REDUCED_COLOR_4 if side < 8 * wanted else cv2.IMREAD_REDUCED_COLOR_8


def size_of(encoded: bytes) -> tuple[int, int]:
    """Width and height, px, as the file's head states them. PhotoError where it states none."""
    if encoded.startswith(_PNG):
        if len(encoded) < 24 or encoded[12:16] != b"IHDR":
            raise PhotoError("error.photo.unreadable")
        width, height = struct.unpack_from(">II", encoded, 16)
        return int(width), int(height)
    if encoded.startswith(_JPEG):
        return _jpeg_size(encoded)
    if encoded[4:8] == b"ftyp" and encoded[8:12] in _APPLE_BRANDS:
        raise PhotoError("error.photo.heic")
    raise PhotoError("error.photo.format")


def _jpeg_size(encoded: bytes) -> tuple[int, int]:
    """The size in a JPEG's frame header, found by stepping over the segments before it."""
    at = 2
    while at + 9 <= len(encoded):
        if encoded[at] != 0xFF:
            break
        marker = encoded[at + 1]
        if marker == 0xFF:  # a fill byte
            at += 1
        elif marker in _BARE_MARKERS:
            at += 2
        elif marker in _SIZE_MARKERS:
            height, width = struct.unpack_from(">HH", encoded, at + 5)
            return int(width), int(height)
        else:
            at += 2 + int(struct.unpack_from(">H", encoded, at + 2)[0])
    raise PhotoError("error.photo.unreadable")
