"""Mine hard negatives: a detector's false finds on cubes, side faces, discs and gaps."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import msgspec
import numpy as np

from companion.vision.networks.contract import load_contract
from companion.vision.networks.locate import Locator, sides
from companion.vision.pictures import cv2
from models.arrays import Floats, Image
from models.dataset import PATCH, Picture, mapped, patch_of, pictures
from models.terms import TERMS

NEGATIVES: Final = "negatives.npz"
"""The file of a detector's false finds, in the folder of the detector."""
LOWEST: Final = TERMS.detector.threshold
SCENES: Final = 3000
KEPT: Final = 8000


@dataclass(frozen=True, slots=True)
class HardNegatives:
    """Some of the false finds: patches (n, PATCH, PATCH, 3) and their quads (n, 4, 2), patch px."""

    images: Image
    quads: Floats


@dataclass(frozen=True, slots=True)
class FalseFinds:
    """m false finds: the scene's number (m,), the middle (m, 2) in shares of the picture."""

    scenes: Floats
    middles: Floats

    def of(self, number: int) -> Floats:
        """(k, 2) the middles of one scene's false finds."""
        return self.middles[self.scenes == number]


def false_finds(locator: Locator, picture: Picture) -> Iterator[tuple[Image, Floats, Floats]]:
    """Yields patches, quads and middles of candidates that are no die's top."""
    image = picture.image()
    tops = np.array([label.quad for label in picture.labels], np.float32).reshape(-1, 4, 2)
    middles, reach = tops.mean(axis=1), sides(tops)
    for quad in locator.locate(image)[0]:
        middle = quad.mean(axis=0)
        if (np.linalg.norm(middles - middle, axis=1) < 0.55 * reach).any():
            continue
        patch, grid = patch_of(image, quad)
        yield patch, mapped(quad, grid), middle / np.array(image.shape[1::-1])


def mine(folder: Path, seed: int = 1) -> None:
    """Store the false finds of the folder's detector in the first SCENES train scenes in its
    NEGATIVES, with patches and quads of a random KEPT of them.
    """
    cv2.setNumThreads(1)
    terms = msgspec.structs.replace(load_contract(folder).detector, threshold=LOWEST)
    locator = Locator(folder, terms)
    rows = [
        (patch, quad, number, middle)
        for number, picture in enumerate(pictures("scenes", "train", SCENES))
        for patch, quad, middle in false_finds(locator, picture)
    ]
    kept = np.sort(np.random.default_rng(seed).permutation(len(rows))[:KEPT])
    images = np.array([rows[n][0] for n in kept], np.uint8).reshape(-1, PATCH, PATCH, 3)
    quads = np.array([rows[n][1] for n in kept], np.float32).reshape(-1, 4, 2)
    scenes = np.array([number for _, _, number, _ in rows], np.int64)
    middles = np.array([middle for *_, middle in rows], np.float32).reshape(-1, 2)
    path = folder / NEGATIVES
    partial = path.with_suffix(".part.npz")
    np.savez(partial, images=images, quads=quads, scenes=scenes, middles=middles)
    partial.rename(path)


def hard_negatives(folder: Path) -> HardNegatives:
    """Load the kept false finds of the folder's detector; none before `mine`."""
    if not (folder / NEGATIVES).exists():
        return HardNegatives(
            np.zeros((0, PATCH, PATCH, 3), np.uint8), np.zeros((0, 4, 2), np.float32)
        )
    with np.load(folder / NEGATIVES) as stored:
        return HardNegatives(stored["images"], stored["quads"])


def load_false_finds(folder: Path) -> FalseFinds:
    """Load the places of all false finds of the folder's detector; none before `mine`."""
    if not (folder / NEGATIVES).exists():
        return FalseFinds(np.zeros(0, np.float32), np.zeros((0, 2), np.float32))
    with np.load(folder / NEGATIVES) as stored:
        return FalseFinds(stored["scenes"], stored["middles"])
