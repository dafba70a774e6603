"""Own drawings with many parts: wide styles of *ouch*, skulls with varying cranium, jaw, eyes, nose
and teeth; paws with claws, and broken buildings.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Final

import cv2
import numpy as np

from models.art.shapes import (
    CANVAS,
    Drawing,
    Pen,
    Plan,
    Points,
    Polyline,
    bite,
    grown,
    inked,
    rotation,
    slit,
    smooth,
    spike,
    zigzag,
)

_CRANIA: Final[dict[str, Polyline]] = {
    "egg": [(0.5, 0.02), (0.2, 0.08), (0.1, 0.32), (0.14, 0.56), (0.34, 0.7), (0.66, 0.7),
            (0.86, 0.56), (0.9, 0.32), (0.8, 0.08)],
    "bulb": [(0.5, 0.0), (0.18, 0.04), (0.04, 0.3), (0.12, 0.58), (0.3, 0.62), (0.34, 0.74),
             (0.66, 0.74), (0.7, 0.62), (0.88, 0.58), (0.96, 0.3), (0.82, 0.04)],
    "box": [(0.14, 0.08), (0.5, 0.05), (0.86, 0.08), (0.9, 0.5), (0.76, 0.68), (0.24, 0.68),
            (0.1, 0.5)],
    "wedge": [(0.5, 0.06), (0.16, 0.12), (0.06, 0.36), (0.26, 0.7), (0.74, 0.7), (0.94, 0.36),
              (0.84, 0.12)],
    "tall": [(0.5, 0.02), (0.28, 0.06), (0.2, 0.3), (0.22, 0.66), (0.78, 0.66), (0.8, 0.3),
             (0.72, 0.06)],
}  # fmt: skip


def _cranium(plan: Plan, rng: np.random.Generator) -> None:
    names = list(_CRANIA)
    ring = np.asarray(_CRANIA[names[int(rng.integers(len(names)))]])
    ring = ring + rng.normal(0, 0.015, ring.shape)
    ring[:, 0] = 0.5 + (ring[:, 0] - 0.5) * rng.uniform(0.82, 1.02)
    plan.solid.fill(ring if rng.random() < 0.25 else smooth(ring, 3))


def _teeth(plan: Plan, rng: np.random.Generator, half: float, end: float) -> None:
    """Draw slits, notches, splayed wedges, fangs, a stitched mouth, or nothing at the jaw's end."""
    kind = rng.choice(["slits", "notches", "wedges", "fangs", "stitches", "none"])
    count = int(rng.integers(2, 5))
    places = np.linspace(0.5 - half, 0.5 + half, count + 2)[1:-1]
    width = min(rng.uniform(0.025, 0.05), half / (count + 1))
    if kind == "slits":
        for x in places:
            plan.holes.box(x - width / 2, end - rng.uniform(0.1, 0.14), x + width / 2, end + 0.02)
    elif kind == "notches":
        for x in places:
            plan.solid.fill([(x - width, end + 0.01), (x, end - 0.12), (x + width, end + 0.01)], 0)
    elif kind == "wedges":
        splay = rng.uniform(0.0, 0.5)
        step = 2 * half / (count + 1)
        for x in np.linspace(0.5 - half + step / 2, 0.5 + half - step / 2, count + 1):
            tip, near = x + (x - 0.5) * splay, step * 0.44
            plan.solid.fill([(x - near, end - 0.02), (x + near, end - 0.02), (tip + near * 0.5,
                             end + 0.1), (tip - near * 0.5, end + 0.1)])  # fmt: skip
    elif kind == "fangs":
        for side in (-1, 1):
            x = 0.5 + side * half * rng.uniform(0.5, 0.8)
            plan.solid.fill([(x - 0.05, end - 0.02), (x + 0.05, end - 0.02), (x, end + 0.13)])
    elif kind == "stitches":
        y = end - rng.uniform(0.08, 0.11)
        plan.holes.box(0.5 - half * 0.8, y - 0.015, 0.5 + half * 0.8, y + 0.015)
        for x in places:
            plan.holes.box(x - 0.015, y - 0.055, x + 0.015, y + 0.055)


