"""How far the enrolled prints of a box are to be trusted, and what they bring, on own renders.

A roll's box is one whose drawings of the faces are the roll's own: its prints are dice of other
rolls with the same drawings, so of other colours, in other light and worn in another way, which
makes them worse than those of the very dice would be. A face that the roll does not show has the
prints of any drawing.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from itertools import product
from typing import Final

import msgspec
import numpy as np

from companion.engine.values import Face
from companion.vision.contract import Contract
from companion.vision.enrolled import Prints, likeness, speak_of, together, told
from companion.vision.geometry import overlap
from companion.vision.reader import rules_of
from companion.vision.seen import SeenDie
from models.arrays import Floats
from models.art.glyphs import FACES
from models.measure.bounds import SILENT, Bounds, Seen, best_of, margins
from models.measure.counting import SHOWN
from models.measure.fit_evidence import SAME
from models.scene.render import Label

SHOTS: Final = 5
"""Prints of each face."""
SEED: Final = 5
TRUSTS: Final = (0.2, 0.3, 0.4, 0.5, 0.7, 1.0)
WEIGHTS: Final = (0.0, 1.0, 1.5, 2.0, 2.5, 3.0, 4.0)
STRANGERS: Final = (0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8)
ALONE: Final = (8.0, 3.0, 1.0)
"""The strictest comes first."""
WHOLE: Final = 0.98
"""Of a foreign die so much must be in the picture, and SHOWN not hidden, to be fitted to."""

_Dice = list[tuple[Label, SeenDie]]


def boxes(rows: Sequence[Seen]) -> list[Prints]:
    """Of each roll the prints of its box."""
    rng = np.random.default_rng(SEED)
    pool: dict[tuple[str, str], list[tuple[int, Floats]]] = defaultdict(list)
    for number, row in enumerate(rows):
        if row.still.sureable:
            for label, die in _matched(row):
                pool[label.face, label.drawing].append((number, die.embedding))
    drawings: dict[str, list[str]] = defaultdict(list)
    for (face, drawing), shown in pool.items():
        if len(shown) > SHOTS:
            drawings[face].append(drawing)
    found: list[Prints] = []
    for number, row in enumerate(rows):
        own = {label.face: label.drawing for label in row.labels}
        box: dict[Face, Floats] = {}
        for face in rules_of(row.still.game).faces:
            others = [v for n, v in pool[face, own.get(face, "")] if n != number]
            if face not in own and drawings[face]:
                any_drawing = drawings[face][int(rng.integers(len(drawings[face])))]
                others = [v for n, v in pool[face, any_drawing] if n != number]
            if len(others) >= SHOTS:
                places = rng.choice(len(others), SHOTS, replace=False)
                box[face] = np.array([others[int(place)] for place in places], np.float32)
        found.append(box)
    return found


def _matched(row: Seen) -> _Dice:
    """The labels with what was seen of them."""
    found = []
    for label in row.labels:
        best = max(row.look, key=lambda die: overlap(die.quad, label.quad), default=None)
        if best is not None and overlap(best.quad, label.quad) > SAME:
            found.append((label, best))
    return found


def enrolled(row: Seen, box: Prints, terms: Contract) -> Seen:
    """What would have been seen with the box enrolled."""
    look, again = (tuple(told(die, box, terms) for die in dice) for dice in (row.look, row.again))
    return replace(row, look=look, again=again)


def fitted(rows: Sequence[Seen], boxes: Sequence[Prints], terms: Contract) -> Contract:
    """The terms with the weights of least log loss: fit dice are their faces, other games' dice,
    where nothing else is wrong with them, are none."""
    logs, alike, classes = [], [], []
    names = terms.classifier.classes
    for row, box in zip(rows, boxes, strict=True):
        for label, die in _matched(row):
            is_foreign = label.face not in FACES and label.flat and label.seen >= SHOWN
            if not (row.still.sureable or (is_foreign and label.inside >= WHOLE)):
                continue
            if not speak_of(die, box):
                continue
            chances = [die.faces[Face(name)] for name in names[:-1]] + [die.reject]
            logs.append(np.log(np.maximum(chances, 1e-7)))
            alike.append(
                [
                    likeness(die.embedding, box[Face(name)]) if name in box else np.nan
                    for name in names
                ]
            )
            classes.append(names.index(label.face) if label.face in FACES else len(names) - 1)
    seen, known, wanted = np.array(logs), np.array(alike), np.array(classes)
    each = np.arange(len(wanted))

    def loss(trust: float, weight: float, stranger: float) -> float:
        mixed = _with(terms, trust=trust, weight=weight, stranger=stranger)
        odds = together(seen, np.where(np.isnan(known), stranger, known), mixed)
        return -float(np.log(np.maximum(odds[each, wanted], 1e-9)).mean())

    best = min(product(TRUSTS, WEIGHTS, STRANGERS), key=lambda one: loss(*one))
    print(f"  prints: log loss {loss(1.0, 0.0, 0.5):.4f} without, {loss(*best):.4f} with, {best}")
    return _with(terms, trust=best[0], weight=best[1], stranger=best[2])


def chosen(rows: Sequence[Seen], terms: Contract) -> Contract:
    """The terms with what is trusted of an enrolled box: its bounds call most rolls sure with no
    more than SILENT errors; all others are as for any box."""
    found = boxes(rows)
    terms = fitted(rows, found, terms)
    with_prints = [enrolled(row, box, terms) for row, box in zip(rows, found, strict=True)]
    allowed = int(SILENT * len(rows))
    tried = []
    for alone in ALONE:
        judged = _with(terms, alone=alone).enrolment.of(terms)
        covered, sure, _ = best_of(margins(with_prints, judged), [Bounds.of_terms(terms)], allowed)
        print(f"  enrolled: {covered} of {len(rows)} rolls sure from {sure}, alone {alone}")
        tried.append((covered, sure, alone))
    _, sure, alone = max(tried, key=lambda one: one[0])
    return _with(terms, sure=sure, alone=alone)


def _with(terms: Contract, **values: float) -> Contract:
    return msgspec.structs.replace(
        terms, enrolment=msgspec.structs.replace(terms.enrolment, **values)
    )
