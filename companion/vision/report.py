"""A report of a misread roll: one zip file with the frames and one JSON, to read it again.

    report.json                     the manifest: the reading, and all that it depends on
    frames/00.jpg, frames/01.png    the pictures that voted, oldest first

A report holds what a reading was decided from: the pictures, the game, the number of dice expected,
the tray, the prints of the box, the versions, and what the table put right. It holds no name, no
token and no address. Nothing here loads NumPy or OpenCV before a report is read again: the service
makes reports without them.
"""

from __future__ import annotations

import io
import re
import zipfile
import zlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import Final, Literal

import msgspec

from companion.engine import Face
from companion.resources import resource_dir
from companion.vision.box import Corners, Lesson, Profile, rules_of
from companion.vision.readings import (
    SAME_PLACE,
    DiceReading,
    DieReading,
    PhotoError,
    ReadingProblem,
    VisionError,
    refusing,
)

LARGEST_FILE: Final = 64 << 20
"""Bytes of all that a report holds."""
MOST_FRAMES: Final = 12
_MANIFEST: Final = "report.json"
_FRAME: Final = re.compile(r"frames/[0-9]{2}\.(?:jpg|png)")
_PNG: Final = b"\x89PNG"
_TIME: Final = (1980, 1, 1, 0, 0, 0)
"""Of every entry: when people played is nobody's business."""
_UNPACKING = (zipfile.BadZipFile, zlib.error, EOFError, RuntimeError, OSError)
"""What `zipfile` raises for a damaged archive, or one packed by a method it does not know."""


@dataclass(frozen=True, slots=True)
class Footage:
    """The pictures that a reading was decided from, and what the reader knew then."""

    frame: int
    at_s: float
    """`frame` and `at_s` of the reading that it belongs to."""
    frames: tuple[bytes, ...]
    """Each picture as a JPEG or PNG with exactly the pixels that were read, oldest first."""
    expected: int | None
    profile: Profile = field(default_factory=Profile)
    learned: tuple[Lesson, ...] = ()
    """What the table had taught until then."""


class _Contract(msgspec.Struct, frozen=True):
    commit: str


def networks_commit() -> str:
    """Return the version of the networks, without loading them; `unknown` if there are none."""
    try:
        content = (resource_dir("models") / "dice.json").read_bytes()
        return msgspec.json.decode(content, type=_Contract).commit
    except (OSError, msgspec.DecodeError):
        return "unknown"


class ReportValue(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The base of the values in a report's JSON."""


class ReportedReading(ReportValue, frozen=True, kw_only=True):
    """The reading as the table saw it; fields as in `DiceReading`."""

    game: str
    dice: tuple[DieReading, ...]
    problems: tuple[ReadingProblem, ...]
    sure: bool
    size: tuple[int, int]


class Manifest(ReportValue, frozen=True, kw_only=True, omit_defaults=True):
    """All of a report that is no frame."""

    format: Literal[1]
    package: str
    """The version of this program."""
    networks: str
    """The `commit` of the networks."""
    reading: ReportedReading
    expected: int | None = None
    """The number of dice that was expected; None for as many as the game allows."""
    tray: Corners | None = None
    enrolled: dict[Face, tuple[bytes, ...]] = {}
    """The prints of the game's dice that the reader knew from the profile."""
    learnt: tuple[Lesson, ...] = ()
    """The rolls that the table had taught it from."""
    put_right: tuple[Face | None, ...] | None = None
    """The face of each die of the reading as a person gave it, null for one that is no die; missing
    if nobody said."""
    applied: tuple[Face, ...] | None = None
    """The faces that the table applied, in an order of its own; missing before that."""


@dataclass(frozen=True, slots=True)
class Misread:
    """A report; `frames` as in `Footage`."""

    manifest: Manifest
    frames: tuple[bytes, ...]


def report_of(
    reading: DiceReading,
    footage: Footage,
    put_right: tuple[Face | None, ...] | None = None,
    applied: tuple[Face, ...] | None = None,
) -> Misread:
    """Make a report of a reading by this program; the corrections are those of `Manifest`."""
    manifest = Manifest(
        format=1,
        package=version("monster-table"),
        networks=networks_commit(),
        expected=footage.expected,
        tray=footage.profile.tray,
        enrolled=footage.profile.dice.get(reading.game, {}),
        learnt=tuple(one for one in footage.learned if one.game == reading.game),
        reading=msgspec.convert(reading, ReportedReading, from_attributes=True),
        put_right=put_right,
        applied=applied,
    )
    return Misread(manifest, footage.frames)


def encode_report(report: Misread) -> bytes:
    """Make the file of a report. VisionError if it would be too large to be read back."""
    entries = {_MANIFEST: msgspec.json.format(msgspec.json.encode(report.manifest)) + b"\n"}
    for n, frame in enumerate(report.frames):
        entries[f"frames/{n:02}.{'png' if frame.startswith(_PNG) else 'jpg'}"] = frame
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_STORED) as archive:
        for name, content in entries.items():
            archive.writestr(zipfile.ZipInfo(name, _TIME), content)
    if len(file.getvalue()) > LARGEST_FILE:
        raise VisionError("error.report.too_much", most=LARGEST_FILE >> 20)
    return file.getvalue()


