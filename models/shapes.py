"""Own drawings of the nine dice faces, each a filled mask made from a style and a random stream.

The styles follow what owners' dice carry (heavy cracked numerals, fat paw pads with loose claws,
towers that break apart) without copying any of them.
"""

from collections.abc import Callable
from itertools import pairwise
from typing import Final

import cv2
import numpy as np

from models.arrays import Floats, Mask

Points = Floats
Drawing = Callable[["Pen", np.random.Generator], None]

CANVAS: Final = 256
SIZE: Final = 96


class Pen:
    """A square canvas in unit coordinates (x right, y down) on which shapes are filled or cut."""

    def __init__(self) -> None:
        self.ink: Mask = np.zeros((CANVAS, CANVAS), np.uint8)

    def fill(self, points: Points | list[tuple[float, float]], value: int = 255) -> None:
        """The polygon is filled (or cut out with value 0)."""
        pixels = np.round(np.asarray(points, np.float64) * CANVAS * 16).astype(np.int32)
        cv2.fillPoly(self.ink, [pixels.reshape(-1, 1, 2)], value, cv2.LINE_AA, 4)

    def line(
        self, points: Points | list[tuple[float, float]], width: float, value: int = 255
    ) -> None:
        """The polyline is drawn with round ends, width in units."""
        pixels = np.round(np.asarray(points, np.float64) * CANVAS).astype(np.int32)
        thickness = max(1, round(width * CANVAS))
        cv2.polylines(self.ink, [pixels.reshape(-1, 1, 2)], False, value, thickness, cv2.LINE_AA)

    def oval(
        self,
        centre: tuple[float, float],
        radii: tuple[float, float],
        angle: float = 0.0,
        value: int = 255,
    ) -> None:
        """The ellipse is filled; angle in degrees."""
        turn = np.linspace(0, 2 * np.pi, 40, endpoint=False)
        ring = np.stack([np.cos(turn) * radii[0], np.sin(turn) * radii[1]], 1)
        self.fill(ring @ rotation(angle).T + np.asarray(centre), value)

    def box(self, left: float, top: float, right: float, bottom: float, value: int = 255) -> None:
        """The upright rectangle is filled."""
        self.fill([(left, top), (right, top), (right, bottom), (left, bottom)], value)


def rotation(degrees: float) -> Points:
    """The 2x2 matrix that turns by so many degrees."""
    cos, sin = np.cos(np.radians(degrees)), np.sin(np.radians(degrees))
    return np.array([[cos, -sin], [sin, cos]])


def turned(points: list[tuple[float, float]], degrees: float, at: tuple[float, float]) -> Points:
    """The points turned about `at`."""
    centre = np.asarray(at)
    return (np.asarray(points) - centre) @ rotation(degrees).T + centre


_STROKES: Final[dict[str, tuple[list[tuple[float, float]], ...]]] = {
    "one": (
        [(0.36, 0.28), (0.52, 0.14), (0.52, 0.86)],
        [(0.34, 0.86), (0.70, 0.86)],
    ),
    "two": (
        [
            (0.28, 0.32), (0.34, 0.18), (0.5, 0.12), (0.67, 0.2), (0.7, 0.36),
            (0.6, 0.52), (0.28, 0.86), (0.74, 0.86),
        ],
    ),
    "three": (
        [
            (0.28, 0.2), (0.5, 0.12), (0.68, 0.22), (0.68, 0.38), (0.48, 0.47),
            (0.7, 0.58), (0.7, 0.76), (0.5, 0.88), (0.26, 0.8),
        ],
    ),
}  # fmt: skip
_BLOCKS: Final[dict[str, tuple[tuple[float, float, float, float], ...]]] = {
    "one": ((0.42, 0.1, 0.62, 0.9), (0.28, 0.74, 0.76, 0.9), (0.3, 0.1, 0.5, 0.28)),
    "two": (
        (0.24, 0.1, 0.76, 0.27),
        (0.56, 0.1, 0.76, 0.57),
        (0.24, 0.41, 0.76, 0.57),
        (0.24, 0.41, 0.44, 0.9),
        (0.24, 0.73, 0.76, 0.9),
    ),
    "three": (
        (0.24, 0.1, 0.76, 0.27),
        (0.56, 0.1, 0.76, 0.9),
        (0.36, 0.42, 0.76, 0.58),
        (0.24, 0.73, 0.76, 0.9),
    ),
}


