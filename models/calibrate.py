"""Choose temperature, prior, evidence weights and thresholds on val; write them to `dice.json`.

`python -m models.calibrate [COUNT]` looks once at every own render of the val split (rolls and
evenings of them, boxes of symbols, other games' dice among them, and scenes in which much goes
wrong) and keeps what was seen, not the pictures. To be run after every export. Nothing of the test
split or of outside stills is read.
"""

import os
import sys
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from itertools import product
from typing import Final

import msgspec
import numpy as np

from companion.engine import Face
from companion.vision.box import rules_of
from companion.vision.networks.classify import Networks, softmax
from companion.vision.networks.contract import Contract, load_contract
from companion.vision.pictures import cv2
from companion.vision.read.decision import FACE_SIGNS, Decider
from companion.vision.read.reader import Reader
from companion.vision.read.seen import SeenDie
from models.arrays import Floats
from models.dataset import pictures
from models.measure import enrolment
from models.measure.counting import calibration_error, still_of
from models.measure.fit_evidence import (
    Labelled,
    candidate_rows,
    cut_rows,
    face_rows,
    fit_logistic,
    flat_rows,
    joined,
    report,
    rounded,
    with_bounds,
    with_cut,
    with_flat,
)
from models.measure.sure import StillLooks, choose_sure
from models.places import TARGET
from models.terms import TERMS, write_contract

TEMPERATURES: Final = np.exp(np.linspace(np.log(0.35), np.log(2.0), 40))
PRIORS: Final = tuple(float(prior) for prior in np.arange(-6, 2.5, 0.5))
COMPANY: Final = FACE_SIGNS.index("company")
COMPANIES: Final = tuple(-weight / 10 for weight in range(21))
_BLANK: Final = np.zeros((1, 1, 3), np.uint8)


def look_at_all(terms: Contract, kind: str, limit: int | None) -> list[StillLooks]:
    """Look once at every picture of a kind of the val split, in one process per core; only the
    looks are kept.
    """
    workers = os.cpu_count() or 1
    with ProcessPoolExecutor(workers) as pool:
        looked = [
            pool.submit(_look_at_part, terms, kind, limit, (n, workers)) for n in range(workers)
        ]
        found = [row for part in looked for row in part.result()]
    return [row for _, row in sorted(found, key=lambda pair: pair[0])]


def _look_at_part(
    terms: Contract, kind: str, limit: int | None, part: tuple[int, int]
) -> list[tuple[int, StillLooks]]:
    """Look at the pictures whose number leaves the first of `part` when divided by the second."""
    cv2.setNumThreads(1)
    reader = Reader(Networks(TARGET, contract=terms))
    found = []
    for index, picture in enumerate(pictures(kind, "val", limit)):
        if index % part[1] != part[0]:
            continue
        still = still_of(picture, f"val-{index}")
        height, width = still.image.shape[:2]
        look = reader.look(still.image)
        closer = reader.look_closely(still.image, look) if kind != "scenes" else ()
        row = StillLooks(
            replace(still, image=_BLANK), picture.labels, look, closer, (width, height)
        )
        found.append((index, row))
    return found


def labelled_probabilities(rows: list[StillLooks], terms: Contract) -> tuple[Floats, Floats]:
    """Log-probabilities (n, 10) and classes (n,) of the dice that were found: the countable ones as
    their faces, flat ones of other games as none.
    """
    logs, classes = [], []
    names = terms.classifier.classes
    for row in rows:
        for true in row.still.dice:
            is_stranger = true.flat and not true.is_own()
            best = _nearest(true.middle, row.look) if true.countable or is_stranger else None
            if best is None:
                continue
            chances = [best.faces[Face(name)] for name in names[:-1]] + [best.reject]
            logs.append(np.log(np.maximum(chances, 1e-9)))
            classes.append(len(names) - 1 if is_stranger else names.index(true.face))
    return np.array(logs), np.array(classes)


def _nearest(middle: tuple[float, float] | None, look: tuple[SeenDie, ...]) -> SeenDie | None:
    """The die of the look at this place, None without one."""
    if middle is None or not look:
        return None
    away = [float(np.linalg.norm(die.quad.mean(axis=0) - np.array(middle))) for die in look]
    best = int(np.argmin(away))
    side = float(np.linalg.norm(look[best].quad[0] - look[best].quad[1]))
    return look[best] if away[best] < 0.4 * side else None


def calibrated(logs: Floats, temperature: float, prior: float) -> Floats:
    """Probabilities (n, 10) of log-probabilities at another temperature and prior of no face."""
    warm = np.asarray(logs, np.float32) / np.float32(temperature)
    warm[:, -1] += np.float32(prior)
    return softmax(warm)


def best_calibration(logs: Floats, classes: Floats) -> tuple[float, float]:
    """Find the temperature and the prior with the lowest log loss."""
    each = np.arange(len(classes))

    def loss(temperature: float, prior: float) -> float:
        chances = calibrated(logs, temperature, prior)[each, classes]
        return -float(np.log(np.maximum(chances, 1e-9)).mean())

    return min(product(TEMPERATURES.tolist(), PRIORS), key=lambda one: loss(*one))


