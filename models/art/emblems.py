"""Wide styles of *heal*, *celebrity*, *energy* and *attack*: varying hearts, stars, bolts, paws,
slashes, talons and clawed hands.
"""

from __future__ import annotations

from typing import Final

import cv2
import numpy as np

from models.arrays import Mask
from models.art.shapes import (
    CANVAS,
    Drawing,
    Pen,
    Plan,
    Points,
    Polyline,
    area,
    bitten,
    faceted,
    grown,
    inked,
    rotation,
    sheared,
    shrunk,
    slit,
    smooth,
    softened,
    spike,
    zigzag,
)


def _curve(points: list[tuple[float, float]]) -> Points:
    """Sample the cubic Bézier curve of four points."""
    steps = np.linspace(0, 1, 24)[:, None]
    a, b, c, d = (np.asarray(p, np.float64) for p in points)
    rest = 1 - steps
    return a * rest**3 + 3 * b * rest**2 * steps + 3 * c * rest * steps**2 + d * steps**3


def _heart(rng: np.random.Generator) -> Plan:
    """A heart: wide or narrow, its lobes round, flat or pointed, its tip sharp or blunt."""
    plan, notch = Plan(), rng.uniform(0.22, 0.38)
    tip = (0.5 + rng.uniform(-0.1, 0.1) * rng.choice([0, 1]), rng.uniform(0.84, 0.95))
    width, lobe, belly = rng.uniform(0.32, 0.46), rng.uniform(-0.04, 0.14), rng.uniform(0.02, 0.24)
    uneven = 0.05 * rng.choice([0, 1])
    for side in (-1, 1):
        out = width + rng.normal(0, uneven)
        top, shoulder = lobe + rng.normal(0, uneven * 0.6), rng.uniform(0.32, 0.42)
        edge = (0.5 + side * out, shoulder)
        over = _curve([(0.5, notch), (0.5 + side * out * 0.15, top),
                       (0.5 + side * out * 1.02, top), edge])  # fmt: skip
        down = _curve([edge, (0.5 + side * out, shoulder + belly),
                       (tip[0] + side * rng.uniform(0.02, 0.12), tip[1] - 0.12), tip])  # fmt: skip
        plan.solid.fill(np.concatenate([over, down]))
    if rng.random() < 0.3:
        plan.solid.ink = faceted(plan.solid.ink, rng.uniform(0.012, 0.035))
    if rng.random() < 0.3:
        plan.solid.ink = sheared(plan.solid.ink, rng.uniform(-0.2, 0.2))
    return plan


def _heart_cracked(pen: Pen, rng: np.random.Generator) -> None:
    plan, x = _heart(rng), rng.uniform(0.45, 0.55)
    ends = ((x, 0.08), (x + rng.uniform(-0.08, 0.08), rng.uniform(0.5, 1.0)))
    if rng.random() < 0.3:
        ends = ((rng.choice([0.05, 0.95]), rng.uniform(0.25, 0.5)), (0.5, rng.uniform(0.4, 0.55)))
    line = zigzag(rng, ends, int(rng.integers(2, 4)), rng.uniform(0.03, 0.07))
    slit(plan.solid, line, (rng.uniform(0.06, 0.1), rng.uniform(0.025, 0.05)))
    pen.ink = inked(plan, rng, 0.2)


def _heart_parted(pen: Pen, rng: np.random.Generator) -> None:
    """Draw two halves of a heart, torn apart along a jagged line and turned away."""
    plan = _heart(rng)
    line = zigzag(rng, ((0.5, -0.1), (0.5, 1.1)), int(rng.integers(3, 5)), rng.uniform(0.04, 0.07))
    left = area(np.concatenate([line, [(-0.2, 1.1), (-0.2, -0.1)]]))
    gap, turn = rng.uniform(0.02, 0.05), rng.uniform(0, 12)
    halves = plan.within(left).moved(turn, (-gap, 0.0), (0.5, 0.9))
    halves.joined(plan.within(np.uint8(255) - left).moved(-turn, (gap, 0.0), (0.5, 0.9)))
    pen.ink = inked(halves, rng, 0.2)


