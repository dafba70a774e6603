"""Restyling: deform and blend drawings, so that training sees more styles."""

from typing import Final

import cv2
import numpy as np

from models.arrays import Floats, Image
from models.art.glyphs import overlap
from models.art.shapes import SIZE

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
