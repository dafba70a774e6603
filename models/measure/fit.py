"""Fit the weights of evidence, and the probability from which a roll is sure, on looks.

Dice against look-alikes, flat dice against leaning ones, right faces against wrong ones. Every roll
is then judged as if nothing were too doubtful; what it comes to says from which bound it would
still be sure.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import Final

import msgspec
import numpy as np
from numpy.typing import NDArray

from companion.vision.box import rules_of
from companion.vision.networks.contract import Contract, Evidence, SureFrom
from companion.vision.read.decision import (
    CUT,
    FACE_FEATURES,
    Decider,
    Shape,
    cut_features,
    die_features,
    flat_features,
    log_odds,
)
from companion.vision.read.geometry import overlap
from companion.vision.read.reader import fuse_with_prints
from companion.vision.read.seen import Prints, SeenDie
from models.arrays import Floats
from models.dataset import side_of
from models.measure.counting import BLIND, SAME_DIE, SHOWN, distance, is_silent
from models.measure.looks import Looked
from models.scene.render import Label

OVERLAP: Final = 0.3
"""The overlap with labelled tops up to which a find is no die."""
HARD: Final = 0.7
"""The weight of dice that lean, are cut or hidden: they must be reported, but make no good roll."""
FOREIGN: Final = -1
"""The kind of another game's die in `face_rows`."""
STRANGE: Final = 1 / 6
"""The weight of all such dice together, relative to the right ones: a roll with one that is called
sure is an error."""
WHOLE: Final = 0.98
"""The share of a die that must be in the picture for its face to be a question."""
LOST: Final = 0.033
"""The share of whole, flat dice that may be reported only as perhaps dice. What is certain is
counted; of the val split's finds that are no die 2.4 % were with 0.015, and 0.4 % are so."""
VANISHED: Final = 0.0075
"""The share that may be left out if the number of dice is not known."""
FAINT: Final = 0.002
"""The same if it is known, and a die is missing."""
OVERLOOKED: Final = 0.003
"""The share of dice cut off that may be left out."""
COVERED: Final = 0.75
"""The visible share of a top below which another die may stand on it."""
RIDGE: Final = 1e-2
SILENT: Final = {"unknown": 0.001, "known": 0.0005, "strange": 0.001}
"""The allowed share of silent errors on the val split, by the kind of box: the targets, but for
unknown boxes twice theirs, at which every sixth fit roll more would be asked about. A bound does
worse on other rolls than on those it was chosen on."""
LEAST_SURE: Final = 0.5
"""The lowest bound, whatever the val split allows."""
_NO_BOUND: Final = -1e9


@dataclass(frozen=True, slots=True)
class Rows:
    """Candidates: `features` (n, k); `kinds` (n,) 0 no die, 1 a die as it should lie, 2 another."""

    features: Floats
    kinds: Floats

    def of(self, kind: int) -> Floats:
        """The features of one kind."""
        return self.features[self.kinds == kind]


def kind_of(die: SeenDie, labels: tuple[Label, ...], faces: tuple[str, ...]) -> int | None:
    """The kind of a candidate; None for foreign dice, which may be reported or not."""
    best = max(labels, key=lambda label: overlap(die.quad, label.quad), default=None)
    if best is None or overlap(die.quad, best.quad) < OVERLAP:
        return 0
    if best.face not in faces:
        return None
    return 1 if best.flat and best.inside > 0.97 and best.seen > 0.7 else 2


def candidate_rows(decider: Decider, rows: Sequence[Looked], *, cut: bool = False) -> Rows:
    """Gather all candidates, labelled as die or no die; with `cut` those that the picture's edge
    cuts off, all dice alike."""
    faces = decider.contract.classifier.classes
    features, kinds = [], []
    for looked in rows:
        look, shape = looked.look, Shape.of(looked.look, looked.size)
        seen = (cut_features if cut else die_features)(look, shape) if look else ()
        for row, die, outside in zip(seen, look, shape.outside, strict=True):
            kind = kind_of(die, looked.labels, faces) if outside > CUT or not cut else None
            if kind is not None:
                features.append(row)
                kinds.append(min(kind, 1) if cut else kind)
    return Rows(np.array(features), np.array(kinds))


