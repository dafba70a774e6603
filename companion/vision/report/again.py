"""Read the pictures of a report again, as they were read at the table."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from companion.vision.box.rules import rules_of
from companion.vision.errors import PhotoError, VisionError
from companion.vision.pictures.decoding import decode
from companion.vision.pictures.frames import Frame
from companion.vision.read.photo import read_photo
from companion.vision.read.reader import Expected, Reader, reading_of
from companion.vision.readings import SAME_PLACE, DiceReading, DieReading
from companion.vision.report.form import Manifest, Report, Taken, profile_of


def read_again(report: Report, source: str) -> DiceReading:
    """Read a report's pictures with the networks of this version, and with the sheet and the prints
    that the table's reader had. The dice come in the order of the report where they are the same.

    VisionError where the networks or the game are missing, or a picture cannot be decoded;
    `source` names the report in sentences.
    """
    manifest = report.manifest
    expected = Expected(rules_of(manifest.reading.game), manifest.expected)
    try:
        for prints in report.box.faces.values() if report.box is not None else ():
            for one in prints:
                decode(one.picture)
        reader = Reader.shipped(*profile_of(report))
        if manifest.taken is Taken.PHOTO:
            reading = read_photo(report.frames[-1], reader.off_sheet(), expected)
        else:
            reading = _read(report.frames, reader, expected)
    except PhotoError as error:
        raise VisionError("error.report.picture", report=source) from error
    return replace(reading, dice=_in_order(reading.dice, manifest.reading.dice))


def _read(frames: Sequence[bytes], reader: Reader, expected: Expected) -> DiceReading:
    """Read the pictures of one rest as `watch.watcher` does."""
    images = [decode(frame) for frame in frames]
    verdict = reader.decide([reader.look(image) for image in images], expected, images[-1])
    return reading_of(verdict, expected.rules.game, Frame(images[-1], 0.0, 0))


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
        near = min(rest, key=lambda die: _apart(die, was), default=None)
        if near is not None and _apart(near, was) < SAME_PLACE * max(was.box[2:]):
            rest.remove(near)
            found.append(near)
    return (*found, *rest)


def _apart(die: DieReading, other: DieReading) -> float:
    """The distance between two dice, px."""
    return abs(complex(*die.centre) - complex(*other.centre))
