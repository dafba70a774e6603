"""A report as one zip file: made here, and read back with everything in it bounded.

    report.json                     the manifest (`form.Manifest`)
    frames/00.jpg, frames/01.png    the pictures that voted, oldest first
    dice/00.jpg                     each die of the reading
    prints/attack-enrolled-00.png   each known print: its face, where it comes from, its number

Files of other people are opened here, so nothing is believed before it was checked: the file's
size, the number of entries, the size of each and of all after unpacking, names, links, duplicates.
Entries are stored and not compressed, so that a phone can show them without a library.
"""

from __future__ import annotations

import io
import re
import stat
import struct
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

import msgspec

from companion.engine import Face
from companion.vision.box.box import LARGEST_PICTURE, Box, Origin, Print
from companion.vision.errors import VisionError
from companion.vision.report.form import (
    BOX_NAME,
    FORMAT,
    MOST_DICE,
    MOST_FRAMES,
    Manifest,
    Report,
)

MAGIC: Final = b"PK\x03\x04"
LARGEST_FILE: Final = 64 << 20
"""Bytes of the whole file, and of all that it holds once unpacked."""
LARGEST_FRAME: Final = 16 << 20
LARGEST_CROP: Final = 1 << 18
LARGEST_MANIFEST: Final = 1 << 18
MOST_ENTRIES: Final = 400
_MANIFEST: Final = "report.json"
_FACES = "|".join(Face)
_ORIGINS = "|".join(Origin)
_FRAME = re.compile(r"frames/([0-9]{2})\.(?:jpg|png)")
_CROP = re.compile(r"dice/([0-9]{2})\.jpg")
_PRINT = re.compile(rf"prints/({_FACES})-({_ORIGINS})-([0-9]{{2}})\.png")
_LARGEST: Final = (
    (re.compile(re.escape(_MANIFEST)), LARGEST_MANIFEST),
    (_FRAME, LARGEST_FRAME),
    (_CROP, LARGEST_CROP),
    (_PRINT, LARGEST_PICTURE),
)
_PNG = b"\x89PNG"
_TIME = (1980, 1, 1, 0, 0, 0)
"""Of every entry: when people played is nobody's business."""
_MODE = (stat.S_IFREG | 0o644) << 16
_END = struct.Struct("<4s4H2LH")
"""The record at the end of a zip file, and in it the entries and the bytes of the directory."""
_OVERHEAD = MOST_ENTRIES * 320
"""The most bytes of a report's file that are no content: two heads an entry."""
_DIRECTORY_BYTES = 160
"""Of one entry in the directory at most, on average: 46 and the name."""
_UNPACKING = (
    *(zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError),
    *(OSError, struct.error, ValueError),
)
_SHOWN = 60
"""The most characters of a foreign name in a sentence."""


def encode_report(report: Report) -> bytes:
    """Make the file of a report. VisionError where it would be too large to be read back."""
    entries = dict(_entries(report))
    is_large = any(len(frame) > LARGEST_FRAME for frame in report.frames)
    if is_large or sum(map(len, entries.values())) > LARGEST_FILE - _OVERHEAD:
        raise VisionError("error.report.too_much", most=LARGEST_FILE >> 20)
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_STORED) as archive:
        for name, content in entries.items():
            entry = zipfile.ZipInfo(name, _TIME)
            entry.external_attr = _MODE
            archive.writestr(entry, content)
    return file.getvalue()


def load_report(path: Path) -> Report:
    """Load a report. VisionError where the file cannot be read, or as `decode_report`."""
    try:
        with path.open("rb") as file:
            content = file.read(LARGEST_FILE + 1)
    except OSError as error:
        reason = error.strerror or ""
        raise VisionError("error.unreadable", path=str(path), reason=reason) from error
    return decode_report(content, str(path))


def decode_report(content: bytes, source: str) -> Report:
    """Decode the content of a report's file; `source` names it in sentences. VisionError where it
    is no report, malformed, too large or of a newer version."""
    if len(content) > LARGEST_FILE:
        raise VisionError("error.report.large", report=source, most=LARGEST_FILE >> 20)
    _check_end(content, source)
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            entries = _checked(archive.infolist(), source)
            found = {name: _unpacked(archive, entry) for name, entry in entries.items()}
    except _UNPACKING as error:
        raise VisionError("error.report.damaged", report=source) from error
    manifest = _manifest(found, source)
    frames = tuple(found[name] for name in sorted(found) if _FRAME.fullmatch(name))
    crops = tuple(found[name] for name in sorted(found) if _CROP.fullmatch(name))
    if not 0 < len(frames) <= MOST_FRAMES or len(crops) > MOST_DICE:
        raise VisionError("error.report.frames", report=source, most=MOST_FRAMES)
    return Report(manifest, frames, crops, _box(found, manifest.reading.game, source))