def flat_rows(rows: Sequence[Looked]) -> Rows:
    """Gather every whole die that was seen, labelled as flat (1) or not (0), without look-alikes
    and without dice that may stand upright on another, whose top they hide in part.
    """
    features, kinds = [], []
    for looked in rows:
        pairs = looked.matched()
        dice = [die for _, die in pairs]
        if not dice:
            continue
        seen = flat_features(dice, Shape.of(dice, looked.size))
        for row, (label, _) in zip(seen, pairs, strict=True):
            whole = label.inside > 0.97 and label.seen > 0.7
            if whole and (label.flat or not any(_hides(label, other) for other in looked.labels)):
                features.append(row)
                kinds.append(int(label.flat))
    return Rows(np.array(features), np.array(kinds))


def _hides(label: Label, other: Label) -> bool:
    """Whether the other die is partly hidden and so near that this one may stand on it. Some
    leaning dice are near as well; labels do not separate them.
    """
    away = np.linalg.norm(label.quad.mean(axis=0) - other.quad.mean(axis=0))
    return other is not label and other.seen < COVERED and bool(away < side_of(label.quad))


def face_rows(decider: Decider, looked: Looked) -> Rows:
    """Gather the dice that are read of one picture, labelled by whether their likeliest face is
    right (1) or not (0, FOREIGN for another game's die); without what is no die, for which the face
    is no question, and without own ones that are hidden, blinded or cut off. Of a decider with
    prints only dice whose likeliest face has prints count, by these.
    """
    rules = rules_of(looked.still.game)
    (look,) = fuse_with_prints([looked.look], decider.prints, decider.contract)
    found, _, shape = decider.find_dice([look], looked.size, looked.still.thrown)
    dice, features, kinds = [die.mean for die in found], [], []
    by_others, by_prints, trust = decider.face_features(dice, shape, rules) if dice else ((),) * 3
    seen = by_prints if decider.prints else by_others
    for row, die, trusted in zip(seen, dice, trust, strict=True):
        # By their boxes, since of a die that leans another side may be found.
        best = min(looked.labels, key=lambda label: distance(die.box(), label.box()), default=None)
        if best is None or distance(die.box(), best.box()) > SAME_DIE:
            continue
        is_own = best.face in rules.faces
        if is_own and not (best.seen > SHOWN and best.inside > WHOLE and best.contrast >= BLIND):
            continue
        if decider.prints and not trusted:
            continue
        likeliest = max(rules.faces, key=lambda face: die.faces[face])
        features.append(row)
        kinds.append(int(likeliest == best.face) if is_own else FOREIGN)
    return Rows(np.array(features).reshape(-1, len(FACE_FEATURES)), np.array(kinds))


def fit_logistic(rows: Rows) -> Floats:
    """Fit the weights of a logistic regression."""
    target = (rows.kinds > 0).astype(np.float64)
    strange = STRANGE * target.sum() / max(1, len(rows.of(FOREIGN)))
    weight = np.where(rows.kinds == 2, HARD, np.where(rows.kinds == FOREIGN, strange, 1.0))
    found = np.zeros(rows.features.shape[1])
    for _ in range(60):
        chance = 1 / (1 + np.exp(-rows.features @ found))
        slope = rows.features.T @ (weight * (target - chance)) - RIDGE * found
        curve = (rows.features * (weight * chance * (1 - chance))[:, None]).T @ rows.features
        found = found + np.linalg.solve(curve + RIDGE * np.eye(len(found)), slope)
    return found


def rounded(weights: Floats) -> tuple[float, ...]:
    """The weights as they are written into the contract."""
    return tuple(round(float(weight), 3) for weight in weights)


def fitted_evidence(terms: Evidence, decider: Decider, rows: Sequence[Looked]) -> Evidence:
    """Fit the weights of being a die, of lying flat and of being cut off, and bounds that lose no
    more good dice than allowed."""
    dice, cut = (candidate_rows(decider, rows, cut=one) for one in (False, True))
    flats = flat_rows(rows)
    of_cut = fit_logistic(cut)
    weights = rounded(fit_logistic(dice))
    odds = log_odds(weights, dice.of(1))
    accept, possible, if_counted = (
        round(float(np.quantile(odds, share)), 2) for share in (LOST, VANISHED, FAINT)
    )
    for kind, name in ((1, "flat and whole"), (2, "leaning, cut, hidden"), (0, "no die")):
        seen = log_odds(weights, dice.of(kind))
        shares = [f"{float((seen >= bound).mean()):.1%}" for bound in (accept, possible)]
        print(f"  {name}: dice {shares[0]}, perhaps {shares[1]}, n = {len(seen)}")
    print(f"  flat {len(flats.of(1))}, leaning {len(flats.of(0))}")
    return msgspec.structs.replace(
        terms,
        weights=weights,
        accept=accept,
        possible=possible,
        possible_if_counted=if_counted,
        flat_weights=rounded(fit_logistic(flats)),
        cut_weights=rounded(of_cut),
        cut=round(float(np.quantile(cut.of(1) @ of_cut, OVERLOOKED)), 2),
    )


