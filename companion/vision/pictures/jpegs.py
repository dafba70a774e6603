"""Cut JPEGs out of a stream of bytes, and list the segments of one. Nothing is decoded here."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

MAX_JPEG_BYTES: Final = 8 << 20
"""The bytes without a whole picture after which a stream counts as having none."""

SCAN: Final = 0xDA
END: Final = 0xD9
"""Markers of segments: before each scan of a picture, and after the picture."""

_BEGIN, _END = b"\xff\xd8", b"\xff\xd9"
_MARK = 0xFF
_BARE = frozenset({0x01, *range(0xD0, 0xD9)})
_MARK_AFTER_SCAN = re.compile(rb"\xff+[^\x00\xd0-\xd7\xff]")
"""A marker after a scan; within one, 0xff is only followed by zero or a restart."""
_MOST_SEGMENTS = 10_000


def cut_jpeg(buffer: bytearray) -> bytes | None:
    """Cut the first whole JPEG and all before it off the buffer; None without a whole one."""
    begin = buffer.find(_BEGIN)
    while begin >= 0:
        scan = _scan(buffer, begin)
        if scan is None:  # no JPEG, or a broken one
            begin = buffer.find(_BEGIN, begin + 1)
            continue
        end = buffer.find(_END, scan)
        next_begin = buffer.find(_BEGIN, scan, end) if end >= 0 else -1
        if next_begin >= 0:  # this picture broke off: none can contain its begin marker
            begin = next_begin
            continue
        if end < 0:
            return None
        encoded = bytes(buffer[begin : end + len(_END)])
        del buffer[: end + len(_END)]
        return encoded
    return None


def _scan(buffer: bytearray, begin: int) -> int | None:
    """The position of the first scan, or how far it was searched; None where this is no JPEG.

    The end marker may also occur before the scan: in tables, or in a thumbnail.
    """
    at = begin + len(_BEGIN)
    while at + 3 < len(buffer):
        if buffer[at] != _MARK:
            return None
        if buffer[at + 1] == SCAN:
            return at
        is_filler = buffer[at + 1] == _MARK
        at += 1 if is_filler else 2 + int.from_bytes(buffer[at + 2 : at + 4])
    return len(buffer)


def segments(encoded: bytes) -> Iterator[tuple[int, bytes]]:
    """Yields the marker and the body of each segment of a JPEG, in order, skipping the data of
    scans. Ends after END, or where the JPEG breaks off or has too many segments."""
    for marker, begin, body_end, _ in _spans(encoded):
        yield marker, encoded[begin + 4 : body_end]


def pieces(encoded: bytes) -> Iterator[tuple[int, bytes]]:
    """Yields the marker and all bytes of each segment of a JPEG, scans with their data. Ends as
    `segments`."""
    for marker, begin, _, end in _spans(encoded):
        yield marker, encoded[begin:end]


def _spans(encoded: bytes) -> Iterator[tuple[int, int, int, int]]:
    """Yields each segment's marker, and where it begins, its body ends and its data ends."""
    at = len(_BEGIN)
    for _ in range(_MOST_SEGMENTS):
        if at + 2 > len(encoded) or encoded[at] != _MARK:
            return
        marker = encoded[at + 1]
        if marker == END:
            yield marker, at, at + 2, at + 2
            return
        if marker == _MARK or marker in _BARE:
            at += 1 if marker == _MARK else 2
            continue
        body_end = end = at + 2 + int.from_bytes(encoded[at + 2 : at + 4])
        if not at + 4 <= body_end <= len(encoded):
            return
        if marker == SCAN:
            found = _MARK_AFTER_SCAN.search(encoded, body_end)
            end = found.end() - 2 if found is not None else len(encoded)
        yield marker, at, body_end, end
        at = end