def _stroked(face: str) -> Drawing:
    def draw(pen: Pen, rng: np.random.Generator) -> None:
        width = rng.uniform(0.12, 0.22)
        narrow = rng.uniform(0.75, 1.05)
        for stroke in _STROKES[face]:
            points = np.asarray(stroke) + rng.normal(0, 0.012, (len(stroke), 2))
            points[:, 0] = 0.5 + (points[:, 0] - 0.5) * narrow
            pen.line(points, width)

    return draw


def _blocked(face: str) -> Drawing:
    def draw(pen: Pen, rng: np.random.Generator) -> None:
        for box in _BLOCKS[face]:
            left, top, right, bottom = np.asarray(box) + rng.normal(0, 0.012, 4)
            clip = rng.uniform(0.0, 0.06)
            pen.fill(
                [
                    (left + clip, top), (right - clip, top), (right, top + clip),
                    (right, bottom - clip), (right - clip, bottom), (left + clip, bottom),
                    (left, bottom - clip), (left, top + clip),
                ]
            )  # fmt: skip
        if face == "two" and rng.random() < 0.5:
            pen.fill([(0.24, 0.73), (0.24, 0.6), (0.6, 0.34), (0.76, 0.4), (0.44, 0.76)])
        for _ in range(int(rng.integers(0, 3))):
            bite(pen, rng)

    return draw


def _slab(face: str) -> Drawing:
    stroked = _stroked(face)

    def draw(pen: Pen, rng: np.random.Generator) -> None:
        stroked(pen, rng)
        if face == "one":
            pen.box(0.26, 0.78, 0.76, rng.uniform(0.88, 0.94))
            pen.box(0.34, 0.1, 0.58, rng.uniform(0.2, 0.26))
        elif face == "two":
            pen.box(0.66, 0.68, 0.8, 0.92)
            pen.oval((0.32, 0.33), (0.1, 0.09))
        else:
            pen.oval((0.3, 0.28), (0.09, 0.09))
            pen.oval((0.3, 0.74), (0.09, 0.09))
        bite(pen, rng)

    return draw


def bite(pen: Pen, rng: np.random.Generator) -> None:
    """A wedge-shaped crack is cut from the ink, from a random side inwards."""
    angle = rng.uniform(0, 360)
    depth = rng.uniform(0.05, 0.3)
    wedge = [(1.0, 0.5 - 0.05), (0.5 + depth, 0.5), (1.0, 0.5 + rng.uniform(0.0, 0.08))]
    shift = rng.normal(0, 0.08, 2)
    pen.fill(turned(wedge, angle, (0.5, 0.5)) + shift, 0)


def _heart_curve(pen: Pen, rng: np.random.Generator) -> None:
    turn = np.linspace(0, 2 * np.pi, 60, endpoint=False)
    x = 16 * np.sin(turn) ** 3
    y = -(13 * np.cos(turn) - 5 * np.cos(2 * turn) - 2 * np.cos(3 * turn) - np.cos(4 * turn))
    lop = rng.uniform(-0.12, 0.12)
    points = np.stack([x * (1 + lop * np.sign(x)), y * rng.uniform(0.85, 1.1) - 2], 1) / 38 + 0.5
    pen.fill(points)
    if rng.random() < 0.6:
        notch = [
            (0.46, 0.1),
            (0.5, 0.34),
            (0.43, rng.uniform(0.4, 0.52)),
            (0.53, 0.36),
            (0.56, 0.1),
        ]
        pen.fill(notch, 0)


def _heart_cut(pen: Pen, rng: np.random.Generator) -> None:
    outline = np.array(
        [
            (0.5, 0.3), (0.42, 0.16), (0.25, 0.12), (0.1, 0.24), (0.09, 0.44), (0.2, 0.62),
            (0.5, 0.92), (0.8, 0.62), (0.91, 0.44), (0.89, 0.22), (0.74, 0.11), (0.58, 0.17),
        ]
    )  # fmt: skip
    pen.fill(outline + rng.normal(0, 0.022, outline.shape))


