"""Wide styles of *destruction*: varying buildings, with or without windows, and their ruins."""

from collections.abc import Callable
from typing import Final

import numpy as np

from models.art.shapes import (
    CANVAS,
    Draft,
    Drawing,
    Pen,
    Plan,
    Polyline,
    area,
    bitten,
    chip,
    grown,
    inked,
    slit,
    smooth,
    zigzag,
)

RuinEffect = Callable[[Plan, np.random.Generator], Plan]


def _windows(plan: Plan, rng: np.random.Generator, box: tuple[float, ...]) -> None:
    """Cut no window, one, a few or a grid of windows, square or round, in the box."""
    left, top, right, bottom = box
    if rng.random() < 0.15:
        return
    columns = int(rng.integers(1, 1 + max(1, min(3, int((right - left) / 0.13)))))
    rows = int(rng.integers(1, 1 + max(1, min(4, int((bottom - top) / 0.15)))))
    wide = (right - left) / columns * rng.uniform(0.3, 0.6) / 2
    high = (bottom - top) / rows * rng.uniform(0.35, 0.6) / 2
    wide, high = min(wide, 0.08), min(high, 0.1)
    rounded, skipped = rng.random() < 0.25, rng.choice([0.0, 0.0, 0.2])
    for x in (np.arange(columns) + 0.5) / columns * (right - left) + left:
        for y in (np.arange(rows) + 0.5) / rows * (bottom - top) + top:
            if rng.random() < skipped:
                continue
            if rounded:
                plan.holes.oval((x, y), (min(wide, high), min(wide, high)))
            else:
                plan.holes.box(x - wide, y - high, x + wide, y + high)


def _door(plan: Plan, rng: np.random.Generator, x: float) -> None:
    wide, high = rng.uniform(0.04, 0.07), rng.uniform(0.1, 0.18)
    plan.holes.box(x - wide, 0.91 - high, x + wide, 0.91)
    if rng.random() < 0.5:
        plan.holes.oval((x, 0.91 - high), (wide, wide))


def _merlons(plan: Plan, rng: np.random.Generator, box: tuple[float, ...], teeth: int) -> None:
    """Draw a battlement in the box: a wall with teeth on top."""
    left, top, right, bottom = box
    plan.solid.box(left, top, right, bottom)
    step = (right - left) / (2 * teeth - 1)
    deep = top + (bottom - top) * rng.uniform(0.4, 0.7)
    for gap in range(teeth - 1):
        x = left + step * (2 * gap + 1)
        plan.solid.box(x, top - 0.01, x + step, deep, 0)


def _block(rng: np.random.Generator) -> Plan:
    plan, half, top = Plan(), rng.uniform(0.15, 0.32), rng.uniform(0.08, 0.2)
    plan.solid.box(0.5 - half, top, 0.5 + half, 0.9)
    if rng.random() < 0.35:
        plan.solid.box(0.5 - half - 0.04, top, 0.5 + half + 0.04, top + 0.08)
    _windows(plan, rng, (0.53 - half, top + 0.06, 0.47 + half, 0.74))
    if rng.random() < 0.4:
        _door(plan, rng, 0.5)
    if rng.random() < 0.5:
        plan.solid.box(0.4 - half, 0.88, 0.6 + half, 0.95)
    return plan


def _skyscraper(rng: np.random.Generator) -> Plan:
    plan, half = Plan(), rng.uniform(0.16, 0.25)
    level, inner = rng.uniform(0.3, 0.45), half * rng.uniform(0.55, 0.85)
    top = rng.uniform(0.14, 0.22)
    plan.solid.box(0.5 - half, level, 0.5 + half, 0.92)
    plan.solid.box(0.5 - inner, top, 0.5 + inner, level + 0.02)
    if rng.random() < 0.6:
        wide = rng.uniform(0.02, 0.05)
        plan.solid.fill([(0.5 - wide, top + 0.02), (0.5 - 0.015, 0.02), (0.5 + 0.015, 0.02),
                         (0.5 + wide, top + 0.02)])  # fmt: skip
    else:
        plan.solid.fill([(0.5 - inner, top + 0.01), (0.5 + rng.choice([-1, 0, 1]) * inner, 0.04),
                         (0.5 + inner, top + 0.01)])  # fmt: skip
    _windows(plan, rng, (0.52 - inner, top + 0.04, 0.48 + inner, level))
    _windows(plan, rng, (0.52 - half, level + 0.04, 0.48 + half, 0.88))
    return plan


