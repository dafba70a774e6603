"""Pictures without metadata: the same pixels, and nothing else of the file."""

from __future__ import annotations

import struct

import numpy as np
import pytest
from companion.vision.pictures.metadata import without_metadata

from companion.vision.pictures import cv2, decode, jpeg, png
from tests.vision.fakes import grain, tray
from tests.vision.images import chunk, progressive, segment

PICTURE = grain(tray([(100, 80), (300, 200)], arm=60), 1)
SECRET = b"64 08 N 21 56 W, the phone of Anna"


def exif(turned: int, order: str = "<") -> bytes:
    """An Exif block as phones write it: the maker first, then the orientation, then a secret."""
    head = b"II*\0" if order == "<" else b"MM\0*"
    tags = struct.pack(f"{order}IH", 8, 2) + struct.pack(f"{order}HHII", 0x010F, 2, 30, 38)
    return head + tags + struct.pack(f"{order}HHIHHI", 0x0112, 3, 1, turned, 0, 0) + SECRET


def with_segments(encoded: bytes, *added: bytes) -> bytes:
    return encoded[:2] + b"".join(added) + encoded[2:]


@pytest.mark.parametrize("order", ["<", ">"])
@pytest.mark.parametrize("turned", range(1, 9))
def test_a_jpeg_keeps_its_pixels_and_their_orientation(turned: int, order: str) -> None:
    exif_segment = segment(0xE1, b"Exif\0\0" + exif(turned, order))
    secret = segment(0xE1, b"http://ns.adobe.com/xap/1.0/\0" + SECRET), segment(0xFE, SECRET)
    encoded = with_segments(jpeg(PICTURE), exif_segment, segment(0xED, SECRET), *secret)
    bare = without_metadata(encoded)
    assert np.array_equal(decode(bare), decode(encoded))
    assert SECRET in encoded
    assert SECRET not in bare
    assert len(bare) <= len(jpeg(PICTURE)) + 40


def test_a_jpeg_of_many_scans_keeps_them_all() -> None:
    encoded = with_segments(progressive(PICTURE), segment(0xFE, SECRET))
    bare = without_metadata(encoded)
    assert np.array_equal(decode(bare), decode(encoded))
    assert SECRET not in bare


def test_what_follows_the_end_of_a_jpeg_goes_too() -> None:
    assert without_metadata(jpeg(PICTURE) + SECRET) == without_metadata(jpeg(PICTURE))


@pytest.mark.parametrize("turned", range(1, 9))
def test_a_png_keeps_its_pixels_and_their_orientation(turned: int) -> None:
    plain = png(PICTURE)
    at = 8 + 25
    secret = chunk(b"tEXt", b"Author\0" + SECRET) + chunk(b"eXIf", exif(turned))
    encoded = plain[:at] + secret + plain[at:] + SECRET
    bare = without_metadata(encoded)
    assert np.array_equal(decode(bare), decode(encoded))
    assert SECRET not in bare


def test_a_thumbnail_in_the_head_of_a_jpeg_goes() -> None:
    plain = jpeg(PICTURE)
    end = 4 + int.from_bytes(plain[4:6])
    head = plain[4 + 2 : 4 + 2 + 12] + bytes([2, 2]) + SECRET[:12]
    encoded = plain[:2] + segment(0xE0, head) + plain[end:]
    bare = without_metadata(encoded)
    assert np.array_equal(decode(bare), decode(encoded))
    assert SECRET[:12] not in bare


@pytest.mark.parametrize("cut", range(0, 700, 7))
def test_a_torn_file_ends_no_process(cut: int) -> None:
    encoded = with_segments(jpeg(PICTURE), segment(0xE1, b"Exif\0\0" + exif(6)))
    assert len(without_metadata(encoded[:cut])) <= cut + 40
    assert len(without_metadata(png(PICTURE)[:cut])) <= cut + 40


def test_other_files_are_left_alone() -> None:
    assert without_metadata(b"no picture") == b"no picture"
    assert cv2.imdecode(np.frombuffer(b"no picture", np.uint8), cv2.IMREAD_COLOR) is None
