"""Exact corners of each die, whether it is a top face at all, and whether it lies flat."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from companion.vision.contract import Corners, Network
from companion.vision.locate import Image, normalised
from companion.vision.opencv import cv2

Floats = npt.NDArray[np.float32]
GREY = (114, 114, 114)
SQUARE = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]], np.float32)
_CUBE = np.concatenate(
    [np.insert(SQUARE, 2, -1.0, axis=1), np.insert(SQUARE, 2, 1.0, axis=1)]
).astype(np.float64)
_FIELDS_DEG = (50.0, 62.0, 75.0)


@dataclass(frozen=True, slots=True)
class Solids:
    """N dice as solids; corners in px of the whole picture.

    `quads` (N, 4, 2) float32 the top faces, `bases` (N, 4, 2) the corners under them in the same
    order, `tops` (N,) the probability of being a die's top face, `flats` (N,) of lying flat.
    """

    quads: Floats
    bases: Floats
    tops: Floats
    flats: Floats

    def boxes(self) -> Floats:
        """(N, 4) x, y, width, height of the whole dice, px; they may reach out of the picture."""
        points = np.concatenate([self.quads, self.bases], axis=1)
        low, high = points.min(axis=1), points.max(axis=1)
        return np.concatenate([low, high - low], axis=1)


def sides(quads: Floats) -> Floats:
    """(N,) mean side of (N, 4, 2) quads, px."""
    return np.asarray(
        np.linalg.norm(quads - np.roll(quads, -1, axis=1), axis=2).mean(axis=1), np.float32
    )


def yaws(quads: Floats) -> Floats:
    """(N,) the turn of each (4, 2) quad's first side from the right, modulo 90°, radians."""
    edges = np.roll(quads, -1, axis=1) - quads
    angles = np.arctan2(edges[..., 1], edges[..., 0])
    return np.asarray(np.angle(np.exp(4j * angles).sum(axis=1)) / 4, np.float32)


def frames(quads: Floats, region: float, size: int) -> Floats:
    """(N, 2, 3) maps from picture px to the refiner's crop px round each rough quad.

    The crop is turned so that the quad lies upright in it, and scaled so that the crop is
    `region` sides wide.
    """
    scale = size / (region * np.maximum(sides(quads), 4.0))
    turn = -yaws(quads)
    cos, sin = np.cos(turn) * scale, np.sin(turn) * scale
    linear = np.stack([np.stack([cos, -sin], 1), np.stack([sin, cos], 1)], axis=1)
    centre = quads.mean(axis=1)
    shift = size / 2 - np.einsum("nij,nj->ni", linear, centre)
    return np.asarray(np.concatenate([linear, shift[..., None]], axis=2), np.float32)


def moved(points: Floats, maps: Floats) -> Floats:
    """Points (N, k, 2) through maps (N, 2, 3)."""
    return np.asarray(
        np.einsum("nij,nkj->nki", maps[:, :, :2], points) + maps[:, None, :, 2], np.float32
    )


def inverted(maps: Floats) -> Floats:
    """The maps (N, 2, 3) the other way round."""
    linear = np.linalg.inv(maps[:, :, :2])
    shift = -np.einsum("nij,nj->ni", linear, maps[:, :, 2])
    return np.asarray(np.concatenate([linear, shift[..., None]], axis=2), np.float32)


def crops(image: Image, maps: Floats, size: int) -> Image:
    """(N, size, size, 3) uint8 crops of the picture through maps (N, 2, 3); grey outside."""
    cut = np.empty((len(maps), size, size, 3), np.uint8)
    for index, grid in enumerate(maps):
        scale = float(np.sqrt(abs(np.linalg.det(grid[:, :2]))))
        cut[index] = _warped(image, grid, size, scale)
    return cut