def _house(rng: np.random.Generator) -> Plan:
    plan, half, eaves = Plan(), rng.uniform(0.24, 0.36), rng.uniform(0.4, 0.55)
    over, peak = rng.uniform(0.0, 0.1), 0.5 + rng.uniform(-0.12, 0.12)
    plan.solid.box(0.5 - half, eaves - 0.02, 0.5 + half, 0.92)
    plan.solid.fill([(0.5 - half - over, eaves), (peak, rng.uniform(0.08, 0.2)),
                     (0.5 + half + over, eaves)])  # fmt: skip
    if rng.random() < 0.4:
        x = 0.5 + half * 0.6 * rng.choice([-1, 1])
        plan.solid.box(x - 0.05, 0.12, x + 0.05, eaves)
    _windows(plan, rng, (0.53 - half, eaves + 0.04, 0.47 + half, 0.72))
    if rng.random() < 0.6:
        _door(plan, rng, 0.5 + rng.uniform(-0.5, 0.5) * half)
    return plan


def _rook(rng: np.random.Generator) -> Plan:
    plan, half, top = Plan(), rng.uniform(0.2, 0.32), rng.uniform(0.08, 0.16)
    neck = half * rng.uniform(0.65, 0.95)
    crown = top + rng.uniform(0.16, 0.26)
    _merlons(plan, rng, (0.5 - half, top, 0.5 + half, crown), int(rng.integers(3, 5)))
    foot = neck * rng.uniform(1.0, 1.25)
    plan.solid.fill([(0.5 - neck, crown - 0.01), (0.5 + neck, crown - 0.01), (0.5 + foot, 0.86),
                     (0.5 - foot, 0.86)])  # fmt: skip
    plan.solid.box(0.46 - foot, 0.84, 0.54 + foot, 0.93)
    if rng.random() < 0.5:
        _door(plan, rng, 0.5)
    _windows(plan, rng, (0.54 - neck, crown + 0.02, 0.46 + neck, 0.7))
    return plan


def _castle(rng: np.random.Generator) -> Plan:
    plan, wide = Plan(), rng.uniform(0.2, 0.26)
    top = rng.uniform(0.1, 0.25)
    pointed = rng.random() < 0.35
    for left in (0.08, 0.92 - wide):
        if pointed:
            plan.solid.fill([(left - 0.03, top + 0.24), (left + wide / 2, top - 0.08),
                             (left + wide + 0.03, top + 0.24)])  # fmt: skip
            plan.solid.box(left, top + 0.2, left + wide, 0.92)
        else:
            _merlons(plan, rng, (left, top, left + wide, top + 0.2), 3)
            plan.solid.box(left + 0.02, top + 0.18, left + wide - 0.02, 0.92)
        if rng.random() < 0.7:
            plan.holes.oval((left + wide / 2, top + 0.36), (0.035, rng.uniform(0.05, 0.08)))
    middle = rng.uniform(top + 0.12, 0.55)
    _merlons(plan, rng, (0.06 + wide, middle, 0.94 - wide, middle + 0.2), 3)
    plan.solid.box(0.06 + wide, middle + 0.16, 0.94 - wide, 0.92)
    _door(plan, rng, 0.5)
    return plan


