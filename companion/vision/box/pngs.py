"""Check a PNG from outside without decoding it into a picture.

A box may come from another machine. Its prints are loaded by the camera's process, which must be
able to start, so each is checked before it is kept: whole, small and of a plain form. Nothing here
loads NumPy or OpenCV.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator
from typing import Final

LONGEST_SIDE: Final = 256
"""px."""
_SIGNATURE: Final = b"\x89PNG\r\n\x1a\n"
_CHANNELS: Final = {0: 1, 2: 3, 6: 4}
"""Of grey, colour, and colour with transparency, by the PNG's colour type."""


def is_plain_png(content: bytes) -> bool:
    """Whether this is a whole PNG of eight bits a channel, not interlaced, with sides up to
    LONGEST_SIDE px."""
    try:
        return _is_plain(content)
    except (ValueError, struct.error, zlib.error):
        return False


def _is_plain(content: bytes) -> bool:
    chunks = list(_chunks(content))
    if [kind for kind, _ in chunks][:1] != [b"IHDR"] or chunks[-1][0] != b"IEND":
        return False
    width, height, depth, colour, *others = struct.unpack(">IIBBBBB", chunks[0][1])
    if not (0 < width <= LONGEST_SIDE and 0 < height <= LONGEST_SIDE):
        return False
    if depth != 8 or colour not in _CHANNELS or any(others):
        return False
    size = height * (1 + width * _CHANNELS[colour])
    packing = zlib.decompressobj()
    rows = packing.decompress(b"".join(body for kind, body in chunks if kind == b"IDAT"), size + 1)
    return len(rows) == size and packing.eof


def _chunks(content: bytes) -> Iterator[tuple[bytes, bytes]]:
    """Yields the kind and the body of each chunk. ValueError where one is torn or damaged."""
    if not content.startswith(_SIGNATURE):
        raise ValueError("no PNG")
    at = len(_SIGNATURE)
    while at < len(content):
        length, kind = struct.unpack_from(">I4s", content, at)
        body = content[at + 8 : at + 8 + length]
        (check,) = struct.unpack_from(">I", content, at + 8 + length)
        if len(body) != length or zlib.crc32(kind + body) != check:
            raise ValueError("a damaged chunk")
        yield kind, body
        at += 12 + length
