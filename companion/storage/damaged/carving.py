"""File carving: find rows and seals in the raw bytes of a database whose structure is lost.

A row is recognised by its timestamp, a tip by the shape of its record; callers check hashes and
seals. The formats are SQLite's (file format, "Record Format").
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import msgspec

from companion.storage.rows import StoredRow
from companion.storage.schema import TipRow

AT = re.compile(rb"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d")
TIP_HEADER = re.compile(rb"\x06[\x0d-\x7f][\x01-\x09][\x0c\x4c][\x01-\x09]\x4c")
LONGEST_HEADER = 30
FIELDS = 10
INTEGERS = {0: 0, 1: 1, 2: 2, 3: 3, 4: 4, 5: 6, 6: 8, 8: 0, 9: 0}
"""Serial types of NULL and integers, with their lengths in bytes."""
MOST_FOLLOWED = 256
"""Bound on overflow pages followed, in pages of the file, over all rows together: about eight rows
begin on a page, and each whole position takes a few pages.
"""


class Pages:
    """Pages by number, for rows that continue on overflow pages.

    A missing page is empty, and so are all pages once more were read than `count` pages can need:
    in a damaged file the chains of pages may lead anywhere.
    """

    def __init__(self, pages: Mapping[int, bytes], count: int) -> None:
        self._pages, self._left = pages, MOST_FOLLOWED * count
        self.size = sum(map(len, pages.values()))

    def page(self, number: int) -> bytes:
        """Return the page of this number; empty where it is missing or the bound is reached."""
        self._left -= 1
        return self._pages.get(number, b"") if self._left >= 0 else b""


@dataclass(frozen=True, slots=True)
class FoundRow:
    """A candidate: bytes that parse as a row, with the hash stored beside it."""

    table: str
    seq: int
    row: StoredRow
    hash: bytes


_PREPARED = msgspec.json.Decoder(StoredRow)
"""Built at import: msgspec crashes where two threads build the decoder of a type at once."""


def rows_in(content: bytes, page_size: int, pages: Pages) -> Iterator[FoundRow]:
    """Yield the candidates for rows in `content`, which begins at the start of a page; `pages` are
    those of the whole file, for overflow.
    """
    for match in AT.finditer(content):
        for start in range(match.start() - 1, max(match.start() - LONGEST_HEADER - 12, -1), -1):
            found = _row_at(content, start, match.start(), page_size, pages)
            if found is not None:
                yield found
                break


def tips_in(content: bytes) -> Iterator[TipRow]:
    """Yield the candidates for rows of `tip`; their seals tell whether they are."""
    for match in TIP_HEADER.finditer(content):
        kinds, at = match.group()[1:], match.end()
        if kinds[0] % 2 == 0:
            continue
        try:
            table, seq, hashed, counter, sealing = _values(content[at : at + 300], tuple(kinds))
        except ValueError:
            continue
        yield table, seq, hashed if hashed is not None else b"", counter, sealing


def _row_at(content: bytes, start: int, at: int, page_size: int, pages: Pages) -> FoundRow | None:
    """Parse the row whose record begins at `start` and whose timestamp is at `at`; None where none
    is there.
    """
    length = content[start]
    if not FIELDS < length <= LONGEST_HEADER or start + length > at:
        return None
    try:
        kinds = _varints(content[start + 1 : start + length])
    except ValueError:
        return None
    if len(kinds) != FIELDS:
        return None
    sizes = [_size(kind) for kind in kinds]
    if start + length + sizes[0] + sizes[1] != at:
        return None
    record = _record(content, start, length + sum(sizes), page_size, pages)
    try:
        table, seq, *fields, hashed = _values(record[length:], kinds)
        row = msgspec.convert(
            dict(zip(StoredRow.__struct_fields__, fields, strict=True)), StoredRow
        )
    except (ValueError, msgspec.ValidationError):
        return None
    if not isinstance(table, str) or not isinstance(seq, int) or not isinstance(hashed, bytes):
        return None
    return FoundRow(table, seq, row, hashed)


def _record(content: bytes, start: int, length: int, page_size: int, pages: Pages) -> bytes:
    """Return a whole record: its local part and its overflow pages; empty where it would be longer
    than all pages.
    """
    if length > pages.size:
        return b""
    most = (page_size - 12) * 64 // 255 - 23
    if length <= most:
        return content[start : start + length]
    least = (page_size - 12) * 32 // 255 - 23
    local = least + (length - least) % (page_size - 4)
    local = local if local <= most else least
    parts = [content[start : start + local]]
    following = int.from_bytes(content[start + local : start + local + 4], "big")
    left = length - local
    while left > 0:
        chained = pages.page(following)
        if len(chained) < page_size:
            return b""
        parts.append(chained[4 : 4 + min(left, page_size - 4)])
        following, left = int.from_bytes(chained[:4], "big"), left - (page_size - 4)
    return b"".join(parts)


def _values(body: bytes, kinds: tuple[int, ...]) -> list[object]:
    """Decode the values of a record's body; ValueError where it is too short or text is invalid."""
    values: list[object] = []
    at = 0
    for kind in kinds:
        size = _size(kind)
        part = body[at : at + size]
        if len(part) < size:
            raise ValueError("cut off")
        at += size
        if kind == 0:
            values.append(None)
        elif kind in (8, 9):
            values.append(kind - 8)
        elif kind < 12:
            values.append(int.from_bytes(part, "big", signed=True))
        else:
            values.append(part if kind % 2 == 0 else part.decode())
    return values


def _size(kind: int) -> int:
    """Return the length in bytes of a value of this serial type."""
    return INTEGERS.get(kind, 0) if kind < 12 else (kind - 12) // 2


def _varints(content: bytes) -> tuple[int, ...]:
    """Decode SQLite's variable-length integers; ValueError where the last is cut off."""
    found: list[int] = []
    value = 0
    for byte in content:
        value = value << 7 | byte & 0x7F
        if not byte & 0x80:
            found.append(value)
            value = 0
    if value or (content and content[-1] & 0x80):
        raise ValueError("cut off")
    return tuple(found)
