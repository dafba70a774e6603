"""Refine found dice: exact corners, whether each is a top face and lies flat, and how far it leans.

Which face a top shows: `classify`.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from companion.vision.networks.contract import GREY, CornersContract, Network
from companion.vision.networks.locate import normalised, sides
from companion.vision.pictures import Floats, Image, Pyramid, cv2

OUTSIDE_BGR = (GREY, GREY, GREY)
SQUARE = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]], np.float32)
_MIRRORED = [1, 0, 3, 2]
"""The order of a mirrored quad's corners."""
_CUBE = np.concatenate(
    [np.insert(SQUARE, 2, -1.0, axis=1), np.insert(SQUARE, 2, 1.0, axis=1)]
).astype(np.float64)
_FIELDS_DEG = np.array([50.0, 62.0, 75.0])
_SPREAD_DEG = 2.0
"""The smallest error of an axis, whatever the network predicts."""
_NEAR_DEG = 5.0
"""The angle from the common axis at which an axis counts half."""
_ASTRAY_DEG = 20.0
"""The angle from which a larger one counts no more against an axis or a focal length."""
_ROUNDS = 5
_HOPELESS = 0.75
_SHIFT, _GROWTH, _TURN = 0.07, 0.1, np.radians(6)
"""A top that the first look moves by less than this share of its side, makes larger or smaller by
less than that share, and turns by less is not looked at again."""
_SMALLER = 0.62
"""Candidates less likely to be tops are looked at again at this share of their size."""


@dataclass(frozen=True, slots=True)
class Solids:
    """N dice as solids; corners in px of the whole picture.

    `quads` (N, 4, 2) float32 the top faces, `bases` (N, 4, 2) the corners under them in the same
    order, `tops` (N,) the probability of being a die's top face, `flats` (N,) of lying flat,
    `spreads` (N,) the typical error of the upward axis, degrees.
    """

    quads: Floats
    bases: Floats
    tops: Floats
    flats: Floats
    spreads: Floats

    def only(self, places: npt.NDArray[np.intp]) -> Solids:
        """Select the dice at indices (M,)."""
        return Solids(*(getattr(self, name)[places] for name in Solids.__slots__))


def yaws(quads: Floats) -> Floats:
    """(N,) the angle of each (4, 2) quad's sides to the x axis, modulo 90°, radians."""
    edges = np.roll(quads, -1, axis=1) - quads
    angles = np.arctan2(edges[..., 1], edges[..., 0])
    return np.asarray(np.angle(np.exp(4j * angles).sum(axis=1)) / 4, np.float32)


def crop_maps(quads: Floats, region: float, size: int) -> Floats:
    """(N, 2, 3) maps from picture px to the refiner's crop px round each rough quad: it is upright,
    and the crop `region` sides wide."""
    scale = size / (region * np.maximum(sides(quads), 4.0))
    turn = -yaws(quads)
    cos, sin = np.cos(turn) * scale, np.sin(turn) * scale
    linear = np.stack([np.stack([cos, -sin], 1), np.stack([sin, cos], 1)], axis=1)
    centre = quads.mean(axis=1)
    shift = size / 2 - np.einsum("nij,nj->ni", linear, centre)
    return np.asarray(np.concatenate([linear, shift[..., None]], axis=2), np.float32)


def moved(points: Floats, maps: Floats) -> Floats:
    """Apply maps (N, 2, 3) to points (N, k, 2)."""
    return np.asarray(
        np.einsum("nij,nkj->nki", maps[:, :, :2], points) + maps[:, None, :, 2], np.float32
    )


def inverted(maps: Floats) -> Floats:
    """Invert the maps (N, 2, 3)."""
    linear = np.linalg.inv(maps[:, :, :2])
    shift = -np.einsum("nij,nj->ni", linear, maps[:, :, 2])
    return np.asarray(np.concatenate([linear, shift[..., None]], axis=2), np.float32)


def crops(picture: Pyramid, maps: Floats, size: int) -> Image:
    """(N, size, size, 3) uint8 crops of the picture through maps (N, 2, 3); grey outside."""
    cut = np.empty((len(maps), size, size, 3), np.uint8)
    for index, grid in enumerate(maps):
        image, level = picture.reduced_to(float(np.sqrt(abs(np.linalg.det(grid[:, :2])))))
        found = grid.copy()
        found[:, 2] += grid[:, :2].sum(axis=1) * (2**level - 1) / 2
        found[:, :2] *= 2**level
        cut[index] = cv2.warpAffine(
            image, found, (size, size), borderMode=cv2.BORDER_CONSTANT, borderValue=OUTSIDE_BGR
        )
    return cut


