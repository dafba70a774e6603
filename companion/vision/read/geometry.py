"""Geometry of a picture: which dice do not fit the common plane, overlaps of outlines, and the tray
as it was drawn.

Dice of one roll are equal cubes on one plane. For equal squares on a plane, the cube root of their
area in the picture is an affine function of their position, as is the inverse depth of a plane's
points, which gives the horizon. With that perspective removed the squares are parallelograms with
one common shear, which two numbers undo. The model has four parameters, so a few dice suffice to
find the one that does not fit.
"""

from __future__ import annotations

from itertools import combinations, islice

import numpy as np
import numpy.typing as npt

from companion.vision.box import Corners
from companion.vision.pictures import cv2

Floats = npt.NDArray[np.float64]
Indices = npt.NDArray[np.intp]

FEWEST = 4
"""The number of dice from which a leaning one can be singled out."""

_MOST_SUBSETS = 70


def misfits(quads: npt.NDArray[np.floating]) -> Floats | None:
    """The misfit of each die to the plane of the others; None with fewer than four dice.

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
    # The plane of the best-fitting subset, so that one or two leaning dice do not bend it.
    size = max(FEWEST - 1, count - 2)
    subsets = np.array(list(islice(combinations(range(count), size), _MOST_SUBSETS)))
    found = _misfits(normal, subsets)
    best = int(np.argmin(np.sort(found, axis=1)[:, :size].sum(axis=1)))
    return np.asarray(found[best], np.float64)


def _misfits(quads: Floats, subsets: Indices) -> Floats:
    """(S, N) the misfit of every die to planes fitted to subsets of dice; inf if none fits.

    `subsets` (S, k): the dice that each plane is fitted to.
    """
    towards = _nearness(quads, subsets)
    flat = np.concatenate((quads, np.ones((len(quads), 4, 1))), axis=2)
    near = np.einsum("nci,si->snc", flat, towards)
    possible = (near > 0).all(axis=(1, 2))
    rectified = quads / np.where(near > 0, near, 1)[..., None]
    ahead = np.roll(rectified, -1, axis=2) - rectified
    edges = np.stack((ahead[:, :, 0] - ahead[:, :, 2], ahead[:, :, 1] - ahead[:, :, 3]), 2) / 2
    chosen = np.take_along_axis(edges, subsets[:, :, None, None], axis=1)
    metric, is_metric = _metric(chosen)
    straight = np.einsum("snei,sji->snej", edges, metric)
    found = _off_square(straight, subsets)
    found[~(possible & is_metric)] = np.inf
    return found


def _nearness(quads: Floats, subsets: Indices) -> Floats:
    """(S, 3) coefficients c so that (x, y, 1) @ c is the nearness (1 / depth) up to a factor.

    The area of a small square of the plane falls with the third power of its depth.
    """
    near = np.cbrt(_areas(quads))[subsets]
    centres = quads.mean(axis=1)[subsets]
    system = np.concatenate((centres, np.ones((*subsets.shape, 1))), axis=2)
    # Perspective is weak over one tray; a little weight keeps dice in one row from inventing it.
    weight = (0.05 * near.mean(axis=1)) ** 2
    normal = np.einsum("ski,skj->sij", system, system)
    normal += weight[:, None, None] * np.diag([1.0, 1.0, 0.0])
    affine = np.linalg.solve(normal, np.einsum("ski,sk->si", system, near)[..., None])[..., 0]
    return np.asarray(affine / np.where(affine[:, 2:] > 0, affine[:, 2:], -1), np.float64)


def _metric(edges: Floats) -> tuple[Floats, npt.NDArray[np.bool_]]:
    """(S, 2, 2) maps that make parallelograms squares, and (S,) where there is one.

    `edges` (S, k, 2, 2): two edges of each parallelogram. With u, v its edges and M the square of
    the map, u M v = 0 and u M u = v M v.
    """
    first, second = edges[:, :, 0], edges[:, :, 1]
    square = _products(first, second)
    equal = _products(first, first) - _products(second, second)
    system = np.concatenate((2 * square, equal), axis=1)
    _, axes = np.linalg.eigh(np.einsum("ski,skj->sij", system, system))
    a, b, c = np.moveaxis(axes[:, :, 0] * np.where(axes[:, :1, 0] < 0, -1, 1), 1, 0)
    is_metric = (a > 0) & (a * c - b * b > 1e-9)
    root = np.sqrt(np.where(is_metric, a, 1))
    rest = np.sqrt(np.where(is_metric, c - b * b / root**2, 1))
    maps = np.stack((root, b / root, np.zeros_like(root), rest), axis=1).reshape(-1, 2, 2)
    return np.asarray(maps, np.float64), is_metric


def _products(one: Floats, other: Floats) -> Floats:
    """(S, k, 3) coefficients p so that p @ (a, b, c) is one' [[a, b], [b, c]] other."""
    crossed = one[..., 0] * other[..., 1] + one[..., 1] * other[..., 0]
    return np.stack((one[..., 0] * other[..., 0], crossed, one[..., 1] * other[..., 1]), axis=2)


def _off_square(edges: Floats, subsets: Indices) -> Floats:
    """(S, N) the deviation of each pair of edges from perpendicular ones of the common length."""
    lengths = np.maximum(np.linalg.norm(edges, axis=3), 1e-12)
    common = np.take_along_axis(lengths, subsets[:, :, None], axis=1)
    side = np.median(common.reshape(len(common), -1), axis=1)
    too_long = np.abs(np.log(lengths / side[:, None, None])).max(axis=2)
    askew = np.abs((edges[:, :, 0] * edges[:, :, 1]).sum(axis=2)) / lengths.prod(axis=2)
    return np.asarray(np.maximum(too_long, askew), np.float64)


def _areas(quads: Floats) -> Floats:
    """(N,) the areas of quads (N, 4, 2): half of the cross product of their diagonals."""
    one, other = quads[:, 2] - quads[:, 0], quads[:, 3] - quads[:, 1]
    crossed = one[:, 0] * other[:, 1] - one[:, 1] * other[:, 0]
    return np.asarray(np.abs(crossed) / 2, np.float64)


def covered(quad: npt.NDArray[np.floating], by: npt.NDArray[np.floating]) -> float:
    """The share of a convex quad (4, 2) inside a convex outline (n, 2), 0 to 1."""
    shared, _ = cv2.intersectConvexConvex(np.asarray(quad, np.float32), np.asarray(by, np.float32))
    return float(shared) / max(float(_areas(np.asarray([quad], np.float64))[0]), 1e-6)


def overlap(one: npt.NDArray[np.floating], other: npt.NDArray[np.floating]) -> float:
    """The intersection of two convex quads (4, 2) over their union, 0 to 1."""
    shared, _ = cv2.intersectConvexConvex(
        np.asarray(one, np.float32), np.asarray(other, np.float32)
    )
    both = float(_areas(np.asarray([one, other], np.float64)).sum())
    return float(shared) / max(both - float(shared), 1e-6)


def in_tray(
    points: npt.NDArray[np.floating], tray: Corners, size: tuple[int, int]
) -> npt.NDArray[np.bool_]:
    """(...,) whether points (..., 2), px of a picture of this size (width, height), lie in the
    tray."""
    corners = np.array(tray) * size
    edges = np.roll(corners, -1, axis=0) - corners
    away = points[..., None, :] - corners
    return np.asarray((edges[:, 0] * away[..., 1] >= edges[:, 1] * away[..., 0]).all(axis=-1))
