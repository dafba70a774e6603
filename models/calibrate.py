"""Choose temperature, prior, evidence weights and thresholds on val; write them to `dice.json`.

`python -m models.calibrate [COUNT]` uses looks at the own renders of the val split (rolls and
evenings of them, boxes of symbols, other games' dice among them, and scenes in which much goes
wrong), at most COUNT of each. To be run after every export; an interrupted run resumes. Nothing of
the test split or of outside stills is read.
"""

import os
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from itertools import chain, product
from typing import Final

import msgspec
import numpy as np

from companion.engine import Face
from companion.vision.box import rules_of
from companion.vision.networks.contract import Contract, load_contract
from companion.vision.read.decision import Decider
from companion.vision.read.reader import combine
from companion.vision.read.seen import FacePrints, Prints, likeness
from models.arrays import Floats
from models.art.glyphs import FACES
from models.measure.boxes import VIEWS, enrolled, evenings_of, played, questions
from models.measure.counting import calibration_error
from models.measure.fit import (
    SILENT,
    face_rows,
    fitted_evidence,
    fitted_faces,
    outcomes,
    sure_from,
    with_sure,
)
from models.measure.looks import Looked, looked_at, with_temperature
from models.places import TARGET
from models.terms import TERMS, write_contract

TEMPERATURES: Final = np.exp(np.linspace(np.log(0.35), np.log(2.0), 40))
PRIORS: Final = tuple(float(prior) for prior in np.arange(-6, 2.5, 0.5))
PRINTS_WEIGHTS: Final = (1.0, 2.0, 3.0, 4.0, 5.0, 7.0, 10.0, 14.0)
WITHOUT_PRINTS: Final = (0.1, 0.2, 0.3, 0.4, 0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8)


def labelled_chances(rows: Sequence[Looked]) -> tuple[Floats, Floats]:
    """Log-probabilities (n, 10) and classes (n,) of the dice whose face is a question."""
    found = [one for row in rows for one in questions(row)]
    logs = [np.log(np.maximum([*die.faces.values(), die.reject], 1e-9)) for die, _ in found]
    return np.array(logs), np.array([place for _, place in found])


def best_calibration(logs: Floats, classes: Floats) -> tuple[float, float]:
    """Find the temperature and the prior with the lowest log loss."""
    each = np.arange(len(classes))

    def loss(temperature: float, prior: float) -> float:
        chances = with_temperature(logs, temperature, prior)[each, classes]
        return -float(np.log(np.maximum(chances, 1e-9)).mean())

    return min(product(TEMPERATURES.tolist(), PRIORS), key=lambda one: loss(*one))


Known = list[tuple[Looked, Prints]]
"""Rolls of known boxes, and the prints known at each."""


def known_rolls(evenings: Sequence[Looked], boxes: Sequence[Looked]) -> Known:
    """The rolls of evenings and of boxes of symbols: each learned in play, and enrolled. No roll of
    a box of symbols that is only half known is sure."""
    every = enumerate((*evenings_of(evenings), *evenings_of(boxes)))
    with ProcessPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        return list(chain(*pool.map(_known_of_box, every)))


def _known_of_box(numbered: tuple[int, tuple[list[Looked], list[Looked]]]) -> Known:
    number, (shown, rolls) = numbered
    prints, rest = enrolled(shown, rolls, VIEWS[number % len(VIEWS)])
    found = [(row, prints, True) for row in rest]
    found += [(row, prints, one.is_confirmed) for row, prints, one in played(rolls) if prints]
    return [
        (row, prints)
        for row, prints, is_confirmed in found
        if not Decider(TERMS, prints, is_confirmed).is_half_known(rules_of(row.still.game))
    ]


