"""The classical baseline: edge detection and template matching, without networks.

It has two advantages over the networks: it never has to refuse, and its templates are all drawings
that the networks were trained on.
"""

from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np

from companion.vision.networks.classify import rectified
from companion.vision.pictures import Pyramid
from companion.vision.read.geometry import overlap
from models.arrays import Floats, Image
from models.art.glyphs import FACES, Bank
from models.measure.counting import Still

TEMPLATE: Final = 24
REGIONS: Final = (0.72, 0.9)
"""The assumed widths of a drawing, in sides of the top."""
PER_DRAWING: Final = 2
SAME: Final = 0.4
"""The overlap above which a found square counts as the top."""


@dataclass
class Baseline:
    """The baseline's correct dice and rolls."""

    dice: int = 0
    named_given: int = 0
    """Named rightly at the true corners."""
    found: int = 0
    named: int = 0
    """Found by their edges and named rightly."""
    rolls: int = 0
    exact: int = 0


class Templates:
    """The train split's drawings as unit vectors, in four turns."""

    def __init__(self, bank: Bank) -> None:
        rows, faces = [], []
        for index, face in enumerate(FACES):
            for glyph in bank.of("train", face):
                for mask in glyph.variants[:PER_DRAWING]:
                    small = cv2.resize(mask, (TEMPLATE, TEMPLATE), interpolation=cv2.INTER_AREA)
                    rows += [np.rot90(small, turn) for turn in range(4)]
                    faces += [index] * 4
        self._vectors = _unit(np.array(rows, np.float32))
        self._faces = np.array(faces)

    def names(self, image: Image, quads: Floats) -> list[str]:
        """The best-matching face of each top at quads (N, 4, 2), for light ink and for dark ink."""
        if len(quads) == 0:
            return []
        picture = Pyramid(image)
        likeness = np.full((len(quads), len(FACES)), -1.0)
        for region in REGIONS:
            cut = rectified(picture, quads, region, TEMPLATE)
            found = np.abs(_unit(cut.max(axis=3).astype(np.float32)) @ self._vectors.T)
            for face in range(len(FACES)):
                best = found[:, self._faces == face].max(axis=1)
                likeness[:, face] = np.maximum(likeness[:, face], best)
        return [FACES[face] for face in likeness.argmax(axis=1)]


def _unit(pictures: Floats) -> Floats:
    flat = pictures.reshape(len(pictures), -1)
    flat = flat - flat.mean(axis=1, keepdims=True)
    return np.asarray(flat / (np.linalg.norm(flat, axis=1, keepdims=True) + 1e-6), np.float32)


def squares(image: Image) -> Floats:
    """(N, 4, 2) candidates for the square of a die by its edges, without duplicates."""
    grey = cv2.GaussianBlur(image.max(axis=2), (0, 0), 1.5)
    edges = cv2.dilate(cv2.Canny(grey, 30, 90), np.ones((3, 3), np.uint8))
    outlines, _ = cv2.findContours(255 - edges, cv2.RETR_LIST, cv2.CHAIN_APPROX_SIMPLE)
    found: list[Floats] = []
    for outline in sorted(outlines, key=cv2.contourArea, reverse=True):
        box = cv2.minAreaRect(outline)
        short, long = sorted(box[1])
        if short < 18 or long > 170 or long > 1.6 * short:
            continue
        if cv2.contourArea(outline) < 0.55 * short * long:
            continue
        quad = np.asarray(cv2.boxPoints(box), np.float32)
        if all(overlap(quad, other) < 0.3 for other in found):
            found.append(quad)
    return np.array(found, np.float32).reshape(-1, 4, 2)


def compare(results: Baseline, templates: Templates, still: Still) -> None:
    """Add a readable still to the baseline's results."""
    if not still.is_fit:
        return
    quads = np.array([die.quad for die in still.dice], np.float32)
    faces = [die.face for die in still.dice]
    given = templates.names(still.image, quads)
    found = squares(still.image)
    names = templates.names(still.image, found)
    right = 0
    for quad, face in zip(quads, faces, strict=True):
        near = [i for i in range(len(found)) if overlap(found[i], quad) > SAME]
        results.found += bool(near)
        right += any(names[i] == face for i in near)
    results.dice += len(faces)
    results.named_given += sum(a == b for a, b in zip(given, faces, strict=True))
    results.named += right
    results.rolls += 1
    results.exact += right == len(faces) == len(found)
