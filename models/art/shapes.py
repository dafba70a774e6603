"""The canvas for the project's own drawings of dice faces, basic operations on masks, and common
parts of the wide styles: shapes with holes, and ways to deform and damage them.

The styles follow what owners' dice carry (heavy cracked numerals, fat paw pads with loose claws,
towers that break apart) without copying any of them.

A wide style draws another symbol each time, as another die maker might have: its parts, their
proportions and the damage are all drawn from the random stream.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
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
        """Fill the polygon (or cut it out with value 0)."""
        pixels = np.round(np.asarray(points, np.float64) * CANVAS * 16).astype(np.int32)
        cv2.fillPoly(self.ink, [pixels.reshape(-1, 1, 2)], value, cv2.LINE_AA, 4)

    def line(
        self, points: Points | list[tuple[float, float]], width: float, value: int = 255
    ) -> None:
        """Draw the polyline with round ends, width in units."""
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
        """Fill the ellipse; angle in degrees."""
        turn = np.linspace(0, 2 * np.pi, 40, endpoint=False)
        ring = np.stack([np.cos(turn) * radii[0], np.sin(turn) * radii[1]], 1)
        self.fill(ring @ rotation(angle).T + np.asarray(centre), value)

    def box(self, left: float, top: float, right: float, bottom: float, value: int = 255) -> None:
        """Fill the upright rectangle."""
        self.fill([(left, top), (right, top), (right, bottom), (left, bottom)], value)


def rotation(degrees: float) -> Points:
    """Make the 2x2 matrix that rotates by these degrees."""
    cos, sin = np.cos(np.radians(degrees)), np.sin(np.radians(degrees))
    return np.array([[cos, -sin], [sin, cos]])


def turned(points: list[tuple[float, float]], degrees: float, at: tuple[float, float]) -> Points:
    """Rotate the points about `at`."""
    centre = np.asarray(at)
    return (np.asarray(points) - centre) @ rotation(degrees).T + centre


def bite(pen: Pen, rng: np.random.Generator) -> None:
    """Cut a wedge-shaped crack from the ink, from a random side inwards."""
    angle = rng.uniform(0, 360)
    depth = rng.uniform(0.05, 0.3)
    wedge = [(1.0, 0.5 - 0.05), (0.5 + depth, 0.5), (1.0, 0.5 + rng.uniform(0.0, 0.08))]
    shift = rng.normal(0, 0.08, 2)
    pen.fill(turned(wedge, angle, (0.5, 0.5)) + shift, 0)


def fitted(ink: Mask) -> Mask:
    """Crop the ink to its bounds, centre it and scale it to fill a (SIZE, SIZE) mask."""
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


Polyline = list[tuple[float, float]]
Spot = tuple[float, float]

_STROKE: Final = (0.045, 0.075)


class Plan:
    """A solid shape and the holes in it; both move together, and either may be the ink."""

    def __init__(self) -> None:
        self.solid = Pen()
        self.holes = Pen()

    def moved(self, degrees: float, shift: Spot, about: Spot = (0.5, 0.5)) -> Plan:
        """Turn the plan about the spot, then shift it, in units."""
        grid = cv2.getRotationMatrix2D((about[0] * CANVAS, about[1] * CANVAS), degrees, 1.0)
        grid[:, 2] += np.asarray(shift) * CANVAS
        return self.warped(grid)

    def warped(self, grid: Points) -> Plan:
        """Apply the affine map, (2, 3) in pixels, to the plan."""
        other = Plan()
        for mine, theirs in ((self.solid, other.solid), (self.holes, other.holes)):
            theirs.ink = cv2.warpAffine(mine.ink, grid, (CANVAS, CANVAS))
        return other

    def within(self, area: Mask) -> Plan:
        """Cut the plan down to the area."""
        other = Plan()
        other.solid.ink = cv2.min(self.solid.ink, area)
        other.holes.ink = cv2.min(self.holes.ink, area)
        return other

    def joined(self, other: Plan) -> None:
        """Put the other plan on top of this one, in place."""
        self.holes.ink = cv2.max(cv2.subtract(self.holes.ink, other.solid.ink), other.holes.ink)
        self.solid.ink = cv2.max(self.solid.ink, other.solid.ink)

    def filled(self) -> Mask:
        """Make the ink: the solid shape without its holes."""
        return cv2.subtract(self.solid.ink, self.holes.ink)

    def outlined(self, width: float) -> Mask:
        """Make the ink: only the shape's edge, width in units, and its holes."""
        rim = cv2.subtract(self.solid.ink, shrunk(self.solid.ink, width))
        return cv2.max(rim, cv2.min(self.holes.ink, self.solid.ink))


def inked(plan: Plan, rng: np.random.Generator, share: float = 0.25) -> Mask:
    """Fill the plan or, in this share of cases, outline it."""
    return plan.outlined(rng.uniform(*_STROKE)) if rng.random() < share else plan.filled()


def shrunk(ink: Mask, width: float) -> Mask:
    """Remove a rim of the width in units from the ink."""
    size = 2 * max(1, round(width * CANVAS)) + 1
    return cv2.erode(ink, cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (size, size)))


