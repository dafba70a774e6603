"""The values in a report of a misread roll. How they become one file: `archive`.

A report holds the pictures that a reading was decided from, the reading, what the table put right,
and all that the reading depends on: the game, the number of dice expected, the sheet, the prints of
the box, and the versions. It holds no name, no token and no address. Nothing here imports NumPy or
OpenCV: the service makes reports without them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Annotated, Final

import msgspec
from msgspec import Meta

from companion.engine import Face
from companion.vision.box.box import Box, Origin, Print
from companion.vision.box.profile import Dice, Profile, Sheet
from companion.vision.readings import DiceReading, DieReading
from companion.vision.states import ReadingProblem

FORMAT: Final = 1
MOST_FRAMES: Final = 12
MOST_DICE: Final = 40
MOST_EXPECTED: Final = 20
BOX_NAME: Final = "report"
"""In place of what people call their box."""

Text = Annotated[str, Meta(max_length=64)]


class Taken(StrEnum):
    """How the pictures of a report were taken."""

    CAMERA = "camera"
    PHOTO = "photo"


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
    learnt: Dice = field(default_factory=dict)
    """The prints learned in play until then."""


class ReportValue(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The base of the values in a report's JSON."""


class ReportedReading(ReportValue, frozen=True, kw_only=True):
    """The reading as the table saw it; fields as in `DiceReading`."""

    game: Text
    dice: Annotated[tuple[DieReading, ...], Meta(max_length=MOST_DICE)]
    problems: Annotated[tuple[ReadingProblem, ...], Meta(max_length=MOST_DICE)]
    sure: bool
    size: tuple[int, int]


class Manifest(ReportValue, frozen=True, kw_only=True, omit_defaults=True):
    """All of a report that is no picture."""

    format: Annotated[int, Meta(ge=1, le=FORMAT)]
    taken: Taken
    package: Text
    """The version of this program."""
    networks: Text
    """The `commit` of the networks."""
    expected: Annotated[int, Meta(ge=0, le=MOST_EXPECTED)] | None = None
    """The number of dice that was expected; None for as many as the game allows."""
    sheet: Sheet | None = None
    reading: ReportedReading
    put_right: Annotated[tuple[Face | None, ...], Meta(max_length=MOST_DICE)] | None = None
    """The face of each die of the reading as a person gave it, null for one that is no die; missing
    where nobody said."""
    applied: Annotated[tuple[Face, ...], Meta(max_length=MOST_DICE)] | None = None
    """The faces that the table applied, in an order of its own; missing before that."""


@dataclass(frozen=True, slots=True)
class Report:
    """A report; `frames` as in `Footage`, `crops` a JPEG of each die in the reading's order."""

    manifest: Manifest
    frames: tuple[bytes, ...]
    crops: tuple[bytes, ...] = ()
    box: Box | None = None
    """The prints that were known of the game's dice; None without any."""


@dataclass(frozen=True, slots=True)
class Versions:
    """The versions of the program and of its networks."""

    package: str
    networks: str


@dataclass(frozen=True, slots=True)
class Corrections:
    """What the table put right, as in `Manifest`."""

    put_right: tuple[Face | None, ...] | None = None
    applied: tuple[Face, ...] | None = None


def report_of(
    reading: DiceReading,
    footage: Footage,
    taken: Taken,
    versions: Versions,
    corrections: Corrections,
) -> Report:
    """Make a report of a reading. A photo is read without the sheet, which holds for a camera."""
    manifest = Manifest(
        format=FORMAT,
        taken=taken,
        package=versions.package,
        networks=versions.networks,
        expected=footage.expected,
        sheet=footage.profile.sheet if taken is Taken.CAMERA else None,
        reading=ReportedReading(
            game=reading.game,
            dice=reading.dice,
            problems=reading.problems,
            sure=reading.sure,
            size=reading.size,
        ),
        put_right=corrections.put_right,
        applied=corrections.applied,
    )
    box = _box(reading.game, footage.profile.dice, footage.learnt)
    return Report(manifest, footage.frames, reading.crops, box)


def profile_of(report: Report) -> tuple[Profile, Dice]:
    """What the reader knew: the sheet with the enrolled prints, and those learned in play."""
    manifest, box = report.manifest, report.box
    enrolled, learnt = _prints(box, Origin.ENROLLED), _prints(box, Origin.PLAYED)
    return Profile(sheet=manifest.sheet, dice=enrolled), learnt


def _box(game: str, enrolled: Dice, learnt: Dice) -> Box | None:
    """Make a box of the prints known of a game; None without any."""
    box = Box(BOX_NAME, game)
    for origin, dice in ((Origin.ENROLLED, enrolled), (Origin.PLAYED, learnt)):
        for face, prints in dice.get(game, {}).items():
            box = box.with_prints((face, Print(one, origin)) for one in prints)
    return box if box.faces else None


def _prints(box: Box | None, origin: Origin) -> Dice:
    """The prints of one origin; a face without any has no entry."""
    if box is None:
        return {}
    found = {
        face: tuple(one.picture for one in prints if one.origin is origin)
        for face, prints in box.faces.items()
    }
    return {box.game: {face: prints for face, prints in found.items() if prints}}
