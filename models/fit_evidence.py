"""Fits what tells a die from what only looks like one, and writes it into `dice.json`.

`python -m models.fit_evidence [COUNT]` looks at that many rolls of the val split, half of them
to fit and half to say what was reached. To be run after every export, before `models.calibrate`.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import Final

import msgspec
import numpy as np

from companion.vision.classify import Networks
from companion.vision.contract import Contract, Evidence
from companion.vision.evidence import SIGNS, log_odds
from companion.vision.geometry import overlap
from companion.vision.judge import Judge, SeenDie
from companion.vision.reader import Reader
from models.arrays import Floats
from models.dataset import Picture, pictures
from models.export import HERE, write_contract
from models.render import Label

OVERLAP: Final = 0.3
"""What overlaps no labelled top more is no die."""
HARD: Final = 0.7
"""The weight of dice that lean, are cut or hidden: they must not vanish, but they are no roll."""
LOST: Final = 0.015
"""The share of whole, flat dice that may be told only as perhaps dice."""
VANISHED: Final = 0.003
"""The share that may not be told at all."""
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
    """What the candidate is; None for dice of other games, which may be told or not."""
    best = max(labels, key=lambda label: overlap(die.quad, label.quad), default=None)
    if best is None or overlap(die.quad, best.quad) < OVERLAP:
        return 0
    if best.face not in faces:
        return None
    return 1 if best.flat and best.inside > 0.97 and best.seen > 0.9 else 2


def gathered(reader: Reader, judge: Judge, scenes: list[Picture]) -> Rows:
    """Every candidate of the scenes."""
    faces = judge.contract.classifier.classes
    signs, kinds = [], []
    for scene in scenes:
        image = scene.image()
        look = reader.look(image)
        seen = judge.signs(look, (image.shape[1], image.shape[0]))
        for row, die in zip(seen, look, strict=True):
            kind = kind_of(die, scene.labels, faces)
            if kind is not None:
                signs.append(row)
                kinds.append(kind)
    return Rows(np.array(signs), np.array(kinds))


def fitted(rows: Rows) -> Floats:
    """The weights of a logistic regression: dice against what is none."""
    target = (rows.kinds > 0).astype(np.float64)
    weight = np.where(rows.kinds == 2, HARD, 1.0)
    found = np.zeros(len(SIGNS))
    for _ in range(60):
        chance = 1 / (1 + np.exp(-rows.signs @ found))
        slope = rows.signs.T @ (weight * (target - chance)) - RIDGE * found
        curve = (rows.signs * (weight * chance * (1 - chance))[:, None]).T @ rows.signs
        found = found + np.linalg.solve(curve + RIDGE * np.eye(len(SIGNS)), slope)
    return found


def with_bounds(rows: Rows, weights: Floats) -> Evidence:
    """The weights with the bounds that lose no more good dice than they may."""
    bare = Evidence(tuple(round(float(w), 3) for w in weights), 0.0, 0.0)
    odds = log_odds(bare, rows.of(1))
    die, trace = (float(np.quantile(odds, share)) for share in (LOST, VANISHED))
    return msgspec.structs.replace(bare, die=round(die, 2), trace=round(min(trace, die), 2))


def report(rows: Rows, evidence: Evidence) -> str:
    """What share of each kind is told as a die, as perhaps one, and not at all."""
    lines = []
    for kind, name in ((1, "flat and whole"), (2, "leaning, cut, hidden"), (0, "no die")):
        odds = log_odds(evidence, rows.of(kind))
        sure, told = (float((odds >= bound).mean()) for bound in (evidence.die, evidence.trace))
        lines.append(f"{name}: {sure:.1%} dice, {told - sure:.1%} perhaps, n = {len(odds)}")
    return "\n".join(lines)


def main(count: int) -> None:
    """The contract beside the networks holds the new weights and bounds."""
    networks = Networks.load(HERE)
    contract: Contract = networks.contract
    reader, judge = Reader(networks), Judge(contract)
    scenes = list(pictures("rolls", "val", count))
    half = gathered(reader, judge, scenes[::2])
    held_out = gathered(reader, judge, scenes[1::2])
    print("Fitted on one half, seen on the other:")
    print(report(held_out, with_bounds(half, fitted(half))))
    both = Rows(
        np.concatenate((half.signs, held_out.signs)), np.concatenate((half.kinds, held_out.kinds))
    )
    evidence = with_bounds(both, fitted(both))
    write_contract(msgspec.structs.replace(contract, evidence=evidence), HERE)
    print(f"Written, from both: {evidence}")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 300)