def grown(ink: Mask, width: float) -> Mask:
    """Add a rim of the width in units to the ink."""
    size = 2 * max(1, round(width * CANVAS)) + 1
    return cv2.dilate(ink, cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (size, size)))


def area(points: Points | Polyline) -> Mask:
    """Fill a polygon."""
    pen = Pen()
    pen.fill(points)
    return pen.ink


def zigzag(rng: np.random.Generator, ends: tuple[Spot, Spot], teeth: int, swing: float) -> Points:
    """Make a jagged line between the ends, (2 * teeth + 1, 2), its corners off by about
    the swing.
    """
    start, end = np.asarray(ends[0]), np.asarray(ends[1])
    steps = np.linspace(0, 1, 2 * teeth + 1)
    steps[1:-1] += rng.uniform(-0.25, 0.25, len(steps) - 2) / len(steps)
    along = end - start
    across = np.array([-along[1], along[0]]) / (np.linalg.norm(along) + 1e-9)
    side = np.where(np.arange(len(steps)) % 2 == 0, -1.0, 1.0) * rng.choice([-1, 1])
    offset = side * rng.uniform(0.5, 1.2, len(steps)) * swing
    return start + steps[:, None] * along + offset[:, None] * across


def slit(pen: Pen, line: Points, widths: tuple[float, float], value: int = 0) -> None:
    """Cut or fill a band along the line, from one width to the other in units."""
    for place, (start, end) in enumerate(pairwise(line)):
        share = place / max(1, len(line) - 2)
        width = widths[0] + (widths[1] - widths[0]) * share
        pen.line(np.stack([start, end]), width, value)


def spike(root: Points, tip: Points, width: float, bend: float) -> Points:
    """Make a curved spike from the root to a sharp tip, half as thick as the width at its root."""
    along = tip - root
    across = np.array([-along[1], along[0]])
    steps = np.linspace(0, 1, 11)[:, None]
    spine = root + steps * along + np.sin(steps * np.pi) * across * bend
    unit = across / (np.linalg.norm(across) + 1e-9)
    thick = width / 2 * (1 - steps) ** 0.8
    return np.concatenate([spine + unit * thick, (spine - unit * thick)[::-1]])


def chip(rng: np.random.Generator, at: Points, size: float) -> Points:
    """Make a chip of three to five corners about the spot."""
    corners = int(rng.integers(3, 6))
    angles = (np.arange(corners) + rng.uniform(-0.3, 0.3, corners)) * 2 * np.pi / corners
    radii = size * rng.uniform(0.7, 1.25, corners)
    ring = np.stack([np.cos(angles) * radii, np.sin(angles) * radii], 1)
    return at + ring @ rotation(rng.uniform(0, 360)).T


def bitten(plan: Plan, rng: np.random.Generator, at: Spot, size: float) -> None:
    """Remove a ragged or scalloped piece from the plan about the spot, in place."""
    turn = np.linspace(0, 2 * np.pi, int(rng.integers(9, 16)), endpoint=False)
    if rng.random() < 0.6:
        radii = size * rng.uniform(0.72, 1.2, len(turn))
        ring = np.asarray(at) + np.stack([np.cos(turn) * radii, np.sin(turn) * radii], 1)
        plan.solid.fill(ring, 0)
        return
    for angle in turn:
        edge = (at[0] + np.cos(angle) * size * 0.72, at[1] + np.sin(angle) * size * 0.72)
        plan.solid.oval(edge, (size * 0.33, size * 0.33), 0.0, 0)
    plan.solid.oval(at, (size * 0.75, size * 0.75), 0.0, 0)


def sheared(ink: Mask, share: float) -> Mask:
    """Slant the ink to the right by the share of its height."""
    grid = np.array([[1.0, -share, share * CANVAS / 2], [0.0, 1.0, 0.0]])
    return cv2.warpAffine(ink, grid, (CANVAS, CANVAS))


def faceted(ink: Mask, coarse: float) -> Mask:
    """Cut every outline of the ink to straight pieces, off by at most `coarse` units."""
    found, _ = cv2.findContours(
        np.where(ink > 127, 255, 0).astype(np.uint8), cv2.RETR_CCOMP, cv2.CHAIN_APPROX_NONE
    )
    pieces = [cv2.approxPolyDP(ring, coarse * CANVAS, True) for ring in found]
    flat: Mask = np.zeros_like(ink)
    cv2.fillPoly(flat, [ring for ring in pieces if len(ring) > 2], 255, cv2.LINE_AA)
    return flat


def softened(ink: Mask, width: float) -> Mask:
    """Round off the corners of the ink, width in units."""
    soft = cv2.GaussianBlur(ink, (0, 0), max(0.5, width * CANVAS))
    return np.where(soft > 120, 255, 0).astype(np.uint8)


def smooth(corners: Sequence[Spot] | Points, rounds: int = 3) -> Points:
    """Make a closed ring through the corners, rounded by repeated corner cutting (Chaikin)."""
    ring = np.asarray(corners, np.float64)
    for _ in range(rounds):
        later = np.roll(ring, -1, axis=0)
        ring = np.stack([ring * 0.75 + later * 0.25, ring * 0.25 + later * 0.75], 1).reshape(-1, 2)
    return ring


Draft = Callable[[np.random.Generator], Plan]