def with_calibration(row: StillLooks, terms: Contract) -> StillLooks:
    """Convert looks made with temperature 1 and prior 0 to those of the terms."""
    look, closer = (
        tuple(_calibrated_die(die, terms) for die in look) for look in (row.look, row.closer)
    )
    return replace(row, look=look, closer=closer)


def _calibrated_die(die: SeenDie, terms: Contract) -> SeenDie:
    logs = np.log(np.maximum([*die.faces.values(), die.reject], 1e-9))[None]
    chances = calibrated(logs, terms.classifier.temperature, terms.classifier.prior)[0]
    faces = dict(zip(die.faces, map(float, chances[:-1]), strict=True))
    return replace(die, faces=faces, reject=float(chances[-1]))


def with_evidence(terms: Contract, rows: list[Labelled]) -> Contract:
    """Fit the evidence weights to the rows; first to one half, to print the result on the other."""
    decider = Decider(terms)
    half, rest, both = (candidate_rows(decider, part) for part in (rows[::2], rows[1::2], rows))
    print("Is it a die? Fitted on one half, seen on the other:")
    print(report(rest, with_bounds(terms.evidence, half, fit_logistic(half))))
    found = with_bounds(terms.evidence, both, fit_logistic(both))
    flats = flat_rows(decider, rows)
    cut = cut_rows(decider, rows)
    found = with_cut(with_flat(found, fit_logistic(flats)), cut)
    reported = float((cut.of(0) @ np.array(found.cut_weights) >= found.cut).mean())
    print(f"Is it cut off? {len(cut.of(1))} dice; {reported:.1%} of {len(cut.of(0))} others so")
    print(f"Does it lie flat? {len(flats.of(1))} flat dice, {len(flats.of(0))} others")
    return msgspec.structs.replace(terms, evidence=found)


def with_faces(terms: Contract, rows: list[StillLooks]) -> Contract:
    """Fit the weights of the signs that a likeliest face is right."""
    decider = Decider(terms)
    found = joined(
        [
            face_rows(decider, row.labelled(), rules_of(row.still.game), row.still.thrown)
            for row in rows
        ]
    )
    print(f"Is its face right? {len(found.of(1))} dice, {len(found.of(0))} others")
    evidence = msgspec.structs.replace(terms.evidence, face_weights=rounded(fit_logistic(found)))
    return msgspec.structs.replace(terms, evidence=evidence)


def with_company(terms: Contract, rows: list[StillLooks]) -> Contract:
    """Fit what a die of another game says of the others, to the lowest log loss of their faces; all
    other weights stay.
    """
    decider = Decider(terms)
    found = joined(
        [
            face_rows(decider, row.labelled(), rules_of(row.still.game), row.still.thrown)
            for row in rows
        ]
    )
    weights = terms.evidence.face_weights
    others = found.signs @ np.array([*weights[:COMPANY], 0.0, *weights[COMPANY + 1 :]])
    ways = np.where(found.kinds == 1, -1.0, 1.0)

    def loss(weight: float) -> float:
        odds = others + weight * found.signs[:, COMPANY]
        return float(np.logaddexp(0.0, ways * odds).mean())

    best = min(COMPANIES, key=loss)
    print(f"company {best}, n = {len(ways)}")
    face_weights = (*weights[:COMPANY], best, *weights[COMPANY + 1 :])
    evidence = msgspec.structs.replace(terms.evidence, face_weights=face_weights)
    return msgspec.structs.replace(terms, evidence=evidence)


def main(limit: int | None) -> None:
    """Calibrate: the temperature first, then evidence and thresholds."""
    # Start from TERMS, so that the outcome depends on networks and pictures alone.
    raw = msgspec.structs.replace(TERMS, commit=load_contract(TARGET).commit)
    rolls, scenes, evenings, boxes, strangers = (
        look_at_all(raw, kind, limit)
        for kind in ("rolls", "scenes", "evenings", "boxes", "strangers")
    )
    logs, classes = labelled_probabilities(rolls, raw)
    warmth, prior = best_calibration(logs, classes)
    warm = calibrated(logs, warmth, prior)
    pairs = list(zip(warm.max(axis=1), warm.argmax(axis=1) == classes, strict=True))
    error = calibration_error(pairs)
    print(f"temperature {warmth:.2f}, prior {prior}; ECE {error:.4f}, n = {len(pairs)}")
    terms = msgspec.structs.replace(
        raw,
        classifier=msgspec.structs.replace(raw.classifier, temperature=warmth, prior=prior),
    )
    rolls, scenes, evenings, boxes, strangers = (
        [with_calibration(row, terms) for row in part]
        for part in (rolls, scenes, evenings, boxes, strangers)
    )
    # Boxes of symbols are dice as well, though their tops show no face of the game.
    labelled = [row.labelled() for row in (*rolls, *scenes, *boxes)]
    terms = with_evidence(terms, labelled)
    terms = with_company(with_faces(terms, rolls), [*rolls, *strangers])
    terms = choose_sure(rolls, terms)
    terms = enrolment.choose_known(evenings, terms, boxes)
    write_contract(terms, TARGET)
    print(terms.evidence, terms.classifier.sure, terms.enrolment)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else None)
