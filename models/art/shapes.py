"""The canvas for the project's own drawings of dice faces, and basic operations on masks.

The styles follow what owners' dice carry (heavy cracked numerals, fat paw pads with loose claws,
towers that break apart) without copying any of them.
"""

from collections.abc import Callable
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
