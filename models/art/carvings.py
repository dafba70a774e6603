"""Own drawings that look hand-cut, such as bolts, hearts and numerals, and those with many parts:
towers that break apart, pads with loose claws.

Each is built in a way of its own, so that some can be kept from training and still show what
owners' dice show: chipped corners, cracks, lopsided outlines.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import cv2
import numpy as np

from models.art.shapes import CANVAS, Drawing, Pen, Points, bite, rotation, turned

Polyline = list[tuple[float, float]]


def hewn(pen: Pen, rng: np.random.Generator, points: Polyline, spread: float = 0.02) -> None:
    """Fill the outline, with each of its corners a little off."""
    pen.fill(np.asarray(points) + rng.normal(0, spread, (len(points), 2)))


def rounded(pen: Pen, width: float) -> None:
    """Round off the corners, width in units."""
    soft = cv2.GaussianBlur(pen.ink, (0, 0), max(0.5, width * CANVAS))
    pen.ink = np.where(soft > 120, 255, 0).astype(np.uint8)


def crack(pen: Pen, rng: np.random.Generator, points: Polyline, width: float) -> None:
    """Cut a crooked slit that grows thinner along the points."""
    spine = np.asarray(points) + rng.normal(0, 0.012, (len(points), 2))
    along = np.gradient(spine, axis=0)
    across = np.stack([-along[:, 1], along[:, 0]], 1)
    across /= np.linalg.norm(across, axis=1, keepdims=True) + 1e-9
    thick = width / 2 * np.linspace(1, 0.15, len(spine))[:, None]
    pen.fill(np.concatenate([spine + across * thick, (spine - across * thick)[::-1]]), 0)


def _bolt(points: Polyline, spread: float, soft: tuple[float, float]) -> Drawing:
    def draw(pen: Pen, rng: np.random.Generator) -> None:
        outline = np.asarray(points)
        middle = 0.5 + (outline - 0.5) * np.array([rng.uniform(0.8, 1.3), 1.0])
        hewn(pen, rng, [(float(x), float(y)) for x, y in middle], spread)
        if soft[1] > 0:
            rounded(pen, rng.uniform(*soft))

    return draw


_HEAVY: Final[Polyline] = [
    (0.74, 0.05), (0.42, 0.08), (0.17, 0.5), (0.09, 0.57), (0.37, 0.56), (0.24, 0.95),
    (0.86, 0.37), (0.56, 0.4),
]  # fmt: skip
_DOUBLE: Final[Polyline] = [
    (0.8, 0.05), (0.53, 0.05), (0.24, 0.38), (0.43, 0.4), (0.2, 0.66), (0.37, 0.67),
    (0.18, 0.97), (0.68, 0.58), (0.52, 0.55), (0.74, 0.33), (0.57, 0.31),
]  # fmt: skip
_BLADE: Final[Polyline] = [
    (0.6, 0.03), (0.3, 0.54), (0.49, 0.5), (0.4, 0.97), (0.7, 0.42), (0.52, 0.46),
]  # fmt: skip
_TWIN: Final[Polyline] = [
    (0.72, 0.04), (0.5, 0.06), (0.17, 0.52), (0.25, 0.58), (0.45, 0.53),
    (0.28, 0.96), (0.5, 0.94), (0.83, 0.48), (0.75, 0.42), (0.55, 0.47),
]  # fmt: skip
_HOOKED: Final[Polyline] = [
    (0.82, 0.1), (0.46, 0.04), (0.27, 0.46), (0.14, 0.42), (0.2, 0.55), (0.46, 0.58),
    (0.3, 0.92), (0.78, 0.5), (0.52, 0.44),
]  # fmt: skip

BOLTS: Final[dict[str, Drawing]] = {
    "heavy": _bolt(_HEAVY, 0.02, (0.0, 0.0)),
    "round": _bolt(_BLADE, 0.012, (0.02, 0.04)),
    "double": _bolt(_DOUBLE, 0.015, (0.0, 0.0)),
    "twin": _bolt(_TWIN, 0.015, (0.0, 0.0)),
    "hooked": _bolt(_HOOKED, 0.018, (0.005, 0.015)),
}


def _hook(pen: Pen, rng: np.random.Generator, root: tuple[float, float]) -> None:
    x, y = root
    lean = rng.uniform(0.04, 0.12)
    path = [(x, y - 0.16), (x, y), (x - lean, y + 0.1), (x - lean * 0.3, y + 0.18)]
    crack(pen, rng, path, rng.uniform(0.05, 0.1))


def heart_hooked(pen: Pen, rng: np.random.Generator) -> None:
    """A heart of straight cuts with a hooked crack at its notch."""
    hewn(pen, rng, [
        (0.5, 0.27), (0.4, 0.14), (0.22, 0.12), (0.08, 0.27), (0.1, 0.46), (0.3, 0.72), (0.5, 0.92),
        (0.7, 0.74), (0.9, 0.47), (0.93, 0.25), (0.76, 0.1), (0.6, 0.14),
    ], 0.018)  # fmt: skip
    _hook(pen, rng, (0.5 + rng.normal(0, 0.02), 0.3))


def heart_few(pen: Pen, rng: np.random.Generator) -> None:
    """A heart of as few cuts as will do, rounded a little."""
    hewn(pen, rng, [(0.5, 0.32), (0.34, 0.1), (0.06, 0.2), (0.1, 0.5), (0.5, 0.93), (0.9, 0.5),
                    (0.94, 0.2), (0.66, 0.1)], 0.02)  # fmt: skip
    rounded(pen, rng.uniform(0.01, 0.04))


def heart_field(pen: Pen, rng: np.random.Generator) -> None:
    """The heart of the sextic curve, lopsided, with a hooked crack."""
    y, x = np.mgrid[0:CANVAS, 0:CANVAS].astype(np.float64) / CANVAS
    lop = rng.uniform(-0.18, 0.18)
    u = (x - 0.5) * rng.uniform(2.5, 2.9) * (1 + lop * np.sign(x - 0.5))
    v = -(y - 0.52) * rng.uniform(2.5, 3.0) + rng.uniform(-0.15, 0.15) * u
    pen.ink = np.where((u * u + v * v - 1) ** 3 - u * u * v**3 < 0, 255, 0).astype(np.uint8)
    if rng.random() < 0.7:
        _hook(pen, rng, (0.5 + rng.normal(0, 0.02), 0.28))


def heart_arcs(pen: Pen, rng: np.random.Generator) -> None:
    """Two half discs on a wedge, shoulders cut square."""
    left, right = rng.uniform(0.2, 0.25), rng.uniform(0.2, 0.25)
    top = rng.uniform(0.3, 0.36)
    for side, radius in ((-1, left), (1, right)):
        turn = np.linspace(-np.pi, 0, int(rng.integers(5, 9)))
        x = 0.5 + side * radius + np.cos(turn) * radius
        ring = np.stack([x, top + np.sin(turn) * radius * 0.95], 1)
        pen.fill(np.concatenate([ring, [(0.5 + rng.normal(0, 0.015), 0.92)]]))
    _hook(pen, rng, (0.5, top))


def heart_slanted(pen: Pen, rng: np.random.Generator) -> None:
    """A heart leaning over, one lobe the larger, a kinked slit down from the notch."""
    big = rng.uniform(0.25, 0.29)
    pen.oval((0.32, 0.36), (big, big * 0.95), rng.uniform(-20, 20))
    pen.oval((0.68, 0.38), (0.22, 0.2), rng.uniform(-20, 20))
    tip = 0.5 + rng.uniform(-0.1, 0.1)
    pen.fill([(0.08, 0.44), (0.5, 0.22), (0.9, 0.42), (tip, 0.95)])
    crack(pen, rng, [(0.52, 0.14), (0.52, 0.28), (0.45, 0.36), (0.49, 0.46)], 0.1)


HEARTS: Final[dict[str, Drawing]] = {
    "hooked": heart_hooked,
    "few": heart_few,
    "arcs": heart_arcs,
    "field": heart_field,
    "slanted": heart_slanted,
}


def _arms(rng: np.random.Generator, inner: float, uneven: float) -> Points:
    angles = np.radians(np.arange(10) * 36 - 90 + rng.normal(0, 14 * uneven, 10))
    radii = np.where(np.arange(10) % 2 == 0, 0.46, 0.46 * inner) * rng.normal(1, uneven, 10)
    return np.stack([np.cos(angles) * radii, np.sin(angles) * radii], 1) + 0.5


def star_chipped(pen: Pen, rng: np.random.Generator) -> None:
    """A star with a wedge out of its lower right arm."""
    pen.fill(_arms(rng, rng.uniform(0.4, 0.5), 0.03))
    x = rng.uniform(0.62, 0.7)
    pen.fill([(x + 0.16, 0.62), (x - 0.04, 0.66), (x + 0.1, 0.78)], 0)


def star_broad(pen: Pen, rng: np.random.Generator) -> None:
    """A stout star with rounded corners and a bite."""
    pen.fill(_arms(rng, rng.uniform(0.5, 0.6), 0.03))
    rounded(pen, rng.uniform(0.008, 0.025))
    bite(pen, rng)


def star_uneven(pen: Pen, rng: np.random.Generator) -> None:
    """A hand-cut star, no two arms alike, a crack into the lower right one."""
    pen.fill(_arms(rng, rng.uniform(0.42, 0.55), 0.07))
    crack(pen, rng, [(0.78, 0.88), (0.68, 0.74), (0.7, 0.66), (0.58, 0.56)], rng.uniform(0.05, 0.1))


def star_slit(pen: Pen, rng: np.random.Generator) -> None:
    """A sharp star whose lower right arm is cut off by a slit."""
    pen.fill(_arms(rng, rng.uniform(0.36, 0.46), 0.02))
    ends = [(0.52, 0.84), (0.6, 0.73), (0.66, 0.7), (0.8, 0.58)]
    pen.line(np.asarray(ends) + rng.normal(0, 0.02, (4, 2)), rng.uniform(0.03, 0.06), 0)


STARS: Final[dict[str, Drawing]] = {
    "chipped": star_chipped,
    "broad": star_broad,
    "uneven": star_uneven,
    "slit": star_slit,
}


def _teeth(pen: Pen, rng: np.random.Generator, row: tuple[float, float, float], count: int) -> None:
    """Draw wedges that splay downwards from the row: left, right, top."""
    left, right, top = row
    for x in np.linspace(left, right, count):
        away = (x - (left + right) / 2) * rng.uniform(0.2, 0.6)
        half = (right - left) / count * rng.uniform(0.36, 0.5)
        tip = top + rng.uniform(0.12, 0.2)
        end = half * rng.uniform(0.3, 0.9)
        pen.fill([(x - half, top), (x + half, top), (x + away + end, tip), (x + away - end, tip)])


def skull_dome(pen: Pen, rng: np.random.Generator) -> None:
    """A skull of straight cuts, its dome cracked at the upper right, one eye the larger."""
    hewn(pen, rng, [(0.3, 0.1), (0.66, 0.08), (0.88, 0.26), (0.88, 0.5), (0.72, 0.66),
                    (0.7, 0.78), (0.32, 0.78), (0.3, 0.66), (0.12, 0.52),
                    (0.14, 0.24)])  # fmt: skip
    pen.oval((0.34, 0.46), (rng.uniform(0.1, 0.14), rng.uniform(0.09, 0.13)), 0, 0)
    pen.oval((0.67, 0.47), (rng.uniform(0.05, 0.09), rng.uniform(0.06, 0.09)), 0, 0)
    crack(pen, rng, [(0.5, 0.56), (0.5, 0.62), (0.52, 0.7)], rng.uniform(0.05, 0.08))
    crack(pen, rng, [(0.76, 0.06), (0.68, 0.18), (0.74, 0.26), (0.64, 0.36)], 0.07)
    _teeth(pen, rng, (0.37, 0.65, 0.77), int(rng.integers(3, 5)))


def skull_grin(pen: Pen, rng: np.random.Generator) -> None:
    """A round skull with a row of teeth between upper and lower jaw."""
    pen.oval((0.5, 0.42), (rng.uniform(0.34, 0.4), 0.34))
    pen.fill([(0.26, 0.6), (0.74, 0.6), (0.68, 0.92), (0.32, 0.92)])
    for x in (0.35, 0.65):
        size = rng.uniform(0.07, 0.12)
        pen.oval((x, 0.44), (size, size * rng.uniform(0.8, 1.3)), rng.uniform(-30, 30), 0)
    pen.fill([(0.5, 0.54), (0.55, 0.64), (0.45, 0.64)], 0)
    pen.box(0.34, 0.72, 0.66, rng.uniform(0.74, 0.77), 0)
    for x in np.linspace(0.38, 0.62, int(rng.integers(3, 6))):
        pen.line([(x, 0.68), (x, 0.84)], rng.uniform(0.015, 0.03), 0)


def skull_block(pen: Pen, rng: np.random.Generator) -> None:
    """A squarish skull without a jaw: slanted eyes of two sizes, three teeth."""
    hewn(pen, rng, [(0.2, 0.14), (0.8, 0.12), (0.92, 0.3), (0.88, 0.56), (0.74, 0.7),
                    (0.26, 0.7), (0.1, 0.56), (0.08, 0.3)])  # fmt: skip
    drop = rng.uniform(0.02, 0.08)
    pen.fill([(0.2, 0.34), (0.44, 0.34 + drop), (0.42, 0.54), (0.22, 0.52)], 0)
    pen.fill([(0.6, 0.38 + drop), (0.78, 0.36), (0.76, 0.52), (0.62, 0.52)], 0)
    pen.fill([(0.5, 0.54), (0.54, 0.64), (0.46, 0.64)], 0)
    _teeth(pen, rng, (0.34, 0.66, 0.69), 3)


def skull_lopsided(pen: Pen, rng: np.random.Generator) -> None:
    """An egg of a skull on its side, cracked above, a big round eye and a small one."""
    pen.oval((0.54, 0.4), (rng.uniform(0.36, 0.42), rng.uniform(0.29, 0.33)), rng.uniform(-25, -8))
    hewn(pen, rng, [(0.22, 0.5), (0.72, 0.54), (0.66, 0.76), (0.28, 0.78)])
    pen.oval((0.36, 0.48), (rng.uniform(0.11, 0.14), rng.uniform(0.11, 0.14)), 0, 0)
    pen.oval((0.66, 0.46), (rng.uniform(0.06, 0.08), rng.uniform(0.05, 0.08)), 0, 0)
    pen.line([(0.51, 0.58), (0.49, 0.68)], rng.uniform(0.035, 0.06), 0)
    path = np.asarray([(0.84, 0.1), (0.72, 0.2), (0.76, 0.28), (0.62, 0.32)])
    pen.line(path + rng.normal(0, 0.015, (4, 2)), rng.uniform(0.025, 0.045), 0)
    _teeth(pen, rng, (0.33, 0.61, 0.76), 4)


def skull_wide(pen: Pen, rng: np.random.Generator) -> None:
    """A wide skull without a jaw, cheeks drawn in, unequal round eyes, three tooth wedges."""
    pen.oval((0.5, 0.36), (rng.uniform(0.42, 0.46), rng.uniform(0.24, 0.28)))
    pen.fill([(0.1, 0.44), (0.9, 0.44), (0.72, 0.62), (0.66, 0.74), (0.34, 0.74), (0.28, 0.62)])
    first = rng.uniform(0.1, 0.13)
    pen.oval((0.3, 0.44), (first, first * rng.uniform(0.8, 1.1)), 0, 0)
    pen.oval((0.7, 0.44), (first * rng.uniform(0.6, 0.8), first * 0.8), 0, 0)
    pen.fill([(0.5, 0.52), (0.56, 0.63), (0.5, 0.6), (0.44, 0.63)], 0)
    for x in (0.39, 0.5, 0.61):
        pen.fill([(x - 0.05, 0.73), (x + 0.05, 0.73), (x + rng.normal(0, 0.012), 0.92)])


SKULLS: Final[dict[str, Drawing]] = {
    "dome": skull_dome,
    "grin": skull_grin,
    "block": skull_block,
    "lopsided": skull_lopsided,
    "wide": skull_wide,
}

_LINES: Final[dict[str, tuple[Polyline, ...]]] = {
    "one": ([(0.38, 0.26), (0.52, 0.16), (0.52, 0.84)], [(0.34, 0.84), (0.7, 0.84)]),
    "two": ([(0.3, 0.3), (0.38, 0.17), (0.62, 0.17), (0.7, 0.3), (0.66, 0.46), (0.32, 0.72),
             (0.3, 0.84), (0.72, 0.84)],),
    "three": ([(0.3, 0.17), (0.68, 0.17), (0.68, 0.36), (0.5, 0.48), (0.7, 0.6), (0.68, 0.82),
               (0.3, 0.84)],),
}  # fmt: skip


def _nib(face: str, shape: int, ratio: tuple[float, float]) -> Drawing:
    """Draw the numeral with a broad nib of the kernel's shape, and crack it."""

    def draw(pen: Pen, rng: np.random.Generator) -> None:
        narrow = rng.uniform(0.7, 1.05)
        for line in _LINES[face]:
            points = np.asarray(line) + rng.normal(0, 0.012, (len(line), 2))
            points[:, 0] = 0.5 + (points[:, 0] - 0.5) * narrow
            pen.line(points, 0.012)
        wide = rng.uniform(0.15, 0.24)
        size = (int(wide * CANVAS), int(wide * CANVAS * rng.uniform(*ratio)))
        pen.ink = cv2.dilate(pen.ink, _kernel(shape, size))
        for _ in range(int(rng.integers(0, 3))):
            bite(pen, rng)

    return draw