def _heart_bitten(pen: Pen, rng: np.random.Generator) -> None:
    plan, angle = _heart(rng), np.radians(rng.uniform(-60, 30) + 180 * rng.choice([0, 1]))
    at = (0.5 + 0.42 * np.cos(angle), 0.42 + 0.36 * np.sin(angle))
    bitten(plan, rng, at, rng.uniform(0.12, 0.2))
    pen.ink = inked(plan, rng, 0.2)


def _rimmed(
    plan: Plan, rng: np.random.Generator, edge: tuple[float, float], within: tuple[float, float]
) -> Mask:
    """Draw the plan's outline, mostly with the plan itself inside, smaller by that much."""
    ink = plan.outlined(rng.uniform(*edge))
    if rng.random() < 0.6:
        ink = np.asarray(cv2.max(ink, shrunk(plan.solid.ink, rng.uniform(*within))), np.uint8)
    return ink


def _heart_rimmed(pen: Pen, rng: np.random.Generator) -> None:
    """A hollow heart, mostly with something inside: a lesser heart, or a lit edge."""
    pen.ink = _rimmed(_heart(rng), rng, (0.05, 0.1), (0.14, 0.19))


def _heart_marked(pen: Pen, rng: np.random.Generator) -> None:
    """A full heart with a cross, a glint on its left lobe or a line along its edge cut out."""
    plan = _heart(rng)
    kind, width = rng.choice(["cross", "glint", "line"]), rng.uniform(0.05, 0.09)
    if kind == "cross":
        size, arm = rng.uniform(0.12, 0.18), rng.uniform(0.04, 0.06)
        plan.holes.box(0.5 - size, 0.46 - arm, 0.5 + size, 0.46 + arm)
        plan.holes.box(0.5 - arm, 0.46 - size, 0.5 + arm, 0.46 + size)
    elif kind == "glint":
        turn = np.radians(np.linspace(170, rng.uniform(230, 280), 12))
        radius = rng.uniform(0.13, 0.17)
        plan.holes.line(np.stack([0.34 + np.cos(turn) * radius, 0.38 + np.sin(turn) * radius], 1),
                        width)  # fmt: skip
    else:
        edge = shrunk(plan.solid.ink, rng.uniform(0.06, 0.09))
        plan.holes.ink = cv2.subtract(edge, shrunk(edge, rng.uniform(0.035, 0.05)))
    pen.ink = plan.filled()


def _heart_hewn(pen: Pen, rng: np.random.Generator) -> None:
    """A heart of straight cuts, no two alike, now and then nicked or slit."""
    plan = _heart(rng)
    plan.solid.ink = faceted(plan.solid.ink, rng.uniform(0.03, 0.06))
    if rng.random() < 0.4:
        slit(plan.solid, zigzag(rng, ((0.5, 0.1), (0.5, 0.55)), 2, 0.04), (0.09, 0.03))
    pen.ink = inked(plan, rng, 0.25)


def _heart_full(pen: Pen, rng: np.random.Generator) -> None:
    """A heart filled from edge to edge."""
    pen.ink = _heart(rng).filled()


def _heart_squat(pen: Pen, rng: np.random.Generator) -> None:
    """A full heart pressed flat or drawn long, now and then with a small one beside it."""
    plan = _heart(rng)
    size = float(CANVAS)
    across, along = rng.uniform(0.7, 1.0, 2)
    grid = np.array([[across, 0, size * (1 - across) / 2], [0, along, size * (1 - along) / 2]])
    ink = cv2.warpAffine(plan.filled(), grid, (CANVAS, CANVAS), flags=cv2.INTER_AREA)
    if rng.random() < 0.2:
        small = rng.uniform(0.25, 0.35)
        at = rng.choice([0.02, 0.98 - small]) * size, rng.choice([0.02, 0.98 - small]) * size
        beside = np.array([[small, 0, at[0]], [0, small, at[1]]])
        ink = cv2.max(ink, cv2.warpAffine(_heart(rng).filled(), beside, (CANVAS, CANVAS)))
    pen.ink = np.asarray(ink, np.uint8)