def fitted_faces(parts: Sequence[Rows]) -> tuple[float, ...]:
    """The weights of what tells whether a likeliest face is right."""
    features, kinds = ([getattr(part, name) for part in parts] for name in ("features", "kinds"))
    found = Rows(np.concatenate(features), np.concatenate(kinds))
    wrong = [len(found.of(kind)) for kind in (0, FOREIGN)]
    print(f"  faces: right {len(found.of(1))}, wrong {wrong[0]}, of other games {wrong[1]}")
    return rounded(fit_logistic(found))


@dataclass(frozen=True, slots=True)
class Curve:
    """Candidates for sure rolls, the surest first: (n,) the probability that all faces are right,
    and whether a silent error would result.
    """

    chances: Floats
    silent: NDArray[np.bool_]

    @staticmethod
    def of(rolls: Sequence[tuple[float, bool]]) -> Curve:
        """Make the curve of rolls from their chances and whether they would be silent errors."""
        ordered = sorted(rolls, key=lambda roll: -roll[0])
        return Curve(
            np.array([chance for chance, _ in ordered], np.float64),
            np.array([silent for _, silent in ordered], np.bool_),
        )

    def best(self, allowed: int) -> tuple[float, int]:
        """The least probability to be sure with at most `allowed` silent errors, and the number of
        rolls that then rightly are.
        """
        wrong = np.cumsum(self.silent)
        count = int(np.searchsorted(wrong, allowed, side="right"))
        # What is as likely as the first error too many cannot be distinguished from it.
        while 0 < count < len(wrong) and self.chances[count - 1] == self.chances[count]:
            count -= 1
        if count == 0:
            return 1.0, 0
        return float(self.chances[count - 1]), count - int(wrong[count - 1])

    def covered(self, sure: float) -> int:
        """The number of rolls correctly called sure from a chance on."""
        return int(((self.chances >= sure) & ~self.silent).sum())


def outcomes(rows: Sequence[Looked], terms: Contract, boxes: Sequence[Prints] = ()) -> Curve:
    """The probability of each roll that nothing but doubt keeps from being sure, with a known
    number of dice and the known prints of each roll's box (none: no prints); and whether it would
    be a silent error, by its look or by the closer one.
    """
    opened = with_sure(terms, dict.fromkeys(SILENT, _NO_BOUND))
    with ProcessPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        ways = pool.map(partial(_surest, opened), rows, boxes or [{}] * len(rows), chunksize=100)
        return Curve.of([one for one in ways if one is not None])


def with_sure(terms: Contract, bounds: Mapping[str, float]) -> Contract:
    """The same terms with other bounds from which a roll is sure."""
    return msgspec.structs.replace(terms, sure_from=SureFrom(**bounds))


def _surest(terms: Contract, row: Looked, prints: Prints) -> tuple[float, bool] | None:
    """The highest probability with which a roll is sure, by its look or by another one, and
    whether any is a silent error; None if it is not sure at all."""
    look, closer, finer = row.verdicts(Decider(terms, prints=prints), row.still.thrown)
    verdict = look()
    ways = [verdict] if verdict.sure else []
    if verdict.is_clear and (verdict.sure or verdict.may_resolve):
        ways += [closely] if verdict.is_confirmed_by(closely := closer()) else []
    if verdict.missing:
        ways += [finely] if verdict.is_completed_by(finely := finer()) and finely.sure else []
    if not ways:
        return None
    silent = any(is_silent(row.still, row.reading_of(way)) for way in ways)
    return max(way.chance for way in ways), silent


def sure_from(curve: Curve, rolls: int, allowed: float) -> float:
    """The probability from which most of so many rolls are sure with at most the allowed share of
    silent errors."""
    # A little above the observed value: nothing is known between it and the next error.
    return max(LEAST_SURE, round(curve.best(int(allowed * rolls))[0] + 5e-5, 4))