def _kernel(shape: int, size: tuple[int, int]) -> Points:
    if shape == cv2.MORPH_RECT:
        return np.asarray(cv2.getStructuringElement(shape, size))
    x, y = np.meshgrid(np.linspace(-1, 1, size[0]), np.linspace(-1, 1, size[1]))
    return (np.abs(x) + np.abs(y) <= 1.15).astype(np.uint8)


def numerals(face: str) -> dict[str, Drawing]:
    """Make the numeral's drawings: with a broad nib, with a diamond nib, and as a stencil."""
    broad = _nib(face, cv2.MORPH_RECT, (0.5, 0.8))

    def stencil(pen: Pen, rng: np.random.Generator) -> None:
        broad(pen, rng)
        y = rng.choice([0.34, 0.66])
        cut = turned([(0.0, y), (1.0, y)], rng.uniform(-30, 30), (0.5, y))
        pen.line(cut, rng.uniform(0.03, 0.05), 0)

    return {
        "stencil": stencil,
        "diamond": _nib(face, cv2.MORPH_CROSS, (0.8, 1.3)),
        "broad": _nib(face, cv2.MORPH_RECT, (0.75, 1.2)),
    }


def _rows(pen: Pen, rng: np.random.Generator, area: Polyline, grid: tuple[int, int]) -> None:
    """Cut windows in columns and rows between the area's two corners."""
    (left, top), (right, bottom) = area
    fill = rng.uniform(0.38, 0.6)
    for x in (np.arange(grid[0]) + 0.5) / grid[0] * (right - left) + left:
        for y in (np.arange(grid[1]) + 0.5) / grid[1] * (bottom - top) + top:
            wide, high = (right - left) / grid[0] * fill / 2, (bottom - top) / grid[1] * fill / 2
            pen.box(x - wide, y - high, x + wide, y + high, 0)


