"""Evenings of rolls, read as in play: by a reader that learns prints from applied readings."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final

from companion.engine import Face
from companion.vision.box import Lesson, lesson_of, rules_of
from companion.vision.networks.classify import Networks
from companion.vision.pictures import Frame
from companion.vision.read.reader import Expected, Reader, reading_of
from companion.vision.readings import DiceReading
from models.art.glyphs import FACES
from models.dataset import EVENING
from models.measure.counting import Results, Still, count, pair_dice

PARTS: Final = ((0, EVENING), (0, 2), (2, 10), (10, EVENING))
"""All rolls of an evening; the first two, before any print is known; the next eight; the
others."""


def _tallies() -> tuple[Results, ...]:
    return tuple(Results() for _ in PARTS)


@dataclass
class Evenings:
    """The results of a reader that learns prints, in each of PARTS, and of one that does not."""

    learning: tuple[Results, ...] = field(default_factory=_tallies)
    not_learning: tuple[Results, ...] = field(default_factory=_tallies)


def read_evenings(stills: Iterable[Still], networks: Networks) -> Evenings:
    """Read every roll in order, EVENING rolls of each box.

    The table enters the faces of fit rolls without an error, and applies sure readings, right or
    wrong; the reader learns them when the second roll after them is read. Other rolls are thrown
    again.
    """
    found, not_learning = Evenings(), Reader(networks)
    reader, lesson = Reader(networks), None
    for number, still in enumerate(stills):
        place = number % EVENING
        if place == 0:
            reader, lesson = Reader(networks), None
        look = reader.look(still.image)
        expected = Expected(rules_of(still.game), still.thrown)
        frame = Frame(still.image, 0.0, 0)
        reading = reading_of(reader.decide([look], expected, still.image), still.game, frame)
        plain = reading_of(not_learning.decide([look], expected, still.image), still.game, frame)
        for part, (first, after) in enumerate(PARTS):
            if first <= place < after:
                count(found.learning[part], still, reading)
                count(found.not_learning[part], still, plain)
        if reading.sure or still.is_fit:
            if lesson is not None:
                reader.learn(lesson)
            lesson = _lesson(still, reader.with_pictures(reading, still.image, look))
    return found


def _lesson(still: Still, reading: DiceReading) -> Lesson | None:
    """The lesson that the table's applied faces teach."""
    if reading.sure:
        return lesson_of(reading, [die.face for die in reading.dice if die.face is not None])
    pairs = pair_dice(still.dice, reading.dice)
    true = {id(read): die.face for die, read in pairs if die is not None}
    faces = [true.get(id(read), "") for read in reading.dice]
    if not set(faces) <= set(FACES):
        return None  # something else was taken for a die: the table enters the roll by hand
    return lesson_of(reading, [Face(face) for face in faces])
