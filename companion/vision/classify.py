"""Which face a top shows: rectified crops in, calibrated probabilities and embeddings out."""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from companion.vision.contract import Classifier, Contract, Network, load_contract
from companion.vision.corners import GREY, Refiner, sides
from companion.vision.locate import Image, Locator, normalised
from companion.vision.opencv import cv2
from companion.vision.states import Colour

Floats = npt.NDArray[np.float32]
REJECT = "reject"
_CONTEXT = 3.0
_CLEAR = 3.5
"""A face whose logit leads by so much needs to be looked at only once."""


@dataclass(frozen=True, slots=True)
class Looks:
    """What N crops look like; (N,) each.

    `contrast` grey levels of 255 between the dark and the bright parts of the face, `clipped` the
    share of overexposed pixels, `sharpness` relative to the contrast, `colours` of the bodies.
    """

    contrast: Floats
    clipped: Floats
    sharpness: Floats
    colours: tuple[Colour, ...]


@dataclass(frozen=True, slots=True)
class Verdicts:
    """N faces: `probabilities` (N, 10) calibrated, in the order of `Classifier.classes`;
    `embeddings` (N, 64) unit vectors; `crops` (N, size, size, 3) uint8 BGR, rectified;
    `looks` what they look like.
    """

    probabilities: Floats
    embeddings: Floats
    crops: Image
    looks: Looks


def rectified(image: Image, quads: Floats, region: float, size: int) -> Image:
    """(N, size, size, 3) uint8: the top faces at quads (N, 4, 2) px, seen straight from above.

    The crop is `region` sides wide; outside the picture it is grey.
    """
    edge = size / 2 / region
    square = np.array([[-edge, -edge], [edge, -edge], [edge, edge], [-edge, edge]], np.float32)
    target = square + np.float32(size / 2 - 0.5)
    cut = np.empty((len(quads), size, size, 3), np.uint8)
    for index, (quad, side) in enumerate(zip(quads, sides(quads), strict=True)):
        window, origin = _window(image, quad, float(side))
        # A large face is averaged down first, or its print would break up into dots.
        shrink = min(1.0, 1.5 * size / (region * float(side) + 1e-6))
        if shrink < 0.7 and window.size:
            before = window.shape[1::-1]
            to = (max(1, round(before[0] * shrink)), max(1, round(before[1] * shrink)))
            window = np.asarray(cv2.resize(window, to, interpolation=cv2.INTER_AREA), np.uint8)
            ratio = np.array(to, np.float32) / np.array(before, np.float32)
            quad = (quad - origin) * ratio
            origin = np.zeros(2, np.float32)
        grid = cv2.getPerspectiveTransform(np.asarray(quad - origin, np.float32), target)
        cut[index] = cv2.warpPerspective(
            window, grid, (size, size), borderMode=cv2.BORDER_CONSTANT, borderValue=GREY
        )
    return cut


def _window(image: Image, quad: Floats, side: float) -> tuple[Image, Floats]:
    """The part of the picture round a quad, with grey where the picture ends, and its corner."""
    reach = min(_CONTEXT * side, 4000.0) / 2 + 2
    centre = np.clip(quad.mean(axis=0), -1e4, 1e4)
    low = np.floor(centre - reach).astype(int)
    high = np.ceil(centre + reach).astype(int)
    height, width = image.shape[:2]
    inner = image[max(0, low[1]) : max(0, min(height, high[1])),
                  max(0, low[0]) : max(0, min(width, high[0]))]  # fmt: skip
    if inner.size == 0:
        return np.full((2, 2, 3), GREY[0], np.uint8), low.astype(np.float32)
    window = cv2.copyMakeBorder(
        inner, max(0, -low[1]), max(0, high[1] - height), max(0, -low[0]), max(0, high[0] - width),
        cv2.BORDER_CONSTANT, value=GREY,
    )  # fmt: skip
    return np.asarray(window, np.uint8), low.astype(np.float32)


def softmax(logits: Floats) -> Floats:
    """Probabilities along the last axis."""
    shifted = np.exp(logits - logits.max(axis=-1, keepdims=True))
    return np.asarray(shifted / shifted.sum(axis=-1, keepdims=True), np.float32)