def _warped(image: Image, grid: Floats, size: int, scale: float) -> Image:
    if scale > 0.7:
        return np.asarray(
            cv2.warpAffine(image, grid, (size, size), borderMode=cv2.BORDER_CONSTANT,
                           borderValue=GREY), np.uint8,
        )  # fmt: skip
    # Far too many pixels for the crop: taken at twice or more its size and averaged down.
    times = int(np.ceil(1 / scale))
    large = cv2.warpAffine(
        image, grid * times, (size * times, size * times), borderMode=cv2.BORDER_CONSTANT,
        borderValue=GREY,
    )  # fmt: skip
    return np.asarray(cv2.resize(large, (size, size), interpolation=cv2.INTER_AREA), np.uint8)


def placed(offsets: Floats, region: float, size: int) -> Floats:
    """(N, 8, 2) crop px from the refiner's 16 numbers: top corners, then those under them.

    The numbers are offsets from an upright square one side wide, in half sides.
    """
    half = size / region / 2
    square = np.concatenate([SQUARE, SQUARE])
    return np.asarray(size / 2 + half * (square + offsets.reshape(-1, 8, 2)), np.float32)


class Refiner:
    """The corner network, ready to run."""

    def __init__(self, folder: Path, terms: Corners, threads: int = 1) -> None:
        self.terms = terms
        self._network = Network.load(folder / terms.file, threads)

    def refine(self, image: Image, quads: Floats) -> Solids:
        """The dice at rough quads (N, 4, 2), px, looked at closely as often as the terms say."""
        quads = np.asarray(quads, np.float32).reshape(-1, 4, 2)
        solids = Solids(
            quads, quads, np.zeros(len(quads), np.float32), np.zeros(len(quads), np.float32)
        )
        if len(quads) == 0:
            return solids
        for _ in range(self.terms.passes):
            solids = self._look(image, solids.quads)
        return solids

    def _look(self, image: Image, quads: Floats) -> Solids:
        size, region = self.terms.input.width, self.terms.region
        maps = frames(quads, region, size)
        batch = normalised(crops(image, maps, size), self.terms.input)
        offsets, logits = self._network.run(batch)
        points = moved(placed(offsets, region, size), inverted(maps))
        chances = 1 / (1 + np.exp(-logits))
        return Solids(points[:, :4], points[:, 4:], chances[:, 0], chances[:, 1])


def leans(solids: Solids, size: tuple[int, int]) -> Floats:
    """(N,) degrees between each die's upward axis and that of most dice; 0 for fewer than three.

    Each die is a cube seen by one camera of unknown focal length: every focal length tried gives
    every die an upward axis, and the one that makes them agree best is believed. `size` is the
    picture's width and height, px.
    """
    count = len(solids.quads)
    if count < 3:
        return np.zeros(count, np.float32)
    best: tuple[float, Floats] | None = None
    for field in _FIELDS_DEG:
        focal = max(size) / 2 / np.tan(np.radians(field) / 2)
        axes = np.stack([_upward(solids, i, focal, size) for i in range(count)])
        angles = np.degrees(np.arccos(np.clip(axes @ axes.T, -1, 1)))
        middle = int(np.argmin(np.minimum(angles, 25).sum(axis=1)))
        near = axes[angles[middle] <= 12].mean(axis=0)
        away = np.degrees(np.arccos(np.clip(axes @ (near / np.linalg.norm(near)), -1, 1)))
        spread = float(np.median(away))
        if best is None or spread < best[0]:
            best = (spread, np.asarray(away, np.float32))
    assert best is not None
    return best[1]


def _upward(
    solids: Solids, index: int, focal: float, size: tuple[int, int]
) -> npt.NDArray[np.float64]:
    points = np.concatenate([solids.quads[index], solids.bases[index]]).astype(np.float64)
    inner = np.array([[focal, 0, size[0] / 2], [0, focal, size[1] / 2], [0, 0, 1]], np.float64)
    done, turn, _ = cv2.solvePnP(_CUBE, points, inner, np.zeros(4), flags=cv2.SOLVEPNP_EPNP)
    if not done:
        return np.array([0.0, 0.0, -1.0])
    return np.asarray(-cv2.Rodrigues(turn)[0][:, 2], np.float64)
