"""Good looks at dice, for tests to spoil; no pictures."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from companion.engine import Face
from companion.vision.read.seen import SeenDie
from companion.vision.readings import Colour
from tests.vision.cubes import Cube, corners, cubes

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
    """Move the die right and down by so many px."""
    by = np.array([x, y], np.float32)
    return replace(die, quad=die.quad + by, base=die.base + by)


def roll(count: int = 6) -> tuple[SeenDie, ...]:
    """Make good looks at the first die and others."""
    return tuple(seen(cube) for cube in cubes(count))