def corners_of(offsets: Floats, region: float, size: int) -> Floats:
    """(N, 8, 2) crop px from the refiner's 16 numbers: top corners, then those under them.

    The numbers are offsets from an upright square one side wide, in half sides.
    """
    half = size / region / 2
    square = np.concatenate([SQUARE, SQUARE])
    return np.asarray(size / 2 + half * (square + offsets.reshape(-1, 8, 2)), np.float32)


class Refiner:
    """The loaded corner network."""

    def __init__(self, folder: Path, terms: CornersContract) -> None:
        self.terms = terms
        self._network = Network.load(folder / terms.file, 2)

    def refine(self, picture: Pyramid, quads: Floats) -> Solids:
        """Refine the dice at rough quads (N, 4, 2), px, in `CornersContract.passes` passes."""
        quads = np.asarray(quads, np.float32).reshape(-1, 4, 2)
        none = np.zeros(len(quads), np.float32)
        solids = Solids(quads, quads, none, none, none)
        if len(quads) == 0:
            return solids
        solids = self.look(picture, quads)
        for _ in range(1, self.terms.passes):
            are_likely = solids.tops >= _HOPELESS
            unlikely = np.flatnonzero(~are_likely)
            unsettled = np.flatnonzero(~(are_likely & _is_near(quads, solids.quads)))
            if not len(unsettled):
                break
            # A find that shows no top may be far too large, so a smaller crop is tried as well.
            again = np.concatenate([solids.quads[unsettled], resized(quads[unlikely], _SMALLER)])
            closer = self.look(picture, again)
            count = len(unsettled)
            better = are_likely[unsettled] | (closer.tops[:count] > solids.tops[unsettled])
            solids = _with(solids, unsettled[better], closer, np.flatnonzero(better))
            gained = np.flatnonzero(closer.tops[count:] > solids.tops[unlikely])
            solids = _with(solids, unlikely[gained], closer, count + gained)
        return solids

    def refine_closely(self, picture: Pyramid, quads: Floats) -> Solids:
        """Refine dice at already refined quads (N, 4, 2), px: the mean over each crop and its
        mirror image."""
        maps, batch = self._cut(picture, np.asarray(quads, np.float32).reshape(-1, 4, 2))
        points, logits = self._run(batch)
        other, others = self._run(np.ascontiguousarray(batch[..., ::-1]))
        other = other.reshape(-1, 2, 4, 2)[:, :, _MIRRORED].reshape(-1, 8, 2)
        other[..., 0] = self.terms.input.width - 1 - other[..., 0]  # a pixel's middle is whole
        half = np.float32(0.5)
        return self._solids((points + other) * half, (logits + others) * half, maps)

    def look(self, picture: Pyramid, quads: Floats) -> Solids:
        """Refine dice at quads (N, 4, 2), px, in one pass: enough if they were refined before."""
        maps, batch = self._cut(picture, quads)
        return self._solids(*self._run(batch), maps)

    def _cut(self, picture: Pyramid, quads: Floats) -> tuple[Floats, Floats]:
        """The maps (N, 2, 3) to crops round the quads, and the crops (N, 3, size, size)."""
        size = self.terms.input.width
        maps = crop_maps(quads, self.terms.region, size)
        return maps, normalised(crops(picture, maps, size), self.terms.input)

    def _run(self, batch: Floats) -> tuple[Floats, Floats]:
        """Run the network on crops: corners (N, 8, 2) in their px, and logits (N, 3)."""
        offsets, logits = self._network.run(batch)
        points = corners_of(offsets, self.terms.region, self.terms.input.width)
        return points, logits

    def _solids(self, points: Floats, logits: Floats, maps: Floats) -> Solids:
        points = moved(points, inverted(maps))
        chances = np.asarray(1 / (1 + np.exp(-logits[:, :2])), np.float32)
        # In half sides, two of which are as long as the axis is.
        spreads = np.degrees(np.exp(np.clip(logits[:, 2], -6.0, 2.0)) / 2)
        return Solids(points[:, :4], points[:, 4:], chances[:, 0], chances[:, 1], spreads)


def _is_near(quads: Floats, refined: Floats) -> npt.NDArray[np.bool_]:
    """(N,) whether a crop round the refined quad would hardly differ from that round the quad."""
    before, after = np.maximum(sides(quads), 1e-3), np.maximum(sides(refined), 1e-3)
    away = np.linalg.norm(refined.mean(axis=1) - quads.mean(axis=1), axis=1) / after
    turn = np.angle(np.exp(4j * (yaws(refined) - yaws(quads)))) / 4
    grown = np.abs(np.log(after / before))
    return np.asarray((away < _SHIFT) & (grown < _GROWTH) & (np.abs(turn) < _TURN))


