"""Dice as cubes of 16 mm on a table, seen by a camera 40 cm away; no pictures, only corners."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

SIZE = (1280, 720)
SPOTS = [(-90, -60), (0, -70), (100, -40), (-70, 50), (20, 60), (110, 70), (-10, 0), (60, 10)]
"""Where dice lie well apart, mm from the middle."""

_CAMERA = np.array([0, 0, 400.0])
_FACE = np.array([[-8, -8, 0], [8, -8, 0], [8, 8, 0], [-8, 8, 0]], float)


@dataclass(frozen=True)
class Cube:
    """A die: its place, mm; its yaw and its lean, degrees; its size."""

    spot: tuple[float, float]
    yaw: float = 0.0
    lean: float = 0.0
    size: float = 1.0


def cubes(count: int) -> list[Cube]:
    """Make this number of dice, each with another yaw."""
    return [Cube(spot, 37.0 * index) for index, spot in enumerate(SPOTS[:count])]


def corners(cube: Cube, tilt: float) -> tuple[Floats, Floats]:
    """Project its top corners and those under them, (4, 2) px; `tilt` 0 looks straight down."""
    turned = turn((1, 0.2, 0), cube.lean) @ turn((0, 0, 1), cube.yaw)
    both = []
    for height in (0.0, -16.0):
        solid = (_FACE + np.array([0, 0, height])) * cube.size @ turned.T
        points = (solid + np.array([*cube.spot, 0])) @ turn((1, 0, 0), 180 - tilt).T + _CAMERA
        both.append(1100 * points[:, :2] / points[:, 2:] + np.array(SIZE) / 2)
    return both[0], both[1]


def turn(axis: tuple[float, float, float], degrees: float) -> Floats:
    """Make the rotation round an axis."""
    x, y, z = np.array(axis) / np.linalg.norm(axis)
    cross = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    angle = np.radians(degrees)
    return np.asarray(np.eye(3) + np.sin(angle) * cross + (1 - np.cos(angle)) * cross @ cross)
