"""Classify top faces: rectified crops in, calibrated probabilities and embeddings out.

Also measures contrast, sharpness and colour of the crops. Where dice are: `locate`, `corners`.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from companion.vision.networks.contract import ClassifierContract, Contract, Network, load_contract
from companion.vision.networks.corners import OUTSIDE_BGR, Refiner
from companion.vision.networks.locate import Locator, normalised, sides
from companion.vision.pictures import Floats, Image, Pyramid, at_level, cv2
from companion.vision.readings import Colour

REJECT = "reject"
_WHITE = 235


@dataclass(frozen=True, slots=True)
class CropMeasures:
    """Measurements of N rectified crops; (N,) each.

    `contrast` grey levels of 255 between dark and bright in the middle of the face, without slow
    changes across it, `clipped` the share of overexposed pixels, `sharpness` relative to the
    contrast, `colours` of the bodies.
    """

    contrast: Floats
    clipped: Floats
    sharpness: Floats
    colours: tuple[Colour, ...]


@dataclass(frozen=True, slots=True)
class Classifications:
    """N faces: `probabilities` (N, 10) calibrated, in the order of `ClassifierContract.classes`;
    `embeddings` (N, 64) unit vectors; `measures` of their rectified crops.
    """

    probabilities: Floats
    embeddings: Floats
    measures: CropMeasures


def rectified(picture: Pyramid, quads: Floats, region: float, size: int) -> Image:
    """(N, size, size, 3) uint8: the top faces at quads (N, 4, 2) px, rectified, `region` sides
    wide; grey outside the picture."""
    edge = size / 2 / region
    square = np.array([[-edge, -edge], [edge, -edge], [edge, edge], [-edge, edge]], np.float32)
    target = square + np.float32(size / 2 - 0.5)
    cut = np.empty((len(quads), size, size, 3), np.uint8)
    for index, (quad, side) in enumerate(zip(quads, sides(quads), strict=True)):
        # A large face is averaged down first, or its print would break up into dots.
        image, level = picture.reduced_to(size / (region * max(float(side), 1e-3)))
        grid = cv2.getPerspectiveTransform(at_level(quad, level), target)
        cut[index] = cv2.warpPerspective(
            image, grid, (size, size), borderMode=cv2.BORDER_CONSTANT, borderValue=OUTSIDE_BGR
        )
    return cut


def softmax(logits: Floats) -> Floats:
    """Probabilities along the last axis."""
    shifted = np.exp(logits - logits.max(axis=-1, keepdims=True))
    return np.asarray(shifted / shifted.sum(axis=-1, keepdims=True), np.float32)


def measure_crops(crops: Image) -> CropMeasures:
    """Measure rectified crops (N, size, size, 3)."""
    if len(crops) == 0:
        none = np.zeros(0, np.float32)
        return CropMeasures(none, none, none, ())
    margin = crops.shape[1] // 8
    faces = crops[:, margin:-margin, margin:-margin]
    return CropMeasures(
        _contrast(crops),
        (_darkest(faces) > _WHITE).mean(axis=(1, 2)).astype(np.float32),
        np.array([_sharpness(face) for face in faces], np.float32),
        _bodies(crops),
    )


def _contrast(crops: Image) -> Floats:
    """(N,) the contrast in the middle half of each crop, unaffected by a dark edge."""
    rim = crops.shape[1] // 4
    # Noise must not look like print.
    calm = [cv2.blur(crop, (3, 3)) for crop in crops[:, rim:-rim, rim:-rim].astype(np.float32)]
    wide = crops.shape[1] // 3 | 1
    slow = [cv2.blur(one, (wide, wide), borderType=cv2.BORDER_REFLECT) for one in calm]
    detail = np.array(calm) - np.array(slow)
    # Print and ground may differ in one colour only.
    parts = [_between(detail[..., colour], 0.05, 0.95) for colour in range(3)]
    return np.asarray(np.max([bright - dark for dark, bright in parts], axis=0), np.float32)


def _darkest(pixels: Image) -> Image:
    """(N, h, w) the minimum of the three colours, faster than a reduction over the short axis."""
    return np.minimum(np.minimum(pixels[..., 0], pixels[..., 1]), pixels[..., 2])


def _brightest(pixels: Image) -> Image:
    return np.maximum(np.maximum(pixels[..., 0], pixels[..., 1]), pixels[..., 2])


def _between(levels: Image, *shares: float) -> tuple[Floats, ...]:
    """The quantiles of the grey levels (N, h, w) at these shares; (N,) each."""
    flat = levels.reshape(len(levels), -1)
    places = [round(share * (flat.shape[1] - 1)) for share in shares]
    ordered = np.partition(flat, places, axis=1)
    return tuple(ordered[:, place].astype(np.float32) for place in places)


def _sharpness(face: Image) -> float:
    """The strength of the finest detail, relative to the contrast."""
    grey = cv2.cvtColor(face, cv2.COLOR_BGR2GRAY)
    detail = cv2.Laplacian(cv2.GaussianBlur(grey, (0, 0), 1.0), cv2.CV_32F)
    return float(cv2.meanStdDev(detail)[1][0, 0] / (cv2.meanStdDev(grey)[1][0, 0] + 1.0))


def _bodies(crops: Image) -> tuple[Colour, ...]:
    """Classify bodies: green if the rim of the face is green and not darker than its print."""
    size = crops.shape[1]
    outer, inner = round(size * 0.1), round(size * 0.17)
    rim = np.ones((size, size), bool)
    rim[:outer] = rim[-outer:] = rim[:, :outer] = rim[:, -outer:] = False
    rim[inner:-inner, inner:-inner] = False
    blue, green, red = (_between(crops[:, rim, part], 0.5)[0] for part in range(3))
    (middle,) = _between(_brightest(crops[:, inner:-inner, inner:-inner]), 0.6)
    bright = np.maximum(np.maximum(blue, green), red) > 0.8 * middle
    is_green = bright & (green > 1.25 * blue) & (green > 1.02 * red) & (green > 70)
    return tuple(Colour.GREEN if found else Colour.BLACK for found in is_green)


class FaceClassifier:
    """The loaded classifier."""

    def __init__(self, folder: Path, terms: ClassifierContract) -> None:
        self.terms = terms
        self._network = Network.load(folder / terms.file, 2)

    def classify(
        self,
        picture: Pyramid,
        quads: Floats,
        *,
        closely: bool = False,
    ) -> Classifications:
        """Classify the faces at quads (N, 4, 2) px, averaged over turns of the crop. Without
        `closely`, clear faces use half of the turns."""
        cut = self.rectified(picture, quads)
        count = self.terms.rotations
        if len(cut) == 0:
            none = np.zeros((0, len(self.terms.classes)), np.float32)
            return Classifications(
                none, np.zeros((0, self.terms.embedding), np.float32), measure_crops(cut)
            )
        even, odd = range(0, count, 2), range(1, count, 2)
        batch = normalised(cut, self.terms.input)
        logits, vectors = self._summed(batch, even, count)
        logits /= len(even)
        rest = np.flatnonzero(closely | (_lead(logits) < self.terms.clear))
        if len(rest) and len(odd):
            more, others = self._summed(batch[rest], odd, count)
            logits[rest] = (logits[rest] * len(even) + more) / count
            vectors[rest] += others
        return Classifications(self._chances(logits), _units(vectors), measure_crops(cut))

    def rectified(self, picture: Pyramid, quads: Floats) -> Image:
        """(N, size, size, 3) uint8: the faces at quads (N, 4, 2) px, as the network takes them."""
        return rectified(picture, quads, self.terms.region, self.terms.input.width)

    def judge(self, crops: Image) -> tuple[Floats, Floats]:
        """The probabilities (N, 10) and embeddings (N, 64) of rectified crops over all turns."""
        count = self.terms.rotations
        logits, vectors = self._summed(normalised(crops, self.terms.input), range(count), count)
        return self._chances(logits / np.float32(count)), _units(vectors)

    def _chances(self, logits: Floats) -> Floats:
        logits = logits / self.terms.temperature
        logits[:, -1] += self.terms.prior
        return softmax(logits)

    def _summed(self, batch: Floats, turns: range, count: int) -> tuple[Floats, Floats]:
        """The sums of logits and of embeddings over turns, each of `count` parts of a circle."""
        logits, vectors = self._turned(batch, turns[0], count)
        for turn in turns[1:]:
            more, others = self._turned(batch, turn, count)
            logits += more
            vectors += others
        return logits, vectors

    def _turned(self, batch: Floats, turn: int, count: int) -> tuple[Floats, Floats]:
        """Logits and embeddings of (N, 3, h, w) turned by `turn` of `count` parts of a circle."""
        turned = np.ascontiguousarray(np.rot90(batch, turn * 4 // count, axes=(2, 3)))
        logits, embeddings = self._network.run(turned)
        return np.array(logits, np.float32), np.array(embeddings, np.float32)


def _units(vectors: Floats) -> Floats:
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.asarray(vectors / np.maximum(lengths, 1e-6), np.float32)


def _lead(logits: Floats) -> Floats:
    """(N,) the difference between the two largest of (N, k)."""
    ordered = np.partition(logits, -2, axis=1)
    return np.asarray(ordered[:, -1] - ordered[:, -2], np.float32)


class Networks:
    """The three loaded networks of a folder, with their contract."""

    def __init__(self, folder: Path, contract: Contract | None = None) -> None:
        """Load the networks, by the folder's contract or another one.
        ReaderError if a file is missing or does not fit."""
        self.contract = contract or load_contract(folder)
        self.locator = Locator(folder, self.contract.detector)
        self.refiner = Refiner(folder, self.contract.corners)
        self.classifier = FaceClassifier(folder, self.contract.classifier)
