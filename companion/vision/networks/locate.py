"""The detector: finds rough top faces of dice in the whole picture."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from pathlib import Path

import numpy as np
import numpy.typing as npt

from companion.vision.networks.contract import DetectorContract, InputContract, Network
from companion.vision.opencv import cv2

Image = npt.NDArray[np.uint8]
Floats = npt.NDArray[np.float32]


_EDGE_SHARE = 0.67
"""The share of the threshold that suffices at the picture's edge. A die cut off shows little, and
without it the others would pass for a whole roll."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A detected top face.

    `quad` (4, 2) float32, px of the whole picture, clockwise; `score` in 0..1 ranks candidates
    and is no probability.
    """

    quad: Floats
    score: float


@dataclass(frozen=True, slots=True)
class Letterbox:
    """The map from a picture to the detector's input: input px = picture px * scale + margin."""

    scale: float
    margin: int

    def to_picture(self, points: Floats) -> Floats:
        """Map points (..., 2) of the input to px of the picture."""
        return np.asarray((points - self.margin) / self.scale, np.float32)


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
    centres = quads.mean(axis=1)
    sides = np.linalg.norm(quads - np.roll(quads, -1, axis=1), axis=2).mean(axis=1)
    kept: list[int] = []
    for index in np.argsort(-scores, kind="stable"):
        far = [
            np.linalg.norm(centres[index] - centres[other]) > 0.5 * min(sides[index], sides[other])
            for other in kept
        ]
        if all(far):
            kept.append(int(index))
    return np.array(kept, np.intp)


class Locator:
    """The loaded detector."""

    def __init__(self, folder: Path, terms: DetectorContract, threads: int = 1) -> None:
        self.terms = terms
        self._network = Network.load(folder / terms.file, 1, threads)

    def locate(self, image: Image) -> tuple[Candidate, ...]:
        """Detect all top faces in a (H, W, 3) uint8 BGR picture, best first."""
        canvas, fit = letterboxed(image, self.terms)
        output = self._network.run(normalised(canvas[None], self.terms.input))[0][0]
        return self.decoded(output, fit)

    def decoded(self, output: Floats, fit: Letterbox) -> tuple[Candidate, ...]:
        """Decode the detector's output (7, h, w), whose heat is a logit, into candidates."""
        heat = np.ascontiguousarray(1 / (1 + np.exp(-output[0])), np.float32)
        rows, columns = peaks(heat, self.terms.threshold * _EDGE_SHARE, self.terms.limit)
        edge = self.terms.margin / self.terms.stride + 1
        high, wide = heat.shape
        inside = (np.minimum(rows, high - 1 - rows) > edge) & (
            np.minimum(columns, wide - 1 - columns) > edge
        )
        sure = ~inside | (heat[rows, columns] >= self.terms.threshold)
        rows, columns = rows[sure], columns[sure]
        if len(rows) == 0:
            return ()
        cells = output[:, rows, columns].T
        centres = np.stack([columns, rows], axis=1).astype(np.float32) + np.float32(0.5)
        quads = fit.to_picture(quads_of(cells, centres, self.terms.stride))
        scores = heat[rows, columns]
        return tuple(
            Candidate(quads[i], float(scores[i])) for i in without_duplicates(quads, scores)
        )