HEARTS: Final[dict[str, Drawing]] = {
    "any-cracked": _heart_cracked,
    "any-parted": _heart_parted,
    "any-bitten": _heart_bitten,
    "any-rimmed": _heart_rimmed,
    "any-marked": _heart_marked,
    "any-hewn": _heart_hewn,
    "any-full": _heart_full,
    "any-squat": _heart_squat,
}
"""The wide styles of heal."""


def _rays(rng: np.random.Generator) -> tuple[Points, Points]:
    """The star's ten corners and its middle: fat or thin, even or not, tilted or not."""
    inner, uneven = rng.uniform(0.36, 0.6), rng.choice([0.0, 0.0, 0.04, 0.07])
    angles = np.radians(np.arange(10) * 36 - 90 + rng.normal(0, 80 * uneven, 10))
    angles += np.radians(rng.choice([0.0, rng.uniform(-20, 20)]))
    radii = np.where(np.arange(10) % 2 == 0, 0.46, 0.46 * inner) * rng.normal(1, uneven, 10)
    middle = np.array([0.5, 0.5])
    return middle + np.stack([np.cos(angles) * radii, np.sin(angles) * radii], 1), middle


def _star(rng: np.random.Generator) -> Plan:
    plan = Plan()
    plan.solid.fill(_rays(rng)[0])
    if rng.random() < 0.5:
        plan.solid.ink = softened(plan.solid.ink, rng.uniform(0.01, 0.03))
    return plan


def _star_cracked(pen: Pen, rng: np.random.Generator) -> None:
    plan, angle = _star(rng), np.radians(rng.uniform(0, 360))
    way = np.array([np.cos(angle), np.sin(angle)]) * 0.5
    far = rng.choice([0.0, -0.2, -1.0])
    ends = ((0.5 + way[0], 0.5 + way[1]), (0.5 + way[0] * far, 0.5 + way[1] * far))
    line = zigzag(rng, ends, int(rng.integers(2, 4)), rng.uniform(0.03, 0.05))
    slit(plan.solid, line, (rng.uniform(0.06, 0.09), rng.uniform(0.03, 0.05)))
    pen.ink = inked(plan, rng, 0.15)


def _star_chipped(pen: Pen, rng: np.random.Generator) -> None:
    plan = _star(rng)
    for _ in range(int(rng.integers(1, 3))):
        angle = np.radians(rng.uniform(0, 360))
        far = rng.uniform(0.32, 0.42)
        bitten(plan, rng, (0.5 + np.cos(angle) * far, 0.5 + np.sin(angle) * far),
               rng.uniform(0.07, 0.12))  # fmt: skip
    pen.ink = inked(plan, rng, 0.2)


def _star_rimmed(pen: Pen, rng: np.random.Generator) -> None:
    """A hollow star, or one within the outline of another."""
    pen.ink = _rimmed(_star(rng), rng, (0.045, 0.08), (0.1, 0.13))


def _star_faceted(pen: Pen, rng: np.random.Generator) -> None:
    """A star with half of every ray cut away or split off by a line."""
    ring, middle = _rays(rng)
    pen.fill(ring)
    way, full = rng.choice([-1, 1]), rng.random() < 0.6
    for ray in range(0, 10, 2):
        tip, side = ring[ray], ring[(ray + way) % 10]
        if full:
            inner = middle + (side - middle) * 0.9
            part = np.stack([middle + (tip - middle) * 0.9, inner, middle])
            pen.fill(part + (part.mean(axis=0) - part) * rng.uniform(0.08, 0.16), 0)
        else:
            pen.line(np.stack([middle, middle + (tip - middle) * 0.8]), rng.uniform(0.03, 0.04), 0)


def _star_hewn(pen: Pen, rng: np.random.Generator) -> None:
    """A star cut by hand, its outline of few straight pieces or worn round."""
    plan = _star(rng)
    plan.solid.ink = (
        faceted(plan.solid.ink, rng.uniform(0.015, 0.03))
        if rng.random() < 0.5
        else softened(plan.solid.ink, rng.uniform(0.025, 0.04))
    )
    pen.ink = sheared(plan.solid.ink, rng.uniform(-0.15, 0.15))


