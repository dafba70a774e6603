"""The stored patches that refiner and classifier are trained on."""

import os
from dataclasses import replace
from pathlib import Path
from typing import Final

import numpy as np

from models.art.symbols.bank import load_symbols
from models.dataset import PATCH, Patch, patches
from models.places import CACHE
from models.training.mine import hard_negatives
from models.training.named import UNNAMED, names_of, number_of
from models.training.samples import Stock

PATCHES: Final = CACHE / "patches.dat"
STOCK: Final = CACHE / "stock.npz"
_NOTHING: Final = np.zeros((0, 0, 3), np.uint8)


def load_stock(counts: dict[str, int], detector: Path) -> Stock:
    """Load the train split's patches of these numbers of renders of each kind, then the hard
    negatives of the detector in that folder. The renders must be in the cache.
    """
    if not STOCK.exists() or not _is_of(counts):
        _store(counts)
    with np.load(STOCK) as stored:
        names = ("quads", "bases", "numbers", "flats", "seens", "contrasts")
        rows = {name: stored[name] for name in names}
    count = len(rows["numbers"])
    # Read from the disk, so that processes side by side share what memory there is for it.
    dice = np.memmap(PATCHES, np.uint8, "r", shape=(count, PATCH, PATCH, 3))
    found = hard_negatives(detector)
    more = len(found.quads)
    return Stock(
        dice,
        found.images,
        np.concatenate([rows["quads"], found.quads]),
        np.concatenate([rows["bases"], found.quads]),
        np.concatenate([rows["numbers"], np.full(more, UNNAMED)]),
        np.concatenate([rows["flats"], np.ones(more, np.bool_)]),
        np.concatenate([rows["seens"], np.ones(more, np.float32)]),
        np.concatenate([rows["contrasts"], np.full(more, 255, np.float32)]),
        np.arange(count + more) < count,
    )


def _is_of(counts: dict[str, int]) -> bool:
    """Whether the stored patches are of these numbers of renders."""
    with np.load(STOCK) as stored:
        if "numbers" not in stored:
            return False
        return dict(zip(stored["kinds"].tolist(), stored["counts"].tolist(), strict=True)) == counts


def _store(counts: dict[str, int]) -> None:
    """Write a patch of every die of the train split to PATCHES, and their labels to STOCK."""
    rows: list[Patch] = []
    partial = PATCHES.with_suffix(f".{os.getpid()}.part")
    with partial.open("wb") as file:
        for patch in (p for kind in counts for p in patches(kind, "train")):
            file.write(patch.image.tobytes())
            rows.append(replace(patch, image=_NOTHING))
    known = {name: number for number, name in enumerate(names_of(load_symbols()))}
    numbers = [number_of(row.face, row.drawing, known) for row in rows]
    partial.rename(PATCHES)
    stored = STOCK.with_suffix(f".{os.getpid()}.part.npz")
    np.savez(
        stored,
        kinds=np.array(list(counts)),
        counts=np.array(list(counts.values())),
        quads=np.array([row.quad for row in rows], np.float32),
        bases=np.array([row.base for row in rows], np.float32),
        numbers=np.array(numbers, np.int64),
        flats=np.array([row.flat for row in rows], np.bool_),
        seens=np.array([row.seen for row in rows], np.float32),
        contrasts=np.array([row.contrast for row in rows], np.float32),
    )
    stored.rename(STOCK)
