"""Remove from a picture's file what is not pixels: where and when it was taken, by what, its
thumbnail. Nothing is decoded here.
"""

from __future__ import annotations

import struct
import zlib
from typing import Final

from companion.vision.pictures.jpegs import END, pieces, segments

_JPEG = b"\xff\xd8"
_PNG = b"\x89PNG\r\n\x1a\n"
_EXIF = b"Exif\0\0"
_APPLICATION: Final = frozenset(range(0xE0, 0xF0))
_COMMENT: Final = 0xFE
_COLOURS: Final = frozenset({0xE0, 0xEE})
"""The application segments that say how the colours are coded: JFIF and Adobe."""
_CHUNKS: Final = frozenset({b"IHDR", b"PLTE", b"tRNS", b"IDAT", b"IEND"})
_ORIENTATION: Final = 0x0112
_UPRIGHT: Final = 1
_TURNED: Final = range(2, 9)
_MOST_TAGS: Final = 512


def without_metadata(encoded: bytes) -> bytes:
    """Remove the metadata of a JPEG or PNG; its pixels and their orientation stay as they are.
    Anything else comes back unchanged."""
    if encoded.startswith(_PNG):
        return _png_without(encoded)
    return _jpeg_without(encoded) if encoded.startswith(_JPEG) else encoded


def _jpeg_without(encoded: bytes) -> bytes:
    """Keep the segments that are needed to decode, and the orientation."""
    turned = next(
        (
            turn
            for marker, body in segments(encoded)
            if marker == 0xE1
            and body.startswith(_EXIF)
            and (turn := _orientation(body[len(_EXIF) :])) != _UPRIGHT
        ),
        _UPRIGHT,
    )
    kept = [_JPEG]
    for marker, piece in pieces(encoded):
        if marker == _COMMENT or marker in _APPLICATION - _COLOURS:
            continue
        if turned != _UPRIGHT and marker != 0xE0:  # after JFIF, which must be the first
            body = _EXIF + _exif(turned)
            kept.append(b"\xff\xe1" + struct.pack(">H", len(body) + 2) + body)
            turned = _UPRIGHT
        # A thumbnail may lie in a JFIF segment; its first sixteen bytes are the colours.
        kept.append(_bare_jfif(piece) if marker == 0xE0 else piece)
        if marker == END:
            break
    return b"".join(kept)


def _bare_jfif(piece: bytes) -> bytes:
    """The JFIF segment without its thumbnail; nothing for other segments of that number."""
    if not piece[4:].startswith(b"JFIF\0") or len(piece) < 18:
        return b""
    return b"\xff\xe0" + struct.pack(">H", 16) + piece[4:16] + b"\0\0"


def _png_without(encoded: bytes) -> bytes:
    """Keep the chunks that are needed to decode, and the orientation."""
    kept, at = [_PNG], len(_PNG)
    while at + 12 <= len(encoded):
        size = int.from_bytes(encoded[at : at + 4])
        kind, end = encoded[at + 4 : at + 8], at + 12 + size
        if kind in _CHUNKS:
            kept.append(encoded[at:end])
        elif kind == b"eXIf" and (turned := _orientation(encoded[at + 8 : end - 4])) != _UPRIGHT:
            body = kind + _exif(turned)
            kept.append(
                struct.pack(">I", len(body) - 4) + body + struct.pack(">I", zlib.crc32(body))
            )
        at = end
    return b"".join(kept)


def _orientation(exif: bytes) -> int:
    """The orientation tag, 1 to 8, of an Exif block; 1 where it has none."""
    order = {b"II*\0": "<", b"MM\0*": ">"}.get(exif[:4])
    if order is None or len(exif) < 8:
        return _UPRIGHT
    (at,) = struct.unpack_from(f"{order}I", exif, 4)
    if at + 2 > len(exif):
        return _UPRIGHT
    (tags,) = struct.unpack_from(f"{order}H", exif, at)
    for place in range(at + 2, at + 2 + 12 * min(tags, _MOST_TAGS), 12):
        if place + 12 > len(exif):
            break
        tag, _, _, value = struct.unpack_from(f"{order}HHIH", exif, place)
        if tag == _ORIENTATION:
            return int(value) if value in _TURNED else _UPRIGHT
    return _UPRIGHT


def _exif(turned: int) -> bytes:
    """An Exif block with nothing but the orientation."""
    return b"II*\0" + struct.pack("<IHHHIHHI", 8, 1, _ORIENTATION, 3, 1, turned, 0, 0)