def _jaw(plan: Plan, rng: np.random.Generator) -> None:
    """Draw no jaw, a box, a tapering or a broad one, and its teeth."""
    end, half = rng.uniform(0.82, 0.92), rng.uniform(0.17, 0.27)
    kind = rng.choice(["none", "box", "taper", "broad", "loose"])
    if kind == "none":
        end = rng.uniform(0.68, 0.74)
        plan.solid.box(0.5 - half, 0.6, 0.5 + half, end)
    elif kind == "box":
        plan.solid.box(0.5 - half, 0.58, 0.5 + half, end)
    elif kind == "taper":
        plan.solid.fill([(0.5 - half * 1.25, 0.55), (0.5 + half * 1.25, 0.55),
                         (0.5 + half * 0.75, end), (0.5 - half * 0.75, end)])  # fmt: skip
        half *= 0.75
    elif kind == "broad":
        plan.solid.fill([(0.26, 0.58), (0.74, 0.58), (0.5 + half * 1.2, end), (0.5 - half * 1.2,
                         end)])  # fmt: skip
    else:
        plan.solid.box(0.5 - half, 0.6, 0.5 + half, 0.74)
        plan.solid.fill([(0.5 - half, 0.8), (0.5 + half, 0.8), (0.5 + half * 0.8, 0.94),
                         (0.5 - half * 0.8, 0.94)])  # fmt: skip
        end = 0.74
    _teeth(plan, rng, half, end)


def _nose(plan: Plan, rng: np.random.Generator) -> None:
    y, size = rng.uniform(0.55, 0.6), rng.uniform(0.045, 0.07)
    kind = rng.choice(["wedge", "slits", "heart", "slot", "none"], p=[0.4, 0.15, 0.2, 0.15, 0.1])
    if kind == "wedge":
        plan.holes.fill([(0.5, y - size), (0.5 + size, y + size), (0.5 - size, y + size)])
    elif kind == "slits":
        for side in (-1, 1):
            x = 0.5 + side * 0.035
            plan.holes.fill([(x, y - size), (x + side * 0.045, y + size), (x, y + size)])
    elif kind == "heart":
        plan.holes.fill([(0.5, y - size * 1.2), (0.5 + size, y + size), (0.5, y + size * 0.4),
                         (0.5 - size, y + size)])  # fmt: skip
    elif kind == "slot":
        plan.holes.box(0.48, y - size, 0.52, y + size)


def _eye(plan: Plan, rng: np.random.Generator, kind: str, side: int, size: float) -> None:
    """Draw one eye of the kind at the side, -1 left or 1 right."""
    half = float((plan.solid.ink[round(CANVAS * 0.41)] > 127).sum()) / CANVAS / 2
    size = min(size, half * 0.38)
    at = np.array([0.5 + side * half * rng.uniform(0.44, 0.52), rng.uniform(0.38, 0.43)])
    if kind == "round":
        plan.holes.oval((at[0], at[1]), (size, size * rng.uniform(0.85, 1.25)),
                        side * rng.uniform(-25, 25))  # fmt: skip
    elif kind == "slanted":
        drop = rng.uniform(0.04, 0.1)
        corners = np.array([(side * 1.25, -0.5), (-side * 0.9, -0.2), (-side * 0.7, 0.9),
                            (side, 0.7)]) * size  # fmt: skip
        corners[:2, 1] += [-drop, drop * 0.6]
        plan.holes.fill(at + corners)
    elif kind == "square":
        box = np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)]) * size * 0.9
        plan.holes.fill(at + box @ rotation(rng.uniform(-12, 12)).T)
    elif kind == "crossed":
        for slope in (-1, 1):
            ends = at + np.array([(-size, -size * slope), (size, size * slope)]) * 0.85
            plan.holes.line(ends, rng.uniform(0.055, 0.07))
    else:
        line = at + np.array([(-size, size * 0.3), (0, -size * 0.3), (size, size * 0.3)])
        plan.holes.line(line, rng.uniform(0.05, 0.065))


