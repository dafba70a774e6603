"""What a batch of the classifier holds: so many rendered and composed tops of each kind."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from companion.vision.networks.locate import normalised
from models.terms import TERMS
from models.training.named import Named
from models.training.samples import (
    IGNORED,
    REJECTED,
    ClassifierBatch,
    Stock,
    Targets,
    classifier_batch,
)

WHOLE: Final = 128
RENDERED: Final = {"face": 36, "symbol": 18, "foreign": 6, "reject": 12}
"""Rendered crops in a batch of WHOLE."""
COMPOSED: Final = {"face": 20, "symbol": 36}
"""Composed crops in a batch of WHOLE."""


class Mixture:
    """Draws batches: every face alike often, every symbol alike often."""

    def __init__(self, stock: Stock, named: Named, batch: int) -> None:
        self._stock, self._named = stock, named
        self._targets = Targets(stock.target_classes(), stock.target_numbers())
        self._pools = _pools(stock, self._targets)
        self._composed = {kind: batch * count // WHOLE for kind, count in COMPOSED.items()}
        self._rendered = {kind: batch * count // WHOLE for kind, count in RENDERED.items()}

    def draw(self, rng: np.random.Generator) -> ClassifierBatch:
        """Draw a batch; composed tops come first."""
        terms = TERMS.classifier.input
        faces = rng.integers(REJECTED, size=self._composed["face"])
        symbols = rng.integers(REJECTED, len(self._named.names), size=self._composed["symbol"])
        numbers = np.concatenate([faces, symbols])
        drawn = normalised(self._named.composed(numbers, rng, terms.width), terms)
        chosen = [
            pool[int(rng.integers(len(pool)))]
            for kind, count in self._rendered.items()
            for pool in (
                self._pools[kind][int(rng.integers(len(self._pools[kind])))] for _ in range(count)
            )
        ]
        made = classifier_batch(self._stock, rng, np.array(chosen), self._targets)
        return ClassifierBatch(
            np.concatenate([drawn, made.crops]),
            np.concatenate([np.minimum(numbers, REJECTED), made.classes]),
            np.concatenate([numbers, made.numbers]),
        )


def _pools(stock: Stock, targets: Targets) -> dict[str, list[NDArray[np.int64]]]:
    """The places of the patches of each kind of RENDERED, in pools that are drawn from alike
    often; a kind without any has those of all."""
    rejected = targets.classes == REJECTED
    is_symbol = targets.numbers >= REJECTED
    foreign = stock.foreign_tops()
    found = {
        "face": [np.flatnonzero(targets.classes == face) for face in range(REJECTED)],
        "symbol": [np.flatnonzero(is_symbol)],
        "foreign": [np.flatnonzero(rejected & foreign & ~is_symbol)],
        "reject": [np.flatnonzero(rejected & ~foreign)],
    }
    every = np.flatnonzero(targets.classes != IGNORED)
    return {kind: [pool for pool in pools if len(pool)] or [every] for kind, pools in found.items()}
