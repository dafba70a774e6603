"""Decode every picture from outside: bytes in, pixels or a PhotoError out.

Uploaded photos, files, stills of a folder, calibration pictures, the prints of a profile and a
camera's frames all come through here. What the file's head states is bounded before anything is
decoded: a few hundred bytes can otherwise ask for gigabytes, for a picture of no height once it is
brought to the reader's size, or for hours of decoding.
"""

from __future__ import annotations

import struct
import zlib
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt

from companion.vision.errors import PhotoError
from companion.vision.opencv import MAX_PIXELS, cv2
from companion.vision.pictures.jpegs import END, SCAN, segments

Image = npt.NDArray[np.uint8]
"""(H, W, 3) uint8, BGR."""

MIN_SIDE: Final = 16
MAX_SIDE: Final = 16_384
MAX_ASPECT: Final = 32
"""The largest ratio of a picture's sides."""

MAX_SHRUNK_PIXELS: Final = 4 * MAX_PIXELS
"""The limit for a JPEG of one scan, which is decoded at half its size without being whole in
memory."""

MAX_BYTES: Final = 64 << 20
"""The largest file of a picture."""

MAX_SCANS: Final = 100
MAX_SCANNED: Final = 20 * MAX_PIXELS
"""The limit of scans times pixels: each scan covers the whole picture. Cameras write one scan,
progressive JPEGs about ten; thousands fit into a small file."""

_PNG = b"\x89PNG\r\n\x1a\n"
_JPEG = b"\xff\xd8\xff"
_APPLE_BRANDS = frozenset(
    {b"heic", b"heix", b"hevc", b"heim", b"heis", b"hevx", b"mif1", b"msf1", b"avif"}
)
_SIZES = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}
_SEQUENTIAL = frozenset({0xC0, 0xC1})
_PACKED = _SEQUENTIAL | {0xC2}
"""Baseline, extended and progressive; the others are arithmetic, lossless or in layers."""

_NO_MEMORY = -4
"""`CV_StsNoMem`."""
_MOST_CHUNKS = 20_000
_COLOUR = {
    1: cv2.IMREAD_COLOR,
    2: cv2.IMREAD_REDUCED_COLOR_2,
    4: cv2.IMREAD_REDUCED_COLOR_4,
    8: cv2.IMREAD_REDUCED_COLOR_8,
}


@dataclass(frozen=True, slots=True)
class Head:
    """The head of a picture's file: `width` and `height` in px, and the number of `scans` over
    it."""

    is_jpeg: bool
    width: int
    height: int
    scans: int = 1

    @property
    def pixels(self) -> int:
        """The number of pixels."""
        return self.width * self.height


def read_file(path: Path) -> bytes:
    """Read a picture's file. PhotoError where it is too large, OSError where it cannot be read."""
    with path.open("rb") as file:
        encoded = file.read(MAX_BYTES + 1)
    if len(encoded) > MAX_BYTES:
        raise PhotoError("error.photo.too_many_bytes", megabytes=MAX_BYTES >> 20)
    return encoded


def decode(encoded: bytes, long_side: int | None = None, *, shrink: bool = False) -> Image:
    """Decode a JPEG or PNG, turned by its camera's orientation.

    With `long_side`, px, a JPEG is decoded at a half, a quarter or an eighth of its size where its
    longer side keeps as much: a phone's photo then takes a quarter of the memory. With `shrink` one
    of more than 16 megapixels is decoded at the largest of these sizes that has no more.
    PhotoError, before anything is decoded, where its format, shape or size is not supported, it is
    incomplete, or decoding would take too long; and where it is damaged.
    """
    head = head_of(encoded)
    reduction = _reduction(max(head.width, head.height), long_side)
    while shrink and reduction < max(_COLOUR) and head.pixels > _max_pixels(head, reduction):
        reduction *= 2
    if head.pixels > _max_pixels(head, reduction):
        raise PhotoError("error.photo.too_large", megapixels=round(head.pixels / 1e6))
    try:
        decoded = _decoded(encoded, _COLOUR[reduction])
    except MemoryError as error:
        megapixels = round(head.pixels / 1e6)
        raise PhotoError("error.photo.too_large", megapixels=megapixels) from error
    if decoded is None:
        raise PhotoError("error.photo.damaged")
    return as_bgr(decoded)


def decode_frame(encoded: bytes, flag: int) -> npt.NDArray[np.uint8] | None:
    """Decode a camera's JPEG by a flag of `cv2.imdecode`; None where it is no JPEG, or too large or
    slow to decode. An incomplete one is decoded in part."""
    try:
        head = _jpeg_head(encoded, whole=False)
    except PhotoError:
        return None
    return _decoded(encoded, flag) if head.pixels <= MAX_PIXELS else None


