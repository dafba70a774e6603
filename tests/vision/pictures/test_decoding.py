"""Decoding: which pictures are refused before they are decoded, and with which sentence."""

from __future__ import annotations

import zlib
from pathlib import Path

import numpy as np
import pytest

from companion.vision.pictures import (
    MAX_BYTES,
    MAX_SCANS,
    EncodedFrame,
    Frame,
    cv2,
    decode,
    decode_frame,
    head_of,
    jpeg,
    png,
    read_file,
    scaled_size,
)
from companion.vision.read.reader import LONG_SIDE
from companion.vision.readings import PhotoError, SourceError
from companion.vision.sources.frames import with_checked_size
from tests.vision.fakes import tray
from tests.vision.images import (
    flat_png,
    large_jpeg,
    png_of,
    progressive,
    resized_jpeg,
    scan_bomb,
    segment,
)

JPEG, PNG = jpeg(tray()), png(tray())


def refused(encoded: bytes) -> str:
    """Return the last word of the key by which the picture is refused."""
    with pytest.raises(PhotoError) as refusal:
        decode(encoded)
    return refusal.value.key.removeprefix("error.photo.")


@pytest.mark.parametrize(
    "size", [(40_000, 8), (8, 40_000), (0, 9), (15, 15), (16_385, 900), (16, 513)]
)
def test_a_picture_too_long_or_too_small_is_refused_by_its_head(size: tuple[int, int]) -> None:
    assert refused(flat_png(*size)) == "shape"
    assert refused(resized_jpeg(JPEG, *size)) == "shape"


@pytest.mark.parametrize("size", [(16, 16), (16, 512), (512, 16)])
def test_a_picture_at_the_limits_is_read(size: tuple[int, int]) -> None:
    image = np.full((size[1], size[0], 3), 90, np.uint8)
    for encoded in (jpeg(image), png(image)):
        assert decode(encoded).shape == image.shape


def test_no_side_of_a_picture_is_scaled_away() -> None:
    assert scaled_size(np.zeros((8, 40_000)), 1920 / 40_000) == (1920, 1)


@pytest.mark.parametrize("share", [0.3, 0.9, 0.999])
@pytest.mark.parametrize("encoded", [JPEG, progressive(tray()), PNG], ids=["jpeg", "slow", "png"])
def test_a_picture_that_breaks_off_is_damaged(encoded: bytes, share: float) -> None:
    assert refused(encoded[: round(share * len(encoded))]) == "damaged"


def test_a_flipped_bit_in_a_png_is_damage_although_it_could_be_decoded() -> None:
    torn = bytearray(PNG)
    torn[-6] ^= 1  # in the sum of the last chunk
    assert refused(bytes(torn)) == "damaged"


def test_a_png_without_its_rows_is_damaged(capfd: pytest.CaptureFixture[str]) -> None:
    assert refused(png_of(400, 400, zlib.compress(bytes(100)))) == "damaged"
    capfd.readouterr()  # libpng has its own word for it


def test_a_png_of_countless_chunks_is_given_up() -> None:
    chunks = flat_png(64, 64)
    flood = chunks[:33] + chunks[33:45] * 0 + bytes.fromhex("00000000744558747de3b6ba") * 30_000
    assert refused(flood + chunks[33:]) == "damaged"


def test_twelve_megapixels_of_progressive_jpeg_are_an_ordinary_photo() -> None:
    photo = progressive(np.full((3000, 4000, 3), 90, np.uint8))
    assert head_of(photo).scans > 1
    assert decode(photo, LONG_SIDE).shape == (1500, 2000, 3)


@pytest.mark.parametrize(
    ("width", "height", "scans"), [(64, 64, MAX_SCANS + 1), (4000, 4000, 21), (64, 64, 100_000)]
)
def test_a_jpeg_of_many_scans_is_refused_before_it_is_decoded(
    width: int, height: int, scans: int
) -> None:
    bomb = scan_bomb(width, height, scans)
    assert refused(bomb) == "scans"
    assert decode_frame(bomb, cv2.IMREAD_COLOR) is None


@pytest.mark.parametrize("hidden", [b"\xff\xd9", b"\xff\xda" * 200])
def test_what_a_comment_holds_is_no_mark(hidden: bytes) -> None:
    bomb = scan_bomb(64, 64, 2)
    at = bomb.index(b"\xff\xda")
    commented = bomb[:at] + segment(0xFE, hidden) + bomb[at:]
    assert head_of(commented).scans == 2
    many = scan_bomb(64, 64, MAX_SCANS + 1)
    at = many.index(b"\xff\xda") + 14
    assert refused(many[:at] + segment(0xFE, hidden) + many[at:]) == "scans"


@pytest.mark.parametrize("marker", [0xC3, 0xC5, 0xC9, 0xCA, 0xCF])
def test_a_jpeg_that_is_packed_as_no_camera_does_is_refused(marker: int) -> None:
    assert refused(JPEG.replace(b"\xff\xc0", bytes([0xFF, marker]), 1)) == "format"


def test_a_jpeg_larger_than_sixteen_megapixels_is_read_smaller_where_that_is_asked() -> None:
    large = large_jpeg(6000, 4000)
    assert refused(large) == "too_large"
    assert decode(large, shrink=True).shape == (2000, 3000, 3)
    assert decode(large, LONG_SIDE).shape == (2000, 3000, 3)
    assert refused(large_jpeg(9000, 8000)) == "too_large"


@pytest.mark.parametrize("encoded", [flat_png(6000, 4000), scan_bomb(6000, 4000, 10)])
def test_what_would_be_whole_in_memory_is_not_read_smaller(encoded: bytes) -> None:
    with pytest.raises(PhotoError) as refusal:
        decode(encoded, shrink=True)
    assert refusal.value.key == "error.photo.too_large"


def test_a_torn_frame_of_a_camera_is_decoded_as_far_as_it_goes() -> None:
    assert decode_frame(JPEG, cv2.IMREAD_COLOR) is not None
    assert decode_frame(JPEG[:9], cv2.IMREAD_COLOR) is None
    assert decode_frame(PNG, cv2.IMREAD_COLOR) is None
    assert decode_frame(resized_jpeg(JPEG, 5000, 5000), cv2.IMREAD_COLOR) is None


def test_a_camera_whose_pictures_are_too_large_is_named_and_a_torn_one_is_not() -> None:
    for shot in (
        EncodedFrame(resized_jpeg(JPEG, 60_000, 60_000), 0.0, 0),
        EncodedFrame(resized_jpeg(JPEG, 4000, 8), 0.0, 0),
        Frame(np.zeros((8, 4000, 3), np.uint8), 0.0, 0),
    ):
        with pytest.raises(SourceError) as refusal:
            with_checked_size(shot, "x")
        assert (refusal.value.key, refusal.value.params) == ("error.camera.size", {"source": "x"})
    torn = EncodedFrame(JPEG[:40], 0.0, 0)
    assert with_checked_size(torn, "x") is torn
    assert torn.decode().image.any() == np.False_


def test_a_file_larger_than_any_picture_is_not_read_whole(tmp_path: Path) -> None:
    path = tmp_path / "tray.jpg"
    path.write_bytes(JPEG)
    assert read_file(path) == JPEG
    with path.open("ab") as file:
        file.truncate(MAX_BYTES + 1)
    with pytest.raises(PhotoError) as refusal:
        read_file(path)
    assert refusal.value.key == "error.photo.too_many_bytes"
