"""Masks of what is printed: outlines filled, and ink made to fill its square."""

from collections.abc import Sequence
from typing import Final

import cv2
import numpy as np

from models.arrays import Floats, Mask

Point = tuple[float, float]
Ring = list[Point]

SIZE: Final = 96
"""The side of a mask, px."""
CANVAS: Final = 256
"""The side of the square on which icons and patterns are drawn, px."""


def filled(shapes: Sequence[Ring | Floats], edge: int, margin: int) -> Mask:
    """Fill the outlines (even-odd), scaled to a square of `edge` px but for the margin."""
    points = np.concatenate([np.asarray(ring, float) for ring in shapes])
    low, high = points.min(axis=0), points.max(axis=0)
    scale = (edge - 2 * margin) / max(1e-6, float((high - low).max()))
    shift = edge / 2 - (low + high) / 2 * scale - 0.5
    ink = np.zeros((edge, edge), np.uint8)
    pixels = [np.round((np.asarray(r) * scale + shift) * 16).astype(np.int32) for r in shapes]
    cv2.fillPoly(ink, pixels, 255, cv2.LINE_AA, 4)
    return ink


def fitted(ink: Mask) -> Mask:
    """Crop the ink to its bounds, centre it and scale it to fill a (SIZE, SIZE) mask."""
    rows, columns = np.nonzero(ink > 60)
    mask = np.zeros((SIZE, SIZE), np.uint8)
    if len(rows) == 0:
        return mask
    part = ink[rows.min() : rows.max() + 1, columns.min() : columns.max() + 1]
    scale = (SIZE - 4) / max(part.shape)
    size = (max(1, round(part.shape[1] * scale)), max(1, round(part.shape[0] * scale)))
    small = cv2.resize(part, size, interpolation=cv2.INTER_AREA)
    top, left = (SIZE - small.shape[0]) // 2, (SIZE - small.shape[1]) // 2
    mask[top : top + small.shape[0], left : left + small.shape[1]] = small
    return mask
