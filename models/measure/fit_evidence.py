"""Fit the evidence weights: dice against look-alikes, flat dice against leaning ones.

`models.calibrate` has looked at the val split before; here only the weights of the signs are
fitted.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import msgspec
import numpy as np

from companion.vision.box import DiceRules
from companion.vision.networks.contract import Evidence
from companion.vision.read.decision import FACE_SIGNS, Decider, log_odds
from companion.vision.read.geometry import overlap
from companion.vision.read.seen import SeenDie
from models.arrays import Floats
from models.dataset import side_of
from models.measure.counting import BLIND, SHOWN
from models.scene.render import Label

Labelled = tuple[tuple[Label, ...], tuple[SeenDie, ...], tuple[int, int]]
"""A picture's labels, what was seen in it, and its width and height, px."""

OVERLAP: Final = 0.3
"""The overlap with labelled tops up to which a find is no die."""
SAME: Final = 0.5
"""The overlap above which a find is the labelled die."""
HARD: Final = 0.7
"""The weight of dice that lean, are cut or hidden: they must be reported, but make no good roll."""
FOREIGN: Final = -1
"""The kind of another game's die in `face_rows`."""
STRANGE: Final = 8.0
"""The weight of such a die: they are few, and a roll with one that is called sure is an error."""
WHOLE: Final = 0.98
"""The share of a die that must be in the picture for its face to be a question."""
LOST: Final = 0.033
"""The share of whole, flat dice that may be reported only as perhaps dice. What is certain is
counted; of the val split's finds that are no die 2.4 % were with 0.015, and 0.4 % are so."""
VANISHED: Final = 0.0075
"""The share that may be left out where the number of dice is not known."""
FAINT: Final = 0.002
"""The same if it is known, and a die is missing."""
OVERLOOKED: Final = 0.003
"""The share of dice cut off that may be left out."""
COVERED: Final = 0.75
"""The visible share of a top below which another die may stand on it."""
RIDGE: Final = 1e-2


@dataclass(frozen=True, slots=True)
class Rows:
    """Candidates: `signs` (n, 8); `kinds` (n,) 0 no die, 1 a die as it should lie, 2 another."""

    signs: Floats
    kinds: Floats

    def of(self, kind: int) -> Floats:
        """The signs of one kind."""
        return self.signs[self.kinds == kind]


def kind_of(die: SeenDie, labels: tuple[Label, ...], faces: tuple[str, ...]) -> int | None:
    """The kind of a candidate; None for foreign dice, which may be reported or not."""
    best = max(labels, key=lambda label: overlap(die.quad, label.quad), default=None)
    if best is None or overlap(die.quad, best.quad) < OVERLAP:
        return 0
    if best.face not in faces:
        return None
    return 1 if best.flat and best.inside > 0.97 and best.seen > 0.7 else 2


def candidate_rows(decider: Decider, looks: Sequence[Labelled]) -> Rows:
    """Gather all candidates, labelled as die or no die."""
    faces = decider.contract.classifier.classes
    signs, kinds = [], []
    for labels, look, size in looks:
        for row, die in zip(decider.signs(look, size), look, strict=True):
            kind = kind_of(die, labels, faces)
            if kind is not None:
                signs.append(row)
                kinds.append(kind)
    return Rows(np.array(signs), np.array(kinds))


def flat_rows(decider: Decider, looks: Sequence[Labelled]) -> Rows:
    """Gather every whole die that was seen, labelled as flat (1) or not (0), without look-alikes
    and without dice that may stand upright on another, whose top they hide in part.
    """
    signs, kinds = [], []
    for labels, look, size in looks:
        dice, truths = [], []
        for die in look:
            best = max(labels, key=lambda label: overlap(die.quad, label.quad), default=None)
            if best is not None and overlap(die.quad, best.quad) > SAME:
                dice.append(die)
                truths.append(best)
        if not dice:
            continue
        for row, label in zip(decider.flat_signs(dice, size), truths, strict=True):
            whole = label.inside > 0.97 and label.seen > 0.7
            if whole and (label.flat or not any(_hides(label, other) for other in labels)):
                signs.append(row)
                kinds.append(int(label.flat))
    return Rows(np.array(signs), np.array(kinds))


def _hides(label: Label, other: Label) -> bool:
    """Whether the other die is partly hidden and so near that this one may stand on it. Some
    leaning dice are near as well; labels do not separate them.
    """
    away = np.linalg.norm(label.quad.mean(axis=0) - other.quad.mean(axis=0))
    return other is not label and other.seen < COVERED and bool(away < side_of(label.quad))