def fit_prints(known: Known, terms: Contract) -> Contract:
    """Fit the weights of prints to the least log loss of the dice whose face is a question."""
    logs, alike, trust, classes = [], [], [], []
    for row, prints in known:
        for die, place in questions(row):
            chances = np.log(np.maximum([*die.faces.values(), die.reject], 1e-7))
            likes = [
                float(likeness(die.embedding[None], prints[Face(name)].vectors)[0])
                if name in prints
                else np.nan
                for name in FACES
            ]
            if prints.keys() >= set(rules_of(row.still.game).faces):  # as `fuse_with_prints`
                chances[:-1][np.isnan(likes)] = -np.inf
            logs.append(chances)
            alike.append(likes)
            trust.append([prints[Face(name)].trust if name in prints else 0.0 for name in FACES])
            classes.append(place)
    seen, likes_of, trusted, wanted = (np.array(one) for one in (logs, alike, trust, classes))
    each = np.arange(len(wanted))

    def weighted(weight: float, without: float) -> Contract:
        return _with(terms, prints_weight=weight, without_prints=without)

    def loss(weight: float, without: float) -> float:
        odds = combine(seen, likes_of, weighted(weight, without), trusted)
        return -float(np.log(np.maximum(odds[each, wanted], 1e-9)).mean())

    best = min(product(PRINTS_WEIGHTS, WITHOUT_PRINTS), key=lambda one: loss(*one))
    print(f"prints: log loss {loss(*best):.4f} with {best}, n = {len(wanted)}")
    return weighted(*best)


def _with(terms: Contract, **values: float | tuple[float, ...]) -> Contract:
    enrolment = msgspec.structs.replace(terms.enrolment, **values)
    return msgspec.structs.replace(terms, enrolment=enrolment)


def bounds(rolls: Sequence[Looked], known: Known, terms: Contract) -> Iterator[tuple[str, float]]:
    """Yields the bound of each kind of box."""
    every = [*((row, dict[Face, FacePrints]()) for row in rolls), *known]
    kinds = [Decider(TERMS, prints).kind_of_box(rules_of(row.still.game)) for row, prints in every]
    for kind, allowed in SILENT.items():
        mine = [one for one, its_kind in zip(every, kinds, strict=True) if its_kind == kind]
        rows = [row for row, _ in mine]
        curve = outcomes(rows, terms, [prints for _, prints in mine])
        sure = sure_from(curve, len(rows), allowed)
        fit = sum(row.still.is_fit for row in rows)
        print(f"{kind}: {curve.covered(sure)} of {len(rows)} sure from {sure}, {fit} are fit")
        yield kind, sure


def calibrated(raw: Contract, limit: int | None) -> Contract:
    """Choose all that is chosen on val: the temperature first, then evidence, then the bounds."""
    kinds = ("rolls", "scenes", "evenings", "boxes", "strangers")
    looked = {kind: looked_at(kind, "val", limit) for kind in kinds}
    logs, classes = labelled_chances(looked["rolls"])
    warmth, prior = best_calibration(logs, classes)
    chances = with_temperature(logs, warmth, prior)
    pairs = list(zip(chances.max(axis=1), chances.argmax(axis=1) == classes, strict=True))
    error = calibration_error(pairs)
    print(f"temperature {warmth:.2f}, prior {prior}; ECE {error:.4f}, n = {len(pairs)}")
    classifier = msgspec.structs.replace(raw.classifier, temperature=warmth, prior=prior)
    terms = msgspec.structs.replace(raw, classifier=classifier)
    looked = {kind: [row.calibrated(terms) for row in rows] for kind, rows in looked.items()}
    # Boxes of symbols are dice as well, though their tops show no face of the game.
    seen = [*looked["rolls"], *looked["scenes"], *looked["boxes"]]
    evidence = fitted_evidence(terms.evidence, Decider(terms), seen)
    terms = msgspec.structs.replace(terms, evidence=evidence)
    shown = [*looked["rolls"], *looked["evenings"], *looked["strangers"]]
    parts = [face_rows(Decider(terms), row) for row in shown]
    evidence = msgspec.structs.replace(evidence, face_weights=fitted_faces(parts))
    terms = msgspec.structs.replace(terms, evidence=evidence)
    known = known_rolls(looked["evenings"], looked["boxes"])
    terms = fit_prints(known, terms)
    parts = [face_rows(Decider(terms, prints=prints), row) for row, prints in known]
    terms = _with(terms, face_weights=fitted_faces(parts))
    return with_sure(terms, dict(bounds(looked["rolls"], known, terms)))


def main(limit: int | None) -> None:
    """Calibrate the target's networks."""
    # Start from TERMS, so that the outcome depends on networks and pictures alone.
    raw = msgspec.structs.replace(TERMS, commit=load_contract(TARGET).commit)
    terms = calibrated(raw, limit)
    write_contract(terms, TARGET)
    print(terms.evidence, terms.sure_from, terms.enrolment)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else None)
