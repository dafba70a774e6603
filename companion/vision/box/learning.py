"""What a table teaches the reader while it plays: the prints of dice whose faces it has said.

A reading that was applied says how the faces of this box are drawn. Nothing here loads NumPy or
OpenCV: prints travel as pictures, and a new process gets all of them again.
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
    """Dice of this game, each with the face that the table says it shows and its print, a PNG."""

    game: str
    prints: tuple[tuple[Face, bytes], ...]


def lesson_of(reading: DiceReading, faces: Sequence[Face]) -> Lesson | None:
    """What the reading teaches where the table says that its dice show these faces; None for
    nothing.

    The table need not keep the order of the reading. So each die teaches what it was read as, where
    those are the faces said; where they are but for one die, which the table put right in its
    place, that one teaches what the table says. Otherwise nobody knows which die shows what. Only
    dice that lie flat and can be seen well: what leans or is hidden is not what a print looks like.
    """
    if len(faces) != len(reading.dice) or len(reading.prints) != len(reading.dice):
        return None
    shown = [die.face for die in reading.dice]
    if Counter(shown) != Counter(faces):
        if sum(face is not said for face, said in zip(shown, faces, strict=True)) != 1:
            return None
        shown = list(faces)
    prints = tuple(
        (face, print_)
        for die, face, print_ in zip(reading.dice, shown, reading.prints, strict=True)
        if face is not None and die.problem in READABLE and print_
    )
    return Lesson(reading.game, prints) if prints else None


def taught(dice: Dice, lesson: Lesson) -> Dice:
    """What is known after the lesson: the newest MOST_PRINTS prints of each face of each game."""
    known = dict(dice.get(lesson.game, {}))
    for face, print_ in lesson.prints:
        known[face] = (*known.get(face, ()), print_)[-MOST_PRINTS:]
    return {**dice, lesson.game: known}
