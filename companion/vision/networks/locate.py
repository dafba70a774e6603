"""The detector: finds rough top faces of dice in the whole picture."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from pathlib import Path

import numpy as np
import numpy.typing as npt
from msgspec.structs import replace

from companion.vision.networks.contract import DetectorContract, InputContract, Network
from companion.vision.pictures import Floats, Image, cv2

_PART = 0.6
"""The largest side of a find, in sides of a larger one in which it lies, that is a part of it."""
_NEXT = [1, 2, 3, 0]
"""The next corner of each."""
_SURELY_LARGE = 0.2
"""The lowest score of a large candidate: dice that lie together pass for one, but a faint one."""
_SURELY_SMALL, _FEW, _SMALL = 0.5, 2, 0.1
"""The score from which dice surely are as small as they look; how many of these, all smaller than a
share of the picture's long side, show that no die is large: those of one roll are alike."""
_EDGE_SHARE = 0.67
"""The share of the threshold that suffices at the picture's edge. A die cut off shows little, and
without it the others would pass for a whole roll."""


@dataclass(frozen=True, slots=True)
class Letterbox:
    """The map from a picture to the detector's input: input px = picture px * scale + margin."""

    scale: float
    margin: int

    def to_picture(self, points: Floats) -> Floats:
        """Map points (..., 2) of the input to px of the picture."""
        return np.asarray((points - self.margin) / self.scale, np.float32)


def sides(quads: Floats) -> Floats:
    """(N,) mean side of (N, 4, 2) quads, px."""
    edges = quads - quads[:, _NEXT]
    return np.asarray(np.sqrt((edges * edges).sum(axis=2)).mean(axis=1), np.float32)


def normalised(pixels: Image, terms: InputContract) -> Floats:
    """Normalise pictures (N, h, w, 3) uint8 to (N, 3, h, w) float32."""
    batch = np.ascontiguousarray(pixels.transpose(0, 3, 1, 2)).astype(np.float32)
    batch *= np.float32(1 / 255)
    if terms.per_crop:
        flat = batch.reshape(len(batch), prod(batch.shape[1:]))
        flat -= flat.mean(axis=1, keepdims=True)
        spread = np.sqrt(np.einsum("np,np->n", flat, flat) / flat.shape[1])[:, None]
        flat /= spread + np.float32(terms.deviation)
    else:
        batch -= np.float32(terms.mean)
        batch *= np.float32(1 / terms.deviation)
    return batch