def looks_of(crops: Image) -> Looks:
    """What rectified crops (N, size, size, 3) look like."""
    contrast, clipped, sharpness, colours = [], [], [], []
    for crop in crops:
        size = crop.shape[0]
        face = crop[size // 8 : -size // 8, size // 8 : -size // 8]
        grey = cv2.cvtColor(face, cv2.COLOR_BGR2GRAY)
        contrast.append(_spread(face.max(axis=2)))
        clipped.append(float((face.min(axis=2) > 235).mean()))
        detail = cv2.Laplacian(cv2.GaussianBlur(grey, (0, 0), 1.0), cv2.CV_32F).std()
        sharpness.append(detail / (float(grey.std()) + 1.0))
        colours.append(_body(crop))
    return Looks(
        np.array(contrast, np.float32),
        np.array(clipped, np.float32),
        np.array(sharpness, np.float32),
        tuple(colours),
    )


def _spread(levels: Image) -> float:
    """How far apart the darkest and the brightest twelfth of the grey levels (h, w) are."""
    below = np.cumsum(np.bincount(levels.reshape(-1), minlength=256))
    low, high = np.searchsorted(below, (0.08 * below[-1], 0.92 * below[-1]))
    return float(high - low)


def _body(crop: Image) -> Colour:
    """Green where the rim of the face is green and not darker than what is printed on it."""
    size = crop.shape[0]
    outer, inner = round(size * 0.1), round(size * 0.17)
    rim = np.ones((size, size), bool)
    rim[:outer] = rim[-outer:] = rim[:, :outer] = rim[:, -outer:] = False
    rim[inner:-inner, inner:-inner] = False
    body = np.median(crop[rim], axis=0)
    middle = crop[inner:-inner, inner:-inner].reshape(-1, 3).max(axis=1)
    bright = float(body.max()) > 0.8 * float(np.percentile(middle, 60))
    green = body[1] > 1.25 * body[0] and body[1] > 1.02 * body[2] and body[1] > 70
    return Colour.GREEN if green and bright else Colour.BLACK


class Reading:
    """The classifier, ready to run."""

    def __init__(self, folder: Path, terms: Classifier, threads: int = 1) -> None:
        self.terms = terms
        self._network = Network.load(folder / terms.file, threads)

    def classify(self, image: Image, quads: Floats, rotations: int | None = None) -> Verdicts:
        """The faces at quads (N, 4, 2) px, averaged over 1, 2 or 4 turns of the crop."""
        size = self.terms.input.width
        cut = rectified(image, quads, self.terms.region, size)
        count = rotations or self.terms.rotations
        if len(cut) == 0:
            none = np.zeros((0, len(self.terms.classes)), np.float32)
            return Verdicts(
                none, np.zeros((0, self.terms.embedding), np.float32), cut, looks_of(cut)
            )
        logits, vectors = self._turned(cut, 0, 1)
        rest = np.flatnonzero(_lead(logits) < _CLEAR) if count > 1 else np.zeros(0, np.intp)
        if len(rest):
            more, others = zip(*(self._turned(cut[rest], k, count) for k in range(1, count)),
                               strict=True)  # fmt: skip
            logits[rest] = (logits[rest] + sum(more)) / count
            vectors[rest] = vectors[rest] + sum(others)
        vectors = vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-6)
        return Verdicts(softmax(logits / self.terms.temperature), vectors, cut, looks_of(cut))

    def _turned(self, cut: Image, turn: int, count: int) -> tuple[Floats, Floats]:
        """Logits and embeddings of the crops turned by `turn` of `count` parts of a circle."""
        turned = np.rot90(cut, turn * 4 // count, axes=(1, 2))
        logits, embeddings = self._network.run(normalised(turned, self.terms.input))
        return np.array(logits, np.float32), np.array(embeddings, np.float32)


def _lead(logits: Floats) -> Floats:
    """(N,) by how much the largest of (N, k) leads."""
    ordered = np.partition(logits, -2, axis=1)
    return np.asarray(ordered[:, -1] - ordered[:, -2], np.float32)


class Networks:
    """The three networks of a folder, and the contract they were trained to."""

    def __init__(self, folder: Path, threads: int = 1) -> None:
        """ReaderError if a file is missing or does not fit. `threads`: of each network."""
        self.contract = load_contract(folder)
        self.locator = Locator(folder, self.contract.detector, threads)
        self.refiner = Refiner(folder, self.contract.corners, threads)
        self.reading = Reading(folder, self.contract.classifier, threads)

    def under(self, contract: Contract) -> Networks:
        """The same networks, trusted as another contract says."""
        other = copy(self)
        other.contract = contract
        other.locator = copy(self.locator)
        other.refiner = copy(self.refiner)
        other.reading = copy(self.reading)
        other.locator.terms = contract.detector
        other.refiner.terms = contract.corners
        other.reading.terms = contract.classifier
        return other

    @staticmethod
    def load(folder: Path, threads: int = 1) -> Networks:
        """The networks of the folder."""
        return Networks(folder, threads)