def _crack(plan: Plan, rng: np.random.Generator) -> None:
    x = rng.uniform(0.3, 0.75)
    ends = ((x, -0.02), (x + rng.uniform(-0.12, 0.12), rng.uniform(0.24, 0.34)))
    slit(plan.solid, zigzag(rng, ends, 2, rng.uniform(0.03, 0.05)), (0.07, 0.03))


def _horns(plan: Plan, rng: np.random.Generator) -> None:
    out, up = rng.uniform(0.38, 0.5), rng.uniform(-0.12, 0.05)
    for side in (-1, 1):
        root, tip = np.array([0.5 + side * 0.24, 0.2]), np.array([0.5 + side * out, up])
        plan.solid.fill(spike(root, tip, rng.uniform(0.16, 0.22), side * rng.uniform(0.1, 0.35)))


def _crossbones(plan: Plan, rng: np.random.Generator) -> Plan:
    """Draw two bones with knobbed ends, crossed behind or below the skull."""
    bones = Plan()
    y, rise, width = rng.uniform(0.6, 0.74), rng.uniform(0.1, 0.17), rng.uniform(0.08, 0.11)
    for slope in (-1, 1):
        ends = np.array([(0.12, y - rise * slope), (0.88, y + rise * slope)])
        bones.solid.line(ends, width)
        for x, level in ends:
            for part in (-0.045, 0.045):
                bones.solid.oval((x, level + part), (0.055, 0.055))
    small = plan.warped(np.array([[0.82, 0.0, 23.0], [0.0, 0.82, 4.0]]))
    bones.solid.ink[grown(small.solid.ink, rng.uniform(0.03, 0.05)) > 127] = 0
    bones.joined(small)
    return bones


def _aside(plan: Plan, rng: np.random.Generator) -> Plan:
    """Narrow one half of the skull and lean it, as seen from the side of its front."""
    shear = rng.uniform(0.08, 0.25) * rng.choice([-1, 1])
    leant = plan.warped(np.array([[0.9, shear * 0.5, 13 - shear * 64], [shear * 0.6, 0.9,
                                  13 - shear * 70]]))  # fmt: skip
    return leant.moved(rng.uniform(-18, 18), (0.0, 0.0))


def _skull(kinds: tuple[str, str], extra: str, outlines: float) -> Drawing:
    """Draw a skull whose left and right eye are of the kinds, with horns, bones or nothing more."""

    def draw(pen: Pen, rng: np.random.Generator) -> None:
        plan = Plan()
        if extra == "horns":
            _horns(plan, rng)
        _cranium(plan, rng)
        _jaw(plan, rng)
        size = rng.uniform(0.085, 0.13)
        lopsided = rng.uniform(0.55, 1.0) if rng.random() < 0.5 or extra == "aside" else 1.0
        for side, kind in zip((-1, 1), kinds, strict=True):
            _eye(plan, rng, kind, side, max(0.065, size * (lopsided if side > 0 else 1.0)))
        _nose(plan, rng)
        if rng.random() < 0.4:
            _crack(plan, rng)
        plan = plan.warped(np.array([[0.84, 0.0, 20.0], [0.0, 0.84, 24.0]]))
        if extra == "bones":
            plan = _crossbones(plan, rng)
        elif extra == "aside":
            plan = _aside(plan, rng)
        pen.ink = inked(plan, rng, outlines)
        if rng.random() < 0.5:
            pen.ink = np.ascontiguousarray(pen.ink[:, ::-1])

    return draw