def _wedges(pen: Pen, rng: np.random.Generator, sides: tuple[int, int], level: float) -> None:
    """Draw debris that flies off to the left and right of the break at the level."""
    for side, count in zip((-1, 1), sides, strict=True):
        for _ in range(count):
            at = np.array([0.5 + side * rng.uniform(0.28, 0.44), level + rng.uniform(-0.24, 0.24)])
            size = rng.uniform(0.04, 0.09)
            shape = np.array([(-1.0, 0.3), (1.0, -0.4), (0.4, 0.8)]) * rng.uniform(0.6, 1.3, (3, 2))
            pen.fill(at + shape * size @ rotation(rng.uniform(0, 360)).T)


def _jag(
    rng: np.random.Generator, ends: tuple[float, float], level: tuple[float, float], teeth: int
) -> Points:
    """Make a zigzag from left to right, rising or falling from one level to the other."""
    x = np.linspace(ends[0], ends[1], 2 * teeth + 1)
    y = np.linspace(level[0], level[1], 2 * teeth + 1)
    y[1::2] -= rng.uniform(0.04, 0.1)
    return np.stack([x, y + rng.normal(0, 0.012, len(y))], 1)


def _toppled(pen: Pen, lower: Points, tilt: float, shift: tuple[float, float]) -> None:
    """Tilt and move the drawing so far, and join it with the lower part."""
    grid = cv2.getRotationMatrix2D((CANVAS * 0.5, CANVAS * 0.45), tilt, 1.0)
    grid[0, 2] += shift[0] * CANVAS
    grid[1, 2] += shift[1] * CANVAS
    pen.ink = cv2.max(lower, cv2.warpAffine(pen.ink, grid, (CANVAS, CANVAS)))


