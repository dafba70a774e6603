"""Own drawings with many parts: towers that break apart, pads with loose claws."""

from collections.abc import Callable
from typing import Final

import cv2
import numpy as np

from models.art.shapes import CANVAS, Drawing, Pen, Points, rotation

Polyline = list[tuple[float, float]]


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