STARS: Final[dict[str, Drawing]] = {
    "any-cracked": _star_cracked,
    "any-chipped": _star_chipped,
    "any-rimmed": _star_rimmed,
    "any-faceted": _star_faceted,
    "any-hewn": _star_hewn,
}
"""The wide styles of celebrity."""


def _spine(rng: np.random.Generator) -> Points:
    """A zigzag from top to bottom with two to four bends."""
    bends = int(rng.choice([2, 2, 2, 3, 4, 4]))
    lean, swing = rng.uniform(0.06, 0.2), rng.uniform(0.1, 0.2)
    y = [0.04]
    for place in range(bends):
        fall = 1.0 if place % 2 == 0 else rng.uniform(0.0, 0.35)
        y.append(y[-1] + fall)
    y.append(y[-1] + rng.uniform(1.0, 1.4))
    level = np.asarray(y) - 0.04
    level = 0.04 + level / level[-1] * 0.92
    drift = np.linspace(lean, -lean, len(level))
    sway = np.where(np.arange(len(level)) % 2 == 0, 1.0, -1.0) * swing
    sway[0] *= 0.4
    sway[-1] *= 0.2
    return np.stack([0.5 + drift + sway, level], 1)


def _bolt(rng: np.random.Generator) -> Plan:
    """A bolt along a zigzag, thick or thin, tapering to its lower end."""
    plan, spine = Plan(), _spine(rng)
    first, last = rng.uniform(0.09, 0.2), rng.uniform(0.05, 0.1)
    half = np.linspace(first, last, len(spine))
    half[0] *= rng.uniform(0.4, 1.0)
    half[-1] = rng.choice([0.0, 0.0, 0.02])
    slope = rng.uniform(-0.3, 0.3)
    across = np.stack([half, half * slope], 1)
    plan.solid.fill(np.concatenate([spine - across, (spine + across)[::-1]]))
    if rng.random() < 0.5:
        plan = plan.moved(rng.uniform(-20, 20), (0.0, 0.0))
    return plan


def _mirrored(ink: Mask, rng: np.random.Generator) -> Mask:
    return np.ascontiguousarray(ink[:, ::-1]) if rng.random() < 0.4 else ink


def _bolt_sharp(pen: Pen, rng: np.random.Generator) -> None:
    pen.ink = _mirrored(_bolt(rng).filled(), rng)


def _bolt_round(pen: Pen, rng: np.random.Generator) -> None:
    plan = _bolt(rng)
    thick = grown(plan.solid.ink, rng.uniform(0.015, 0.04))
    pen.ink = _mirrored(softened(thick, rng.uniform(0.015, 0.035)), rng)


def _bolt_rimmed(pen: Pen, rng: np.random.Generator) -> None:
    """A bolt's outline, sometimes with the bolt itself inside."""
    small = np.array([[0.76, 0.0, 31.0], [0.0, 0.76, 31.0]])
    body = _bolt(rng).warped(small).solid.ink
    gap, width = rng.uniform(0.035, 0.06), rng.uniform(0.035, 0.055)
    wide = grown(body, gap)
    rim = cv2.subtract(grown(wide, width), wide)
    pen.ink = _mirrored(cv2.max(rim, body) if rng.random() < 0.5 else rim, rng)


def _bolt_forked(pen: Pen, rng: np.random.Generator) -> None:
    """A bolt with a lesser one leaving it half way."""
    plan = _bolt(rng)
    rows, columns = np.nonzero(plan.solid.ink > 127)
    level = CANVAS * rng.uniform(0.36, 0.5)
    near = np.abs(rows - level) < 6
    x, side = float(columns[near].mean()) / CANVAS, rng.choice([-1.0, 1.0])
    steps = np.array([(0.0, 0.0), (0.2, 0.1), (0.16, 0.2), (0.34, 0.34)]) * rng.uniform(0.9, 1.2)
    line = np.array([x, level / CANVAS]) + steps * [side, 1.0]
    half = np.array([0.07, 0.05, 0.045, 0.0])[:, None] * [0.3, -1.0] * [side, 1.0]
    plan.solid.fill(np.concatenate([line - half, (line + half)[::-1]]))
    pen.ink = _mirrored(plan.filled(), rng)


