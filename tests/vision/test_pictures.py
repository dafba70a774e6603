"""Pictures from outside: which are refused, and with which sentence; which way up they are read."""

from __future__ import annotations

import struct
import zlib
from pathlib import Path

import numpy as np
import pytest

from companion.vision.box import rules_of
from companion.vision.pictures import (
    MAX_BYTES,
    MAX_SCANS,
    EncodedFrame,
    Frame,
    Image,
    cv2,
    decode,
    jpeg,
    png,
    read_file,
    scaled_size,
)
from companion.vision.read.reader import LONG_SIDE, Expected, Reader, photo_frame, read_photo
from companion.vision.readings import PhotoError, SourceError
from companion.vision.sources.frames import with_checked_size
from models.evaluate_clips import Clip
from tests.vision.fakes import HEIGHT, WIDTH, tray
from tests.vision.images import flat_png, png_of, progressive, resized_jpeg, scan_bomb

JPEG, PNG = jpeg(tray()), png(tray())


def refused(encoded: bytes) -> str:
    """Return the last word of the key by which the picture is refused."""
    with pytest.raises(PhotoError) as refusal:
        decode(encoded)
    return refusal.value.key.removeprefix("error.photo.")


@pytest.mark.parametrize(
    ("encoded", "key"),
    [
        (b"", "format"),
        (b"GIF89a" + bytes(40), "format"),
        (b"<html></html>", "format"),
        (b"RIFF\x10\0\0\0WEBPVP8 " + bytes(40), "format"),
        (b"\0\0\0\x18ftypheic" + bytes(40), "heic"),
        (b"\0\0\0\x18ftypmif1" + bytes(40), "heic"),
        (b"\xff\xd8\xff\xe0", "damaged"),
        (b"\xff\xd8\xff" + bytes(100), "damaged"),
        (b"\x89PNG\r\n\x1a\n" + bytes(4), "damaged"),
        (flat_png(40, 40)[:60], "damaged"),
        (JPEG[: len(JPEG) // 2], "damaged"),
        (PNG[: len(PNG) // 2], "damaged"),
        (png_of(400, 400, zlib.compress(bytes(100))), "damaged"),
        (resized_jpeg(JPEG, 60_000, 60_000), "too_large"),
        (flat_png(30_000, 30_000), "too_large"),
        (flat_png(6000, 4000), "too_large"),
        (scan_bomb(6000, 4000, 10), "too_large"),
        (scan_bomb(64, 64, MAX_SCANS + 1), "damaged"),
        (jpeg(np.zeros((15, 15, 3), np.uint8)), "shape"),
        (png(np.zeros((16, 513, 3), np.uint8)), "shape"),
        (png(np.zeros((900, 16_385, 3), np.uint8)), "shape"),
        (resized_jpeg(JPEG, 40_000, 8), "shape"),
    ],
)
def test_what_is_no_photo_is_refused_by_name(
    encoded: bytes, key: str, capfd: pytest.CaptureFixture[str]
) -> None:
    assert refused(encoded) == key
    capfd.readouterr()  # the decoders have words of their own


@pytest.mark.parametrize("size", [(16, 16), (16, 512), (512, 16), (4000, 3000)])
def test_a_picture_at_the_limits_is_read(size: tuple[int, int]) -> None:
    image = np.full((size[1], size[0], 3), 90, np.uint8)
    for encoded in (jpeg(image), png(image), progressive(image)):
        assert decode(encoded).shape == image.shape


def test_no_side_of_a_picture_is_scaled_away() -> None:
    assert scaled_size(np.zeros((8, 40_000)), 1920 / 40_000) == (1920, 1)


def test_a_camera_s_picture_that_cannot_be_decoded_is_black() -> None:
    for encoded in (JPEG[:9], b"", resized_jpeg(JPEG, 60_000, 60_000)):
        assert not EncodedFrame(encoded, 0.0, 0).decode().image.any()
    assert EncodedFrame(JPEG, 0.0, 0).decode().image.shape == (HEIGHT, WIDTH, 3)


def test_a_camera_whose_pictures_are_of_no_use_is_named_and_a_torn_one_is_not() -> None:
    for shot in (
        EncodedFrame(jpeg(np.zeros((8, 4000, 3), np.uint8)), 0.0, 0),
        Frame(np.zeros((8, 4000, 3), np.uint8), 0.0, 0),
    ):
        with pytest.raises(SourceError) as refusal:
            with_checked_size(shot, "x")
        assert (refusal.value.key, refusal.value.params) == ("error.camera.size", {"source": "x"})
    torn = EncodedFrame(JPEG[:40], 0.0, 0)
    assert with_checked_size(torn, "x") is torn


def test_a_file_larger_than_any_picture_is_not_read_whole(tmp_path: Path) -> None:
    path = tmp_path / "tray.jpg"
    path.write_bytes(JPEG)
    assert read_file(path) == JPEG
    with path.open("ab") as file:
        file.truncate(MAX_BYTES + 1)
    with pytest.raises(PhotoError) as refusal:
        read_file(path)
    assert refusal.value.key == "error.photo.too_many_bytes"


def turned(picture: bytes, orientation: int) -> bytes:
    """Add an EXIF mark of the camera's orientation to the JPEG."""
    ifd = struct.pack(">HHHIHHI", 1, 0x0112, 3, 1, orientation, 0, 0)
    exif = b"Exif\0\0" + b"MM\0*" + struct.pack(">I", 8) + ifd
    return picture[:2] + b"\xff\xe1" + struct.pack(">H", len(exif) + 2) + exif + picture[2:]


@pytest.mark.parametrize("orientation", range(1, 9))
def test_a_photo_stands_upright_however_the_phone_was_held(orientation: int) -> None:
    image = decode(jpeg(tray([(100, 60)])))
    upright = {
        1: image,
        2: image[:, ::-1],
        3: np.rot90(image, 2),
        4: image[::-1],
        5: image.transpose(1, 0, 2),
        6: np.rot90(image, 3),
        7: image[::-1, ::-1].transpose(1, 0, 2),
        8: np.rot90(image),
    }[orientation]
    decoded = decode(turned(jpeg(tray([(100, 60)])), orientation))
    assert decoded.shape == upright.shape
    assert np.abs(decoded.astype(int) - upright).max() <= 2


@pytest.mark.parametrize(
    "image", [np.dstack([tray(), np.full((HEIGHT, WIDTH), 128, np.uint8)]), tray()[:, :, 0]]
)
def test_a_picture_with_transparency_or_without_colour_has_three_colours(image: Image) -> None:
    assert decode(cv2.imencode(".png", image)[1].tobytes()).shape == (HEIGHT, WIDTH, 3)


@pytest.mark.parametrize("orientation", [1, 6])
def test_the_dice_of_a_large_photo_are_read_and_shown(
    reader: Reader, lying: Image, clip: Clip, orientation: int
) -> None:
    held = np.rot90(lying) if orientation == 6 else lying
    large = cv2.resize(held, None, fx=6, fy=6, interpolation=cv2.INTER_CUBIC)
    frame = photo_frame(turned(jpeg(np.asarray(large, np.uint8)), orientation), 7)
    reading = read_photo(frame, reader, Expected(rules_of(clip.game)))
    assert reading.size == (LONG_SIDE, round(LONG_SIDE * 9 / 16))
    assert reading.frame == 7
    truth = sorted(die.face for die in clip.throws[0].dice)
    assert [die.face for die in reading.dice if die.face is None] == []
    assert sorted(die.face for die in reading.dice if die.face is not None) == truth
    assert decode(reading.picture).shape[1::-1] == reading.size
    assert len(reading.crops) == len(truth)