def _heart_discs(pen: Pen, rng: np.random.Generator) -> None:
    radius = rng.uniform(0.2, 0.25)
    middle = rng.uniform(0.32, 0.4)
    pen.oval((0.5 - radius * 0.9, middle), (radius, radius))
    pen.oval((0.5 + radius * 0.9, middle), (radius, radius * rng.uniform(0.9, 1.1)))
    wide = radius * 1.75
    pen.fill(
        [(0.5 - wide, middle + 0.1), (0.5, rng.uniform(0.85, 0.95)), (0.5 + wide, middle + 0.1)]
    )
    pen.fill([(0.5 - wide, middle + 0.1), (0.5, middle - 0.05), (0.5 + wide, middle + 0.1)])


def _heart_hollow(pen: Pen, rng: np.random.Generator) -> None:
    _heart_cut(pen, rng)
    inner = cv2.erode(pen.ink, np.ones((3, 3), np.uint8), iterations=int(rng.integers(10, 20)))
    pen.ink = cv2.subtract(pen.ink, inner)


def _bolt_step(pen: Pen, rng: np.random.Generator) -> None:
    points = np.array(
        [(0.62, 0.06), (0.26, 0.52), (0.46, 0.54), (0.34, 0.94), (0.76, 0.42), (0.54, 0.4)]
    )
    points += rng.normal(0, 0.025, points.shape)
    points[:, 0] = 0.5 + (points[:, 0] - 0.5) * rng.uniform(0.8, 1.5)
    pen.fill(points)


def _bolt_spur(pen: Pen, rng: np.random.Generator) -> None:
    points = np.array(
        [
            (0.78, 0.08), (0.5, 0.1), (0.24, 0.46), (0.17, 0.5), (0.3, 0.54), (0.44, 0.5),
            (0.22, 0.92), (0.8, 0.42), (0.6, 0.44),
        ]
    )  # fmt: skip
    pen.fill(points + rng.normal(0, 0.02, points.shape))


def _bolt_zigzag(pen: Pen, rng: np.random.Generator) -> None:
    points = np.array([(0.66, 0.1), (0.38, 0.36), (0.62, 0.48), (0.34, 0.9)])
    points += rng.normal(0, 0.03, points.shape)
    for start, end, width in zip(points[:-1], points[1:], (0.2, 0.16, 0.1), strict=True):
        pen.line(np.stack([start, end]), width * rng.uniform(0.7, 1.2))


def _bolt_long(pen: Pen, rng: np.random.Generator) -> None:
    points = np.array(
        [
            (0.7, 0.04), (0.4, 0.3), (0.52, 0.34), (0.3, 0.56), (0.42, 0.6), (0.22, 0.96),
            (0.64, 0.58), (0.52, 0.53), (0.76, 0.3), (0.62, 0.26),
        ]
    )  # fmt: skip
    pen.fill(points + rng.normal(0, 0.02, points.shape))


def _star(inner: tuple[float, float], cracked: bool) -> Drawing:
    def draw(pen: Pen, rng: np.random.Generator) -> None:
        ratio = rng.uniform(*inner)
        angles = np.radians(np.arange(10) * 36 - 90 + rng.uniform(-8, 8))
        radii = np.where(np.arange(10) % 2 == 0, 0.46, 0.46 * ratio) * rng.normal(1, 0.03, 10)
        pen.fill(np.stack([np.cos(angles) * radii, np.sin(angles) * radii], 1) + 0.5)
        if cracked:
            notch = [(0.72, 0.95), (0.6, 0.7), (0.66, 0.62), (0.57, 0.56), (0.7, 0.66), (0.84, 0.9)]
            pen.fill(np.asarray(notch) + rng.normal(0, 0.015, (6, 2)), 0)

    return draw


def _star_fat(pen: Pen, rng: np.random.Generator) -> None:
    _star((0.45, 0.6), False)(pen, rng)
    pen.ink = cv2.GaussianBlur(pen.ink, (0, 0), rng.uniform(5, 10))
    pen.ink = np.where(pen.ink > 110, 255, 0).astype(np.uint8)


