"""The bank of face drawings: own shapes, icons and fonts, split by asset into train, val, test.

Near copies (IoU over 0.9) of one another form one family and stay in one split; near copies of
the drawings that outside test sets carry are left out altogether.
"""

import json
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

import numpy as np

from models.arrays import Floats, Image, Mask
from models.art.drawings import DRAWINGS, WIDE, drawn, split_of_style
from models.art.shapes import SIZE
from models.places import CACHE

FACES: Final = (
    "energy", "attack", "destruction", "heal", "celebrity", "ouch", "one", "two", "three",
)  # fmt: skip
SPLITS: Final = ("train", "val", "test")
NEAR_COPY: Final = 0.9
VARIANTS: Final = 40
WIDE_VARIANTS: Final = 120
"""Of a wide style every variant is another drawing."""
YIELDING: Final = 2000
"""Families from here on are trained on and came last: they yield to every other split's."""


@dataclass(frozen=True, slots=True)
class Glyph:
    """The variants (n, SIZE, SIZE) of one source drawing of a face, with its asset's name, split
    and family of near copies.
    """

    face: str
    asset: str
    family: int
    split: str
    variants: Image

    def is_own(self) -> bool:
        """Whether the project drew it."""
        return self.asset.startswith("own:")

    def is_wide(self) -> bool:
        """Whether its style is wide: every variant is another symbol."""
        return f"{self.face}/{self.asset.removeprefix('own:')}" in WIDE


@dataclass(frozen=True, slots=True, eq=False)
class Bank:
    """All drawings of faces; a bank equals itself alone."""

    glyphs: tuple[Glyph, ...]

    def of(self, split: str, face: str) -> tuple[Glyph, ...]:
        """Select the face's drawings that the split may use."""
        return tuple(g for g in self.glyphs if g.split == split and g.face == face)


def overlap(first: Mask, second: Mask) -> float:
    """Intersection over union of two masks of one size."""
    a, b = first > 127, second > 127
    union = np.logical_or(a, b).sum()
    return float(np.logical_and(a, b).sum() / union) if union else 1.0


def families_of(masks: list[Mask]) -> list[int]:
    """Group masks that are near copies of one another; return each mask's family number."""
    family = list(range(len(masks)))
    for later in range(len(masks)):
        for earlier in range(later):
            if overlap(masks[later], masks[earlier]) > NEAR_COPY:
                old, new = family[later], family[earlier]
                family = [new if f == old else f for f in family]
    return family


def split_of(families: list[int], face: str) -> dict[int, str]:
    """Assign families to train, val and test by hash: 15 %, at least two, each to val and test."""
    order = sorted(set(families), key=lambda f: zlib.crc32(f"{face}/{f}".encode()))
    held = max(2, round(len(order) * 0.15))
    return {
        f: "val" if place < held else "test" if place < 2 * held else "train"
        for place, f in enumerate(order)
    }


def own_glyphs(
    face: str, seed: int, banned: Sequence[Mask] = (), most: int = WIDE_VARIANTS
) -> Iterator[Glyph]:
    """Draw a Glyph for each style that the project made for this face, in its split
    (`drawings.HELD`), without near copies of `banned`.

    At most the first `most` variants of each.
    """
    for place, style in enumerate(DRAWINGS[face]):
        rng = np.random.default_rng([seed, zlib.crc32(f"{face}/{style}".encode())])
        wide = f"{face}/{style}" in WIDE
        count = min(most, WIDE_VARIANTS if wide else VARIANTS)
        variants = [drawn(face, style, rng) for _ in range(count)]
        kept = [v for v in variants if all(overlap(v, b) <= NEAR_COPY for b in banned)]
        split = split_of_style(face, style)
        family = place + (YIELDING if wide else 1000)
        yield Glyph(face, f"own:{style}", family, split, np.stack(kept))


def without_copies(glyphs: list[Glyph]) -> list[Glyph]:
    """Drop variants that are near copies of a variant in an earlier split.

    Earlier are train, val, test in turn, and last of all the yielding families of train.
    """
    kept: list[Glyph] = []
    for glyph in sorted(glyphs, key=lambda g: (g.family >= YIELDING, SPLITS.index(g.split))):
        known = [k.variants for k in kept if k.split != glyph.split]
        fresh = glyph.variants
        if known:
            fresh = fresh[_likeness(fresh, np.concatenate(known)) <= NEAR_COPY]
        if len(fresh):
            kept.append(replace(glyph, variants=fresh))
    return kept


def _likeness(masks: Image, known: Image) -> Floats:
    """Compute each mask's largest overlap (IoU) with any of the known, (n, SIZE, SIZE)."""
    mine, theirs = (
        (m.reshape(len(m), SIZE * SIZE) > 127).astype(np.float32) for m in (masks, known)
    )
    shared = (mine @ theirs.T).astype(np.float64)
    union = mine.sum(axis=1)[:, None] + theirs.sum(axis=1) - shared
    return np.asarray((shared / np.maximum(union, 1)).max(axis=1), np.float64)


def leaks(bank: Bank) -> list[tuple[str, str, float]]:
    """Return pairs of near copies of a face that are in different splits; there should be none."""
    found = []
    for face in FACES:
        mine = [g for g in bank.glyphs if g.face == face]
        for place, first in enumerate(mine):
            for second in mine[:place]:
                if first.split == second.split:
                    continue
                worst = float(_likeness(first.variants, second.variants).max())
                if worst > NEAR_COPY:
                    found.append((first.asset, second.asset, worst))
    return found


def save_bank(bank: Bank, path: Path) -> None:
    """Store the bank as one compressed file."""
    arrays: dict[str, Any] = {f"m{i}": g.variants for i, g in enumerate(bank.glyphs)}
    names = [[g.face, g.asset, g.family, g.split] for g in bank.glyphs]
    path.parent.mkdir(parents=True, exist_ok=True)
    np.savez_compressed(path, index=np.array(json.dumps(names)), **arrays)


def load_bank(path: Path = CACHE / "glyphs.npz") -> Bank:
    """Load the stored bank. FileNotFoundError, with what to do, if none was built yet."""
    if not path.exists():
        raise FileNotFoundError(f"{path} is missing: build it with `python -m models.art.icons`")
    with np.load(path) as stored:
        names = json.loads(str(stored["index"]))
        return Bank(
            tuple(
                Glyph(face, asset, family, split, stored[f"m{i}"])
                for i, (face, asset, family, split) in enumerate(names)
            )
        )
