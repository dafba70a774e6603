"""The known prints of boxes at the time of each of their rolls: enrolled, or learned in play.

A box is EVENING rolls that follow one another, and the stills to enrol it from, if it has any. To
enrol, people show dice that lie flat, whole and clear. In play the table says the faces of every
roll that is fit to be read, in no order, when the second one after it is read; a share of them may
be entered wrongly. Other rolls are thrown again, and teach nothing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

import numpy as np

from companion.engine import RULESETS, Face
from companion.vision.read.playing import PlayedRoll, Playing
from companion.vision.read.seen import CLEAR, FacePrints, Prints, SeenDie, prints_of
from models.art.glyphs import FACES
from models.dataset import EVENING
from models.measure.counting import BLIND, ENROL, SHOWN, game_of
from models.measure.looks import Looked, views_of_dice
from models.scene.render import Label
from models.terms import TERMS

VIEWS: Final = (3, 5, 10)
"""The views of each face from which boxes are enrolled."""
WHOLE: Final = 0.98
"""The share of a die that must be in the picture to be shown."""


def evenings_of(rows: Sequence[Looked]) -> Iterator[tuple[list[Looked], list[Looked]]]:
    """Yields of each box the stills to enrol it from, if any, and its rolls: at most EVENING, or
    those before the next box is shown."""
    shown, rolls = list[Looked](), list[Looked]()
    for row in rows:
        if len(rolls) == EVENING or (rolls and ENROL in row.still.tags):
            yield shown, _of_one_game(rolls)
            shown, rolls = [], []
        (shown if ENROL in row.still.tags else rolls).append(row)
    if rolls:
        yield shown, _of_one_game(rolls)


def _of_one_game(rolls: Sequence[Looked]) -> list[Looked]:
    """The rolls of a box as its game's: some show only faces that both games have."""
    game = game_of([label for row in rolls for label in row.labels])
    return [replace(row, still=replace(row.still, game=game)) for row in rolls]


def questions(row: Looked) -> Iterator[tuple[SeenDie, int]]:
    """Yields the dice whose face is a question, and the place of this in FACES, or after it for
    dice of other games: those that lie flat and whole, own ones not blinded."""
    for label, die in row.matched():
        is_own = label.face in FACES
        if _is_whole(label) and (label.contrast >= BLIND or not is_own):
            yield die, FACES.index(label.face) if is_own else len(FACES)


def _is_whole(label: Label) -> bool:
    return label.flat and label.seen >= SHOWN and label.inside >= WHOLE


def enrolled(
    shown: Sequence[Looked], rolls: Sequence[Looked], views: int
) -> tuple[Prints, list[Looked]]:
    """The prints of a box of which each face was enrolled from its first views, of the stills to
    enrol it from or else of its first rolls; and the rolls that these are not from."""
    faces = RULESETS[rolls[0].still.game].faces
    box: dict[Face, list[SeenDie]] = {face: [] for face in faces}
    used = 0
    for row in shown or rolls:
        if all(len(dice) >= views for dice in box.values()):
            break
        used += 1
        for label, die in row.matched():
            is_clear = label.face in FACES and _is_whole(label) and label.contrast >= 2 * BLIND
            if is_clear and len(box[Face(label.face)]) < views:
                box[Face(label.face)].append(die)
    found = {face: views_of_dice(dice, face) for face, dice in box.items() if dice}
    return prints_of(found), list(rolls if shown else rolls[used:])


def played(
    rolls: Sequence[Looked], mistaken: float = 0.0, seed: int = 1
) -> Iterator[tuple[Looked, Prints, Playing]]:
    """Yields each roll of a box with the prints known when it is read, and what taught them; a
    share `mistaken` of the rolls that teach is entered with one wrong face."""
    rng = np.random.default_rng(seed)
    waiting: PlayedRoll | None = None
    playing, known = Playing(FACES), dict[Face, FacePrints]()
    for row in rolls:
        yield row, known, playing
        roll = taught_by(row)
        if roll is None:
            continue
        if waiting is not None:
            playing.learn(waiting)
            known = dict(prints_of(playing.views))
        if rng.random() < mistaken:
            roll = mistaken_roll(roll, RULESETS[row.still.game].faces, rng)
        waiting = roll


def mistaken_roll(roll: PlayedRoll, faces: Sequence[Face], rng: np.random.Generator) -> PlayedRoll:
    """The same roll with one face entered wrongly."""
    entered = list(roll.faces)
    place = int(rng.integers(len(entered)))
    others = [face for face in faces if face is not entered[place]]
    entered[place] = others[int(rng.integers(len(others)))]
    return replace(roll, faces=tuple(entered))


def names_of(row: Looked) -> list[Face]:
    """What the dice that the look shows show, in its order."""
    return [Face(label.face) for label, _ in row.matched()]


def taught_by(row: Looked) -> PlayedRoll | None:
    """What the table says of a roll that is fit and of which every die is seen; else None."""
    pairs = row.matched()
    if not row.still.is_fit or len({id(die) for _, die in pairs}) < len(row.labels):
        return None
    if not {label.face for label, _ in pairs} <= set(RULESETS[row.still.game].faces):
        return None
    names = names_of(row)
    return PlayedRoll(
        np.array([die.embedding for _, die in pairs], np.float32),
        np.array([[die.faces[Face(name)] for name in FACES] for _, die in pairs], np.float32),
        np.array([die.contrast >= CLEAR * TERMS.die_limits.dark for _, die in pairs]),
        tuple(sorted(Counter(names).elements())),
    )