def _base(pen: Pen, rng: np.random.Generator, half: float) -> None:
    wide = half + rng.uniform(0.06, 0.2)
    pen.box(0.5 - wide, 0.88, 0.5 + wide, rng.uniform(0.93, 0.96))


def _snapped(tilt: tuple[float, float], half: tuple[float, float], teeth: int) -> Drawing:
    """Draw a block broken across: a tilted top with four windows on a stump with two,
    and debris.
    """

    def draw(pen: Pen, rng: np.random.Generator) -> None:
        wide = rng.uniform(*half)
        left, right = 0.5 - wide, 0.5 + wide
        level = rng.uniform(0.52, 0.6)
        slope = rng.uniform(-0.07, 0.07)
        line = _jag(rng, (left, right), (level - slope, level + slope), teeth)
        pen.fill(np.concatenate([line + np.array([0, 0.05]), [(right, 0.9), (left, 0.9)]]))
        _rows(pen, rng, [(left, level + 0.12), (right, 0.87)], (2, 1))
        _base(pen, rng, wide)
        lower, pen.ink = pen.ink, np.zeros_like(pen.ink)
        pen.fill(np.concatenate([line - np.array([0, 0.05]), [(right, 0.1), (left, 0.1)]]))
        _rows(pen, rng, [(left, 0.12), (right, level - 0.14)], (2, 2))
        side = rng.choice([-1, 1])
        _toppled(pen, lower, -side * rng.uniform(*tilt), (side * rng.uniform(0.0, 0.07), -0.02))
        _wedges(pen, rng, (int(rng.integers(1, 4)), int(rng.integers(1, 4))), level)

    return draw


