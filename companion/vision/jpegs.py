"""JPEGs in a stream of bytes, one after the other, with anything between them."""

from __future__ import annotations

from typing import Final

LARGEST: Final = 8 << 20
"""More than this without a picture in it holds none."""

_BEGIN, _END = b"\xff\xd8", b"\xff\xd9"
_MARK, _SCAN = 0xFF, 0xDA


def cut(held: bytearray) -> bytes | None:
    """The first whole JPEG of what has come; it and what was before it are gone from there."""
    begin = held.find(_BEGIN)
    while begin >= 0:
        scan = _scan(held, begin)
        if scan is None:  # it was none, or it was broken off
            begin = held.find(_BEGIN, begin + 1)
            continue
        end = held.find(_END, scan)
        torn = held.find(_BEGIN, scan, end) if end >= 0 else -1
        if torn >= 0:  # this cannot stand within a picture
            begin = torn
            continue
        if end < 0:
            return None
        encoded = bytes(held[begin : end + len(_END)])
        del held[: end + len(_END)]
        return encoded
    return None


def _scan(held: bytearray, begin: int) -> int | None:
    """Where the picture itself begins, or how far that can be told; None where it is no JPEG.

    What ends a picture may stand before it as well: in its tables, or in a small picture of it.
    """
    at = begin + len(_BEGIN)
    while at + 3 < len(held):
        if held[at] != _MARK:
            return None
        if held[at + 1] == _SCAN:
            return at
        is_filler = held[at + 1] == _MARK
        at += 1 if is_filler else 2 + int.from_bytes(held[at + 2 : at + 4])
    return len(held)
