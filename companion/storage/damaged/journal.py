"""SQLite's write-ahead journal, parsed from bytes: its frames, and the pages they make.

The format is SQLite's (file format, "The Write-Ahead Log"). SQLite replays a journal up to the
first invalid frame and reports nothing about the rest; this module shows whether more follows.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

HEADER = struct.Struct(">IIIIIIII")
FRAME = struct.Struct(">IIIIII")
FORMAT = b"SQLite format 3\0"
MAGIC = (0x377F0682, 0x377F0683)
"""Magic numbers for checksums over little-endian and big-endian words."""
PAGE_SIZE = 4096
RUNS = 1 << 16
"""Runs back that are still recognised: each run's first salt is the previous one's plus one."""
PAGE_SIZES = frozenset(1 << bits for bits in range(9, 17))


@dataclass(frozen=True, slots=True)
class JournalFrame:
    """One page as a transaction left it."""

    number: int
    """Counted from 1."""
    page: int
    commit: int
    """The size of the file in pages where this frame ends a transaction; else 0."""
    content: bytes


@dataclass(frozen=True, slots=True)
class Journal:
    """The frames of one run of the journal, in order. `valid`: how many of them SQLite accepts."""

    page_size: int
    salts: str
    """The salts that identify this run."""
    frames: tuple[JournalFrame, ...]
    valid: int
    rest: int
    """Bytes that are neither frames of this run nor of an earlier one."""

    @property
    def committed(self) -> int:
        """The number of frames up to the last that ends a transaction, valid or not."""
        return max((frame.number for frame in self.frames if frame.commit), default=0)

    @property
    def finished(self) -> tuple[JournalFrame, ...]:
        """The frames of complete transactions, whether SQLite accepts them or not."""
        return tuple(frame for frame in self.frames if frame.number <= self.committed)

    @property
    def played(self) -> int:
        """The number of frames that SQLite replays: up to the last valid end of a transaction."""
        ends = (frame.number for frame in self.frames[: self.valid] if frame.commit)
        return max(ends, default=0)

    @property
    def broken(self) -> bool:
        """Whether complete transactions follow the first invalid frame."""
        return self.committed > self.played

    @property
    def torn(self) -> bool:
        """Whether the journal ends in an unfinished write."""
        return not self.broken and (len(self.frames) > self.played or self.rest > 0)


def parse_journal(content: bytes, page_size: int = PAGE_SIZE) -> Journal:
    """Parse the bytes of a `-wal` file beside a database with pages of this size."""
    header = HEADER.unpack_from(content) if len(content) >= HEADER.size else (0,) * 8
    magic, _, _, _, *salts, one, two = header
    order = "<" if magic == MAGIC[0] else ">"
    whole = magic in MAGIC and _summed(content[:24], (0, 0), order) == (one, two)
    frames, rest = _frames(content, page_size, tuple(salts) if whole else None)
    valid = _valid(content, frames, page_size, (one, two), order) if whole else 0
    return Journal(page_size, content[16:24].hex(), frames, valid, rest)


def _frames(
    content: bytes, page_size: int, salts: tuple[int, ...] | None
) -> tuple[tuple[JournalFrame, ...], int]:
    """Return the frames with these salts (None: those of the first frame), and how many bytes after
    them are neither theirs nor frames of an earlier run.
    """
    found: list[JournalFrame] = []
    size, start, strange = FRAME.size + page_size, HEADER.size, 0
    for number, at in enumerate(range(start, len(content), size), start=1):
        if at + FRAME.size > len(content):
            return tuple(found), strange + len(content) - at
        page, commit, *own, _, _ = FRAME.unpack_from(content, at)
        salts = tuple(own) if salts is None else salts
        if at + size > len(content):
            strange += len(content) - at
        elif own[0] == salts[0] or own[1] == salts[1]:  # a bit of one of them may have changed
            found.append(JournalFrame(number, page, commit, content[at + FRAME.size : at + size]))
        elif not 0 < salts[0] - own[0] < RUNS:
            strange += size
    return tuple(found), strange if len(content) >= start else len(content)


def _valid(
    content: bytes,
    frames: tuple[JournalFrame, ...],
    page_size: int,
    sums: tuple[int, int],
    order: str,
) -> int:
    """Return how many frames from the first on have a valid checksum."""
    size = FRAME.size + page_size
    for count, frame in enumerate(frames):
        at = HEADER.size + count * size
        salts = content[at + 8 : at + 16]  # its checksum does not cover them
        if frame.number != count + 1 or salts != content[16:24]:
            return count
        sums = _summed(content[at : at + 8], sums, order)
        sums = _summed(frame.content, sums, order)
        if FRAME.unpack_from(content, at)[4:] != sums or not frame.page:
            return count
    return len(frames)


def _summed(content: bytes, sums: tuple[int, int], order: str) -> tuple[int, int]:
    """Continue SQLite's checksum over these bytes."""
    one, two = sums
    words = iter(struct.unpack(f"{order}{len(content) // 4}I", content))
    for first, second in zip(words, words, strict=True):
        one = (one + first + two) & 0xFFFFFFFF
        two = (two + second + one) & 0xFFFFFFFF
    return one, two


def newest_pages(main: bytes, frames: tuple[JournalFrame, ...], page_size: int) -> dict[int, bytes]:
    """Return the newest content of each page, counted from 1: the file's or the last frame's."""
    found = dict(enumerate(_chunks(main, page_size), start=1))
    found.update((frame.page, frame.content) for frame in frames)
    return found


def database_image(main: bytes, written: Journal) -> bytes:
    """Return the database as SQLite would read it, as one file without a journal."""
    played = written.frames[: written.played]
    newest = newest_pages(main, played, written.page_size)
    count = played[-1].commit if played else len(newest)
    blank = bytes(written.page_size)
    whole = bytearray().join(newest.get(page, blank) for page in range(1, count + 1))
    if len(whole) >= 20:
        whole[18:20] = b"\x01\x01"  # no journal: else it could not be opened in memory
    return bytes(whole)


def page_size_of(main: bytes, wal: bytes = b"") -> int:
    """Return the page size in the headers; the default where it is invalid."""
    stored = int.from_bytes(main[16:18], "big")
    size = 65536 if stored == 1 else stored
    if size in PAGE_SIZES and main.startswith(FORMAT):
        return size
    stored = int.from_bytes(wal[8:12], "big")
    return stored if stored in PAGE_SIZES else PAGE_SIZE


def _chunks(content: bytes, size: int) -> Iterator[bytes]:
    parts = (content[at : at + size] for at in range(0, len(content), size))
    yield from islice(parts, (len(content) + size - 1) // size)