def head_of(encoded: bytes) -> Head:
    """Parse the head of a JPEG or PNG. PhotoError where it is neither, incomplete or beyond the
    limits of size and packing."""
    if encoded.startswith(_PNG):
        return _png_head(encoded)
    if encoded.startswith(_JPEG):
        return _jpeg_head(encoded, whole=True)
    if encoded[4:8] == b"ftyp" and encoded[8:12] in _APPLE_BRANDS:
        raise PhotoError("error.photo.heic")
    raise PhotoError("error.photo.format")


def check_size(width: int, height: int) -> None:
    """Check a picture's size and shape. PhotoError where they exceed the limits."""
    short, long = sorted((width, height))
    if width * height > MAX_SHRUNK_PIXELS:
        raise PhotoError("error.photo.too_large", megapixels=round(width * height / 1e6))
    if short < MIN_SIDE or long > MAX_SIDE or long > MAX_ASPECT * short:
        raise PhotoError(
            "error.photo.shape",
            width=width,
            height=height,
            least=MIN_SIDE,
            most=MAX_SIDE,
            aspect=MAX_ASPECT,
        )


def frame_size(encoded: bytes) -> tuple[int, int] | None:
    """Read width and height, px, of a camera's JPEG; None where it is incomplete or no JPEG.
    PhotoError where they exceed the limits."""
    for marker, body in segments(encoded):
        if marker in _SIZES and len(body) >= 6:
            height, width = struct.unpack_from(">HH", body, 1)
            check_size(int(width), int(height))
            return int(width), int(height)
    return None


def as_bgr(image: npt.NDArray[np.generic]) -> Image:
    """Convert a picture to (H, W, 3) uint8, BGR."""
    pixels = np.asarray(image, np.uint8)
    if pixels.ndim == 2:
        return np.repeat(pixels[:, :, None], 3, axis=2)
    return pixels[:, :, :3]


def scaled_size(image: npt.NDArray[np.generic], scale: float) -> tuple[int, int]:
    """Scale the picture's (width, height), px, each at least 1."""
    return max(1, round(image.shape[1] * scale)), max(1, round(image.shape[0] * scale))


def _decoded(encoded: bytes, flag: int) -> npt.NDArray[np.uint8] | None:
    """Decode with OpenCV; None where it finds no picture. MemoryError where memory runs out."""
    try:
        found = cv2.imdecode(np.frombuffer(encoded, np.uint8), flag)
    except cv2.error as error:
        if error.code == _NO_MEMORY:
            raise MemoryError from error
        return None
    return None if found is None else np.asarray(found, np.uint8)


def _reduction(side: int, wanted: int | None) -> int:
    """Choose the divisor, 1 to 8, for a picture with this longer side."""
    if wanted is None:
        return 1
    return max((each for each in _COLOUR if side >= each * wanted), default=1)


def _max_pixels(head: Head, reduction: int) -> int:
    """The most pixels for that divisor: a PNG, or a JPEG of several scans, is whole in memory
    before it is reduced."""
    return MAX_PIXELS * (reduction**2 if head.is_jpeg and head.scans == 1 else 1)


def _png_head(encoded: bytes) -> Head:
    """Parse the head of a PNG, and check that all chunks are present and intact."""
    if len(encoded) < 24 or encoded[12:16] != b"IHDR":
        raise PhotoError("error.photo.unreadable")
    width, height = struct.unpack_from(">II", encoded, 16)
    check_size(int(width), int(height))
    head = Head(False, int(width), int(height))
    view, at = memoryview(encoded), len(_PNG)
    for _ in range(_MOST_CHUNKS):
        if at + 12 > len(view):
            break
        size, kind = struct.unpack_from(">I4s", view, at)
        end = at + 8 + int(size)
        if end + 4 > len(view) or zlib.crc32(view[at + 4 : end]) != _number(view, end):
            break
        if kind == b"IEND":
            return head
        at = end + 4
    raise PhotoError("error.photo.damaged")


def _number(view: memoryview, at: int) -> int:
    return int(struct.unpack_from(">I", view, at)[0])


def _jpeg_head(encoded: bytes, *, whole: bool) -> Head:
    """Parse the head of a JPEG. PhotoError where it states no size, has a coding that no camera
    uses, or more scans than its size allows; with `whole`, where it breaks off."""
    head: Head | None = None
    kinds = scans = 0
    is_sequential = False
    for marker, body in segments(encoded):
        if marker in _SIZES and head is None:
            if marker not in _PACKED or len(body) < 6:
                raise PhotoError("error.photo.format")
            height, width, kinds = struct.unpack_from(">HHB", body, 1)
            check_size(int(width), int(height))
            head = Head(True, int(width), int(height))
            is_sequential = marker in _SEQUENTIAL
        elif marker == SCAN and head is not None and body:
            scans += 1
            head = replace(head, scans=scans)
            if scans > MAX_SCANS or scans * head.pixels > MAX_SCANNED:
                raise PhotoError("error.photo.scans")
            if not whole and is_sequential and body[0] == kinds:
                return head  # the only one that is decoded
        elif marker == END and scans:
            assert head is not None
            return head
    if head is None or whole:
        raise PhotoError("error.photo.damaged" if head is not None else "error.photo.unreadable")
    return head