def _star_hollow(pen: Pen, rng: np.random.Generator) -> None:
    _star((0.4, 0.5), False)(pen, rng)
    inner = cv2.erode(pen.ink, np.ones((3, 3), np.uint8), iterations=int(rng.integers(10, 16)))
    pen.ink = cv2.subtract(pen.ink, inner)


def _talon(pen: Pen, root: Points, tip: Points, width: float, bend: float) -> None:
    along = tip - root
    across = np.array([-along[1], along[0]])
    steps = np.linspace(0, 1, 9)[:, None]
    spine = root + steps * along + np.sin(steps * np.pi) * across * bend
    unit = across / (np.linalg.norm(across) + 1e-9)
    thick = width * (1 - steps) ** 0.7 * np.minimum(1.0, 0.6 + steps * 3)
    pen.fill(np.concatenate([spine + unit * thick, (spine - unit * thick)[::-1]]))


def _claw_pad(pen: Pen, rng: np.random.Generator) -> None:
    pad = (0.5 + rng.normal(0, 0.02), rng.uniform(0.66, 0.72))
    pen.oval(pad, (rng.uniform(0.22, 0.3), rng.uniform(0.18, 0.24)))
    if rng.random() < 0.7:
        pen.oval((pad[0], pad[1] + 0.1), (0.17, 0.16))
    if rng.random() < 0.6:
        pen.fill([(0.14, 0.62), (0.34, 0.68), (0.16, 0.74)], 0)
    count = int(rng.choice([4, 4, 4, 3, 5]))
    spread = rng.uniform(48, 66)
    reach = rng.uniform(0.5, 0.6)
    near = rng.uniform(0.3, 0.36)
    width = rng.uniform(0.055, 0.09)
    for angle in np.radians(np.linspace(-spread, spread, count) + rng.normal(0, 3, count)):
        way = np.array([np.sin(angle), -np.cos(angle)])
        _talon(pen, pad + way * near, pad + way * reach, width, rng.normal(0, 0.1))


def _claw_paw(pen: Pen, rng: np.random.Generator) -> None:
    pad = np.array([0.5, 0.7])
    pen.oval((0.5, 0.7), (rng.uniform(0.2, 0.27), rng.uniform(0.16, 0.22)))
    count = int(rng.choice([4, 4, 3]))
    spread = rng.uniform(46, 60)
    for angle in np.radians(np.linspace(-spread, spread, count)):
        way = np.array([np.sin(angle), -np.cos(angle)])
        toe = pad + way * rng.uniform(0.34, 0.4)
        pen.oval((toe[0], toe[1]), (rng.uniform(0.07, 0.09), 0.11), float(np.degrees(angle)))
        _talon(pen, toe + way * 0.13, toe + way * rng.uniform(0.22, 0.28), 0.04, 0.0)


def _claw_hand(pen: Pen, rng: np.random.Generator) -> None:
    """A paw in one piece: pad, thick toes, and claws set off by a thin gap."""
    pad = np.array([0.5, 0.72])
    pen.oval((0.5, 0.74), (rng.uniform(0.22, 0.28), rng.uniform(0.16, 0.22)))
    spread = rng.uniform(44, 62)
    for angle in np.radians(np.linspace(-spread, spread, int(rng.choice([4, 4, 5, 3])))):
        way = np.array([np.sin(angle), -np.cos(angle)])
        length = rng.uniform(0.36, 0.44)
        pen.line(np.stack([pad, pad + way * length]), rng.uniform(0.09, 0.14))
        _talon(pen, pad + way * (length + 0.1), pad + way * (length + 0.26), 0.055, 0.0)
    if rng.random() < 0.5:
        inner = cv2.erode(pen.ink, np.ones((3, 3), np.uint8), iterations=int(rng.integers(6, 10)))
        pen.ink = cv2.subtract(pen.ink, inner)


def _claw_scratches(pen: Pen, rng: np.random.Generator) -> None:
    count = int(rng.integers(3, 5))
    lean = rng.uniform(-0.25, 0.25)
    for x in np.linspace(0.2, 0.8, count):
        top = np.array([x - lean * 0.5, 0.1 + rng.uniform(0, 0.1)])
        end = np.array([x + lean * 0.5, 0.9 - rng.uniform(0, 0.12)])
        middle = (top + end) / 2
        width = rng.uniform(0.05, 0.085)
        bend = rng.normal(0, 0.06)
        _talon(pen, middle, top, width, bend)
        _talon(pen, middle, end, width, -bend)


