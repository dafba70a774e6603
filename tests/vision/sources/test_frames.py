"""JPEGs cut out of a stream of bytes."""

from __future__ import annotations

import pytest

from companion.vision.pictures import jpeg
from companion.vision.sources.frames import cut_jpeg
from tests.vision.fakes import grain, tray

PICTURES = [jpeg(grain(tray(), n)) for n in range(3)]
MINIATURE = jpeg(tray()[::8, ::8].copy())


def cut_from(stream: bytes, piece: int) -> tuple[list[bytes], bytearray]:
    """Feed the stream in pieces; return the pictures found, and the rest."""
    held = bytearray()
    found = []
    for at in range(0, len(stream), piece):
        held += stream[at : at + piece]
        while (encoded := cut_jpeg(held)) is not None:
            found.append(encoded)
    return found, held


def with_miniature(picture: bytes) -> bytes:
    """Put a thumbnail into the picture's head, as a camera's Exif has it."""
    body = b"Exif\0\0" + MINIATURE
    head = b"\xff\xe1" + (len(body) + 2).to_bytes(2) + body
    return picture[:2] + head + picture[2:]


@pytest.mark.parametrize("piece", [1000, 65_536])
def test_pictures_come_whole_whatever_lies_between_them(piece: int) -> None:
    stream = b"noise" + b"\r\n--frame\r\n".join(PICTURES) + b"--frame"
    found, left = cut_from(stream, piece)
    assert found == PICTURES
    assert left == b"--frame"


@pytest.mark.parametrize("share", [0.001, 0.5, 0.999])
def test_one_that_breaks_off_is_left_out(share: float) -> None:
    broken = PICTURES[1][: round(share * len(PICTURES[1]))]
    found, left = cut_from(PICTURES[0] + broken + b"--frame" + PICTURES[2], 1000)
    assert found == [PICTURES[0], PICTURES[2]]
    assert not left


def test_a_picture_within_a_picture_does_not_end_it() -> None:
    both = with_miniature(PICTURES[0])
    found, left = cut_from(both + PICTURES[1], 1000)
    assert found == [both, PICTURES[1]]
    assert not left


def test_a_mark_may_be_filled_up() -> None:
    filled = PICTURES[0][:2] + b"\xff\xff" + PICTURES[0][2:]
    assert cut_from(filled, 1000) == ([filled], bytearray())


@pytest.mark.parametrize("stream", [b"", b"\xff\xd8", b"\xff\xd8\xff", PICTURES[0][:-1], b"x" * 99])
def test_what_is_not_whole_stays(stream: bytes) -> None:
    found, left = cut_from(stream, 1000)
    assert found == []
    assert left == stream
