"""Good looks at dice, for tests to spoil: cubes of 16 mm on a table, seen by a camera 40 cm away.

No pictures, only corners.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from companion.engine import Face
from companion.vision.read.seen import SeenDie
from companion.vision.readings import Colour

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


TILT = 25.0


def faces(
    face: Face = Face.ATTACK, chance: float = 0.9995, reject: float = 0.0001
) -> dict[Face, float]:
    """Give a face its probability, and spread the rest over the others of the same game."""
    others = [f for f in tuple(Face)[:6] if f is not face]
    rest = max(0.0, 1 - chance - reject) / len(others)
    return {f: chance if f is face else rest if f in others else 0.0 for f in Face}


def seen(cube: Cube | None = None, tilt: float = TILT) -> SeenDie:
    """Make a good look at a die, by default the first."""
    quad, base = corners(cube or cubes(1)[0], tilt)
    return SeenDie(
        quad=quad.astype(np.float32),
        base=base.astype(np.float32),
        score=0.7,
        top=0.99,
        flat=0.99,
        spread=3.0,
        faces=faces(),
        reject=0.0001,
        embedding=np.eye(64, dtype=np.float32)[0],
        colour=Colour.BLACK,
        contrast=120,
        clipped=0,
        sharpness=1.0,
    )


def shifted(die: SeenDie, x: float, y: float = 0.0) -> SeenDie:
    """Move the die right and down, px."""
    by = np.array([x, y], np.float32)
    return replace(die, quad=die.quad + by, base=die.base + by)


def roll(count: int = 6) -> tuple[SeenDie, ...]:
    """Make good looks at the first die and others."""
    return tuple(seen(cube) for cube in cubes(count))