BONES: Final[dict[str, Drawing]] = {
    "any-round": _skull(("round", "round"), "", 0.0),
    "any-slanted": _skull(("slanted", "slanted"), "", 0.2),
    "any-square": _skull(("square", "square"), "", 0.2),
    "any-crossed": _skull(("crossed", "crossed"), "", 0.2),
    "any-winking": _skull(("round", "closed"), "", 0.1),
    "any-one-crossed": _skull(("round", "crossed"), "", 0.1),
    "any-horned": _skull(("slanted", "slanted"), "horns", 0.15),
    "any-crossbones": _skull(("round", "round"), "bones", 0.0),
    "any-aside": _skull(("round", "round"), "aside", 0.1),
    "any-outlined": _skull(("round", "round"), "", 1.0),
}
"""The wide styles of ouch."""


def _talon(pen: Pen, root: Points, tip: Points, width: float, bend: float) -> None:
    along = tip - root
    across = np.array([-along[1], along[0]])
    steps = np.linspace(0, 1, 9)[:, None]
    spine = root + steps * along + np.sin(steps * np.pi) * across * bend
    unit = across / (np.linalg.norm(across) + 1e-9)
    thick = width * (1 - steps) ** 0.7 * np.minimum(1.0, 0.6 + steps * 3)
    pen.fill(np.concatenate([spine + unit * thick, (spine - unit * thick)[::-1]]))


def claw_pad(pen: Pen, rng: np.random.Generator) -> None:
    """A round pad with claws."""
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


def claw_paw(pen: Pen, rng: np.random.Generator) -> None:
    """A paw with toes and claws."""
    pad = np.array([0.5, 0.7])
    pen.oval((0.5, 0.7), (rng.uniform(0.2, 0.27), rng.uniform(0.16, 0.22)))
    count = int(rng.choice([4, 4, 3]))
    spread = rng.uniform(46, 60)
    for angle in np.radians(np.linspace(-spread, spread, count)):
        way = np.array([np.sin(angle), -np.cos(angle)])
        toe = pad + way * rng.uniform(0.34, 0.4)
        pen.oval((toe[0], toe[1]), (rng.uniform(0.07, 0.09), 0.11), float(np.degrees(angle)))
        _talon(pen, toe + way * 0.13, toe + way * rng.uniform(0.22, 0.28), 0.04, 0.0)


def claw_hand(pen: Pen, rng: np.random.Generator) -> None:
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


def claw_scratches(pen: Pen, rng: np.random.Generator) -> None:
    """Parallel scratches."""
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


def claw_talons(pen: Pen, rng: np.random.Generator) -> None:
    """Talons side by side on a bar."""
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


def tower_split(pen: Pen, rng: np.random.Generator) -> None:
    """A tower that is split."""
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


def rook_crumbling(pen: Pen, rng: np.random.Generator) -> None:
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


def rook_cracked(pen: Pen, rng: np.random.Generator) -> None:
    """A crenellated tower with a crack."""
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


def block_broken(pen: Pen, rng: np.random.Generator) -> None:
    """An office block with rows of windows and a jagged, broken-off top."""
    left, right = rng.uniform(0.2, 0.3), rng.uniform(0.7, 0.8)
    top = rng.uniform(0.12, 0.26)
    jag = [(float(x), top + rng.uniform(-0.06, 0.14)) for x in np.linspace(left, right, 6)]
    pen.fill([*jag, (right, 0.9), (left, 0.9)])
    _windows(pen, rng, (left + 0.03, top + 0.16, right - 0.03, 0.84),
             (int(rng.integers(2, 4)), int(rng.integers(2, 4))))  # fmt: skip
    pen.box(left - 0.1, 0.88, right + 0.1, 0.95)
    _debris(pen, rng, int(rng.integers(1, 5)), (0.06, 0.05, 0.94, 0.2))