def tower_slid(pen: Pen, rng: np.random.Generator) -> None:
    """A block cut through aslant, the upper part slid aside."""
    left, right = 0.5 - rng.uniform(0.17, 0.22), 0.5 + rng.uniform(0.17, 0.22)
    low, high = rng.uniform(0.58, 0.68), rng.uniform(0.42, 0.52)
    pen.fill([(left, low + 0.03), (right, high + 0.03), (right, 0.9), (left, 0.9)])
    _rows(pen, rng, [(left, low + 0.08), (right, 0.87)], (2, 1))
    _base(pen, rng, 0.2)
    lower, pen.ink = pen.ink, np.zeros_like(pen.ink)
    pen.fill([(left, low - 0.03), (right, high - 0.03), (right, 0.1), (left, 0.1)])
    _rows(pen, rng, [(left, 0.12), (right, high - 0.06)], (2, 2))
    _toppled(pen, lower, rng.uniform(-6, 6), (rng.uniform(0.05, 0.13), rng.uniform(-0.04, 0.02)))
    _wedges(pen, rng, (2, int(rng.integers(1, 4))), 0.5)


def tower_bitten(pen: Pen, rng: np.random.Generator) -> None:
    """A block with a piece torn from one flank, its top leaning over the gap."""
    wide = rng.uniform(0.17, 0.23)
    left, right = 0.5 - wide, 0.5 + wide
    pen.box(left, 0.1, right, 0.9)
    _rows(pen, rng, [(left, 0.12), (right, 0.87)], (2, 4))
    x = rng.uniform(0.46, 0.54)
    pen.fill([(right + 0.05, 0.4), (x + 0.05, 0.44), (x - 0.02, 0.52), (x + 0.06, 0.58),
              (right + 0.05, 0.68)], 0)  # fmt: skip
    _base(pen, rng, wide)
    _wedges(pen, rng, (0, int(rng.integers(2, 5))), 0.52)
    if rng.random() < 0.5:
        pen.ink = np.ascontiguousarray(pen.ink[:, ::-1])