def _claw_talons(pen: Pen, rng: np.random.Generator) -> None:
    count = int(rng.integers(3, 5))
    bend = rng.uniform(0.1, 0.3) * rng.choice([-1, 1])
    for x in np.linspace(0.24, 0.76, count):
        root = np.array([x, 0.78 + rng.normal(0, 0.02)])
        _talon(pen, root, np.array([x + rng.normal(0, 0.04), 0.1]), 0.1, bend)
    pen.box(0.14, 0.78, 0.86, rng.uniform(0.86, 0.94))


def _debris(pen: Pen, rng: np.random.Generator, count: int, area: tuple[float, ...]) -> None:
    for _ in range(count):
        centre = np.array([rng.uniform(area[0], area[2]), rng.uniform(area[1], area[3])])
        corners = int(rng.integers(3, 5))
        angles = np.sort(rng.uniform(0, 2 * np.pi, corners))
        size = rng.uniform(0.03, 0.09)
        pen.fill(centre + np.stack([np.cos(angles), np.sin(angles)], 1) * size)


def _windows(
    pen: Pen, rng: np.random.Generator, area: tuple[float, ...], grid: tuple[int, int]
) -> None:
    left, top, right, bottom = area
    fill = rng.uniform(0.4, 0.62)
    for column in range(grid[0]):
        for row in range(grid[1]):
            wide, high = (right - left) / grid[0], (bottom - top) / grid[1]
            x, y = left + (column + 0.5) * wide, top + (row + 0.5) * high
            pen.box(
                x - wide * fill / 2,
                y - high * fill / 2,
                x + wide * fill / 2,
                y + high * fill / 2,
                0,
            )


def _tower_split(pen: Pen, rng: np.random.Generator) -> None:
    left, right = 0.32 + rng.normal(0, 0.02), 0.68 + rng.normal(0, 0.02)
    base = rng.uniform(0.86, 0.92)
    gap = rng.uniform(0.5, 0.6)
    pen.fill([(left, gap + 0.06), (0.45, gap + 0.12), (0.55, gap), (right, gap + 0.08),
              (right, base), (left, base)])  # fmt: skip
    _windows(pen, rng, (left, gap + 0.12, right, base - 0.02), (2, 1))
    pen.box(left - 0.16, base, right + 0.16, base + 0.07)
    lower, pen.ink = pen.ink, np.zeros_like(pen.ink)
    upper = [(left, 0.1), (right, 0.1), (right, gap - 0.06), (0.54, gap - 0.12)]
    pen.fill([*upper, (0.44, gap - 0.02), (left, gap - 0.08)])
    _windows(pen, rng, (left + 0.02, 0.14, right - 0.02, gap - 0.12), (2, 2))
    tilt = rng.uniform(6, 24) * rng.choice([-1, 1])
    grid = cv2.getRotationMatrix2D((CANVAS * 0.5, CANVAS * 0.45), tilt, 1.0)
    grid[:, 2] = grid[:, 2] + rng.normal(0, 6, 2)
    pen.ink = cv2.max(lower, cv2.warpAffine(pen.ink, grid, (CANVAS, CANVAS)))
    _debris(pen, rng, int(rng.integers(1, 4)), (0.06, 0.3, 0.24, 0.8))
    _debris(pen, rng, int(rng.integers(1, 4)), (0.76, 0.3, 0.94, 0.8))


def _battlements(pen: Pen, rng: np.random.Generator, area: tuple[float, ...]) -> None:
    left, top, right, bottom = area
    pen.box(left, top, right, bottom)
    teeth = int(rng.choice([3, 3, 4]))
    step = (right - left) / (2 * teeth - 1)
    for tooth in range(teeth - 1):
        x = left + step * (2 * tooth + 1)
        pen.box(x, top - 0.01, x + step, top + (bottom - top) * 0.6, 0)


