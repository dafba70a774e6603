"""Wide styles of *ouch*: skulls with varying cranium, jaw, eyes, nose and teeth."""

from typing import Final

import numpy as np

from models.art.plans import Plan, Polyline, grown, inked, slit, smooth, spike, zigzag
from models.art.shapes import CANVAS, Drawing, Pen, rotation

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
