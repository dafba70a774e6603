"""Fit the weights of learned prints, and measure their benefit, on own renders.

The rows are rolls of evenings, EVENING of one box after another, as they come in play: the table
enters the faces of fit rolls without an error, and the reader learns them when the second roll
after them is read (`vision.box.learning`). Rolls that must be refused are thrown again, and teach
nothing.
"""

from collections.abc import Sequence
from dataclasses import replace
from itertools import product
from typing import Final

import msgspec
import numpy as np

from companion.engine import Face
from companion.vision.box.rules import rules_of
from companion.vision.networks.contract import Contract
from companion.vision.read.decision import Decider
from companion.vision.read.enrolled import EnrolledBox, combine, fuse_with_prints, has_prints_of
from companion.vision.read.geometry import overlap
from companion.vision.read.prints import Prints, likeness
from companion.vision.read.seen import Floats, SeenDie
from companion.vision.states import READABLE
from models.art.glyphs import FACES
from models.dataset import EVENING
from models.measure.bounds import Bounds, StillLooks, best_bounds, measure_margins
from models.measure.counting import SHOWN
from models.measure.fit_evidence import SAME
from models.scene.render import Label

CLASSIFIER_WEIGHTS: Final = (0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 1.0)
PRINTS_WEIGHTS: Final = (0.0, 1.0, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0)
WITHOUT_PRINTS: Final = (0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8)
ALIKE: Final = (0.97, 0.96, 0.95, 0.94, 0.93, 0.92, 0.91, 0.9)
FLATTER: Final = (2.0, 1.6, 1.2, 0.8, 0.4, 0.0)
"""Additions to the log-odds of lying flat that an unknown box needs. Of both lists the strictest
comes first."""
SILENT: Final = 0.001
"""The share of these rolls that may be called sure and be wrong or unfit: twice that of other rolls
(`bounds.SILENT`), for there are three bounds to choose rather than seven and a doubt."""
WHOLE: Final = 0.98
"""The share of a foreign die that must be in the picture (and SHOWN not hidden) for the fit."""

_Dice = list[tuple[Label, SeenDie]]


def known_prints(rows: Sequence[StillLooks], terms: Contract) -> list[Prints]:
    """The known prints of each roll's box at the time of its reading."""
    found = []
    box, learned = EnrolledBox.of(terms, {}, {}), dict[Face, Floats]()
    for number, row in enumerate(rows):
        if number % EVENING == 0:
            box, learned = EnrolledBox.of(terms, {}, {}), {}
        found.append(box.decider.prints)
        if row.still.is_fit:
            box, learned = box.with_learned(learned), _learned_prints(row, box)
    return found


def _learned_prints(row: StillLooks, box: EnrolledBox) -> dict[Face, Floats]:
    """The prints that the reader learns from a roll whose faces the table applied."""
    rules, decider = rules_of(row.still.game), box.decider
    row = with_prints(row, decider.prints, decider.contract)
    verdict = decider.decide([row.look], rules, row.size, row.still.thrown)
    counted = decider.dice_and_odds([row.look], row.size, row.still.thrown)
    well = {id(die) for (die, _), read in zip(counted, verdict.dice, strict=True)
            if read.problem in READABLE}  # fmt: skip
    found: dict[Face, list[Floats]] = {}
    for label, die in _matched(row):
        if id(die) in well:
            found.setdefault(Face(label.face), []).append(die.embedding)
    return {face: np.array(vectors, np.float32) for face, vectors in found.items()}


def _matched(row: StillLooks) -> _Dice:
    """Pair the labels with the dice seen in the look."""
    found = []
    for label in row.labels:
        best = max(row.look, key=lambda die: overlap(die.quad, label.quad), default=None)
        if best is not None and overlap(best.quad, label.quad) > SAME:
            found.append((label, best))
    return found


def with_prints(row: StillLooks, box: Prints, terms: Contract) -> StillLooks:
    """Combine the row's looks with known prints, as the reader would."""
    look, closer = (
        tuple(fuse_with_prints(die, box, terms) for die in dice) for dice in (row.look, row.closer)
    )
    return replace(row, look=look, closer=closer)


def fit_weights(
    rows: Sequence[StillLooks], known_prints: Sequence[Prints], terms: Contract
) -> Contract:
    """Fit the weights of prints to the least log loss: fit dice count as their faces, dice of other
    games, where nothing else is wrong with them, as none.
    """
    logs, alike, classes = [], [], []
    names = terms.classifier.classes
    for row, box in zip(rows, known_prints, strict=True):
        for label, die in _matched(row):
            is_foreign = label.face not in FACES and label.flat and label.seen >= SHOWN
            if not (row.still.is_fit or (is_foreign and label.inside >= WHOLE)):
                continue
            if not has_prints_of(die, box):
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

    def weighted(classifier: float, prints: float, without: float) -> Contract:
        return _with(
            terms, classifier_weight=classifier, prints_weight=prints, without_prints=without
        )

    def loss(classifier: float, prints: float, without: float) -> float:
        mixed = weighted(classifier, prints, without)
        odds = combine(seen, np.where(np.isnan(known), without, known), mixed)
        return -float(np.log(np.maximum(odds[each, wanted], 1e-9)).mean())

    best = min(
        product(CLASSIFIER_WEIGHTS, PRINTS_WEIGHTS, WITHOUT_PRINTS), key=lambda one: loss(*one)
    )
    print(f"  prints: log loss {loss(1.0, 0.0, 0.5):.4f} without, {loss(*best):.4f} with, {best}")
    return weighted(*best)


def choose_bounds(rows: Sequence[StillLooks], terms: Contract) -> Contract:
    """Choose the weights of prints and the bounds for a box with known prints: they make most rolls
    sure with at most SILENT errors. All other bounds stay.
    """
    found = known_prints(rows, terms)
    terms = fit_weights(rows, found, terms)
    looks = [with_prints(row, box, terms) for row, box in zip(rows, found, strict=True)]
    known = [n for n, row in enumerate(looks) if _has_all_prints(row, found[n], terms)]
    seen = measure_margins([looks[n] for n in known], terms, [found[n] for n in known])
    unknown = Bounds.of_terms(terms)
    choices = [
        replace(unknown, alike=alike, flat=round(unknown.flat + flatter, 2))
        for flatter, alike in product(FLATTER, ALIKE)
    ]
    covered, sure, bounds = best_bounds(seen, choices, int(SILENT * len(known)))
    fit = sum(rows[n].still.is_fit for n in known)
    print(f"  known: {covered} of {fit} fit rolls sure from {sure}, {bounds}")
    return _with(terms, sure=sure, alike=bounds.alike, flat=bounds.flat)


def _has_all_prints(row: StillLooks, box: Prints, terms: Contract) -> bool:
    """Whether there are prints of the likeliest faces of all the roll's dice."""
    decider = Decider(terms, prints=box)
    dice = [die for die, _ in decider.dice_and_odds([row.look], row.size, row.still.thrown)]
    return decider.has_prints(dice, rules_of(row.still.game))


def _with(terms: Contract, **values: float) -> Contract:
    return msgspec.structs.replace(
        terms, enrolment=msgspec.structs.replace(terms.enrolment, **values)
    )