def letterboxed(image: Image, terms: DetectorContract) -> tuple[Image, Letterbox]:
    """Scale a picture to the detector's size, with a grey margin; and the map between both."""
    height, width = image.shape[:2]
    scale = terms.input.width / max(width, height)
    small = (max(1, round(width * scale)), max(1, round(height * scale)))
    if scale <= 0.5:
        # Halving is many times faster than averaging over odd areas, and what is left is small.
        half = (max(small[0], width // 2), max(small[1], height // 2))
        image = np.asarray(cv2.resize(image, half, interpolation=cv2.INTER_AREA), np.uint8)
    resized = cv2.resize(image, small, interpolation=cv2.INTER_LINEAR)
    step = terms.multiple
    wide = -(-(small[0] + 2 * terms.margin) // step) * step
    high = -(-(small[1] + 2 * terms.margin) // step) * step
    canvas = np.full((high, wide, 3), terms.grey, np.uint8)
    inner = canvas[terms.margin : terms.margin + small[1], terms.margin : terms.margin + small[0]]
    inner[:] = resized
    return canvas, Letterbox(scale, terms.margin)


def peaks(heat: Floats, threshold: float, limit: int) -> tuple[npt.NDArray[np.intp], ...]:
    """Rows and columns of local maxima of (h, w) above the threshold, highest first."""
    highest = cv2.dilate(heat, np.ones((3, 3), np.uint8))
    rows, columns = np.nonzero((heat >= highest) & (heat >= threshold))
    order = np.argsort(-heat[rows, columns], kind="stable")[:limit]
    return rows[order], columns[order]


def quads_of(cells: Floats, centres: Floats, stride: int) -> Floats:
    """(n, 4, 2) input px from the seven outputs at cells (n, 7) with centres (n, 2) in cells.

    Outputs after the heat: offset x and y in cells, the logarithms of the corners' spread along
    x and y in cells, and cosine and sine of four times the yaw.
    """
    middle = (centres + cells[:, 1:3]) * stride
    spread = np.exp(np.clip(cells[:, 3:5], -3, 5)) * stride * np.sqrt(2.0)
    yaw = np.arctan2(cells[:, 6], cells[:, 5]) / 4
    turns = yaw[:, None] + (np.arange(4) * 0.5 - 0.75) * np.pi
    ring = np.stack([np.cos(turns), np.sin(turns)], axis=2)
    return np.asarray(middle[:, None] + ring * spread[:, None], np.float32)


def without_duplicates(quads: Floats, scores: Floats) -> npt.NDArray[np.intp]:
    """Indices of (n, 4, 2) quads, best first, without those whose centre is within a better one."""
    centres, lengths = quads.mean(axis=1), sides(quads)
    kept: list[int] = []
    for index in np.argsort(-scores, kind="stable"):
        far = [
            np.linalg.norm(centres[index] - centres[other])
            > 0.5 * min(lengths[index], lengths[other])
            for other in kept
        ]
        if all(far):
            kept.append(int(index))
    return np.array(kept, np.intp)


def without_parts(quads: Floats, chances: Floats) -> npt.NDArray[np.intp]:
    """Indices of (n, 4, 2) quads without parts and without heaps. Of two, one much smaller and with
    its middle inside the other, the likelier top (n,) stays: what is printed on a large die is less
    likely one than the die, dice that lie together are likelier than the heap of them.
    """
    inner = _within(quads)
    heaps = (inner & (chances[None] > chances[:, None])).any(axis=1)
    return np.flatnonzero(~heaps & ~inner[~heaps].any(axis=0))


def _within(quads: Floats) -> npt.NDArray[np.bool_]:
    """(n, n) whether in a quad (row) there is another (column), much smaller, with its middle."""
    centres, lengths = quads.mean(axis=1), sides(quads)
    within = lengths[None] < _PART * lengths[:, None]
    for large, small in np.argwhere(within):
        point = tuple(map(float, centres[small]))
        within[large, small] = cv2.pointPolygonTest(quads[large], point, False) >= 0
    return np.asarray(within, np.bool_)


def _sized(terms: DetectorContract, width: int) -> DetectorContract:
    return replace(terms, input=replace(terms.input, width=width))


class Locator:
    """The loaded detector."""

    def __init__(self, folder: Path, terms: DetectorContract) -> None:
        self.terms = terms
        self._network = Network.load(folder / terms.file, 1)

    def locate(self, image: Image, *, finer: bool = False) -> tuple[Floats, Floats]:
        """Detect all top faces in a (H, W, 3) uint8 BGR picture, best first: all in one look, and
        the large ones, of which that shows but parts, in a smaller one. `finer`: the first in a
        larger picture. Quads (n, 4, 2) float32,
        px, clockwise; scores (n,) in 0..1, which rank and are no probabilities."""
        terms = self.terms
        quads, scores = self._looked(image, _sized(terms, terms.finer) if finer else terms)
        certain = sides(quads)[scores >= _SURELY_SMALL] / max(image.shape[:2])
        if len(certain) >= _FEW and certain.max() < _SMALL:
            best = without_duplicates(quads, scores)
            return quads[best], scores[best]
        smaller = replace(_sized(terms, terms.smaller), margin=terms.margin // 2)
        wide, sure = self._looked(image, smaller)
        large = (sides(wide) >= terms.large * max(image.shape[:2])) & (sure >= _SURELY_LARGE)
        quads, scores = np.concatenate([quads, wide[large]]), np.concatenate([scores, sure[large]])
        best = without_duplicates(quads, scores)
        return quads[best], scores[best]

    def _looked(self, image: Image, terms: DetectorContract) -> tuple[Floats, Floats]:
        """Look at the picture under these terms: quads (n, 4, 2) and scores (n,)."""
        canvas, fit = letterboxed(image, terms)
        output = self._network.run(normalised(canvas[None], terms.input))[0][0]
        return decoded(output, fit, terms)


def decoded(output: Floats, fit: Letterbox, terms: DetectorContract) -> tuple[Floats, Floats]:
    """Decode the detector's output (7, h, w), whose heat is a logit: quads (n, 4, 2), px of the
    picture, and scores (n,)."""
    heat = np.ascontiguousarray(1 / (1 + np.exp(-output[0])), np.float32)
    rows, columns = peaks(heat, terms.threshold * _EDGE_SHARE, terms.limit)
    edge = terms.margin / terms.stride + 1
    high, wide = heat.shape
    inside = (np.minimum(rows, high - 1 - rows) > edge) & (
        np.minimum(columns, wide - 1 - columns) > edge
    )
    sure = ~inside | (heat[rows, columns] >= terms.threshold)
    rows, columns = rows[sure], columns[sure]
    cells = output[:, rows, columns].T
    centres = np.stack([columns, rows], axis=1).astype(np.float32) + np.float32(0.5)
    quads = fit.to_picture(quads_of(cells, centres, terms.stride))
    return quads.reshape(-1, 4, 2), heat[rows, columns]