def _rook_crumbling(pen: Pen, rng: np.random.Generator) -> None:
    """A crenellated tower whose one side falls away in chips."""
    left, right = rng.uniform(0.12, 0.24), rng.uniform(0.62, 0.74)
    _battlements(pen, rng, (left, 0.1, right, rng.uniform(0.28, 0.34)))
    pen.box(left + 0.06, 0.3, right - 0.06, 0.82)
    pen.box(left, 0.8, right + rng.uniform(0.0, 0.2), 0.92)
    if rng.random() < 0.6:
        pen.oval((left + 0.2, 0.5), (0.04, 0.07), 0.0, 0)
    edge = [(right + 0.05, 0.0)]
    for y in np.linspace(0.05, 0.8, int(rng.integers(5, 9))):
        edge.append((rng.uniform(right - 0.3, right - 0.02) + 0.1 * (y - 0.4), float(y)))
    edge.append((right + 0.05, 0.8))
    pen.fill(edge, 0)
    _debris(pen, rng, int(rng.integers(4, 10)), (right - 0.2, 0.12, 0.92, 0.86))


def _rook_cracked(pen: Pen, rng: np.random.Generator) -> None:
    left, right = 0.24 + rng.normal(0, 0.02), 0.76 + rng.normal(0, 0.02)
    _battlements(pen, rng, (left, 0.12, right, 0.36))
    narrow = rng.uniform(0.04, 0.1)
    pen.fill([(left + narrow, 0.34), (right - narrow, 0.34), (right, 0.84), (left, 0.84)])
    pen.box(left - 0.06, 0.82, right + 0.06, 0.92)
    crack = [(0.5 + rng.normal(0, 0.06), y) for y in np.linspace(0.3, 0.82, 6)]
    pen.line(np.asarray(crack) + rng.normal(0, 0.02, (6, 2)), rng.uniform(0.025, 0.05), 0)
    if rng.random() < 0.5:
        pen.fill(
            [(right + 0.02, 0.06), (right - 0.2, 0.08), (right - 0.1, 0.32), (right + 0.02, 0.4)], 0
        )
        _debris(pen, rng, 3, (0.66, 0.1, 0.95, 0.4))


def _block_broken(pen: Pen, rng: np.random.Generator) -> None:
    """An office block with rows of windows and a jagged, broken-off top."""
    left, right = rng.uniform(0.2, 0.3), rng.uniform(0.7, 0.8)
    top = rng.uniform(0.12, 0.26)
    jag = [(float(x), top + rng.uniform(-0.06, 0.14)) for x in np.linspace(left, right, 6)]
    pen.fill([*jag, (right, 0.9), (left, 0.9)])
    _windows(pen, rng, (left + 0.03, top + 0.16, right - 0.03, 0.84),
             (int(rng.integers(2, 4)), int(rng.integers(2, 4))))  # fmt: skip
    pen.box(left - 0.1, 0.88, right + 0.1, 0.95)
    _debris(pen, rng, int(rng.integers(1, 5)), (0.06, 0.05, 0.94, 0.2))


def _block_leaning(pen: Pen, rng: np.random.Generator) -> None:
    lean = rng.uniform(10, 26) * rng.choice([-1, 1])
    pen.box(0.34, 0.08, 0.66, 0.86)
    _windows(pen, rng, (0.37, 0.14, 0.63, 0.7), (2, int(rng.integers(2, 5))))
    grid = cv2.getRotationMatrix2D((CANVAS * 0.5, CANVAS * 0.86), -lean, 0.95)
    pen.ink = cv2.warpAffine(pen.ink, grid, (CANVAS, CANVAS))
    pen.box(0.1, 0.84, 0.9, rng.uniform(0.9, 0.95))
    _debris(pen, rng, int(rng.integers(3, 7)), (0.1, 0.6, 0.9, 0.84))


def _skyline_hit(pen: Pen, rng: np.random.Generator) -> None:
    edges = np.linspace(0.1, 0.9, 4)
    for left, right in pairwise(edges):
        top = rng.uniform(0.15, 0.5)
        pen.fill([(left, top), (right - 0.02, top + rng.uniform(-0.1, 0.1)), (right - 0.02, 0.9),
                  (left, 0.9)])  # fmt: skip
        _windows(pen, rng, (left + 0.02, top + 0.12, right - 0.04, 0.85), (2, 3))
    bite(pen, rng)
    _debris(pen, rng, 3, (0.1, 0.06, 0.9, 0.3))


