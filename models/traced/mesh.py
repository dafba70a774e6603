"""Meshes of rounded boxes, and the distance between two rounded dice."""

from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from models.arrays import Floats
from models.scene.die import AXES, Die

STEPS: Final = 5
"""Rows of triangles from a flat face to the middle of its rounded edge."""


@dataclass(frozen=True, slots=True)
class Mesh:
    """A mesh of triangles: points (n, 3) mm, unit normals (n, 3), uv (n, 2), all float32; faces (m,
    3) uint32, counter-clockwise from outside.
    """

    points: Floats
    normals: Floats
    uv: Floats
    faces: Floats

    def moved(self, rotation: Floats, centre: Floats) -> "Mesh":
        """Turn the mesh by a (3, 3) rotation, then move its origin to `centre`, mm."""
        return replace(
            self,
            points=np.asarray(self.points @ rotation.T + centre, np.float32),
            normals=np.asarray(self.normals @ rotation.T, np.float32),
        )


def rounded_box(half: Floats, radius: float) -> Mesh:
    """Make a box of half extents (3,) mm round the origin, its edges rounded by `radius`, mm.

    The six faces are those of `scene.die.AXES` and lie one under another in the texture: face i
    takes v from i / 6 to (i + 1) / 6, seen straight on.
    """
    half = np.asarray(half, np.float64)
    bend = radius * np.tan(np.radians(np.linspace(0, 45, STEPS + 1)))
    parts: list[tuple[Floats, Floats, Floats, Floats]] = []
    begun = 0
    for place, (out, right, down) in enumerate(AXES.astype(np.float64)):
        wide, tall = float(half @ np.abs(right)), float(half @ np.abs(down))
        x, y = np.meshgrid(_ticks(wide - radius, bend), _ticks(tall - radius, bend))
        flat = out * float(half @ np.abs(out)) + x[..., None] * right + y[..., None] * down
        core = np.clip(flat, radius - half, half - radius)
        normal = flat - core
        normal /= np.linalg.norm(normal, axis=2, keepdims=True)
        point = core + radius * normal
        uv = np.stack([point @ right / wide, point @ down / tall], 2) / 2 + 0.5
        uv[..., 1] = (uv[..., 1] + place) / 6
        faces = (_quads(*x.shape) + begun).astype(np.uint32)
        begun += x.size
        parts.append((point.reshape(-1, 3), normal.reshape(-1, 3), uv.reshape(-1, 2), faces))
    points, normals, uvs, triangles = (np.concatenate(part) for part in zip(*parts, strict=True))
    return Mesh(
        points.astype(np.float32), normals.astype(np.float32), uvs.astype(np.float32), triangles
    )


def _ticks(flat: float, bend: Floats) -> Floats:
    """The positions of a face's grid lines: close together where it bends."""
    return np.concatenate([-flat - bend[::-1], flat + bend])


def _quads(rows: int, columns: int) -> Floats:
    """Two triangles for each cell of a grid whose rows run down and columns right."""
    index = np.arange(rows * columns).reshape(rows, columns)
    a, b, c, d = index[:-1, :-1], index[:-1, 1:], index[1:, 1:], index[1:, :-1]
    return np.stack([a, c, b, a, d, c], 2).reshape(-1, 3)


def _core(die: Die) -> tuple[float, float]:
    """Half the side of the inner cube from which the die's surface has a constant distance, and
    that distance, mm.
    """
    radius = die.side * die.finish.radius
    return die.side / 2 - radius, radius


def reach(die: Die, way: Floats) -> float:
    """The extent of the rounded die from its centre along a unit vector (3,), mm."""
    half, radius = _core(die)
    return float(np.abs(die.rotation.T @ way).sum() * half + radius)


def settled(die: Die) -> Die:
    """Move the die up or down until it touches the table."""
    centre = die.centre.copy()
    centre[2] = reach(die, np.array([0, 0, 1], np.float32))
    return replace(die, centre=centre)


def _nearest(die: Die, point: Floats) -> Floats:
    half = _core(die)[0]
    inner = np.clip(die.rotation.T @ (point - die.centre), -half, half)
    return np.asarray(die.rotation @ inner + die.centre)


def gap(one: Die, other: Die) -> float:
    """The distance between two rounded dice, mm; below zero they intersect."""
    far = float(np.linalg.norm(one.centre - other.centre))
    if far > np.sqrt(3) / 2 * (one.side + other.side):
        return far - np.sqrt(3) / 2 * (one.side + other.side)
    # Alternating projections between two convex bodies converge to their nearest points.
    here, there = one.centre.astype(np.float64), other.centre.astype(np.float64)
    for _ in range(60):
        there = _nearest(other, here)
        here = _nearest(one, there)
    return float(np.linalg.norm(here - there)) - _core(one)[1] - _core(other)[1]