def _bolt_notched(pen: Pen, rng: np.random.Generator) -> None:
    """A bolt cut through by slits or nicked at its edges."""
    plan = _bolt(rng)
    plan.solid.ink = grown(plan.solid.ink, 0.02)
    for _ in range(int(rng.integers(1, 3))):
        at = np.array([0.5, rng.uniform(0.25, 0.7)]) + rng.normal(0, 0.05, 2)
        way = rotation(rng.uniform(-50, 50)) @ np.array([0.35, 0.0])
        start = at - way * rng.choice([0.0, 1.0])
        plan.solid.line(np.stack([start, at + way]), rng.uniform(0.03, 0.05), 0)
    pen.ink = _mirrored(plan.filled(), rng)


def _bolt_hewn(pen: Pen, rng: np.random.Generator) -> None:
    plan = _bolt(rng)
    thick = grown(plan.solid.ink, rng.uniform(0.0, 0.03) + 0.005)
    pen.ink = _mirrored(faceted(thick, rng.uniform(0.015, 0.03)), rng)


BOLTS: Final[dict[str, Drawing]] = {
    "any-sharp": _bolt_sharp,
    "any-round": _bolt_round,
    "any-rimmed": _bolt_rimmed,
    "any-forked": _bolt_forked,
    "any-notched": _bolt_notched,
    "any-hewn": _bolt_hewn,
}
"""The wide styles of energy."""


_PADS: Final[tuple[Polyline, ...]] = (
    [(-0.9, 0.7), (-0.5, -0.4), (0.0, -0.9), (0.5, -0.4), (0.9, 0.7), (0.4, 0.9), (-0.4, 0.9)],
    [(-1.0, 0.2), (-0.6, -0.8), (0.6, -0.8), (1.0, 0.2), (0.6, 0.9), (-0.6, 0.9)],
    [(-0.8, -0.6), (0.0, -0.9), (0.8, -0.6), (0.9, 0.4), (0.0, 1.0), (-0.9, 0.4)],
    [(-1.0, 0.6), (-0.7, -0.2), (0.0, -0.8), (0.7, -0.2), (1.0, 0.6), (0.55, 0.95), (0.0, 0.5),
     (-0.55, 0.95)],
)  # fmt: skip


def _toe(way: Points, root: Points, size: tuple[float, float], pointed: bool) -> Points:
    """Make a toe growing from its root, of that width and length, round or pointed."""
    wide, long = size
    if pointed:
        ring = np.array([(-0.35, 0.0), (0.35, 0.0), (0.5, 0.35), (0.0, 1.0), (-0.5, 0.35)])
    else:
        turn = np.linspace(0, 2 * np.pi, 24)
        ring = np.stack([np.cos(turn) * 0.5, 0.5 + np.sin(turn) * 0.5], 1)
    across = np.array([-way[1], way[0]])
    return root + ring[:, :1] * wide * across + ring[:, 1:] * long * way


def _paw(claws: str, rng: np.random.Generator) -> Plan:
    """A pad, three to five toes around it, and claws that are loose, joined or none."""
    plan, count = Plan(), int(rng.choice([3, 4, 4, 4, 5]))

    def put(ring: Points) -> None:
        plan.solid.fill((ring - 0.5) * 0.66 + 0.5)

    pad = np.array([0.5, rng.uniform(0.7, 0.74)])
    broad, high = rng.uniform(0.2, 0.26), rng.uniform(0.15, 0.19)
    corners = np.asarray(_PADS[int(rng.integers(len(_PADS)))])
    ring = corners + rng.normal(0, 0.05, corners.shape)
    put(pad + (ring if rng.random() < 0.35 else smooth(ring, 2)) * [broad, high] * 1.1)
    spread, pointed = rng.uniform(9, 12) * (count + 1), rng.random() < 0.35
    thick, long = min(0.2, rng.uniform(0.65, 0.85) / count), rng.uniform(0.17, 0.25)
    reach = rng.uniform(0.03, 0.05)
    tips = rng.uniform(0.1, 0.18)
    for angle in np.radians(np.linspace(-spread, spread, count)):
        way = np.array([np.sin(angle), -np.cos(angle)])
        root = pad + way * [broad * 1.1 + reach, high * 1.15 + reach]
        end = root + way * long
        if claws != "only":
            put(_toe(way, root, (thick, long), pointed and claws == "none"))
        if claws == "loose":
            put(spike(end + way * 0.045, end + way * (0.06 + tips), thick * 0.6, 0.0))
        elif claws == "joined":
            put(spike(end - way * 0.05, end + way * tips, thick * 0.75, 0.0))
        elif claws == "only":
            bend = rng.uniform(-0.1, 0.1)
            put(spike(root, root + way * (long + tips), thick * 1.1, bend))
    return plan


