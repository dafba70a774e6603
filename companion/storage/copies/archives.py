"""Safe extraction of a zip archive from an untrusted source.

Only expected members are extracted, into a folder of their own, and never more bytes than allowed.
The central directory is bounded before it is read; the sizes it claims are not believed.
"""

from __future__ import annotations

import os
import stat
import struct
import zipfile
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from re import Pattern
from typing import BinaryIO

END = b"PK\x05\x06"
END_RECORD = struct.Struct("<4s4H2LH")
LOCATOR, LOCATOR_LENGTH = b"PK\x06\x07", 20
"""Signature and length of a zip64 locator, which points to a second end of the central directory.
"""
LONGEST_COMMENT = 65_535
LONGEST_DIRECTORY = 65_536
CHUNK = 1 << 16
PLAIN = frozenset({zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED})
ENCRYPTED = 0x2041
"""Flags of a member whose content or name is encrypted."""
BROKEN = (
    zipfile.BadZipFile,
    zipfile.LargeZipFile,
    zlib.error,
    struct.error,
    EOFError,
    RuntimeError,
    ValueError,
)
"""What `zipfile` may raise for a broken archive; RuntimeError: encrypted, or an unknown method."""


class ArchiveError(Exception):
    """The archive is refused: a catalogue key with parameters; nothing was written."""

    def __init__(self, key: str, **params: str | int) -> None:
        super().__init__(key)
        self.key, self.params = key, params


@dataclass(frozen=True, slots=True)
class ArchiveLimits:
    """What an archive may hold: patterns of names, each with its maximum of bytes; the number of
    members and bytes in all.
    """

    names: Mapping[Pattern[str], int]
    members: int
    most_bytes: int

    def max_bytes(self, name: str) -> int | None:
        """Return the maximum of bytes for a member of this name; None where it is not expected."""
        return next((most for known, most in self.names.items() if known.fullmatch(name)), None)


def unpack(archive: Path, folder: Path, allowed: ArchiveLimits) -> tuple[str, ...]:
    """Extract the members into an empty folder; return their names. Raises ArchiveError, and
    OSError where the archive cannot be read or the folder not be written.
    """
    with archive.open("rb") as file:
        _check_bounds(file, allowed)
        try:
            with zipfile.ZipFile(file) as packed:
                names = _check_members(packed, allowed)
                left = allowed.most_bytes
                for info in packed.infolist():
                    left -= _extract(packed, info, folder / info.filename, allowed, left)
        except BROKEN as broken:
            raise ArchiveError("error.archive.broken", reason=str(broken)[:200]) from broken
    return names


def _check_bounds(file: BinaryIO, allowed: ArchiveLimits) -> None:
    """Check the end record: the central directory is short enough to be read and ends where it
    should. zip64, which could claim otherwise, is refused.
    """
    size = os.fstat(file.fileno()).st_size
    if size > allowed.most_bytes:
        raise ArchiveError("error.archive.too_large", most=allowed.most_bytes >> 20)
    start = max(0, size - LONGEST_COMMENT - END_RECORD.size - LOCATOR_LENGTH)
    file.seek(start)
    tail = file.read()
    at = tail.rfind(END)
    if at < 0 or len(tail) - at < END_RECORD.size:
        raise ArchiveError("error.archive.not_one")
    _, disk, first, here, count, length, offset, _ = END_RECORD.unpack_from(tail, at)
    if disk or first or here != count or offset + length != start + at:
        raise ArchiveError("error.archive.broken", reason="directory")
    if tail[max(0, at - LOCATOR_LENGTH) : at].startswith(LOCATOR):
        raise ArchiveError("error.archive.broken", reason="zip64")
    if count > allowed.members or length > LONGEST_DIRECTORY:
        raise ArchiveError("error.archive.too_many", most=allowed.members)
    file.seek(0)


def _check_members(packed: zipfile.ZipFile, allowed: ArchiveLimits) -> tuple[str, ...]:
    """Return the members' names; ArchiveError unless each is a plain, unencrypted file of a known
    name, once.
    """
    if len(packed.infolist()) > allowed.members:
        raise ArchiveError("error.archive.too_many", most=allowed.members)
    names: list[str] = []
    for info in packed.infolist():
        kind = stat.S_IFMT(info.external_attr >> 16)
        bound = allowed.max_bytes(info.filename)
        plain = kind in {0, stat.S_IFREG} and info.compress_type in PLAIN
        if (
            bound is None
            or not plain
            or info.flag_bits & ENCRYPTED
            or info.orig_filename != info.filename
            or info.filename in names
        ):
            raise ArchiveError("error.archive.unexpected", name=_printable(info.orig_filename))
        if info.file_size > bound:
            raise ArchiveError("error.archive.too_large", most=bound >> 20)
        names.append(info.filename)
    return tuple(names)


def _extract(
    packed: zipfile.ZipFile, info: zipfile.ZipInfo, to: Path, allowed: ArchiveLimits, left: int
) -> int:
    """Extract a member to a new file, return its size; ArchiveError at the first byte too many."""
    most, count = min(allowed.max_bytes(info.filename) or 0, left, info.file_size), 0
    with packed.open(info) as member, to.open("xb") as out:
        while chunk := member.read(CHUNK):
            count += len(chunk)
            if count > most:
                raise ArchiveError("error.archive.too_large", most=allowed.most_bytes >> 20)
            out.write(chunk)
        out.flush()
        os.fsync(out.fileno())
    return count


def _printable(name: str) -> str:
    """Return a member's name as a sentence may hold it."""
    return "".join(sign if sign.isprintable() else "?" for sign in name[:60])