def _works(rng: np.random.Generator) -> Plan:
    plan, level = Plan(), rng.uniform(0.46, 0.6)
    plan.solid.box(0.08, level + 0.12, 0.92, 0.92)
    teeth = int(rng.integers(2, 4))
    for left in np.linspace(0.34, 0.92, teeth + 1)[:-1]:
        step = 0.58 / teeth
        plan.solid.fill([(left, level + 0.13), (left, level), (left + step, level + 0.13)])
    foot = rng.uniform(0.1, 0.13)
    plan.solid.fill([(0.21 - foot, 0.9), (0.21 - foot * 0.65, rng.uniform(0.08, 0.2)),
                     (0.21 + foot * 0.65, 0.12), (0.21 + foot, 0.9)])  # fmt: skip
    _windows(plan, rng, (0.36, level + 0.16, 0.9, 0.88))
    return plan


def _street(rng: np.random.Generator) -> Plan:
    plan, count = Plan(), int(rng.integers(2, 5))
    edges = np.linspace(0.08, 0.92, count + 1)
    gap = rng.choice([0.0, 0.04])
    for place in range(count):
        left, right = float(edges[place]), float(edges[place + 1]) - gap
        top = rng.uniform(0.12, 0.5) if place % 2 else rng.uniform(0.1, 0.3)
        rise = rng.choice([0.0, 0.0, 0.1, -0.1])
        plan.solid.fill([(left, top + max(0.0, rise)), (right, top + max(0.0, -rise)),
                         (right, 0.92), (left, 0.92)])  # fmt: skip
        _windows(plan, rng, (left + 0.03, top + 0.14, right - 0.03, 0.88))
    if gap:
        plan.solid.box(0.06, 0.86, 0.94, 0.94)
    return plan


def _spire(rng: np.random.Generator) -> Plan:
    plan, half, level = Plan(), rng.uniform(0.14, 0.22), rng.uniform(0.32, 0.45)
    foot = half * rng.uniform(1.0, 1.4)
    plan.solid.fill([(0.5 - half, level), (0.5 + half, level), (0.5 + foot, 0.92),
                     (0.5 - foot, 0.92)])  # fmt: skip
    plan.solid.fill([(0.46 - half, level + 0.02), (0.5, rng.uniform(0.04, 0.1)),
                     (0.54 + half, level + 0.02)])  # fmt: skip
    _windows(plan, rng, (0.52 - half, level + 0.06, 0.48 + half, 0.74))
    if rng.random() < 0.5:
        _door(plan, rng, 0.5)
    return plan


_TOWERS: Final[tuple[Draft, ...]] = (_block, _block, _skyscraper, _rook, _spire)
_ANY: Final[tuple[Draft, ...]] = (*_TOWERS, _house, _castle, _works, _street)


def _edges(plan: Plan) -> tuple[float, float, float, float]:
    """Find left, top, right and bottom of the shape in units."""
    rows, columns = np.nonzero(plan.solid.ink > 127)
    left, right, top, bottom = (
        float(edge) / CANVAS for edge in (columns.min(), columns.max(), rows.min(), rows.max())
    )
    return left, top, right, bottom


def _rubble(plan: Plan, rng: np.random.Generator, spots: Polyline) -> None:
    """Draw a chip at every spot, clear of the building."""
    for spot in spots:
        ring = chip(rng, np.asarray(spot) + rng.normal(0, 0.03, 2), rng.uniform(0.035, 0.075))
        plan.solid.ink[area(spot + (ring - spot) * 1.7) > 127] = 0
        plan.solid.fill(ring)


def _flung(plan: Plan, rng: np.random.Generator, level: float) -> None:
    """Draw none to five chips that fly off to the sides of the break."""
    left, _, right, _ = _edges(plan)
    spots = []
    for _ in range(int(rng.integers(0, 6))):
        x = (
            left - rng.uniform(0.05, 0.14)
            if rng.random() < 0.5
            else right + rng.uniform(0.05, 0.14)
        )
        spots.append((float(np.clip(x, 0.05, 0.95)), level + rng.uniform(-0.22, 0.22)))
    _rubble(plan, rng, spots)