def _pawed(claws: str, outlines: float) -> Drawing:
    """Draw a paw with such claws, sometimes cut straight or scratched."""

    def draw(pen: Pen, rng: np.random.Generator) -> None:
        plan = _paw(claws, rng)
        if rng.random() < 0.25:
            plan.solid.ink = faceted(plan.solid.ink, rng.uniform(0.01, 0.02))
        if rng.random() < 0.3:
            plan.solid.ink = sheared(plan.solid.ink, rng.uniform(-0.2, 0.2))
        if rng.random() < 0.2:
            y = rng.uniform(0.62, 0.76)
            slit(plan.solid, zigzag(rng, ((0.1, y), (0.5, y + 0.04)), 2, 0.03), (0.06, 0.03))
        pen.ink = inked(plan, rng, outlines)

    return draw


def _slashes(bend: tuple[float, float], ragged: bool) -> Drawing:
    """Three to five slashes side by side, the middle ones mostly the longest."""

    def draw(pen: Pen, rng: np.random.Generator) -> None:
        count = int(rng.choice([3, 3, 4, 4, 5]))
        width, hump = rng.uniform(0.36, 0.62) / count, rng.uniform(0.0, 0.2)
        curve = rng.uniform(*bend) * rng.choice([-1, 1])
        thickest, step = rng.uniform(0.25, 0.6), rng.uniform(-0.06, 0.06)
        for place, x in enumerate(np.linspace(0.2, 0.8, count)):
            short = hump * abs(2 * place / (count - 1) - 1) + rng.uniform(0, 0.05)
            drop = step * (place - (count - 1) / 2)
            t = np.linspace(0, 1, 13)
            spine = np.stack([x + curve * np.sin(t * np.pi), 0.08 + drop + short * 0.6
                              + t * (0.84 - short)], 1)  # fmt: skip
            half = width / 2 * np.minimum(t / thickest, (1 - t) / (1 - thickest)) ** 0.7
            if ragged:
                half = half * rng.uniform(0.55, 1.25, len(t))
                spine[1:-1, 0] += rng.normal(0, 0.008, len(t) - 2)
            side = np.stack([half, np.zeros_like(half)], 1)
            pen.fill(np.concatenate([spine - side, (spine + side)[::-1]]))
        pen.ink = sheared(pen.ink, rng.uniform(-0.4, 0.4))
        if rng.random() < 0.2 and not ragged:
            pen.ink = cv2.subtract(grown(pen.ink, rng.uniform(0.03, 0.04)), pen.ink)

    return draw