def load_report(path: Path) -> Misread:
    """Load a report. VisionError if the file cannot be read, or as `decode_report`."""
    with refusing("error.unreadable", path=str(path)):
        content = path.read_bytes()
    return decode_report(content, str(path))


def decode_report(content: bytes, source: str) -> Misread:
    """Decode the content of a report's file; `source` names it in sentences. VisionError if it is
    no report, damaged, malformed or too large. Entries that no report has are not looked at."""
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            frames = sorted(name for name in set(archive.namelist()) if _FRAME.fullmatch(name))
            if not frames or _MANIFEST not in archive.namelist():
                raise VisionError("error.report.form", report=source)
            names = [_MANIFEST, *frames[:MOST_FRAMES]]
            if sum(archive.getinfo(name).file_size for name in names) > LARGEST_FILE:
                raise VisionError("error.report.large", report=source, most=LARGEST_FILE >> 20)
            found = [archive.read(name) for name in names]
    except _UNPACKING as error:
        raise VisionError("error.report.damaged", report=source) from error
    try:
        manifest = msgspec.json.decode(found[0], type=Manifest)
    except (msgspec.DecodeError, RecursionError, ValueError) as error:
        reason = str(error)
        raise VisionError("error.report.manifest", report=source, reason=reason) from error
    return Misread(manifest, tuple(found[1:]))


def read_again(report: Misread, source: str) -> DiceReading:
    """Read a report's pictures with the networks of this version, the tray and the prints that the
    table's reader had; the dice in the report's order if they are the same. VisionError if that
    fails; `source` names the report in sentences."""
    from companion.vision.pictures import Frame, decode
    from companion.vision.read.reader import Expected, Reader, reading_of
    from companion.vision.read.seen import SeenDie

    manifest = report.manifest
    game = manifest.reading.game
    expected = Expected(rules_of(game), manifest.expected)
    profile = Profile(tray=manifest.tray, dice={game: manifest.enrolled})
    reader = Reader.shipped(profile, manifest.learnt)
    try:
        images = [decode(frame) for frame in report.frames]
    except PhotoError as error:
        raise VisionError("error.report.picture", report=source) from error
    looks = list[tuple[SeenDie, ...]]()
    for image in images:
        looks.append(reader.look(image, looks))
    verdict = reader.decide(looks, expected, images[-1])
    reading = reading_of(verdict, game, Frame(images[-1], 0.0, 0))
    return msgspec.structs.replace(reading, dice=_in_order(reading.dice, manifest.reading.dice))


def is_same(reading: DiceReading, manifest: Manifest) -> bool:
    """Whether a reading has the faces, the problems and the certainty of the report's."""
    before = manifest.reading
    return (
        [(die.face, die.problem) for die in reading.dice]
        == [(die.face, die.problem) for die in before.dice]
        and reading.problems == before.problems
        and reading.sure == before.sure
    )


def _in_order(dice: Sequence[DieReading], before: Sequence[DieReading]) -> tuple[DieReading, ...]:
    """The dice in the order of those at the same places, any others after them."""
    rest = list(dice)
    found = []
    for was in before:
        near = min(rest, key=lambda die: was.distance(die.centre), default=None)
        if near is not None and was.distance(near.centre) < SAME_PLACE * max(was.box[2:]):
            rest.remove(near)
            found.append(near)
    return (*found, *rest)
