"""The bank of face drawings: own ones, icons and fonts, split by asset into train, val and test;
deforming and blending them, so that training sees more styles.

Near copies (IoU over 0.9) of a drawing are in its split alone; near copies of the drawings that
outside test sets carry are left out altogether.
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
from models.art.drawings import drawn, styles
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
    """Keep the change, or the drawing before it if next to nothing is left or all has merged."""
    share = float((done > 127).mean())
    return done if _FILLED < share < _RUN_TOGETHER else before


FACES: Final = (
    "energy", "attack", "destruction", "heal", "celebrity", "ouch", "one", "two", "three",
)  # fmt: skip
SPLITS: Final = ("train", "val", "test")
NEAR_COPY: Final = 0.9
VARIANTS: Final = 96
"""The most variants of a style: each of its drawings by up to eight hands."""
HANDS: Final = 8
LATE: Final = 2000
"""Drawings of this rank are trained on and came last: they yield to every other split's."""


@dataclass(frozen=True, slots=True)
class Glyph:
    """The variants (n, SIZE, SIZE) of one source of drawings of a face, with its asset's name, its
    rank among near copies, and the split that may show it.
    """

    face: str
    asset: str
    rank: int
    split: str
    variants: Image

    def is_own(self) -> bool:
        """Whether the project drew it."""
        return self.asset.startswith("own:")

    def is_wide(self) -> bool:
        """Whether it is a style whose drawings are not alike."""
        return self.asset.startswith("own:any-")


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


def own_glyphs(
    face: str, seed: int, banned: Sequence[Mask] = (), most: int = VARIANTS
) -> Iterator[Glyph]:
    """Yields a Glyph for each style that the project drew for this face, without near copies of
    `banned`: every drawing by as many hands, at most the first `most` of all.
    """
    for name, style in styles(face).items():
        rng = np.random.default_rng([seed, zlib.crc32(f"{face}/{name}".encode())])
        numbers = [*range(len(style.paths))] * HANDS
        variants = [drawn(face, name, number, rng) for number in numbers[:most]]
        kept = [v for v in variants if all(overlap(v, b) <= NEAR_COPY for b in banned)]
        rank = LATE if name.startswith("any-") else 0
        yield Glyph(face, f"own:{name}", rank, style.split, np.stack(kept))


def without_copies(glyphs: list[Glyph]) -> list[Glyph]:
    """Drop variants that are near copies of a variant in an earlier split.

    Earlier are train, val, test in turn, and last of all what is late in train.
    """
    kept: list[Glyph] = []
    turns: dict[tuple[bool, int, str], list[Glyph]] = {}
    for glyph in glyphs:
        turn = (glyph.rank >= LATE, SPLITS.index(glyph.split), glyph.face)
        turns.setdefault(turn, []).append(glyph)
    for (_, _, face), mine in sorted(turns.items()):
        likely = [k for k in kept if k.face == face or "other" in (k.face, face)]
        known = [k.variants for k in likely if k.split != mine[0].split]
        masks = np.concatenate([glyph.variants for glyph in mine])
        alike = _likeness(masks, np.concatenate(known)) if known else np.zeros(len(masks))
        ends = np.cumsum([len(glyph.variants) for glyph in mine])
        for glyph, like in zip(mine, np.split(alike, ends[:-1]), strict=True):
            if (like <= NEAR_COPY).any():
                kept.append(replace(glyph, variants=glyph.variants[like <= NEAR_COPY]))
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
        for first in mine:
            others = [g for g in mine if g.split > first.split]
            for second in others:
                worst = float(_likeness(first.variants, second.variants).max())
                if worst > NEAR_COPY:
                    found.append((first.asset, second.asset, worst))
    return found


def save_bank(bank: Bank, path: Path) -> None:
    """Store the bank as one compressed file."""
    arrays: dict[str, Any] = {f"m{i}": g.variants for i, g in enumerate(bank.glyphs)}
    names = [[g.face, g.asset, g.rank, g.split] for g in bank.glyphs]
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
                Glyph(face, asset, rank, split, stored[f"m{i}"])
                for i, (face, asset, rank, split) in enumerate(names)
            )
        )