def face_rows(decider: Decider, looked: Labelled, rules: DiceRules, expected: int | None) -> Rows:
    """Gather the dice that are read of one picture, labelled by whether their likeliest face is
    right (1) or not (0, FOREIGN for another game's die); without what is no die, for which the face
    is no question, and without own ones that are hidden, blinded or cut off.

    The dice must have been combined with the decider's prints; if it has some, only dice whose
    likeliest face has prints count.
    """
    labels, look, size = looked
    dice = [die.mean for die in decider.find_dice([look], size, expected)[0]]
    signs, kinds = [], []
    seen = decider.face_signs(dice, rules) if dice else ()
    for row, die in zip(seen, dice, strict=True):
        best = max(labels, key=lambda label: overlap(die.quad, label.quad), default=None)
        if best is None or overlap(die.quad, best.quad) <= SAME:
            continue
        is_own = best.face in rules.faces
        if is_own and not (best.seen > SHOWN and best.inside > WHOLE and best.contrast >= BLIND):
            continue
        likeliest = max(rules.faces, key=lambda face: die.faces[face])
        if decider.prints and likeliest not in decider.prints:
            continue
        signs.append(row)
        kinds.append(int(likeliest == best.face) if is_own else FOREIGN)
    return Rows(np.array(signs).reshape(-1, len(FACE_SIGNS)), np.array(kinds))


def joined(parts: Sequence[Rows]) -> Rows:
    """All rows of these."""
    return Rows(
        np.concatenate([part.signs for part in parts]),
        np.concatenate([part.kinds for part in parts]),
    )


def cut_rows(decider: Decider, looks: Sequence[Labelled]) -> Rows:
    """Gather all candidates cut off by the picture's edge, labelled as die or no die."""
    faces = decider.contract.classifier.classes
    signs, kinds = [], []
    for labels, look, size in looks:
        for row, die in zip(decider.cut_signs(look, size), look, strict=True):
            kind = kind_of(die, labels, faces) if decider.is_cut(die, size) else None
            if kind is not None:
                signs.append(row)
                kinds.append(min(kind, 1))
    return Rows(np.array(signs), np.array(kinds))


def fit_logistic(rows: Rows) -> Floats:
    """Fit the weights of a logistic regression."""
    target = (rows.kinds > 0).astype(np.float64)
    weight = np.where(rows.kinds == 2, HARD, np.where(rows.kinds == FOREIGN, STRANGE, 1.0))
    found = np.zeros(rows.signs.shape[1])
    for _ in range(60):
        chance = 1 / (1 + np.exp(-rows.signs @ found))
        slope = rows.signs.T @ (weight * (target - chance)) - RIDGE * found
        curve = (rows.signs * (weight * chance * (1 - chance))[:, None]).T @ rows.signs
        found = found + np.linalg.solve(curve + RIDGE * np.eye(len(found)), slope)
    return found


def rounded(weights: Floats) -> tuple[float, ...]:
    """The weights as they are written into the contract."""
    return tuple(round(float(weight), 3) for weight in weights)


def with_bounds(terms: Evidence, rows: Rows, weights: Floats) -> Evidence:
    """Set the weights, and the bounds that lose no more good dice than allowed."""
    bare = msgspec.structs.replace(terms, weights=rounded(weights))
    odds = log_odds(bare.weights, rows.of(1))
    accept, possible, if_counted = (
        round(float(np.quantile(odds, share)), 2) for share in (LOST, VANISHED, FAINT)
    )
    return msgspec.structs.replace(
        bare, accept=accept, possible=possible, possible_if_counted=if_counted
    )


def with_flat(terms: Evidence, weights: Floats) -> Evidence:
    """Set the weights of lying flat."""
    return msgspec.structs.replace(terms, flat_weights=rounded(weights))


def with_cut(terms: Evidence, rows: Rows) -> Evidence:
    """Set the weights of dice cut off, and a bound that loses hardly any of them."""
    weights = fit_logistic(rows)
    bound = float(np.quantile(rows.of(1) @ weights, OVERLOOKED))
    return msgspec.structs.replace(terms, cut_weights=rounded(weights), cut=round(bound, 2))


def report(rows: Rows, evidence: Evidence) -> str:
    """Format the shares of each kind that are reported as dice, as possible dice and not at all."""
    lines = []
    for kind, name in ((1, "flat and whole"), (2, "leaning, cut, hidden"), (0, "no die")):
        odds = log_odds(evidence.weights, rows.of(kind))
        bounds = evidence.accept, evidence.possible
        sure, reported = (float((odds >= bound).mean()) for bound in bounds)
        lines.append(f"{name}: {sure:.1%} dice, {reported - sure:.1%} perhaps, n = {len(odds)}")
    return "\n".join(lines)
