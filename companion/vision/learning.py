"""What a table teaches the reader while it plays: the prints of dice whose faces it has said.

A reading that was applied says how the faces of this box are drawn. Nothing here loads NumPy or
OpenCV: prints travel as pictures, and a process that is started anew is told all of them again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from companion.engine.values import Face
from companion.vision.profile import Dice
from companion.vision.readings import DiceReading
from companion.vision.states import READABLE

MOST: Final = 16
"""So many prints of a face are kept, the newest: light and camera change over an evening."""
AMENDED: Final = 1
"""So many of the dice that were read without doubt may have been put right. Where more were, what
the table said is rather in another order than the dice."""


@dataclass(frozen=True, slots=True)
class Lesson:
    """Dice of this game, each with the face that the table says it shows and its print, a PNG."""

    game: str
    prints: tuple[tuple[Face, bytes], ...]


def lesson_of(reading: DiceReading, faces: Sequence[Face]) -> Lesson | None:
    """What the reading teaches, its dice showing these faces in their order; None for nothing.

    Only dice that were thrown last: the others were in the reading before. Only such as lie flat
    and can be seen well: what leans or is hidden is not what a print looks like.
    """
    if len(faces) != len(reading.dice) or len(reading.prints) != len(reading.dice):
        return None
    rows = list(zip(reading.dice, faces, reading.prints, strict=True))
    amended = sum(die.problem is None and die.face is not face for die, face, _ in rows)
    if amended > AMENDED:
        return None
    fresh = set(reading.moved) or set(range(len(rows)))
    prints = tuple(
        (face, png)
        for place, (die, face, png) in enumerate(rows)
        if place in fresh and die.problem in READABLE and png
    )
    return Lesson(reading.game, prints) if prints else None


def taught(dice: Dice, lesson: Lesson) -> Dice:
    """What is known after the lesson: the newest MOST prints of each face of each game."""
    known = dict(dice.get(lesson.game, {}))
    for face, png in lesson.prints:
        known[face] = (*known.get(face, ()), png)[-MOST:]
    return {**dice, lesson.game: known}