def _hand(pen: Pen, rng: np.random.Generator) -> None:
    """A hand with three or four fingers and maybe a thumb, all running out into claws."""
    plan, count = Plan(), int(rng.integers(3, 5))
    palm, spread = np.array([0.5, 0.72]), rng.uniform(32, 50)
    wide = rng.uniform(0.15, 0.2)
    plan.solid.fill(smooth(palm + np.array([(-1, -0.7), (1, -0.7), (0.9, 0.8), (0.6, 1.3),
                                            (-0.6, 1.3), (-0.9, 0.8)]) * wide, 1))  # fmt: skip
    thick, hook = rng.uniform(0.3, 0.4) / count, rng.uniform(-0.15, 0.15)
    gap = rng.random() < 0.4
    for angle in np.linspace(-spread, spread, count):
        way = rotation(angle) @ np.array([0.0, -1.0])
        start = palm + rotation(angle * 0.7) @ np.array([0.0, -wide * 0.6])
        knuckle = start + way * rng.uniform(0.2, 0.26)
        plan.solid.line(np.stack([start, knuckle]), thick)
        tip = knuckle + rotation(angle * 1.2) @ np.array([0.0, -rng.uniform(0.2, 0.28)])
        shift = way * (0.09 if gap else -0.02)
        plan.solid.fill(spike(knuckle + shift, tip + shift, thick * 1.1, hook))
    if rng.random() < 0.6:
        side = rng.choice([-1, 1])
        knuckle = palm + np.array([side * 0.26, -0.06])
        plan.solid.line(np.stack([palm, knuckle]), thick)
        plan.solid.fill(spike(knuckle, knuckle + np.array([side * 0.12, -0.2]), thick, side * 0.2))
    pen.ink = inked(plan, rng, 0.25)


def _talon(pen: Pen, rng: np.random.Generator) -> None:
    """A bird's foot: three or four toes with hooked claws, one backwards, and a leg."""
    plan, spread = Plan(), rng.uniform(38, 62)
    heel, thick = np.array([0.5, rng.uniform(0.54, 0.62)]), rng.uniform(0.075, 0.105)
    plan.solid.oval((heel[0], heel[1]), (thick * 0.7, thick * 0.7))
    ways = [*np.linspace(-spread, spread, 3), 180 + rng.uniform(-15, 15)]
    hook = rng.uniform(0.0, 0.2)
    for angle in ways:
        long = rng.uniform(0.2, 0.28) * (0.7 if angle > 150 else 1.0)
        end = heel + rotation(angle) @ np.array([0.0, -long])
        plan.solid.line(np.stack([heel, end]), thick * 0.8)
        plan.solid.oval((end[0], end[1]), (thick * 0.62, thick * 0.62))
        side = -1 if angle < 0 else 1
        tip = end + rotation(angle + side * 14) @ np.array([0.0, -rng.uniform(0.17, 0.22)])
        plan.solid.fill(spike(end, tip, thick * 0.95, side * hook))
    pen.ink = inked(plan, rng, 0.2)


def _scythes(pen: Pen, rng: np.random.Generator) -> None:
    """Three to five curved claws side by side, loose or growing from a bar."""
    count, bar = int(rng.integers(3, 6)), rng.random() < 0.5
    bend, width = rng.uniform(0.12, 0.35) * rng.choice([-1, 1]), rng.uniform(0.5, 0.8) / count
    hump = rng.uniform(0.0, 0.15)
    for place, x in enumerate(np.linspace(0.2, 0.8, count)):
        short = hump * abs(2 * place / (count - 1) - 1)
        tip = np.array([x - bend * 0.3, 0.08 + short])
        pen.fill(spike(np.array([x, 0.8]), tip, width, bend) * 0.76 + 0.12)
    if bar:
        gap = rng.choice([0.0, 0.05])
        ring = np.array([(0.1, 0.79 + gap), (0.9, 0.79 + gap), (0.8, 0.95), (0.2, 0.95)])
        pen.fill((smooth(ring, 1) if rng.random() < 0.5 else ring) * 0.76 + 0.12)
    if rng.random() < 0.3:
        pen.ink = softened(pen.ink, 0.012)


MARKS: Final[dict[str, Drawing]] = {
    "any-paw": _pawed("none", 0.3),
    "any-clawed": _pawed("loose", 0.2),
    "any-grown": _pawed("joined", 0.25),
    "any-spiked": _pawed("only", 0.2),
    "any-slashes": _slashes((0.0, 0.06), False),
    "any-bent": _slashes((0.08, 0.2), False),
    "any-ragged": _slashes((0.0, 0.12), True),
    "any-hand": _hand,
    "any-talon": _talon,
    "any-scythes": _scythes,
}
"""The wide styles of attack."""