def _cracked(plan: Plan, rng: np.random.Generator) -> Plan:
    left, top, right, bottom = _edges(plan)
    x = rng.uniform(0.42, 0.58) * (right - left) + left
    lean = rng.uniform(-0.2, 0.2)
    ends = ((x - lean, top - 0.03), (x + lean, top + (bottom - top) * rng.uniform(0.65, 1.05)))
    line = zigzag(rng, ends, int(rng.integers(2, 4)), rng.uniform(0.04, 0.08))
    slit(plan.solid, line, (rng.uniform(0.055, 0.1), rng.uniform(0.03, 0.05)))
    if rng.random() < 0.4:
        _flung(plan, rng, top + 0.15)
    return plan


def _parted(
    plan: Plan, rng: np.random.Generator, tilt: tuple[float, float], gap: tuple[float, float]
) -> Plan:
    """Tear off the upper part along a jagged line, turned and shifted."""
    left, top, right, bottom = _edges(plan)
    level = top + (bottom - top) * rng.uniform(0.4, 0.65)
    slope = rng.uniform(-0.14, 0.14)
    line = zigzag(rng, ((left - 0.15, level - slope), (right + 0.15, level + slope)),
                  int(rng.integers(2, 5)), rng.uniform(0.02, 0.055))  # fmt: skip
    above = area(np.concatenate([[(-0.2, -0.1)], line, [(1.2, -0.1)]]))
    upper, lower = plan.within(above), plan.within(np.uint8(255) - above)
    side, degrees = rng.choice([-1, 1]), rng.uniform(*tilt)
    pivot = ((left if side < 0 else right), level)
    shift = (side * rng.uniform(0.0, 0.1), -rng.uniform(*gap))
    lower.joined(upper.moved(-side * degrees, shift, pivot))
    _flung(lower, rng, level)
    return lower


def _torn(plan: Plan, rng: np.random.Generator) -> Plan:
    return _parted(plan, rng, (0, 14), (0.05, 0.09))


def _toppling(plan: Plan, rng: np.random.Generator) -> Plan:
    small = plan.warped(np.array([[0.74, 0.0, 33.0], [0.0, 0.74, 58.0]]))
    return _parted(small, rng, (18, 42), (0.01, 0.05))


def _gnawed(plan: Plan, rng: np.random.Generator) -> Plan:
    left, top, right, bottom = _edges(plan)
    side = rng.choice([-1, 1])
    x = left if side < 0 else right
    y = top + (bottom - top) * rng.choice([0.05, 0.3, 0.5])
    size = min(0.26, (right - left) * rng.uniform(0.35, 0.55))
    bitten(plan, rng, (x, y), size)
    _rubble(plan, rng, [(float(np.clip(x + side * rng.uniform(-0.05, 0.12), 0.05, 0.95)),
                         y + rng.uniform(-0.6, 0.6) * size)
                        for _ in range(int(rng.integers(1, 5)))])  # fmt: skip
    return plan


def _jagged(plan: Plan, rng: np.random.Generator) -> Plan:
    """Break off the top along a jagged, mostly sloping line."""
    left, top, right, bottom = _edges(plan)
    high = bottom - top
    slope = rng.uniform(-0.22, 0.22) * high
    level = top + high * rng.uniform(0.32, 0.46)
    line = zigzag(rng, ((left - 0.1, level - slope), (right + 0.1, level + slope)),
                  int(rng.integers(3, 6)), rng.uniform(0.07, 0.11))  # fmt: skip
    plan.solid.fill(np.concatenate([[(-0.2, -0.2)], line, [(1.2, -0.2)]]), 0)
    spots = [(rng.uniform(left, right), level - rng.uniform(0.12, 0.24))
             for _ in range(int(rng.integers(1, 6)))]  # fmt: skip
    _rubble(plan, rng, spots)
    return plan


_FLAME: Final[Polyline] = [
    (0.0, 0.0), (-0.55, -0.12), (-0.66, -0.6), (-0.46, -1.1), (-0.24, -0.72), (0.0, -1.75),
    (0.28, -0.9), (0.46, -1.25), (0.66, -0.6), (0.55, -0.12),
]  # fmt: skip


