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

from companion.engine import RULESETS, Face
from companion.vision.box import rules_of
from companion.vision.networks.contract import Contract
from companion.vision.pictures import Floats
from companion.vision.read.decision import Decider
from companion.vision.read.geometry import overlap
from companion.vision.read.reader import FEWEST, EnrolledBox, combine, fuse_with_prints
from companion.vision.read.seen import Prints, SeenDie, likeness
from companion.vision.readings import READABLE
from models.art.glyphs import FACES
from models.dataset import EVENING
from models.measure.counting import BLIND, ENROL, SHOWN, evenings_of
from models.measure.fit_evidence import SAME, WHOLE, face_rows, fit_logistic, joined, rounded
from models.measure.sure import StillLooks, outcomes, sure_from
from models.scene.render import Label

PRINTS_WEIGHTS: Final = (1.0, 2.0, 3.0, 4.0, 5.0, 7.0, 10.0, 14.0)
WITHOUT_PRINTS: Final = (0.2, 0.3, 0.4, 0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8)
VIEWS: Final = 5
"""The prints of each face that an enrolled box has."""
LEFT_OUT: Final = 0.3
"""The share of the boxes of which some faces were not enrolled."""
SILENT: Final = 0.001
"""The allowed share of silent errors of known boxes: there are fewer such rolls than others, so
that one error more or less decides (`sure.SILENT`)."""

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
    tracked, odds = decider.find_dice([row.look], row.size, row.still.thrown)
    counted = [(die.mean, float(odd)) for die, odd in zip(tracked, odds, strict=True)]
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


def enrolled_prints(
    rows: Sequence[StillLooks], terms: Contract, views: int = VIEWS, left_out: float = LEFT_OUT
) -> list[Prints | None]:
    """The prints of each roll's box where each face was enrolled from its first `views` dice that
    lie flat, whole and clear in sight; None for the rolls that these are from.

    Of a share `left_out` of the boxes up to three faces were left out.
    """
    rng = np.random.default_rng(1)
    found: list[Prints | None] = []
    for evening in evenings_of(rows, lambda row: row.still.tags):
        shown = [row for row in evening if ENROL in row.still.tags] or evening
        box: dict[Face, list[Floats]] = {}
        used = 0
        for row in shown:
            if len(box) >= len(RULESETS[row.still.game].faces) and all(
                len(prints) >= views for prints in box.values()
            ):
                break
            used += 1
            for label, die in _matched(row):
                if _is_clear(label):
                    mine = box.setdefault(Face(label.face), [])
                    mine += [die.embedding] if len(mine) < views else []
        faces = sorted(face for face, prints in box.items() if len(prints) >= FEWEST)
        if rng.random() < left_out:
            gone = rng.permutation(len(faces))[: int(rng.integers(1, 4))]
            faces = [face for place, face in enumerate(faces) if place not in gone]
        known = {face: np.array(box[face], np.float32) for face in faces}
        used = used if shown is evening else len(shown)
        found += [None] * used + [known] * (len(evening) - used)
    return found


def _is_clear(label: Label) -> bool:
    return (
        label.face in FACES
        and label.flat
        and label.seen >= SHOWN
        and label.inside >= WHOLE
        and label.contrast >= 2 * BLIND
    )


def fit_weights(
    rows: Sequence[StillLooks], known_prints: Sequence[Prints], terms: Contract
) -> Contract:
    """Fit the weights of prints to the least log loss: dice that can be read count as their faces,
    dice of other games, if nothing else is wrong with them, as none.
    """
    logs, alike, classes = [], [], []
    names = terms.classifier.classes
    for row, box in zip(rows, known_prints, strict=True):
        if not box:
            continue
        for label, die in _matched(row):
            if not (label.flat and label.seen >= SHOWN and label.inside >= WHOLE):
                continue
            chances = [die.faces[Face(name)] for name in names[:-1]] + [die.reject]
            logs.append(np.log(np.maximum(chances, 1e-7)))
            alike.append(
                [
                    likeness(die.embedding, box[Face(name)]) if name in box else np.nan
                    for name in names[:-1]
                ]
            )
            classes.append(names.index(label.face) if label.face in FACES else len(names) - 1)
    seen, known, wanted = np.array(logs), np.array(alike), np.array(classes)
    each = np.arange(len(wanted))

    def weighted(prints: float, without: float) -> Contract:
        return _with(terms, prints_weight=prints, without_prints=without)

    def loss(prints: float, without: float) -> float:
        odds = combine(seen, known, weighted(prints, without))
        return -float(np.log(np.maximum(odds[each, wanted], 1e-9)).mean())

    best = min(product(PRINTS_WEIGHTS, WITHOUT_PRINTS), key=lambda one: loss(*one))
    print(f"  prints: log loss {loss(*best):.4f} with {best}, n = {len(wanted)}")
    return weighted(*best)


def choose_known(
    rows: Sequence[StillLooks], terms: Contract, boxes: Sequence[StillLooks] = ()
) -> Contract:
    """Fit the weights of prints and of what a known face rests on, and choose the bound of a known
    box, on evenings of val, each read as learned in play and as enrolled at its beginning, and on
    `boxes` of symbols, read as enrolled from their stills.
    """
    played = known_prints(rows, terms)
    enrolled = enrolled_prints(rows, terms)
    both = [*zip(rows, played, strict=True)]
    both += [(row, box) for row, box in zip(rows, enrolled, strict=True) if box is not None]
    # A symbol in the place of a face that was not enrolled has no name at all.
    standing_in = enrolled_prints(boxes, terms, left_out=0.0)
    both += [(row, box) for row, box in zip(boxes, standing_in, strict=True) if box is not None]
    terms = fit_weights([row for row, _ in both], [box for _, box in both], terms)
    both = [(with_prints(row, box, terms), box) for row, box in both if box]
    parts = [
        face_rows(
            Decider(terms, prints=box), row.labelled(), rules_of(row.still.game), row.still.thrown
        )
        for row, box in both
    ]
    found = joined(parts)
    terms = _with(terms, face_weights=rounded(fit_logistic(found)))
    known = [(row, box) for row, box in both if _has_all_prints(row, box, terms)]
    curve = outcomes([row for row, _ in known], terms, [box for _, box in known])
    sure = sure_from(curve, len(known), SILENT)
    fit = sum(row.still.is_fit for row, _ in known)
    print(f"  known: {curve.covered(sure)} sure from {sure} of {len(known)} rolls, {fit} fit")
    return _with(terms, sure=sure)


def _has_all_prints(row: StillLooks, box: Prints, terms: Contract) -> bool:
    """Whether there are prints of the likeliest faces of all the roll's dice."""
    decider = Decider(terms, prints=box)
    found, _ = decider.find_dice([row.look], row.size, row.still.thrown)
    dice = [die.mean for die in found]
    return decider.has_prints(dice, rules_of(row.still.game))


def _with(terms: Contract, **values: float | tuple[float, ...]) -> Contract:
    return msgspec.structs.replace(
        terms, enrolment=msgspec.structs.replace(terms.enrolment, **values)
    )