def tower_stepped(pen: Pen, rng: np.random.Generator) -> None:
    """A tower with set-back storeys and a spire, its upper part snapped off and tilted."""
    wide = rng.uniform(0.2, 0.25)
    level = rng.uniform(0.52, 0.58)
    line = _jag(rng, (0.5 - wide, 0.5 + wide), (level, level + rng.uniform(-0.06, 0.06)), 2)
    pen.fill(np.concatenate([line + np.array([0, 0.06]), [(0.5 + wide, 0.9), (0.5 - wide, 0.9)]]))
    _rows(pen, rng, [(0.5 - wide, level + 0.14), (0.5 + wide, 0.87)], (2, 1))
    _base(pen, rng, wide)
    lower, pen.ink = pen.ink, np.zeros_like(pen.ink)
    inner = wide * rng.uniform(0.6, 0.8)
    pen.fill(np.concatenate([line - np.array([0, 0.04]), [(0.5 + wide, 0.34), (0.5 - wide, 0.34)]]))
    pen.box(0.5 - inner, 0.14, 0.5 + inner, 0.36)
    pen.fill([(0.46, 0.15), (0.54, 0.15), (0.5, 0.02)])
    _rows(pen, rng, [(0.5 - inner, 0.17), (0.5 + inner, level - 0.12)], (2, 2))
    side = rng.choice([-1, 1])
    _toppled(pen, lower, -side * rng.uniform(8, 24), (side * rng.uniform(0, 0.06), 0.0))
    _wedges(pen, rng, (int(rng.integers(1, 4)), int(rng.integers(1, 4))), level)


