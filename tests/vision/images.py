"""Hostile and broken picture files: bombs, slow ones, torn ones."""

from __future__ import annotations

import struct
import zlib


def chunk(kind: bytes, body: bytes) -> bytes:
    """Make one chunk of a PNG."""
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))


def flat_png(width: int, height: int) -> bytes:
    """Make an all black PNG of that size, as small as possible: 40,000 x 8 in 1 KB."""
    packing = zlib.compressobj(9)
    row = bytes(1 + 3 * min(width, 1 << 20))
    body = b"".join(packing.compress(row) for _ in range(min(height, 64))) + packing.flush()
    return png_of(width, height, body)


def png_of(width: int, height: int, packed: bytes) -> bytes:
    """Make a PNG whose head states this size, with these packed rows."""
    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    parts = chunk(b"IHDR", head) + chunk(b"IDAT", packed) + chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + parts


def segment(marker: int, body: bytes) -> bytes:
    """Make one segment of a JPEG."""
    return bytes([0xFF, marker]) + struct.pack(">H", len(body) + 2) + body


def scan_bomb(width: int, height: int, scans: int) -> bytes:
    """Make a progressive JPEG with this number of scans: 14 bytes each, over all of its pixels."""
    tables = segment(0xDB, bytes([0, *[1] * 64]))
    frame = segment(0xC2, struct.pack(">BHHB", 8, height, width, 1) + b"\1\x11\0")
    codes = segment(0xC4, bytes([0, 1, *[0] * 15, 0]))
    one = segment(0xDA, b"\1\1\0\0\0\0") + bytes(4)
    return b"\xff\xd8" + tables + frame + codes + one * scans + b"\xff\xd9"


def resized_jpeg(encoded: bytes, width: int, height: int) -> bytes:
    """Change the size that the JPEG's head states."""
    at = encoded.index(b"\xff\xc0") + 5
    return encoded[:at] + struct.pack(">HH", height, width) + encoded[at + 4 :]
