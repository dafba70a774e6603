"""The bank of face drawings: own shapes, icons and fonts, split by asset into train, val and test;
deforming and blending them, so that training sees more styles.

Near copies (IoU over 0.9) of one another form one family and stay in one split; near copies of
the drawings that outside test sets carry are left out altogether.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

import cv2
import numpy as np

from models.arrays import Floats, Image, Mask
from models.art.drawings import DRAWINGS, WIDE, drawn, split_of_style
from models.art.shapes import SIZE
from models.places import CACHE

BLENDED: Final = 0.25
"""The share of restyled drawings that are blends of two of the same face."""
LIKE: Final = 0.4
"""Two drawings that overlap less (IoU) are not blended: a blend of a paw and a
scratch is neither."""
LINED: Final = 0.3
"""The share of restyled drawings that are drawn in lines: as an outline, with one round it, or with
a line cut inside."""
_FILLED: Final = 0.02
"""A share of the square below which nothing worth printing is left."""
_RUN_TOGETHER: Final = 0.7
"""A share of the square above which no drawing is legible."""


def bent(mask: Image, rng: np.random.Generator, far: float = 1.6) -> Image:
    """Deform the drawing a little; `far` is by how many px its parts are typically moved."""
    away = rng.normal(0, far, (2, 4, 4)).astype(np.float32)
    across, along = (cv2.resize(part, (SIZE, SIZE), interpolation=cv2.INTER_CUBIC) for part in away)
    rows, columns = np.mgrid[0:SIZE, 0:SIZE].astype(np.float32)
    return np.asarray(cv2.remap(mask, columns + across, rows + along, cv2.INTER_LINEAR))


def restyled(mask: Image, mate: Image, rng: np.random.Generator) -> Image:
    """Restyle the drawing (SIZE, SIZE): blend it with `mate`, another of its face (or the same),
    and make it bolder, rounder, wider, slanted, or lines. Only training drawings are restyled, to
    stand for styles that none of them resembles."""
    if rng.random() < BLENDED and overlap(mask, mate) > LIKE:
        mask = _kept(blended(mask, mate, rng.uniform(0.2, 0.5)), mask)
    wide, slant = np.exp(rng.normal(0, 0.14)), rng.normal(0, 0.1)
    # Smaller, so that next to nothing of it reaches out of its square.
    grid = 0.88 / max(wide, 1 / wide) * np.array([[wide, slant, 0], [0, 1 / wide, 0]])
    grid[:, 2] = (np.eye(2) - grid[:, :2]) @ np.full(2, SIZE / 2)
    mask = np.asarray(cv2.warpAffine(mask, grid, (SIZE, SIZE), flags=cv2.INTER_LINEAR))
    mask = bent(mask, rng, rng.uniform(0.5, 2.8))
    if rng.random() < LINED:
        return _kept(lined(mask, rng), mask)
    disc = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (int(rng.integers(3, 12)),) * 2)
    pick = rng.random()
    if pick < 0.3:
        mask = cv2.dilate(mask, disc)
    elif pick < 0.4:
        # Corners become round; what is thinner than the disc is printed thinly.
        mask = np.maximum(mask // 2, cv2.morphologyEx(mask, cv2.MORPH_OPEN, disc))
    elif pick < 0.5:
        mask = cv2.morphologyEx(mask, cv2.MORPH_CLOSE, disc)
    return np.asarray(mask, np.uint8)


def blended(mask: Image, mate: Image, share: float) -> Image:
    """Blend two drawings by the mean of their signed distances; `share` is the second's part."""
    return _ink((1 - share) * _depth(mask) + share * _depth(mate))


def lined(mask: Image, rng: np.random.Generator) -> Image:
    """Reduce the drawing to lines: its outline, an outline round it, or a line cut inside it."""
    width = rng.uniform(3.5, 8.0)
    pick = rng.random()
    if pick < 0.6:
        return _ink(width / 2 - np.abs(_depth(mask) - rng.uniform(0, width / 2)))
    gap = rng.uniform(2.0, 4.0)
    if pick < 0.8:
        depth = _depth(_smaller(mask, 1 - 2 * (gap + width) / SIZE))
        return _ink(np.maximum(depth, width / 2 - np.abs(depth + gap + width / 2)))
    depth = _depth(mask)
    return _ink(np.minimum(depth, np.abs(depth - width / 2 - gap / 2) - gap / 2))


def _smaller(mask: Image, scale: float) -> Image:
    """Shrink the drawing about its middle, so that there is space for a line round it."""
    grid = cv2.getRotationMatrix2D((SIZE / 2 - 0.5, SIZE / 2 - 0.5), 0, scale)
    return np.asarray(cv2.warpAffine(mask, grid, (SIZE, SIZE), flags=cv2.INTER_LINEAR))


def _depth(mask: Image) -> Floats:
    """(SIZE, SIZE) the signed distance from the drawing's edge, px; below zero outside."""
    ink = (mask > 127).astype(np.uint8)
    inside, outside = (
        cv2.distanceTransform(part, cv2.DIST_L2, cv2.DIST_MASK_PRECISE) for part in (ink, 1 - ink)
    )
    return np.asarray(inside - outside, np.float32)


def _ink(depth: Floats) -> Image:
    """Make the drawing of a signed distance, its edge a pixel soft."""
    return np.asarray(np.clip(depth + 0.5, 0, 1) * 255, np.uint8)


def _kept(done: Image, before: Image) -> Image:
    """Keep the change, or the drawing before it where next to nothing is left or all has merged."""
    share = float((done > 127).mean())
    return done if _FILLED < share < _RUN_TOGETHER else before


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