def tower_hewn(pen: Pen, rng: np.random.Generator) -> None:
    """A rough-cut tower in two pieces, windows askew, three or four blocks of rubble."""

    def rough(points: Polyline) -> Points:
        return np.asarray(points) + rng.normal(0, 0.018, (len(points), 2))

    pen.fill(rough([(0.28, 0.66), (0.4, 0.6), (0.48, 0.68), (0.58, 0.58), (0.72, 0.66),
                    (0.74, 0.92), (0.26, 0.92)]))  # fmt: skip
    for x in (0.38, 0.6):
        pen.fill(rough([(x - 0.05, 0.74), (x + 0.05, 0.73), (x + 0.05, 0.82), (x - 0.05, 0.83)]), 0)
    pen.fill(rough([(0.12, 0.9), (0.88, 0.9), (0.86, 0.96), (0.14, 0.96)]))
    lower, pen.ink = pen.ink, np.zeros_like(pen.ink)
    pen.fill(rough([(0.3, 0.08), (0.7, 0.1), (0.7, 0.5), (0.58, 0.46), (0.5, 0.56), (0.42, 0.48),
                    (0.3, 0.54)]))  # fmt: skip
    for x in (0.4, 0.6):
        for y in (0.2, 0.36):
            pen.fill(rough([(x - 0.05, y - 0.05), (x + 0.05, y - 0.05), (x + 0.05, y + 0.05),
                            (x - 0.05, y + 0.05)]), 0)  # fmt: skip
    side = rng.choice([-1, 1])
    _toppled(pen, lower, -side * rng.uniform(10, 26), (side * rng.uniform(0.0, 0.08), 0.0))
    for place in (-1, 1, rng.choice([-1, 1])):
        x, y = 0.5 + place * rng.uniform(0.32, 0.42), rng.uniform(0.4, 0.82)
        pen.fill(rough([(x - 0.06, y - 0.03), (x + 0.04, y - 0.06), (x + 0.06, y + 0.05)]))


TOWERS: Final[dict[str, Drawing]] = {
    "snapped": _snapped((8, 28), (0.16, 0.22), 2),
    "wide": _snapped((4, 16), (0.22, 0.3), 3),
    "slid": tower_slid,
    "bitten": tower_bitten,
    "toppled": _snapped((28, 50), (0.15, 0.2), 1),
    "stepped": tower_stepped,
    "hewn": tower_hewn,
}

Pad = Callable[[Pen, np.random.Generator], None]
Claw = Callable[[np.random.Generator], Points]


def _pad_cut(pen: Pen, rng: np.random.Generator) -> None:
    outline = np.array([(0.3, 0.6), (0.42, 0.5), (0.6, 0.5), (0.72, 0.62), (0.72, 0.8),
                        (0.6, 0.92), (0.38, 0.92), (0.26, 0.78)])  # fmt: skip
    pen.fill(outline + rng.normal(0, 0.02, outline.shape))


def _pad_lobes(pen: Pen, rng: np.random.Generator) -> None:
    pen.oval((0.5, 0.62), (rng.uniform(0.15, 0.2), 0.14))
    for x in (0.37, 0.63):
        pen.oval((x, 0.78), (rng.uniform(0.13, 0.17), 0.13))


def _pad_wedge(pen: Pen, rng: np.random.Generator) -> None:
    top = rng.uniform(0.1, 0.16)
    pen.fill([(0.5 - top, 0.52), (0.5 + top, 0.52), (0.76, 0.82), (0.68, 0.92), (0.32, 0.92),
              (0.24, 0.82)])  # fmt: skip


def _pad_round(pen: Pen, rng: np.random.Generator) -> None:
    pen.oval((0.5, 0.72), (rng.uniform(0.22, 0.28), rng.uniform(0.18, 0.22)), rng.uniform(-15, 15))
    pen.fill([(0.16, 0.66), (0.34, 0.7), (0.18, 0.78)], 0)


def _pad_shield(pen: Pen, rng: np.random.Generator) -> None:
    wide = rng.uniform(0.22, 0.28)
    pen.fill([(0.5 - wide, 0.54), (0.5, 0.5), (0.5 + wide, 0.54), (0.5 + wide * 0.8, 0.8),
              (0.5, 0.94), (0.5 - wide * 0.8, 0.8)])  # fmt: skip
    pen.fill([(0.18, 0.62), (0.36, 0.66), (0.2, 0.7)], 0)


