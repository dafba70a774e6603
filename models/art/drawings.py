"""The project's own drawings: outlines in `own/FACE.svg`, which any browser shows, drawn as masks.

A group is a style: its id names it, its class is its split. A path is a drawing in it; where it
lies on the sheet does not matter. Styles called any-... hold drawings that are not alike.
"""

from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import Final
from xml.etree import ElementTree

import cv2
import numpy as np

from models.arrays import Floats, Mask
from models.art.outlines import rings
from models.art.shapes import SIZE, Ring, filled

FOLDER: Final = Path(__file__).parent / "own"


@dataclass(frozen=True, slots=True)
class Style:
    """A style: the split that may show it, and the path data of its drawings."""

    split: str
    paths: tuple[str, ...]


@cache
def styles(face: str) -> dict[str, Style]:
    """Read the styles of a face, or of `marks`, by name."""
    groups = ElementTree.parse(FOLDER / f"{face}.svg").getroot()
    return {
        group.attrib["id"]: Style(group.attrib["class"], tuple(path.attrib["d"] for path in group))
        for group in groups
    }


@lru_cache(maxsize=4000)
def outlines(face: str, style: str, number: int = 0) -> tuple[Ring, ...]:
    """Read the outlines of one drawing of the style."""
    return tuple(rings(styles(face)[style].paths[number]))


def drawn(face: str, style: str, number: int, rng: np.random.Generator) -> Mask:
    """Draw it as another hand would: (SIZE, SIZE) uint8, ink 255. Turned, slanted and stretched a
    little, its parts moved, by smooth random amounts."""
    shapes = outlines(face, style, number)
    points = np.concatenate(shapes).astype(np.float32)
    points = (points - points.min(axis=0)) / np.ptp(points, axis=0).max()
    cos, sin = np.cos(turn := np.radians(rng.normal(0, 4))), np.sin(turn)
    wide = np.exp(rng.normal(0, 0.06))
    grid = np.array([[cos, -sin], [sin, cos]]) @ [[wide, rng.normal(0, 0.05)], [0, 1 / wide]]
    moved = points @ grid.T + _away(points, rng.normal(0, 0.02, (4, 4, 2)))
    ends = np.cumsum([len(ring) for ring in shapes])[:-1]
    return mask_of(np.split(moved, ends))


def mask_of(shapes: list[Floats] | tuple[Ring, ...]) -> Mask:
    """Fill the outlines, as large as a mask allows: (SIZE, SIZE) uint8, ink 255."""
    fine = filled(shapes, 3 * SIZE, 6)
    return np.asarray(cv2.resize(fine, (SIZE, SIZE), interpolation=cv2.INTER_AREA))


def _away(points: Floats, steps: Floats) -> Floats:
    """(n, 2) by how much each point (0..1) is moved, between the steps (4, 4, 2) of a lattice."""
    at = np.clip(points * 3, 0, 3)[:, None].astype(np.float32)
    moved = cv2.remap(steps.astype(np.float32), at[..., 0], at[..., 1], cv2.INTER_LINEAR)
    return np.asarray(moved[:, 0])