def _with(
    solids: Solids, places: npt.NDArray[np.intp], others: Solids, at: npt.NDArray[np.intp]
) -> Solids:
    found = []
    for name in Solids.__slots__:
        part = getattr(solids, name).copy()
        part[places] = getattr(others, name)[at]
        found.append(part)
    return Solids(*found)


def resized(quads: Floats, factor: float) -> Floats:
    """Scale quads (..., 4, 2) about their middles."""
    middle = quads.mean(axis=-2, keepdims=True)
    return np.asarray(middle + (quads - middle) * factor, np.float32)


def leans(solids: Solids, size: tuple[int, int]) -> Floats:
    """(N,) the deviation of each die's upward unit axis from that of most dice, across the line of
    sight, in degrees of arc (57.3 for 1); 0 for fewer than three dice. A lean along that line
    counts less, because a picture shows it least.

    The common axis is an iteratively reweighted mean: certain axes (`spreads`) count more, distant
    ones less (Cauchy weights). Each die is a cube seen by one camera of unknown focal length; of
    the focal lengths tried, the one with the best agreement is used. `size` is the picture's width
    and height, px.
    """
    count = len(solids.quads)
    if count < 3:
        return np.zeros(count, np.float32)
    weights = 1 / (solids.spreads + _SPREAD_DEG)
    focals = max(size) / 2 / np.tan(np.radians(_FIELDS_DEG) / 2)
    across, turns = _upward(solids, focals, size)
    along = -np.sqrt(np.clip(1 - (across**2).sum(axis=2), 0, None))
    axes = np.einsum("fnji,fnj->fni", turns, np.concatenate([across, along[..., None]], axis=2))
    axes /= np.linalg.norm(axes, axis=2, keepdims=True)
    apart = np.degrees(np.arccos(np.clip(axes @ axes.transpose(0, 2, 1), -1, 1)))
    first = np.argmin(np.minimum(apart, _ASTRAY_DEG) @ weights, axis=1)
    common = axes[np.arange(len(axes)), first]
    away = _away(across, turns, common)
    for _ in range(_ROUNDS):
        near = weights / (1 + (away / _NEAR_DEG) ** 2)
        common = np.einsum("fn,fni->fi", near, axes)
        common /= np.linalg.norm(common, axis=1, keepdims=True)
        away = _away(across, turns, common)
    best = np.argmin(np.minimum(away, _ASTRAY_DEG) @ weights)
    return np.asarray(away[best], np.float32)


def _away(
    across: npt.NDArray[np.float64],
    turns: npt.NDArray[np.float64],
    common: npt.NDArray[np.float64],
) -> npt.NDArray[np.float64]:
    """(F, N) the deviations of the axes from the common ones (F, 3), as in `leans`."""
    wanted = np.einsum("fnij,fj->fni", turns[:, :, :2], common)
    return np.asarray(np.degrees(np.linalg.norm(across - wanted, axis=2)), np.float64)


def _upward(
    solids: Solids, focals: npt.NDArray[np.float64], size: tuple[int, int]
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """(F, N, 2) the part of each die's upward unit axis across its line of sight, for focal
    lengths (F,), px; and (F, N, 3, 3) rotations of that line to the z axis.

    Along the ray to its middle a die is distant enough to have no perspective of its own: its
    eight corners are a linear map of a cube's, found by least squares.
    """
    middle = np.array([size[0] / 2, size[1] / 2])
    points = np.concatenate([solids.bases, solids.quads], axis=1).astype(np.float64) - middle
    flat = np.broadcast_to(points, (len(focals), *points.shape))
    deep = np.broadcast_to(focals[:, None, None, None], (*flat.shape[:3], 1))
    rays = np.concatenate([flat, deep], axis=3)
    way = rays.mean(axis=2)
    way /= np.linalg.norm(way, axis=2, keepdims=True)
    turns = _rotations_to_z(way)
    seen = rays @ turns.transpose(0, 1, 3, 2)
    plane = seen[..., :2] / np.maximum(seen[..., 2:], 1e-6)
    linear = (plane - plane.mean(axis=2, keepdims=True)).transpose(0, 1, 3, 2) @ _CUBE / 8
    scale = np.maximum((linear**2).sum(axis=(2, 3)) / 2, 1e-12)
    return linear[..., 2] / np.sqrt(scale)[..., None], turns


def _rotations_to_z(ways: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """(..., 3, 3) rotations of unit vectors (..., 3), z > 0, to the z axis."""
    x, y, z = np.moveaxis(ways, -1, 0)
    bend = 1 / (1 + z)
    rows = (
        np.stack([1 - x * x * bend, -x * y * bend, -x], axis=-1),
        np.stack([-x * y * bend, 1 - y * y * bend, -y], axis=-1),
        ways,
    )
    return np.stack(rows, axis=-2)
