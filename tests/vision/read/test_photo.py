"""Uploaded photos: which are refused before anything is decoded, and which are turned."""

from __future__ import annotations

import struct
import zlib

import numpy as np
import pytest

from companion.vision.box import rules_of
from companion.vision.pictures import Image, cv2, decode, head_of, jpeg
from companion.vision.read.reader import LONG_SIDE, Expected, Reader, read_photo
from companion.vision.readings import PhotoError
from models.evaluate_clips import Clip
from tests.vision.fakes import HEIGHT, WIDTH, tray


def png(width: int, height: int) -> bytes:
    """Make the head of a PNG of that size; its rows are one colour and compress to nothing."""

    def chunk(kind: bytes, body: bytes) -> bytes:
        return (
            struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))
        )

    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    body = zlib.compress(bytes(10_000))
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", body) + chunk(b"IEND", b"")


def turned(picture: bytes, orientation: int) -> bytes:
    """Add an EXIF mark of the camera's orientation to the JPEG."""
    ifd = struct.pack(">HHHIHHI", 1, 0x0112, 3, 1, orientation, 0, 0)
    exif = b"Exif\0\0" + b"MM\0*" + struct.pack(">I", 8) + ifd
    return picture[:2] + b"\xff\xe1" + struct.pack(">H", len(exif) + 2) + exif + picture[2:]


@pytest.mark.parametrize(
    ("encoded", "key"),
    [
        (b"", "format"),
        (b"GIF89a" + bytes(40), "format"),
        (b"<html></html>", "format"),
        (b"\0\0\0\x18ftypheic" + bytes(40), "heic"),
        (b"\0\0\0\x18ftypmif1" + bytes(40), "heic"),
        (b"RIFF\x10\0\0\0WEBPVP8 " + bytes(40), "format"),
        (b"\xff\xd8\xff\xe0", "unreadable"),
        (b"\xff\xd8\xff" + bytes(100), "unreadable"),
        (b"\x89PNG\r\n\x1a\n" + bytes(4), "unreadable"),
        (png(40, 40)[:60], "damaged"),
        (png(30_000, 30_000), "too_large"),
        (png(2**31 - 1, 2**31 - 1), "too_large"),
    ],
)
def test_what_is_no_photo_is_refused_by_name(encoded: bytes, key: str) -> None:
    with pytest.raises(PhotoError) as refusal:
        decode(encoded)
    assert refusal.value.key == f"error.photo.{key}"


def test_a_jpeg_bomb_is_known_by_its_head() -> None:
    small = jpeg(tray())
    at = small.index(b"\xff\xc0") + 5
    bomb = small[:at] + struct.pack(">HH", 60_000, 60_000) + small[at + 4 :]
    with pytest.raises(PhotoError) as refusal:
        decode(bomb)
    assert (refusal.value.key, refusal.value.params) == (
        "error.photo.too_large",
        {"megapixels": 3600},
    )


def test_twelve_megapixels_are_no_bomb() -> None:
    image = np.zeros((3000, 4000, 3), np.uint8)
    assert (head_of(jpeg(image)).width, head_of(jpeg(image)).height) == (4000, 3000)


@pytest.mark.parametrize("side", [1919, 3839, 3840, 7000, 7680, 15_360])
def test_a_photo_is_decoded_no_larger_than_it_takes(side: int) -> None:
    photo = jpeg(np.zeros((side // 24, side, 3), np.uint8))
    decoded = decode(photo, LONG_SIDE).shape[1]
    assert min(side, LONG_SIDE) <= decoded < 2 * LONG_SIDE
    assert decode(photo).shape[1] == side, "a still is read as it is"


@pytest.mark.parametrize("orientation", [2, 4, 5, 7])
def test_a_photo_that_its_phone_mirrored_is_put_right(orientation: int) -> None:
    image = decode(jpeg(tray([(100, 60)])))
    upright = {
        2: image[:, ::-1],
        4: image[::-1],
        5: image.transpose(1, 0, 2),
        7: image[::-1, ::-1].transpose(1, 0, 2),
    }[orientation]
    decoded = decode(turned(jpeg(tray([(100, 60)])), orientation))
    assert decoded.shape == upright.shape
    assert np.abs(decoded.astype(int) - upright).max() <= 2


@pytest.mark.parametrize(("orientation", "quarter_turns"), [(1, 0), (3, 2), (6, 3), (8, 1)])
def test_a_photo_stands_upright_however_the_phone_was_held(
    orientation: int, quarter_turns: int
) -> None:
    image = tray([(100, 60)])
    upright = decode(turned(jpeg(image), orientation))
    expected = np.rot90(decode(jpeg(image)), quarter_turns)
    assert upright.shape == expected.shape
    assert np.abs(upright.astype(int) - expected).max() <= 2


def test_a_png_with_transparency_is_a_picture_too() -> None:
    clear = np.dstack([tray(), np.full((HEIGHT, WIDTH), 128, np.uint8)])
    encoded = cv2.imencode(".png", clear)[1].tobytes()
    assert decode(encoded).shape == (HEIGHT, WIDTH, 3)


def test_a_grey_picture_has_three_colours() -> None:
    grey = cv2.imencode(".png", tray()[:, :, 0])[1].tobytes()
    assert decode(grey).shape == (HEIGHT, WIDTH, 3)


@pytest.mark.parametrize("orientation", [1, 6])
def test_the_dice_of_a_large_photo_are_read_and_shown(
    reader: Reader, lying: Image, clip: Clip, orientation: int
) -> None:
    held = np.rot90(lying) if orientation == 6 else lying
    large = cv2.resize(held, None, fx=6, fy=6, interpolation=cv2.INTER_CUBIC)
    encoded = turned(jpeg(np.asarray(large, np.uint8)), orientation)
    reading = read_photo(encoded, reader, Expected(rules_of(clip.game)))
    assert reading.size == (LONG_SIDE, round(LONG_SIDE * 9 / 16))
    truth = sorted(die.face for die in clip.throws[0].dice)
    named = sorted(die.face for die in reading.dice if die.face is not None)
    assert len(reading.dice) == len(truth)
    assert named == truth
    assert (head_of(reading.picture).width, head_of(reading.picture).height) == reading.size
    assert len(reading.crops) == len(truth)
