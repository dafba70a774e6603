"""Dice of one roll are equal cubes on one table: what that says about which of them lean.

For equal squares on a plane, the cube root of their area in the picture is an affine function of
where they are (the depth of a plane's points is), which gives the horizon. Without the horizon's
perspective the squares are parallelograms with one common shear, which two numbers undo. Four
numbers in all, so that a few dice show which of them does not fit.
"""

from __future__ import annotations

from itertools import combinations

import numpy as np
import numpy.typing as npt

from companion.vision.opencv import cv2

Floats = npt.NDArray[np.float64]

FEWEST = 4
"""With fewer dice any one of them could be the one that leans."""

_MOST_SUBSETS = 70


def misfits(quads: npt.NDArray[np.floating]) -> Floats | None:
    """How badly each die fits the plane of the others; None with fewer than four.

    `quads` (N, 4, 2) px, corners of the top faces in order round the face. (N,) in shares of a
    side: 0 is a square of the common size, 0.2 a fifth too long, too short or askew.
    """
    count = len(quads)
    if count < FEWEST:
        return None
    faces: Floats = np.asarray(quads, np.float64)
    centre = faces.mean(axis=(0, 1))
    if _areas(faces).min() == 0:
        return np.full(count, np.inf)
    normal = (faces - centre) / np.abs(faces - centre).max()
    best: Floats | None = None
    # The plane of the best-fitting subset: one or two that lean must not bend it towards them.
    size = max(FEWEST - 1, count - 2)
    for subset in list(combinations(range(count), size))[:_MOST_SUBSETS]:
        misfit = _misfits(normal, np.array(subset))
        if misfit is None:
            continue
        if best is None or np.sort(misfit)[:size].sum() < np.sort(best)[:size].sum():
            best = misfit
    return best if best is not None else np.full(count, np.inf)


def _misfits(quads: Floats, among: npt.NDArray[np.intp]) -> Floats | None:
    """The misfit of every die to the plane fitted to some of them; None where there is none."""
    towards = _nearness(quads[among])
    if towards is None:
        return None
    flat = np.concatenate((quads, np.ones((len(quads), 4, 1))), axis=2)
    near = flat @ towards
    if (near <= 0).any():
        return None
    rectified = quads / near[:, :, None]
    edges = np.stack(
        (
            (rectified[:, 1] - rectified[:, 0] + rectified[:, 2] - rectified[:, 3]) / 2,
            (rectified[:, 2] - rectified[:, 1] + rectified[:, 3] - rectified[:, 0]) / 2,
        ),
        axis=1,
    )
    metric = _metric(edges[among])
    if metric is None:
        return None
    straight = edges @ metric.T
    return _off_square(straight, among)


def _nearness(quads: Floats) -> Floats | None:
    """(3,) so that (x, y, 1) @ it is the nearness there (1 / depth) up to a factor, or None.

    The area of a small square of the plane falls with the third power of its depth.
    """
    centres = quads.mean(axis=1)
    near = np.cbrt(_areas(quads))
    system = np.concatenate((centres, np.ones((len(quads), 1))), axis=1)
    # Perspective is weak over one tray; a little weight keeps dice in one row from inventing it.
    weight = 0.05 * near.mean()
    anchored = np.concatenate((system, weight * np.array([[1.0, 0, 0], [0, 1.0, 0]])))
    wanted = np.concatenate((near, np.zeros(2)))
    affine, *_ = np.linalg.lstsq(anchored, wanted, rcond=None)
    if affine[2] <= 0:
        return None
    return np.asarray(affine / affine[2], np.float64)


def _metric(edges: Floats) -> Floats | None:
    """(2, 2) that makes the parallelograms squares. `edges` (N, 2, 2): two edges of each."""
    first, second = edges[:, 0], edges[:, 1]
    square = np.stack(
        (
            first[:, 0] * second[:, 0],
            first[:, 0] * second[:, 1] + first[:, 1] * second[:, 0],
            first[:, 1] * second[:, 1],
        ),
        axis=1,
    )
    equal = np.stack(
        (
            first[:, 0] ** 2 - second[:, 0] ** 2,
            2 * (first[:, 0] * first[:, 1] - second[:, 0] * second[:, 1]),
            first[:, 1] ** 2 - second[:, 1] ** 2,
        ),
        axis=1,
    )
    a, b, c = np.linalg.svd(np.concatenate((2 * square, equal)))[2][-1]
    if a < 0:
        a, b, c = -a, -b, -c
    if a * c - b * b <= 1e-9:
        return None
    return np.asarray(np.linalg.cholesky(np.array([[a, b], [b, c]])).T, np.float64)


def _off_square(edges: Floats, among: npt.NDArray[np.intp]) -> Floats:
    """(N,) how far each pair of edges is from two perpendicular ones of the common length."""
    lengths = np.linalg.norm(edges, axis=2)
    side = float(np.median(lengths[among]))
    too_long = np.abs(np.log(lengths / side)).max(axis=1)
    askew = np.abs((edges[:, 0] * edges[:, 1]).sum(axis=1)) / (lengths[:, 0] * lengths[:, 1])
    return np.asarray(np.maximum(too_long, askew), np.float64)


def _areas(quads: Floats) -> Floats:
    """(N,) the areas of quads (N, 4, 2)."""
    x, y = quads[..., 0], quads[..., 1]
    crossed = x * np.roll(y, -1, axis=1) - y * np.roll(x, -1, axis=1)
    return np.asarray(np.abs(crossed.sum(axis=1)) / 2, np.float64)


def covered(quad: npt.NDArray[np.floating], by: npt.NDArray[np.floating]) -> float:
    """The share of a convex quad (4, 2) that lies within another, 0 to 1."""
    shared, _ = cv2.intersectConvexConvex(np.asarray(quad, np.float32), np.asarray(by, np.float32))
    return float(shared) / max(float(_areas(np.asarray([quad], np.float64))[0]), 1e-6)


def overlap(one: npt.NDArray[np.floating], other: npt.NDArray[np.floating]) -> float:
    """The intersection of two convex quads (4, 2) over their union, 0 to 1."""
    shared, _ = cv2.intersectConvexConvex(
        np.asarray(one, np.float32), np.asarray(other, np.float32)
    )
    both = float(_areas(np.asarray([one, other], np.float64)).sum())
    return float(shared) / max(both - float(shared), 1e-6)
