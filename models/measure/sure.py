"""Choose the probability from which a roll is sure, on looks at whole rolls.

Every roll is judged as if nothing were too doubtful, by its look and by the closer one
(`Reader.look_closely`); what it comes to then says from which bound it would still be called sure.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import Final

import msgspec
import numpy as np

from companion.vision.box import rules_of
from companion.vision.networks.contract import Contract
from companion.vision.pictures import Frame
from companion.vision.read.decision import Decider, Verdict
from companion.vision.read.reader import reading_of
from companion.vision.read.seen import Prints, SeenDie
from models.arrays import Image
from models.measure.counting import Curve, Still, is_silent
from models.measure.fit_evidence import Labelled
from models.scene.render import Label

SILENT: Final = 0.00075
"""The allowed share of silent errors on the val split: less than the target of 0.1 %, since a bound
does worse on other rolls than on those it was chosen on."""
LEAST_SURE: Final = 0.7
"""The lowest bound, whatever the val split allows."""
_NO_BOUND: Final = -1e9
_BLANK: Final[Image] = np.zeros((1, 1, 3), np.uint8)


@dataclass(frozen=True, slots=True)
class StillLooks:
    """A still without pixels: its labels, a look and a closer look at it."""

    still: Still
    labels: tuple[Label, ...]
    look: tuple[SeenDie, ...]
    closer: tuple[SeenDie, ...]
    size: tuple[int, int]

    def labelled(self) -> Labelled:
        """The labelled looks that the evidence is fitted to."""
        return self.labels, self.look, self.size


def outcomes(
    rows: Sequence[StillLooks], terms: Contract, boxes: Sequence[Prints] | None = None
) -> Curve:
    """The probability of each roll that nothing but doubt keeps from being sure, with a known
    number of dice and these known prints of each roll's box (None: no prints); and whether it would
    be a silent error, by its look or by the closer one.
    """
    opened = without_bounds(terms)
    known = boxes if boxes is not None else [{}] * len(rows)
    with ProcessPoolExecutor(os.cpu_count()) as pool:
        ways = pool.map(partial(_ways, opened), rows, known, chunksize=100)
        return Curve.of([_surest(found) for found in ways if found])


def without_bounds(terms: Contract) -> Contract:
    """The same terms, under which every roll is sure that nothing but doubt forbids."""
    return msgspec.structs.replace(
        terms,
        classifier=msgspec.structs.replace(terms.classifier, sure=_NO_BOUND),
        enrolment=msgspec.structs.replace(terms.enrolment, sure=_NO_BOUND),
    )


def _surest(ways: Sequence[tuple[float, bool]]) -> tuple[float, bool]:
    """What several ways to the same reading come to: the surest, and wrong if one is."""
    return max(chance for chance, _ in ways), any(silent for _, silent in ways)


def _ways(terms: Contract, row: StillLooks, prints: Prints) -> list[tuple[float, bool]]:
    """The probabilities with which a roll is sure, by its look and by the closer one."""
    decider, rules = Decider(terms, prints=prints), rules_of(row.still.game)
    verdict, closer = (
        decider.decide([look], rules, row.size, row.still.thrown) for look in (row.look, row.closer)
    )
    ways = [(verdict.chance, _is_silent(row, verdict))] if verdict.sure else []
    may_be_closer = verdict.is_clear and (verdict.sure or verdict.may_resolve)
    if may_be_closer and verdict.is_confirmed_by(closer):
        ways.append((closer.chance, _is_silent(row, closer)))
    return ways


def _is_silent(row: StillLooks, verdict: Verdict) -> bool:
    return is_silent(row.still, reading_of(verdict, row.still.game, Frame(_BLANK, 0.0, 0)))


def sure_from(curve: Curve, rolls: int, allowed: float = SILENT) -> float:
    """The probability from which most of so many rolls are sure with at most the allowed share of
    silent errors."""
    # A little above the observed value: nothing is known between it and the next error.
    return max(LEAST_SURE, round(curve.best(int(allowed * rolls))[0] + 5e-5, 4))


def choose_sure(rows: Sequence[StillLooks], terms: Contract) -> Contract:
    """Set the bound of unknown boxes."""
    curve = outcomes(rows, terms)
    sure = sure_from(curve, len(rows))
    fit = sum(row.still.is_fit for row in rows)
    print(f"  unknown: {curve.covered(sure)} of {fit} fit rolls and others sure from {sure}")
    return msgspec.structs.replace(
        terms, classifier=msgspec.structs.replace(terms.classifier, sure=sure)
    )