def _entries(report: Report) -> Iterator[tuple[str, bytes]]:
    """Yields the name and the content of each entry."""
    yield _MANIFEST, msgspec.json.format(msgspec.json.encode(report.manifest)) + b"\n"
    for n, frame in enumerate(report.frames):
        yield f"frames/{n:02}.{'png' if frame.startswith(_PNG) else 'jpg'}", frame
    for n, crop in enumerate(report.crops):
        yield f"dice/{n:02}.jpg", crop
    for face, prints in report.box.faces.items() if report.box is not None else ():
        for n, one in enumerate(prints):
            yield f"prints/{face}-{one.origin}-{n:02}.png", one.picture


def _check_end(content: bytes, source: str) -> None:
    """Check the number of entries before the directory is read, which would hold them all in
    memory. VisionError where there are too many, or this is no plain zip file."""
    end = content[-_END.size :]
    is_large = content[-_END.size - 20 : -_END.size - 16] == b"PK\x06\x07"
    if not content.startswith(MAGIC) or not end.startswith(b"PK\x05\x06") or is_large:
        raise VisionError("error.report.form", report=source)
    _, _, _, _, count, directory, _, comment = _END.unpack(end)
    if comment:
        raise VisionError("error.report.form", report=source)
    if count > MOST_ENTRIES or directory > MOST_ENTRIES * _DIRECTORY_BYTES:
        raise VisionError("error.report.entries", report=source, most=MOST_ENTRIES)


def _checked(entries: list[zipfile.ZipInfo], source: str) -> dict[str, zipfile.ZipInfo]:
    """The entries by name. VisionError for one that no report has."""
    found: dict[str, zipfile.ZipInfo] = {}
    total = 0
    if len(entries) > MOST_ENTRIES:
        raise VisionError("error.report.entries", report=source, most=MOST_ENTRIES)
    for entry in entries:
        name = entry.orig_filename
        shown = "".join(c if c.isprintable() else "?" for c in name[:_SHOWN])
        if name.startswith("/") or "\\" in name or ".." in name.split("/") or ":" in name:
            raise VisionError("error.report.path", report=source, entry=shown)
        if stat.S_IFMT(entry.external_attr >> 16) not in {0, stat.S_IFREG}:
            raise VisionError("error.report.link", report=source, entry=shown)
        most = next((most for kind, most in _LARGEST if kind.fullmatch(name)), None)
        if most is None:
            raise VisionError("error.report.unknown", report=source, entry=shown)
        if name in found:
            raise VisionError("error.report.twice", report=source, entry=shown)
        total += entry.file_size
        if entry.file_size > most or total > LARGEST_FILE:
            raise VisionError("error.report.entry_large", report=source, entry=shown)
        found[name] = entry
    return found


def _unpacked(archive: zipfile.ZipFile, entry: zipfile.ZipInfo) -> bytes:
    """Unpack an entry, as many bytes as it states. ValueError where it has more."""
    with archive.open(entry) as file:
        content = file.read(entry.file_size)
        if file.read(1) or len(content) != entry.file_size:
            raise ValueError(entry.filename)
    return content


class _Header(msgspec.Struct, frozen=True):
    format: int = FORMAT


def _manifest(found: Mapping[str, bytes], source: str) -> Manifest:
    """Decode the manifest. VisionError where it is missing, malformed or of a newer version."""
    if _MANIFEST not in found:
        raise VisionError("error.report.missing", report=source)
    try:
        if msgspec.json.decode(found[_MANIFEST], type=_Header).format > FORMAT:
            raise VisionError("error.report.newer", report=source)
        return msgspec.json.decode(found[_MANIFEST], type=Manifest)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError, ValueError) as error:
        reason = str(error)
        raise VisionError("error.report.manifest", report=source, reason=reason) from error


def _box(found: Mapping[str, bytes], game: str, source: str) -> Box | None:
    """Make the box of the prints; None without any. VisionError where they are of another game."""
    faces: dict[Face, tuple[Print, ...]] = {}
    for name in sorted(found):
        named = _PRINT.fullmatch(name)
        if named is not None:
            face, origin = Face(named[1]), Origin(named[2])
            faces[face] = (*faces.get(face, ()), Print(found[name], origin))
    try:
        return Box(BOX_NAME, game, faces) if faces else None
    except ValueError as error:
        reason = str(error)
        raise VisionError("error.report.manifest", report=source, reason=reason) from error