def _burning(plan: Plan, rng: np.random.Generator) -> Plan:
    """Put one or two tall flames in the building, which is cut short by a jagged line."""
    left, top, right, bottom = _edges(plan)
    level = top + (bottom - top) * rng.uniform(0.42, 0.55)
    line = zigzag(rng, ((left - 0.1, level), (right + 0.1, level)), 3, rng.uniform(0.02, 0.05))
    plan.solid.fill(np.concatenate([[(-0.2, -0.2)], line, [(1.2, -0.2)]]), 0)
    count = 2 if right - left > 0.5 and rng.random() < 0.5 else 1
    for x in left + (np.arange(count) + 0.5) / count * (right - left):
        size = min(0.3, (right - left) / count * rng.uniform(0.6, 0.8))
        corners = np.asarray(_FLAME) * [size, size * rng.uniform(0.85, 1.1)]
        corners[5, 0] += rng.uniform(-0.3, 0.3) * size
        ring, foot = smooth(corners, 2), np.array([x, level + rng.uniform(0.06, 0.14)])
        around = grown(area(foot + ring), rng.uniform(0.03, 0.05))
        plan.solid.ink[around > 127] = 0
        plan.holes.ink[around > 127] = 0
        plan.solid.fill(foot + ring)
        if rng.random() < 0.6:
            plan.holes.fill(foot + ring * 0.45 - [0.0, size * 0.12])
    return plan


def _smoking(plan: Plan, rng: np.random.Generator) -> Plan:
    """Draw puffs of smoke that rise from a hole in the top."""
    small = plan.warped(np.array([[0.72, 0.0, 36.0], [0.0, 0.72, 66.0]]))
    left, top, right, bottom = _edges(small)
    x = rng.uniform(left + 0.1, right - 0.1)
    small.solid.fill(chip(rng, np.array([x, top]), rng.uniform(0.1, 0.16)), 0)
    drift, size = rng.uniform(-0.1, 0.1), rng.uniform(0.06, 0.08)
    y = top + 0.02
    for place in range(int(rng.integers(2, 5))):
        y -= size * 1.15
        for part in (-0.6, 0.6):
            small.solid.oval((x + part * size, y + rng.uniform(-0.02, 0.02)), (size, size * 0.85))
        x, size = x + drift * (place + 1) / 2, size * 1.18
    line = zigzag(rng, (((left + right) / 2, top - 0.02), ((left + right) / 2, bottom)), 3, 0.05)
    slit(small.solid, line, (0.06, 0.035))
    return small


def _leaning(plan: Plan, rng: np.random.Generator) -> Plan:
    """Lean the whole building off its footing, above the ground and its rubble."""
    side, degrees = rng.choice([-1, 1]), rng.uniform(12, 28)
    left, _, right, bottom = _edges(plan)
    pivot = (right if side > 0 else left, bottom)
    tilted = plan.moved(-side * degrees, (-side * 0.1, -0.03), pivot)
    foot = zigzag(rng, ((0.02, 0.9), (0.98, 0.9)), int(rng.integers(3, 6)), 0.025)
    tilted.solid.fill(np.concatenate([foot - (0.0, 0.05), [(1.0, 1.0), (0.0, 1.0)]]), 0)
    tilted.holes.box(0.0, 0.84, 1.0, 1.0, 0)
    tilted.solid.fill(np.concatenate([foot, [(0.98, 0.98), (0.02, 0.98)]]))
    if rng.random() < 0.5:
        return tilted
    return _cracked(tilted, rng)