def block_leaning(pen: Pen, rng: np.random.Generator) -> None:
    """A leaning office block."""
    lean = rng.uniform(10, 26) * rng.choice([-1, 1])
    pen.box(0.34, 0.08, 0.66, 0.86)
    _windows(pen, rng, (0.37, 0.14, 0.63, 0.7), (2, int(rng.integers(2, 5))))
    grid = cv2.getRotationMatrix2D((CANVAS * 0.5, CANVAS * 0.86), -lean, 0.95)
    pen.ink = cv2.warpAffine(pen.ink, grid, (CANVAS, CANVAS))
    pen.box(0.1, 0.84, 0.9, rng.uniform(0.9, 0.95))
    _debris(pen, rng, int(rng.integers(3, 7)), (0.1, 0.6, 0.9, 0.84))


def skyline_hit(pen: Pen, rng: np.random.Generator) -> None:
    """A skyline with a hit building."""
    edges = np.linspace(0.1, 0.9, 4)
    for left, right in pairwise(edges):
        top = rng.uniform(0.15, 0.5)
        pen.fill([(left, top), (right - 0.02, top + rng.uniform(-0.1, 0.1)), (right - 0.02, 0.9),
                  (left, 0.9)])  # fmt: skip
        _windows(pen, rng, (left + 0.02, top + 0.12, right - 0.04, 0.85), (2, 3))
    bite(pen, rng)
    _debris(pen, rng, 3, (0.1, 0.06, 0.9, 0.3))


def house_cracked(pen: Pen, rng: np.random.Generator) -> None:
    """A house with a crack."""
    pen.fill(
        [(0.5, 0.1), (0.92, 0.46), (0.82, 0.5), (0.82, 0.9), (0.18, 0.9), (0.18, 0.5), (0.08, 0.46)]
    )
    crack = [(0.5, 0.08), (0.56, 0.3), (0.46, 0.46), (0.56, 0.62), (0.48, 0.9)]
    pen.line(np.asarray(crack) + rng.normal(0, 0.02, (5, 2)), rng.uniform(0.04, 0.08), 0)
    pen.box(0.26, 0.58, 0.38, 0.72, 0)
    if rng.random() < 0.6:
        pen.box(0.64, 0.58, 0.76, 0.72, 0)


def skull_front(pen: Pen, rng: np.random.Generator) -> None:
    """A skull from the front."""
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


def skull_cracked(pen: Pen, rng: np.random.Generator) -> None:
    """A skull with a crack."""
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


def skull_jawless(pen: Pen, rng: np.random.Generator) -> None:
    """A skull without a jaw."""
    pen.oval((0.5, 0.42), (0.42, 0.3))
    pen.fill([(0.22, 0.56), (0.78, 0.56), (0.68, 0.76), (0.32, 0.76)])
    pen.oval((0.33, 0.48), (rng.uniform(0.09, 0.13), 0.11), rng.uniform(-20, 20), 0)
    pen.oval((0.68, 0.48), (rng.uniform(0.07, 0.11), 0.09), rng.uniform(-20, 20), 0)
    pen.fill([(0.5, 0.58), (0.55, 0.7), (0.45, 0.7)], 0)
    for x in (0.37, 0.5, 0.63):
        pen.fill([(x - 0.05, 0.76), (x + 0.05, 0.76), (x + rng.normal(0, 0.01), 0.9)])


def skull_angry(pen: Pen, rng: np.random.Generator) -> None:
    """A skull with slanted eyes."""
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


def skull_bones(pen: Pen, rng: np.random.Generator) -> None:
    """A skull with crossed bones."""
    for side in (-1, 1):
        pen.line([(0.5 - side * 0.4, 0.6), (0.5 + side * 0.4, 0.92)], 0.09)
    pen.oval((0.5, 0.42), (0.29, 0.28), 0, 0)
    upper = Pen()
    skull_front(upper, rng)
    small = cv2.resize(upper.ink, None, fx=0.78, fy=0.78, interpolation=cv2.INTER_AREA)
    left = (CANVAS - small.shape[1]) // 2
    window = pen.ink[4 : 4 + small.shape[0], left : left + small.shape[1]]
    solid = cv2.dilate(small, np.ones((9, 9), np.uint8))
    window[:] = np.where(solid > 0, small, window)
