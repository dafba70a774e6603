"""Choose the bounds of a sure roll, and the doubt of a singleton face, on looks at whole rolls.

Every roll is judged with the bounds wide open, by its look and by the closer one
(`Reader.look_closely`). What its worst die comes to then says under which bounds it would still be
called sure either way, so that all their combinations can be tried.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from itertools import product
from typing import Final

import msgspec
import numpy as np
from numpy.typing import NDArray

from companion.vision.box.rules import rules_of
from companion.vision.networks.contract import Contract, Evidence
from companion.vision.networks.corners import sides
from companion.vision.pictures.frames import Frame
from companion.vision.read.decision import Decider
from companion.vision.read.evidence import flat_log_odds
from companion.vision.read.prints import Prints
from companion.vision.read.reader import reading_of
from companion.vision.read.seen import SeenDie
from companion.vision.read.verdict import Verdict
from models.arrays import Floats, Image
from models.measure.counting import Results, Still, count
from models.measure.fit_evidence import Labelled
from models.measure.risk import Curve
from models.scene.render import Label

SILENT: Final = 0.0005
"""The allowed share of silent errors on the val split: half of the target, since the best of many
bounds does worse on other rolls."""
LEAST_SURE: Final = 0.9
"""The lowest value of `sure`, whatever the val split allows: a roll in ten may be wrong there."""
FLAT_LOST: Final = (0.015, 0.01, 0.006, 0.003, 0.001)
"""Shares of the flat dice that may be taken for leaning ones."""
FLAT_LOOKS: Final = (0.06, 0.03)
"""Probabilities of lying flat below which a die leans, whatever the geometry."""
CONTRASTS: Final = (45.0, 38.0, 32.0, 26.0, 20.0)
SMALLEST: Final = (30.5, 30.0, 29.5, 29.0, 28.5)
ALIKE: Final = (0.95, 0.93, 0.91, 0.88, -1.0)
"""Of each of these three the strictest comes first; contrast and size at most as strict as what
makes a picture unfit and a little more. A likeness of -1 asks nothing."""
SINGLETON: Final = (8.0, 4.0, 2.0, 1.0)
"""Factors on the doubt of a face that no other die of the roll shows; the strictest first."""
_UNRESOLVABLE: Final = [2, 3]
"""Contrast and side: a closer look does not help a dark or small die."""
_OPEN: Final = 1e9
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


@dataclass(frozen=True, slots=True)
class Bounds:
    """The bounds that each die of a sure roll must reach: log-odds and probability of lying flat,
    contrast in grey levels, side in px, similarity to dice of the same face, and the log-odds of
    being a die where one is needed; of `Evidence`, `CornersContract` and `DieLimits`.
    """

    flat: float
    look: float
    contrast: float
    side: float
    alike: float
    no_doubt: float

    @staticmethod
    def of_terms(terms: Contract) -> Bounds:
        """Take the bounds out of a contract."""
        evidence, die_limits = terms.evidence, terms.die_limits
        return Bounds(
            flat=evidence.flat,
            look=terms.corners.flat,
            contrast=die_limits.dark,
            side=die_limits.smallest_px,
            alike=die_limits.alike,
            no_doubt=evidence.no_doubt,
        )

    def of(self, terms: Contract) -> Contract:
        """Put these bounds into a contract."""
        die_limits = msgspec.structs.replace(
            terms.die_limits, dark=self.contrast, smallest_px=self.side, alike=self.alike
        )
        evidence = msgspec.structs.replace(terms.evidence, flat=self.flat, no_doubt=self.no_doubt)
        return msgspec.structs.replace(
            terms,
            die_limits=die_limits,
            corners=msgspec.structs.replace(terms.corners, flat=self.look),
            evidence=evidence,
        )


WIDE_OPEN: Final = Bounds(-_OPEN, 0.0, 0.0, 0.0, -1.0, -_OPEN)


@dataclass(frozen=True, slots=True)
class Margins:
    """The n outcomes with which rolls are sure under WIDE_OPEN, the surest first: the worst value
    among its dice for each of `Bounds`, and the roll's number, (n,) each. A roll has at most two,
    by its look and by the closer one.
    """

    curve: Curve
    rolls: NDArray[np.int64]
    flat: Floats
    look: Floats
    contrast: Floats
    side: Floats
    alike: Floats
    no_doubt: Floats

    def under(self, bounds: Bounds) -> Curve:
        """The curve of the rolls that pass the bounds; an error in either way is a silent one."""
        left = (self.flat >= bounds.flat) & (self.look >= bounds.look)
        left &= (self.contrast >= bounds.contrast) & (self.side >= bounds.side)
        left &= (self.alike >= bounds.alike) & (self.no_doubt >= bounds.no_doubt)
        _, first, roll = np.unique(self.rolls[left], return_index=True, return_inverse=True)
        silent = np.bincount(roll, self.curve.silent[left]) > 0
        surest = np.sort(first)
        return Curve(self.curve.chances[left][surest], silent[roll[surest]])


SureOutcome = tuple[float, bool, Floats]
"""A probability, whether it would be a silent error, and the six worst values."""


def _sure_outcomes(terms: Contract, row: StillLooks, prints: Prints) -> list[SureOutcome]:
    """The outcomes with which a roll is sure where no bound forbids it."""
    decider, rules = Decider(terms, prints=prints), rules_of(row.still.game)
    verdict, closer = (
        decider.decide([look], rules, row.size, row.still.thrown) for look in (row.look, row.closer)
    )
    worst = _worst_margins(decider, row, row.look)
    ways = [(verdict.chance, _is_silent(row, verdict), worst)] if verdict.sure else []
    if (verdict.sure or verdict.may_resolve) and verdict.is_confirmed_by(closer):
        both = _worst_margins(decider, row, row.closer)
        # Both looks must reach the bounds that a closer look cannot help.
        both[_UNRESOLVABLE] = np.minimum(both, worst)[_UNRESOLVABLE]
        ways.append((closer.chance, _is_silent(row, closer), both))
    return ways


def _is_silent(row: StillLooks, verdict: Verdict) -> bool:
    results = Results()
    count(results, row.still, reading_of(verdict, row.still.game, Frame(_BLANK, 0.0, 0)))
    return bool(results.silent)


def _worst_margins(decider: Decider, row: StillLooks, look: tuple[SeenDie, ...]) -> Floats:
    """(6,) the worst value among the dice for each of `Bounds`; -inf without dice."""
    counted = decider.dice_and_odds([look], row.size, row.still.thrown)
    if not counted:
        return np.full(6, -np.inf)
    dice = [die for die, _ in counted]
    odds = flat_log_odds(decider.contract.evidence, decider.flat_signs(dice, row.size))
    return np.array(
        (
            float(odds.min()),
            min(die.flat for die in dice),
            min(die.contrast for die in dice),
            float(sides(np.array([die.quad for die in dice])).min()),
            float(decider.similarities(dice, rules_of(row.still.game)).min()),
            min(chance for _, chance in counted),
        )
    )


def measure_margins(
    rows: Sequence[StillLooks], terms: Contract, boxes: Sequence[Prints] | None = None
) -> Margins:
    """Measure the margins of rows under the terms with the bounds wide open, with a known number of
    dice and with these known prints of each roll's box (None: no prints).
    """
    opened = WIDE_OPEN.of(terms)
    enrolment = msgspec.structs.replace(opened.enrolment, sure=0.0, alike=-1.0, flat=-_OPEN)
    opened = msgspec.structs.replace(_with(opened, sure=0.0), enrolment=enrolment)
    with ProcessPoolExecutor(os.cpu_count()) as pool:
        known = boxes if boxes is not None else [{}] * len(rows)
        ways = list(pool.map(partial(_sure_outcomes, opened), rows, known, chunksize=100))
    found = [(roll, *way) for roll, each in enumerate(ways) for way in each]
    found.sort(key=lambda way: -way[1])
    curve = Curve.of([(chance, silent) for _, chance, silent, _ in found])
    worst = np.array([way[3] for way in found]).reshape(-1, 6)
    return Margins(curve, np.array([way[0] for way in found], np.int64), *worst.T)


def candidate_bounds(evidence: Evidence, flat_signs: Floats) -> Iterator[Bounds]:
    """Yields every combination of bounds, the strictest first; `flat_signs` (n, 6) are those of
    flat dice.
    """
    odds = flat_log_odds(evidence, flat_signs)
    flats = [round(float(np.quantile(odds, lost)), 2) for lost in FLAT_LOST]
    # As strict as for any die, as lenient as for a possible one, and halfway between.
    low, high = evidence.possible, evidence.accept
    doubts = (high, round((high + low) / 2, 2), low)
    for chosen in product(flats, FLAT_LOOKS, CONTRASTS, SMALLEST, ALIKE, doubts):
        yield Bounds(*chosen)


def best_bounds(
    found: Margins, choices: Sequence[Bounds], allowed: int
) -> tuple[int, float, Bounds]:
    """The choice that makes most rolls sure with at most `allowed` silent errors: the number of
    rolls, the least probability, and the bounds; the first of equally good ones.
    """
    best: tuple[int, float, Bounds] | None = None
    for bounds in choices:
        curve = found.under(bounds)
        # A little above the observed value: nothing is known between it and the next error.
        sure = max(LEAST_SURE, round(curve.best(allowed)[0] + 5e-5, 4))
        covered = curve.covered(sure)
        if best is None or covered > best[0]:
            best = covered, sure, bounds
    if best is None:
        raise ValueError("no bounds to choose from")
    return best


def choose_bounds(rows: Sequence[StillLooks], terms: Contract, flat_signs: Floats) -> Contract:
    """Set the bounds that make most rolls sure with at most SILENT errors, and the factor on the
    doubt of singleton faces; the strictest of equally good ones.
    """
    allowed = int(SILENT * len(rows))
    choices = list(candidate_bounds(terms.evidence, flat_signs))
    found: list[tuple[int, Contract]] = []
    for factor in SINGLETON:
        doubting = _with(terms, singleton=factor)
        covered, sure, bounds = best_bounds(measure_margins(rows, doubting), choices, allowed)
        print(
            f"  {covered} of {len(rows)} sure from {sure}, singleton {factor}, {bounds}", flush=True
        )
        found.append((covered, _with(bounds.of(doubting), sure=sure)))
    return max(found, key=lambda each: each[0])[1]


def _with(terms: Contract, **values: float) -> Contract:
    classifier = msgspec.structs.replace(terms.classifier, **values)
    return msgspec.structs.replace(terms, classifier=classifier)