def _house_cracked(pen: Pen, rng: np.random.Generator) -> None:
    pen.fill(
        [(0.5, 0.1), (0.92, 0.46), (0.82, 0.5), (0.82, 0.9), (0.18, 0.9), (0.18, 0.5), (0.08, 0.46)]
    )
    crack = [(0.5, 0.08), (0.56, 0.3), (0.46, 0.46), (0.56, 0.62), (0.48, 0.9)]
    pen.line(np.asarray(crack) + rng.normal(0, 0.02, (5, 2)), rng.uniform(0.04, 0.08), 0)
    pen.box(0.26, 0.58, 0.38, 0.72, 0)
    if rng.random() < 0.6:
        pen.box(0.64, 0.58, 0.76, 0.72, 0)


def _skull_front(pen: Pen, rng: np.random.Generator) -> None:
    pen.oval((0.5, 0.42), (rng.uniform(0.32, 0.38), rng.uniform(0.28, 0.34)))
    jaw = rng.uniform(0.18, 0.24)
    end = rng.uniform(0.82, 0.92)
    pen.box(0.5 - jaw, 0.55, 0.5 + jaw, end)
    size = rng.uniform(0.08, 0.12)
    pen.oval((0.35, 0.46), (size, size * rng.uniform(0.9, 1.3)), 0, 0)
    pen.oval((0.65, 0.46), (size * rng.uniform(0.7, 1.1), size), 0, 0)
    pen.fill([(0.5, 0.56), (0.56, 0.68), (0.44, 0.68)], 0)
    for x in np.linspace(0.5 - jaw, 0.5 + jaw, int(rng.integers(3, 6)))[1:-1]:
        pen.line([(x, 0.76), (x, end + 0.03)], rng.uniform(0.02, 0.04), 0)


def _skull_cracked(pen: Pen, rng: np.random.Generator) -> None:
    pen.oval((0.52, 0.42), (0.36, 0.33), rng.uniform(-15, 15))
    pen.fill([(0.32, 0.6), (0.74, 0.6), (0.7, 0.8), (0.36, 0.82)])
    pen.oval((0.38, 0.48), (rng.uniform(0.1, 0.13), 0.11), 0, 0)
    pen.oval((0.66, 0.5), (rng.uniform(0.05, 0.08), 0.07), 0, 0)
    pen.line([(0.52, 0.58), (0.5 + rng.normal(0, 0.02), 0.7)], 0.04, 0)
    crack = np.array([(0.74, 0.06), (0.66, 0.2), (0.72, 0.26), (0.62, 0.36)])
    pen.line(crack + rng.normal(0, 0.015, (4, 2)), rng.uniform(0.025, 0.045), 0)
    for x in np.linspace(0.38, 0.68, int(rng.integers(3, 5))):
        tip = x + (x - 0.52) * 0.5
        pen.fill([(x - 0.05, 0.8), (x + 0.05, 0.8), (tip, 0.94)])


def _skull_jawless(pen: Pen, rng: np.random.Generator) -> None:
    pen.oval((0.5, 0.42), (0.42, 0.3))
    pen.fill([(0.22, 0.56), (0.78, 0.56), (0.68, 0.76), (0.32, 0.76)])
    pen.oval((0.33, 0.48), (rng.uniform(0.09, 0.13), 0.11), rng.uniform(-20, 20), 0)
    pen.oval((0.68, 0.48), (rng.uniform(0.07, 0.11), 0.09), rng.uniform(-20, 20), 0)
    pen.fill([(0.5, 0.58), (0.55, 0.7), (0.45, 0.7)], 0)
    for x in (0.37, 0.5, 0.63):
        pen.fill([(x - 0.05, 0.76), (x + 0.05, 0.76), (x + rng.normal(0, 0.01), 0.9)])


