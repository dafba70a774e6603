"""All that a top may be named in training: the nine faces, then thousands of symbols.

The classifier's embedding is learned on all of them (a softmax of cosines with a margin: CosFace,
Wang and others 2018), so that any symbol has a place of its own, and whatever is no face is far
from every face. Only the faces are named at the table; a box may name any symbol.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

import numpy as np

from models.arrays import Floats, Image
from models.art.glyphs import FACES, Bank
from models.art.restyle import restyled
from models.art.symbols.bank import Symbols
from models.scene.tops import TopComposer
from models.terms import TERMS

CENTRES: Final = 4937
"""The names that the classifier's embedding is learned on: the faces, and the symbols of the train
split."""
UNNAMED: Final = -1
"""The number of what has no name: a hidden top, a side face, no die, a sign of no known class."""
PIPS: Final = -2
"""The number of standard pips, from which the classifier learns nothing."""
SYMBOL: Final = "symbol:"
"""What the labels of rendered symbols begin with."""
RESTYLED: Final = 0.5
"""The share of composed drawings that are restyled."""


@dataclass(frozen=True, slots=True)
class Named:
    """The drawings of each name, to compose tops with."""

    names: tuple[str, ...]
    """The faces, then `SYMBOL` and the name of each symbol."""
    masks: tuple[tuple[Image, ...], ...]
    """The variants (n, SIZE, SIZE) of each drawing of each name."""
    composer: TopComposer = field(default_factory=TopComposer)

    @staticmethod
    def of(bank: Bank, symbols: Symbols) -> Named:
        """Collect what the train split may show. ValueError if the network has not as many
        centres."""
        faces = [tuple(glyph.variants for glyph in bank.of("train", face)) for face in FACES]
        trained, names = symbols.of("train"), names_of(symbols)
        if len(names) != CENTRES:
            raise ValueError(f"the network has {CENTRES} centres for {len(names)} names")
        others = [tuple(mask[None] for mask in symbol.masks) for symbol in trained]
        return Named(names, (*faces, *others))

    def composed(self, numbers: Floats, rng: np.random.Generator, edge: int) -> Image:
        """Compose a top (edge, edge, 3) of each of the names with these numbers (n,)."""
        tops = np.empty((len(numbers), edge, edge, 3), np.uint8)
        for place, number in enumerate(numbers):
            mask = self._mask(int(number), rng)
            if rng.random() < RESTYLED:
                mask = restyled(mask, self._mask(int(number), rng), rng)
            tops[place] = self.composer.compose(mask, rng, TERMS.classifier.region, edge)
        return tops

    def _mask(self, number: int, rng: np.random.Generator) -> Image:
        """Draw one of the drawings of a name, each alike often, and one of its variants."""
        drawings = self.masks[number]
        variants = drawings[int(rng.integers(len(drawings)))]
        return np.asarray(variants[int(rng.integers(len(variants)))], np.uint8)


def names_of(symbols: Symbols) -> tuple[str, ...]:
    """The names that are learned: the faces, then the symbols of the train split."""
    return (*FACES, *(SYMBOL + symbol.name for symbol in symbols.of("train")))


def number_of(face: str, drawing: str, numbers: Mapping[str, int]) -> int:
    """The number of a die labelled so among these numbers of names; PIPS or UNNAMED without one."""
    if face == "foreign" and not drawing:
        return PIPS
    return numbers.get(face, UNNAMED)
