"""Learning prints during play: an applied reading shows how this box draws its faces.

Nothing here loads NumPy or OpenCV: prints travel as pictures, and a new process gets all of them
again. How prints are used: `companion.vision.read.enrolled`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from companion.engine import Face
from companion.vision.box.profile import MOST_PRINTS, Dice
from companion.vision.readings import DiceReading
from companion.vision.states import READABLE


@dataclass(frozen=True, slots=True)
class Lesson:
    """Dice of one game, each with its face as the table applied it, and its print as a PNG."""

    game: str
    prints: tuple[tuple[Face, bytes], ...]


def lesson_of(reading: DiceReading, faces: Sequence[Face]) -> Lesson | None:
    """Make a lesson of a reading and the faces that the table applied; None for nothing to learn.

    The table need not keep the order of the reading. Where both hold the same faces, each die keeps
    the face it was read as. Where they differ in exactly one place, the table's faces count.
    Otherwise it is unknown which die shows what. Only dice that lie flat and are clearly visible
    count: leaning or hidden ones do not look like a print.
    """
    if len(faces) != len(reading.dice) or len(reading.prints) != len(reading.dice):
        return None
    shown = [die.face for die in reading.dice]
    if Counter(shown) != Counter(faces):
        if sum(read is not applied for read, applied in zip(shown, faces, strict=True)) != 1:
            return None
        shown = list(faces)
    prints = tuple(
        (face, print_)
        for die, face, print_ in zip(reading.dice, shown, reading.prints, strict=True)
        if face is not None and die.problem in READABLE and print_
    )
    return Lesson(reading.game, prints) if prints else None


def add_lesson(dice: Dice, lesson: Lesson) -> Dice:
    """Add a lesson to known prints; each face keeps its newest MOST_PRINTS."""
    known = dict(dice.get(lesson.game, {}))
    for face, print_ in lesson.prints:
        known[face] = (*known.get(face, ()), print_)[-MOST_PRINTS:]
    return {**dice, lesson.game: known}