def _skull_angry(pen: Pen, rng: np.random.Generator) -> None:
    pen.oval((0.5, 0.4), (0.34, 0.32))
    pen.fill([(0.26, 0.5), (0.74, 0.5), (0.68, 0.9), (0.32, 0.9)])
    drop = rng.uniform(0.04, 0.1)
    for side in (-1, 1):
        x = 0.5 + side * 0.17
        pen.fill([(x - 0.1, 0.44 + side * -drop / 2), (x + 0.1, 0.44 + side * drop / 2 - 0.02),
                  (x + 0.06, 0.56), (x - 0.06, 0.56)], 0)  # fmt: skip
    pen.fill([(0.5, 0.56), (0.54, 0.66), (0.46, 0.66)], 0)
    pen.line([(0.32, 0.76), (0.68, 0.76)], 0.03, 0)
    for x in np.linspace(0.38, 0.62, int(rng.integers(3, 5))):
        pen.line([(x, 0.7), (x, 0.84)], 0.025, 0)


def _skull_bones(pen: Pen, rng: np.random.Generator) -> None:
    for side in (-1, 1):
        pen.line([(0.5 - side * 0.4, 0.6), (0.5 + side * 0.4, 0.92)], 0.09)
    pen.oval((0.5, 0.42), (0.29, 0.28), 0, 0)
    upper = Pen()
    _skull_front(upper, rng)
    small = cv2.resize(upper.ink, None, fx=0.78, fy=0.78, interpolation=cv2.INTER_AREA)
    left = (CANVAS - small.shape[1]) // 2
    window = pen.ink[4 : 4 + small.shape[0], left : left + small.shape[1]]
    solid = cv2.dilate(small, np.ones((9, 9), np.uint8))
    window[:] = np.where(solid > 0, small, window)


DRAWINGS: Final[dict[str, dict[str, Drawing]]] = {
    "energy": {"step": _bolt_step, "spur": _bolt_spur, "zigzag": _bolt_zigzag, "long": _bolt_long},
    "attack": {
        "pad": _claw_pad,
        "paw": _claw_paw,
        "hand": _claw_hand,
        "scratches": _claw_scratches,
        "talons": _claw_talons,
    },
    "destruction": {
        "split": _tower_split,
        "rook": _rook_crumbling,
        "cracked": _rook_cracked,
        "block": _block_broken,
        "leaning": _block_leaning,
        "skyline": _skyline_hit,
        "house": _house_cracked,
    },
    "heal": {
        "curve": _heart_curve,
        "cut": _heart_cut,
        "discs": _heart_discs,
        "hollow": _heart_hollow,
    },
    "celebrity": {
        "sharp": _star((0.34, 0.42), False),
        "cracked": _star((0.38, 0.5), True),
        "fat": _star_fat,
        "hollow": _star_hollow,
    },
    "ouch": {
        "front": _skull_front,
        "cracked": _skull_cracked,
        "jawless": _skull_jawless,
        "angry": _skull_angry,
        "bones": _skull_bones,
    },
    **{
        face: {"stroked": _stroked(face), "blocked": _blocked(face), "slab": _slab(face)}
        for face in ("one", "two", "three")
    },
}


def fitted(ink: Mask) -> Mask:
    """The ink cropped to its bounds, centred and scaled to fill a (SIZE, SIZE) mask."""
    rows, columns = np.nonzero(ink > 60)
    if len(rows) == 0:
        return np.zeros((SIZE, SIZE), np.uint8)
    part = ink[rows.min() : rows.max() + 1, columns.min() : columns.max() + 1]
    scale = (SIZE - 4) / max(part.shape)
    size = (max(1, round(part.shape[1] * scale)), max(1, round(part.shape[0] * scale)))
    small = cv2.resize(part, size, interpolation=cv2.INTER_AREA)
    mask = np.zeros((SIZE, SIZE), np.uint8)
    top, left = (SIZE - small.shape[0]) // 2, (SIZE - small.shape[1]) // 2
    mask[top : top + small.shape[0], left : left + small.shape[1]] = small
    return mask


def drawn(face: str, style: str, rng: np.random.Generator) -> Mask:
    """One jittered drawing of the face in the style, (SIZE, SIZE) uint8, ink 255."""
    pen = Pen()
    DRAWINGS[face][style](pen, rng)
    grid = cv2.getRotationMatrix2D((CANVAS / 2, CANVAS / 2), rng.normal(0, 4), 0.96)
    grid[0, 1] += rng.normal(0, 0.04)
    return fitted(cv2.warpAffine(pen.ink, grid, (CANVAS, CANVAS)))
