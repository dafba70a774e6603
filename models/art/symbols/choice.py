"""Which symbols a die carries: any six for training, six of one kind as a game's dice have."""

from typing import Final

import numpy as np

from models.art.symbols.bank import Drawing, Symbols, coarse, likeness

SIDES: Final = 6
APART: Final = 0.6
"""The symbols of one game's die overlap less (IoU, in any turn), for players tell them apart."""


def any_six(
    symbols: Symbols, split: str, rng: np.random.Generator
) -> tuple[tuple[Drawing, Drawing], ...]:
    """Choose six different symbols of the split: of each one drawing, and another (or the same)."""
    every = symbols.of(split)
    chosen = []
    for place in rng.choice(len(every), SIDES, replace=False):
        drawings = tuple(every[int(place)].drawings())
        first, second = rng.integers(len(drawings), size=2)
        chosen.append((drawings[int(first)], drawings[int(second)]))
    return tuple(chosen)


def six_of_a_kind(
    symbols: Symbols, split: str, kind: str, rng: np.random.Generator
) -> tuple[Drawing, ...] | None:
    """Choose six symbols of a kind for the dice of one game, all in one font or style of spots;
    None if no font has six that are easy to distinguish. Pips are always the standard ones.
    """
    hands: dict[str, list[Drawing]] = {}
    for symbol in symbols.of(split):
        for drawing in symbol.drawings():
            if drawing.kind == kind:
                hands.setdefault(drawing.hand(), []).append(drawing)
    names = sorted(hands)
    for place in rng.permutation(len(names)):
        mine = hands[names[int(place)]]
        chosen = _apart([mine[int(n)] for n in rng.permutation(len(mine))], kind == "pips")
        if len(chosen) == SIDES:
            return tuple(chosen)
    return None


def _apart(drawings: list[Drawing], everything: bool) -> list[Drawing]:
    """Choose the first six of different classes that are easy to distinguish, or just the first."""
    chosen: list[Drawing] = []
    for drawing in drawings:
        if len(chosen) == SIDES:
            break
        if any(other.name == drawing.name for other in chosen):
            continue
        if everything or not chosen or _closest(drawing, chosen) <= APART:
            chosen.append(drawing)
    return chosen


def stranger(symbols: Symbols, split: str, rng: np.random.Generator) -> tuple[Drawing, ...]:
    """Choose six symbols of one kind for another game's dice, each kind of the split alike often.
    ValueError if no kind has six.
    """
    kinds = symbols.kinds(split)
    for place in rng.permutation(len(kinds)):
        found = six_of_a_kind(symbols, split, kinds[int(place)], rng)
        if found is not None:
            return found
    raise ValueError(f"no kind of {split} has six symbols that are easy to distinguish")


def _closest(drawing: Drawing, others: list[Drawing]) -> float:
    """The largest overlap of a drawing with one of the others."""
    return float(likeness(coarse([drawing.mask]), coarse(d.mask for d in others)).max())
