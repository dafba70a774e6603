"""The bank of symbols: what one is, storing and loading them, and proof that splits share none."""

import json
import tomllib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import cv2
import numpy as np

from models.arrays import Floats, Image, Mask
from models.art.glyphs import SPLITS
from models.art.shapes import SIZE
from models.places import CACHE

LISTS: Final[dict[str, Any]] = tomllib.loads(
    (Path(__file__).parent.parent / "symbols.toml").read_text("utf-8")
)
"""Which letters, numerals and icons are symbols."""
SAME: Final = 0.8
"""Drawings that overlap more (IoU, in any of four turns) look the same."""
COARSE: Final = 32
"""The side of the masks that are compared, px."""
_BLOCK: Final = 1000


@dataclass(frozen=True, slots=True)
class Drawing:
    """One drawing (SIZE, SIZE) uint8 of a symbol: `asset` is its source, `kind` the sort of
    source, `name` the class that it belongs to, `split` where it may be shown.
    """

    asset: str
    kind: str
    name: str
    split: str
    mask: Mask

    def hand(self) -> str:
        """The font or style of spots that it is drawn in; "" if there is one only."""
        return self.asset.partition("@")[2]


@dataclass(frozen=True, slots=True)
class Symbol:
    """The drawings (n, SIZE, SIZE) of one class in one split, with their assets and kinds."""

    name: str
    split: str
    assets: tuple[str, ...]
    kinds: tuple[str, ...]
    masks: Image

    def drawings(self) -> Iterator[Drawing]:
        """Yields each drawing by itself."""
        for asset, kind, mask in zip(self.assets, self.kinds, self.masks, strict=True):
            yield Drawing(asset, kind, self.name, self.split, mask)


@dataclass(frozen=True, slots=True)
class Symbols:
    """All symbols. A class of numerals or pips is in several splits, in other fonts or styles."""

    symbols: dict[str, tuple[Symbol, ...]]
    """By split."""

    def of(self, split: str) -> tuple[Symbol, ...]:
        """The symbols that the split may show."""
        return self.symbols.get(split, ())

    def kinds(self, split: str) -> tuple[str, ...]:
        """The kinds of drawings that the split may show, sorted."""
        return tuple(sorted({kind for symbol in self.of(split) for kind in symbol.kinds}))

    def held_kinds(self, split: str) -> tuple[str, ...]:
        """The kinds of the split of which nothing is trained on."""
        trained = self.kinds("train")
        return tuple(kind for kind in self.kinds(split) if kind not in trained)

    def without(self, kind: str) -> "Symbols":
        """The same without the drawings of a kind."""
        every = (d for part in self.symbols.values() for s in part for d in s.drawings())
        return classes_of(d for d in every if d.kind != kind)


def classes_of(drawings: Iterable[Drawing]) -> Symbols:
    """Collect drawings of the same class and split."""
    groups: dict[tuple[str, str], list[Drawing]] = {}
    for drawing in drawings:
        groups.setdefault((drawing.split, drawing.name), []).append(drawing)
    found: dict[str, list[Symbol]] = {split: [] for split in SPLITS}
    for (split, name), mine in sorted(groups.items()):
        assets, kinds = tuple(d.asset for d in mine), tuple(d.kind for d in mine)
        found[split].append(Symbol(name, split, assets, kinds, np.stack([d.mask for d in mine])))
    return Symbols({split: tuple(symbols) for split, symbols in found.items()})


def coarse(masks: Iterable[Mask]) -> Floats:
    """(n, COARSE * COARSE) float32 the ink of each mask, 0 or 1, for `likeness`."""
    small = [
        (cv2.resize(mask, (COARSE, COARSE), interpolation=cv2.INTER_AREA) > 127).ravel()
        for mask in masks
    ]
    return np.array(small, np.float32).reshape(-1, COARSE * COARSE)


def likeness(some: Floats, others: Floats) -> Floats:
    """(n, m) the largest overlap (IoU) of each of some with each of the others in the four
    turns; both are of `coarse`.
    """
    best = np.zeros((len(some), len(others)), np.float32)
    union = some.sum(axis=1)[:, None] + others.sum(axis=1)
    square = some.reshape(-1, COARSE, COARSE)
    for turn in range(4):
        turned = np.rot90(square, turn, (1, 2)).reshape(len(some), -1)
        shared = turned @ others.T
        np.maximum(best, shared / np.maximum(union - shared, 1), out=best)
    return best


def alike(some: Floats, others: Floats, above: float = SAME) -> Iterator[tuple[int, int, float]]:
    """Yields pairs (place in some, place in others, overlap) that overlap by more than `above`."""
    for start in range(0, len(some), _BLOCK):
        found = likeness(some[start : start + _BLOCK], others)
        for row, column in zip(*np.nonzero(found > above), strict=True):
            yield start + int(row), int(column), float(found[row, column])


def leaks(symbols: Symbols, trained: Image | None = None) -> list[tuple[str, str, float]]:
    """Pairs of a drawing of val or test and one that is trained on which look the same, with
    their overlap; there should be none. `trained` (n, SIZE, SIZE) are further trained drawings.
    """
    known = [d for symbol in symbols.of("train") for d in symbol.drawings()]
    assets = [d.asset for d in known]
    masks = [d.mask for d in known]
    if trained is not None:
        assets += ["further"] * len(trained)
        masks += list(trained)
    held = [d for split in SPLITS[1:] for s in symbols.of(split) for d in s.drawings()]
    pairs = alike(coarse(d.mask for d in held), coarse(masks))
    return [(held[mine].asset, assets[theirs], worst) for mine, theirs, worst in pairs]


def save_symbols(symbols: Symbols, path: Path) -> None:
    """Store the bank as one compressed file, all or nothing."""
    listed = [symbol for split in SPLITS for symbol in symbols.of(split)]
    index = [[s.name, s.split, s.assets, s.kinds] for s in listed]
    masks = np.concatenate([s.masks for s in listed])
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_suffix(".part.npz")
    np.savez_compressed(partial, index=np.array(json.dumps(index)), masks=masks)
    partial.rename(path)


def load_symbols(path: Path = CACHE / "symbols.npz") -> Symbols:
    """Load the stored bank, all masks as views of one array. FileNotFoundError, with what to do,
    if none was built yet.
    """
    if not path.exists():
        raise FileNotFoundError(
            f"{path} is missing: build it with `python -m models.art.symbols.build`"
        )
    with np.load(path) as stored:
        index, masks = json.loads(str(stored["index"])), stored["masks"]
    assert masks.shape[1:] == (SIZE, SIZE)
    found: dict[str, list[Symbol]] = {split: [] for split in SPLITS}
    start = 0
    for name, split, assets, kinds in index:
        end = start + len(assets)
        found[split].append(Symbol(name, split, tuple(assets), tuple(kinds), masks[start:end]))
        start = end
    return Symbols({split: tuple(symbols) for split, symbols in found.items()})
