"""Patterns that the project draws: pips, dots in other arrangements, and abstract signs."""

from collections.abc import Iterator
from typing import Final

import cv2
import numpy as np

from models.arrays import Floats, Mask
from models.art.drawings import mask_of, outlines, styles
from models.art.shapes import CANVAS, SIZE, fitted
from models.art.symbols.bank import Drawing

DOTS: Final = 30
"""How many arrangements of each number of dots are drawn, at most."""
PIPS: Final[dict[int, list[tuple[int, int]]]] = {
    1: [(0, 0)], 2: [(-1, -1), (1, 1)], 3: [(-1, -1), (0, 0), (1, 1)],
    4: [(-1, -1), (1, 1), (-1, 1), (1, -1)],
    5: [(-1, -1), (1, 1), (-1, 1), (1, -1), (0, 0)],
    6: [(-1, -1), (1, 1), (-1, 1), (1, -1), (-1, 0), (1, 0)],
}  # fmt: skip
_SPOTS: Final = ("disc", "square", "ring", "diamond", "flower", "hexagon")
_HELD_SPOTS: Final = {
    "val": ("disc-small", "square", "ring"),
    "test": ("disc-large", "diamond", "hexagon"),
}


def _spotted(spots: Floats, shape: str, radius: float) -> Mask:
    """Draw spots (n, 2) of a shape, (CANVAS, CANVAS); places and radius are in units."""
    corners = {"square": 4, "diamond": 4, "hexagon": 6}.get(shape, 40)
    turn = np.arange(corners) * 2 * np.pi / corners + (np.pi / 4 if shape == "square" else 0)
    far = np.full(corners, 1.15 if corners < 40 else 1.0)
    if shape == "flower":
        far = 0.75 + 0.25 * np.cos(4 * (turn - np.pi / 4))
    ring = np.stack([np.cos(turn), np.sin(turn)], 1) * far[:, None] * radius
    ink = np.zeros((CANVAS, CANVAS), np.uint8)
    for at in spots:
        for scale, value in ((1.0, 255), (0.5, 0))[: 1 + (shape == "ring")]:
            pixels = np.round((at + ring * scale) * CANVAS * 16).astype(np.int32)
            cv2.fillPoly(ink, [pixels], value, cv2.LINE_AA, 4)
    return ink


def pips() -> Iterator[Drawing]:
    """Yields the standard 1 to 6, half of the styles of spots for val, half for test. They keep
    their place on the face: one spot stays a spot.
    """
    for split, held in _HELD_SPOTS.items():
        for style in held:
            shape, _, size = style.partition("-")
            radius = {"small": 0.11, "large": 0.15}.get(size, 0.135)
            for count, spots in PIPS.items():
                ink = _spotted(0.5 + 0.34 * np.array(spots), shape, radius)
                mask = cv2.resize(ink, (SIZE, SIZE), interpolation=cv2.INTER_AREA)
                yield Drawing(f"pips:{count}@{style}", "pips", f"pips:{count}", split, mask)


def _arrangements(count: int, rng: np.random.Generator) -> Iterator[Floats]:
    """Yields places (count, 2) of spots in -1..1 that are no standard pips."""
    grid = np.array([(x, y) for x in (-1, 0, 1) for y in (-1, 0, 1)], float)
    turn = np.arange(count) * 2 * np.pi / max(count, 1)
    if count > 2:
        yield np.stack([np.sin(turn), -np.cos(turn)], 1)
        yield np.concatenate([[[0.0, 0.0]], np.stack([np.sin(turn), -np.cos(turn)], 1)[1:]])
    if 1 < count < 5:
        yield np.stack([np.linspace(-1, 1, count), np.zeros(count)], 1)
    while count > 1:
        yield grid[rng.permutation(9)[:count]]


def dots() -> Iterator[Drawing]:
    """Yields dots, squares, rings and others in arrangements that are no standard pips; each
    arrangement is a class, drawn with several shapes of spots.
    """
    rng = np.random.default_rng([39, 1])
    for count in range(2, 10):
        for place, spots in enumerate(_arrangements(count, rng)):
            if place == DOTS:
                break
            for shape in _SPOTS[place % 3 :: 3]:
                radius = rng.uniform(0.1, 0.14) if count > 2 else rng.uniform(0.13, 0.17)
                name = f"dots:{count}-{place}"
                ink = _spotted(spots * 0.33 + 0.5, shape, radius)
                yield Drawing(f"{name}@{shape}", "dots", name, "train", fitted(ink))


def marks() -> Iterator[Drawing]:
    """Yields abstract signs: strokes, arcs and shapes, repeated about the middle or mirrored."""
    for style, what in styles("marks").items():
        for number in range(len(what.paths)):
            name = f"mark:{number}"
            mask = mask_of(outlines("marks", style, number))
            yield Drawing(name, "marks", name, what.split, mask)