def _crumbling(plan: Plan, rng: np.random.Generator) -> Plan:
    """Break one flank away in steps, with a heap at the foot."""
    left, top, right, bottom = _edges(plan)
    wide = right - left
    steps = int(rng.integers(3, 6))
    edge: Polyline = [(right + 0.2, top - 0.1), (left + wide * rng.uniform(0.35, 0.55), top - 0.1)]
    for share in np.linspace(0.0, 0.8, steps):
        x = left + wide * (0.5 + 0.5 * share + rng.uniform(-0.12, 0.05))
        edge += [(x, top + (bottom - top) * share), (x + 0.07, top + (bottom - top) * share + 0.03)]
    plan.solid.fill([*edge, (right + 0.2, bottom * 0.9)], 0)
    high = bottom - top
    spots = [(right + rng.uniform(-0.25, 0.08) * wide, top + high * rng.uniform(0.05, 0.6))
             for _ in range(int(rng.integers(2, 6)))]  # fmt: skip
    _rubble(plan, rng, spots)
    for x in np.linspace(right - 0.15, min(0.93, right + 0.12), 3):
        plan.solid.fill(chip(rng, np.array([x, 0.9]), rng.uniform(0.05, 0.09)))
    return plan


def _struck(plan: Plan, rng: np.random.Generator) -> Plan:
    """Draw a blast with rays in the middle or at the side of the building."""
    left, top, right, bottom = _edges(plan)
    at = np.array([rng.uniform(left, right), top + (bottom - top) * rng.uniform(0.2, 0.5)])
    rays, size = int(rng.integers(7, 11)), rng.uniform(0.17, 0.23)
    turn = np.arange(2 * rays) * np.pi / rays + rng.uniform(0, 1)
    radii = np.where(np.arange(2 * rays) % 2 == 0, size, size * 0.55) * rng.uniform(
        0.85, 1.2, 2 * rays
    )
    ring = np.stack([np.cos(turn) * radii, np.sin(turn) * radii], 1)
    plan.solid.fill(at + ring * 1.3, 0)
    plan.holes.ink[area(at + ring * 1.3) > 127] = 0
    plan.solid.fill(at + ring * 0.85)
    if rng.random() < 0.5:
        plan.holes.fill(at + ring * 0.35)
    return plan


def _ruin(drafts: tuple[Draft, ...], damages: tuple[RuinEffect, ...], outlines: float) -> Drawing:
    """Draw one of the buildings with one of the damages, outlined in this share of cases."""

    def draw(pen: Pen, rng: np.random.Generator) -> None:
        draft = drafts[int(rng.integers(len(drafts)))]
        damage = damages[int(rng.integers(len(damages)))]
        pen.ink = inked(damage(draft(rng), rng), rng, outlines)
        if rng.random() < 0.5:
            pen.ink = np.ascontiguousarray(pen.ink[:, ::-1])

    return draw


_EVERY: Final[tuple[RuinEffect, ...]] = (_cracked, _torn, _toppling, _gnawed, _jagged, _crumbling)

RUINS: Final[dict[str, Drawing]] = {
    "any-cracked": _ruin(_ANY, (_cracked,), 0.25),
    "any-torn": _ruin(_ANY, (_torn,), 0.25),
    "any-toppling": _ruin(_TOWERS, (_toppling,), 0.25),
    "any-gnawed": _ruin(_ANY, (_gnawed,), 0.3),
    "any-jagged": _ruin(_ANY, (_jagged,), 0.25),
    "any-burning": _ruin((*_TOWERS, _house, _street), (_burning,), 0.15),
    "any-smoking": _ruin(_ANY, (_smoking,), 0.15),
    "any-leaning": _ruin((*_TOWERS, _house), (_leaning,), 0.25),
    "any-crumbling": _ruin((*_TOWERS, _house), (_crumbling,), 0.2),
    "any-struck": _ruin((*_TOWERS, _street), (_struck,), 0.0),
    "keep": _ruin((_rook, _castle, _spire), _EVERY, 0.25),
    "street": _ruin((_street, _works), _EVERY, 0.25),
    "cottage": _ruin((_house,), _EVERY, 0.25),
    "sheer": _ruin((_skyscraper, _block), _EVERY, 0.25),
}
"""The wide styles of destruction."""
