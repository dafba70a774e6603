"""Wide styles of *attack*: varying paws, slashes, talons and clawed hands."""

from typing import Final

import cv2
import numpy as np

from models.art.plans import (
    Plan,
    Polyline,
    faceted,
    grown,
    inked,
    sheared,
    slit,
    smooth,
    softened,
    spike,
    zigzag,
)
from models.art.shapes import Drawing, Pen, Points, rotation

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
