"""Patterns that the project draws: pips, dots in other arrangements, and abstract signs."""

from collections.abc import Callable, Iterator
from typing import Final

import cv2
import numpy as np

from models.arrays import Floats, Mask
from models.art.shapes import CANVAS, SIZE, Pen, fitted, rotation
from models.art.symbols.bank import Drawing

SEED: Final = 39
SIGNS: Final = 260
"""How many abstract signs are drawn."""
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


def _spot(pen: Pen, shape: str, at: tuple[float, float], radius: float) -> None:
    """Draw one spot; `radius` is in units."""
    corners = {"square": 4, "diamond": 4, "hexagon": 6}.get(shape)
    if corners is not None:
        turn = np.arange(corners) * 2 * np.pi / corners + (np.pi / 4 if shape == "square" else 0)
        pen.fill(np.stack([np.cos(turn), np.sin(turn)], 1) * radius * 1.15 + np.asarray(at))
    elif shape == "flower":
        for angle in np.arange(4) * np.pi / 2 + np.pi / 4:
            petal = (at[0] + 0.5 * radius * np.cos(angle), at[1] + 0.5 * radius * np.sin(angle))
            pen.oval(petal, (radius * 0.6, radius * 0.6))
    else:
        pen.oval(at, (radius, radius))
        if shape == "ring":
            pen.oval(at, (radius * 0.5, radius * 0.5), 0.0, 0)


def pips() -> Iterator[Drawing]:
    """Yields the standard 1 to 6, half of the styles of spots for val, half for test. They keep
    their place on the face: one spot stays a spot.
    """
    for split, styles in _HELD_SPOTS.items():
        for style in styles:
            shape, _, size = style.partition("-")
            radius = {"small": 0.11, "large": 0.15}.get(size, 0.135)
            for count, spots in PIPS.items():
                pen = Pen()
                for x, y in spots:
                    _spot(pen, shape, (0.5 + 0.34 * x, 0.5 + 0.34 * y), radius)
                mask = cv2.resize(pen.ink, (SIZE, SIZE), interpolation=cv2.INTER_AREA)
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
    rng = np.random.default_rng([SEED, 1])
    for count in range(2, 10):
        for place, spots in enumerate(_arrangements(count, rng)):
            if place == DOTS:
                break
            for shape in _SPOTS[place % 3 :: 3]:
                pen = Pen()
                radius = rng.uniform(0.1, 0.14) if count > 2 else rng.uniform(0.13, 0.17)
                for x, y in spots * 0.33 + 0.5:
                    _spot(pen, shape, (float(x), float(y)), radius)
                name = f"dots:{count}-{place}"
                yield Drawing(f"{name}@{shape}", "dots", name, "train", fitted(pen.ink))


def marks() -> Iterator[Drawing]:
    """Yields abstract signs: strokes, arcs and shapes, repeated about the middle or mirrored."""
    for number in range(SIGNS):
        rng = np.random.default_rng([SEED, 2, number])
        ink = _sign(rng)
        name = f"mark:{number}"
        yield Drawing(name, "marks", name, "train", fitted(ink))


def _sign(rng: np.random.Generator) -> Mask:
    """Draw a part or two, and repeat them."""
    pen = Pen()
    for _ in range(int(rng.integers(1, 4))):
        _PARTS[int(rng.integers(len(_PARTS)))](pen, rng)
    way = rng.random()
    if way < 0.35:
        return np.maximum(pen.ink, pen.ink[:, ::-1])
    if way < 0.75:
        fold, ink = int(rng.choice([2, 3, 4, 6])), pen.ink
        for step in range(1, fold):
            grid = cv2.getRotationMatrix2D((CANVAS / 2, CANVAS / 2), 360 * step / fold, 1.0)
            ink = np.maximum(ink, cv2.warpAffine(pen.ink, grid, (CANVAS, CANVAS)))
        return np.asarray(ink, np.uint8)
    return pen.ink


def _stroke(pen: Pen, rng: np.random.Generator) -> None:
    points = rng.uniform(0.1, 0.9, (int(rng.integers(2, 4)), 2))
    pen.line(points, rng.uniform(0.07, 0.13))


def _arc(pen: Pen, rng: np.random.Generator) -> None:
    start, sweep = rng.uniform(0, 2 * np.pi), rng.uniform(np.pi / 2, 2 * np.pi)
    turn = start + np.linspace(0, sweep, 30)
    radius = rng.uniform(0.12, 0.38)
    ring = np.stack([np.cos(turn), np.sin(turn)], 1) * radius + rng.uniform(0.4, 0.6, 2)
    pen.line(ring, rng.uniform(0.07, 0.12))


def _polygon(pen: Pen, rng: np.random.Generator) -> None:
    corners, radius = int(rng.choice([3, 4, 6])), rng.uniform(0.1, 0.25)
    turn = np.arange(corners) * 2 * np.pi / corners
    ring = np.stack([np.cos(turn), np.sin(turn)], 1) * radius @ rotation(rng.uniform(0, 360)).T
    pen.fill(ring + rng.uniform(0.25, 0.75, 2), 255)


def _disc(pen: Pen, rng: np.random.Generator) -> None:
    at, radius = rng.uniform(0.25, 0.75, 2), rng.uniform(0.07, 0.16)
    pen.oval((float(at[0]), float(at[1])), (radius, radius))


def _hole(pen: Pen, rng: np.random.Generator) -> None:
    pen.oval((0.5, 0.5), (0.36, 0.36))
    radius = rng.uniform(0.14, 0.27)
    shift = rng.uniform(-0.14, 0.14, 2)
    pen.oval((0.5 + float(shift[0]), 0.5 + float(shift[1])), (radius, radius), 0.0, 0)


_PARTS: Final[tuple[Callable[[Pen, np.random.Generator], None], ...]] = (
    _stroke, _stroke, _arc, _polygon, _disc, _hole,
)  # fmt: skip