def _pad_bean(pen: Pen, rng: np.random.Generator) -> None:
    bend = rng.uniform(0.06, 0.12)
    for x, y in ((0.36, 0.74), (0.5, 0.74 - bend), (0.64, 0.74)):
        pen.oval((x, y), (rng.uniform(0.13, 0.16), rng.uniform(0.14, 0.18)))
    nick = rng.uniform(0.62, 0.74)
    pen.fill([(0.16, nick - 0.04), (0.36, nick), (0.16, nick + 0.06)], 0)


def _pad_heel(pen: Pen, rng: np.random.Generator) -> None:
    turn = np.linspace(np.pi, 2 * np.pi, 12)
    wide = rng.uniform(0.24, 0.28)
    arch = np.stack([0.5 + np.cos(turn) * wide, 0.72 + np.sin(turn) * rng.uniform(0.18, 0.24)], 1)
    foot = [(0.5 + wide, 0.84), (0.6, 0.88), (0.5, 0.82), (0.4, 0.88), (0.5 - wide, 0.84)]
    pen.fill(np.concatenate([arch, foot]))
    pen.fill([(0.18, 0.66), (0.33, 0.68), (0.2, 0.76)], 0)


def _claw(points: Polyline, spread: float) -> Claw:
    """Make a claw pointing up, one long, its root at the origin."""

    def shape(rng: np.random.Generator) -> Points:
        flip = rng.choice([-1.0, 1.0]) if spread > 0.03 else 1.0
        return (np.asarray(points) + rng.normal(0, spread, (len(points), 2))) * [flip, -1.0]

    return shape


_WEDGE: Final = _claw([(-0.24, 0.0), (0.24, 0.0), (0.05, 1.0)], 0.03)
_LEAF: Final = _claw([(0.0, 0.0), (0.26, 0.4), (0.0, 1.0), (-0.26, 0.4)], 0.02)
_DROP: Final = _claw(
    [(-0.16, 0.02), (0.16, 0.02), (0.27, 0.22), (0.16, 0.55), (0.0, 1.0), (-0.16, 0.55),
     (-0.27, 0.22)], 0.015,
)  # fmt: skip
_THORN: Final = _claw([(-0.2, 0.0), (0.2, 0.1), (0.2, 0.45), (0.06, 1.0), (-0.12, 0.5)], 0.02)
_SABRE: Final = _claw(
    [(-0.18, 0.05), (0.1, 0.0), (0.26, 0.3), (0.26, 0.65), (0.1, 1.0), (0.06, 0.65), (-0.06, 0.35)],
    0.015,
)  # fmt: skip
_SHARD: Final = _claw([(-0.22, 0.06), (0.12, -0.04), (0.24, 0.34), (0.02, 1.0), (-0.2, 0.5)], 0.05)


def _clawed(pad: Pad, claw: Claw, fan: tuple[float, float], row: float) -> Drawing:
    """Draw a pad and above it, detached, mostly four claws, fanned out or (`row` 1)
    side by side.
    """

    def draw(pen: Pen, rng: np.random.Generator) -> None:
        pad(pen, rng)
        count = int(rng.choice([4, 4, 4, 4, 3, 5]))
        spread = rng.uniform(*fan)
        near, length = rng.uniform(0.3, 0.36), rng.uniform(0.26, 0.36)
        angles = np.linspace(-spread, spread, count) + rng.normal(0, 2.5, count)
        stretch = rng.uniform(0.75, 1.25) * 4 / count
        for angle in angles:
            way = np.array([np.sin(np.radians(angle)), -np.cos(np.radians(angle))])
            root = np.array([0.5, 0.72]) + way * near * np.array([1.25, 1.0])
            shape = claw(rng) * [length * stretch, length * rng.uniform(0.85, 1.15)]
            pen.fill(root + shape @ rotation(angle * (1 - row)).T)

    return draw


CLAWS: Final[dict[str, Drawing]] = {
    "wedges": _clawed(_pad_cut, _WEDGE, (46, 64), 0.0),
    "leaves": _clawed(_pad_lobes, _LEAF, (48, 66), 0.0),
    "drops": _clawed(_pad_wedge, _DROP, (44, 62), 0.0),
    "upright": _clawed(_pad_round, _WEDGE, (50, 64), 0.8),
    "fan": _clawed(_pad_round, _LEAF, (54, 72), 0.0),
    "rake": _clawed(_pad_cut, _DROP, (46, 60), 0.6),
    "thorns": _clawed(_pad_shield, _THORN, (46, 66), 0.2),
    "sabres": _clawed(_pad_bean, _SABRE, (46, 66), 0.1),
    "shards": _clawed(_pad_heel, _SHARD, (48, 66), 0.0),
}
