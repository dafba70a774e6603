"""Path-traced surroundings of the dice: the ground, cards and discs, a tray, lamps; meshes of
rounded boxes, and the distance between two rounded dice.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

import cv2
import numpy as np

from models.arrays import Floats, Image
from models.scene.box import Assets
from models.scene.camera import PinholeCamera
from models.scene.die import AXES, Die
from models.scene.finishes import TILE, linear, surface

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

    def moved(self, rotation: Floats, centre: Floats) -> Mesh:
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


GROUNDS: Final = ("plain", "marble", "wood", "checks", "weave", "art")
"""The val split's kinds of ground, and two that only these scenes have."""


@dataclass(frozen=True, slots=True)
class Slab:
    """A box: a card, a pile of cards, a wall of the tray. Half extents (3,) and centre (3,) mm;
    `paint` (6 * n, n, 3) linear BGR, or (1, 1, 3) for one colour."""

    centre: Floats
    half: Floats
    yaw: float
    radius: float
    paint: Floats
    rough: float


@dataclass(frozen=True, slots=True)
class Disc:
    """A round token on the table: its place (2,), radius and height in mm, two linear
    BGR colours.
    """

    at: Floats
    radius: float
    height: float
    colour: Floats
    middle: Floats


@dataclass(frozen=True, slots=True)
class Glow:
    """A lamp with a bright surface: its place (3,) and half extents (2,) in mm, turned to the
    middle of the table; round or square; `light` (3,) is what it sends there, linear BGR.
    """

    at: Floats
    half: Floats
    round: bool
    light: Floats


def ground(kind: str, assets: Assets, rng: np.random.Generator) -> Image:
    """Make a (TILE, TILE, 3) uint8 BGR texture of a kind of GROUNDS."""
    if kind == "weave":
        return _weave(rng)
    if kind == "art":
        return _art(assets, rng)
    return surface(kind, rng)


def _weave(rng: np.random.Generator) -> Image:
    """Make a cloth of two threads, over and under."""
    step = int(rng.choice([4, 5, 8]))
    cell = np.arange(TILE) // step
    over = (cell[:, None] + cell[None]) % 2 == 0
    bulge = np.abs(np.sin((np.arange(TILE) + 0.5) / step * np.pi))
    first, second = (
        rng.uniform(20, 220, (2, 3)) if rng.random() < 0.3 else [rng.uniform(15, 220, 3)] * 2
    )
    threads = np.where(over[..., None], first * (0.6 + 0.4 * bulge[:, None, None]),
                       second * (0.6 + 0.4 * bulge[None, :, None]))  # fmt: skip
    fuzz = 1 + rng.normal(0, 0.06, (TILE, TILE, 1))
    return np.clip(threads * fuzz, 3, 250).astype(np.uint8)


def _art(assets: Assets, rng: np.random.Generator) -> Image:
    """Make a printed board: regions grown round points, outlined, with signs in some."""
    points = rng.uniform(0, TILE, (int(rng.integers(6, 24)), 2))
    rows, columns = np.mgrid[0:TILE, 0:TILE].astype(np.float32)
    wobble = cv2.resize(rng.normal(0, 14, (9, 9)), (TILE, TILE), interpolation=cv2.INTER_CUBIC)
    far = np.stack([np.hypot(columns + wobble - x, rows - wobble - y) for x, y in points])
    order = np.sort(far, axis=0)
    tints = rng.uniform(25, 235, (len(points), 3))
    # Print on card is seldom of a pure colour.
    grey = rng.uniform(0.2, 0.75)
    tints = grey * tints.mean(axis=1, keepdims=True) + (1 - grey) * tints
    art = tints[far.argmin(axis=0)] * (0.93 + 0.07 * np.cos(order[0] / 9))[..., None]
    art[order[1] - order[0] < rng.uniform(3, 12)] = rng.uniform(5, 240, 3)
    signs = assets.bank.of(assets.split, str(rng.choice(["energy", "heal", "celebrity"])))
    for x, y in points[: int(rng.integers(0, 5))]:
        mask = signs[int(rng.integers(len(signs)))].variants[0] / 255.0
        wide = int(rng.integers(40, 110))
        left, top = int(np.clip(x, 0, TILE - wide)), int(np.clip(y, 0, TILE - wide))
        part = art[top : top + wide, left : left + wide]
        share = cv2.resize(mask, (wide, wide), interpolation=cv2.INTER_AREA)[..., None]
        part[:] = part * (1 - share) + rng.uniform(5, 245, 3) * share
    return np.clip(art, 3, 250).astype(np.uint8)


def _spot(view: PinholeCamera, rng: np.random.Generator) -> Floats:
    pixel = rng.uniform(0, 1, (1, 2)) * np.array(view.size)
    return view.on_ground(pixel.astype(np.float32))[0, :2]


def _tint(rng: np.random.Generator) -> Floats:
    return linear(rng.uniform(10, 240, 3))


def _card(at: Floats, side: float, tall: float, rng: np.random.Generator) -> Slab:
    """Make a card, or a pile of them `tall` mm high, with a picture and lines of text."""
    face = np.empty((210, 150, 3), np.float32)
    face[:] = _tint(rng)
    face[6:-6, 6:-6] = _tint(rng)
    art = cv2.resize(surface(str(rng.choice(["marble", "plain", "checks"])), rng), (126, 90))
    face[24:114, 12:138] = linear(art)
    ink = _tint(rng) * 0.3
    for row in range(126, 190, 10):
        face[row : row + 4, 16 : 16 + int(rng.integers(40, 118))] = ink
    paint = np.tile(cv2.resize(face, (150, 150)), (6, 1, 1))
    paint[150:] = 0.75
    wide = side * rng.uniform(1.1, 1.7)
    half = np.array([wide, wide * 1.4, tall / 2])
    return Slab(np.array([*at, tall / 2]), half, float(rng.uniform(0, 360)), 0.12, paint, 0.3)


def _token(at: Floats, side: float, height: float, rng: np.random.Generator) -> Disc:
    return Disc(at, side * float(rng.uniform(0.45, 0.9)), height, _tint(rng), _tint(rng))


def prop(
    spot: Floats, height: float, side: float, rng: np.random.Generator
) -> tuple[list[Slab], list[Disc]]:
    """Make a disc or a pile of cards whose rim is at `spot` (2 of place, 2 of direction), `height`
    mm high.
    """
    if rng.random() < 0.6:
        token = _token(np.zeros(2), side, height, rng)
        at = spot[:2] + spot[2:] * token.radius
        return [], [Disc(at, token.radius, height, token.colour, token.middle)]
    pile = _card(np.zeros(2), side, height, rng)
    yaw = float(np.degrees(np.arctan2(spot[3], spot[2])))
    at = spot[:2] + spot[2:] * pile.half[0]
    centre = np.array([*at, height / 2])
    return [Slab(centre, pile.half, yaw, pile.radius, pile.paint, pile.rough)], []


@dataclass
class FreeSpace:
    """The occupied parts of the table: circles, (2,) mm and a radius, and the wall of a tray, from
    one radius to another round a point.
    """

    circles: list[tuple[Floats, float]]
    middle: Floats
    wall: tuple[float, float] = (np.inf, np.inf)

    def free(self, at: Floats, wide: float) -> bool:
        """Whether a circle would touch none of them."""
        far = float(np.linalg.norm(at - self.middle))
        if far + wide > self.wall[0] and far - wide < self.wall[1]:
            return False
        return all(np.linalg.norm(at - spot) > wide + other for spot, other in self.circles)


def footprint(slab: Slab) -> tuple[Floats, float]:
    """The circle on the table round a slab."""
    return slab.centre[:2], float(np.hypot(*slab.half[:2]))


def apart(slabs: list[Slab], tokens: list[Disc], dice: list[Die]) -> bool:
    """Whether no die can touch any of these, whatever its yaw."""
    for die in dice:
        wide, at = 0.72 * die.side, die.centre[:2]
        for slab in slabs:
            turn = np.radians(slab.yaw)
            grid = np.array([[np.cos(turn), np.sin(turn)], [-np.sin(turn), np.cos(turn)]])
            over = np.maximum(np.abs(grid @ (at - slab.centre[:2])) - slab.half[:2], 0)
            if np.linalg.norm(over) < wide:
                return False
        if any(np.linalg.norm(at - token.at) < wide + token.radius for token in tokens):
            return False
    return True


def clutter(
    dice: list[Die], view: PinholeCamera, rng: np.random.Generator, room: FreeSpace
) -> tuple[list[Slab], list[Disc]]:
    """Place cards and discs where no die is and where there is space, which they then occupy."""
    slabs: list[Slab] = []
    tokens: list[Disc] = []
    side = dice[0].side
    kinds = rng.permutation(["card", "card", "token", "token", "token"])
    for kind in kinds[: int(rng.integers(0, 6))]:
        at = _spot(view, rng)
        if kind == "card":
            slab = _card(at, side, 0.35, rng)
            circle = footprint(slab)
            if room.free(*circle) and apart([slab], [], dice):
                slabs.append(slab)
                room.circles.append(circle)
        else:
            token = _token(at, side, float(rng.uniform(1, 3)), rng)
            if room.free(at, token.radius) and apart([], [token], dice):
                tokens.append(token)
                room.circles.append((at, token.radius))
    return slabs, tokens


def tray(
    bodies: list[tuple[Floats, float]], rng: np.random.Generator
) -> tuple[list[Slab], FreeSpace]:
    """Make the walls of a tray of four, six or eight corners round bodies, (2,) mm and a radius
    each.
    """
    middle = np.mean([at for at, _ in bodies], axis=0)
    sides = int(rng.choice([4, 4, 6, 8]))
    turn = float(rng.uniform(0, 360))
    side = bodies[0][1]
    thick, tall = side * rng.uniform(0.15, 0.6), side * rng.uniform(0.5, 2.0)
    angles = turn + 360 / sides * np.arange(sides)
    out = np.stack([np.cos(np.radians(angles)), np.sin(np.radians(angles))], 1)
    inner = max(float((out @ (at - middle)).max()) + wide for at, wide in bodies)
    inner += side * rng.uniform(0.4, 2.5)
    paint = _tint(rng).reshape(1, 1, 3)
    half = np.array([thick, (inner + 2 * thick) * np.tan(np.pi / sides), tall / 2])
    rough = float(rng.uniform(0.15, 0.6))
    walls = [
        Slab(
            np.array([*(middle + way * (inner + thick)), tall / 2]), half, float(angle),
            0.25 * float(thick), paint, rough,
        )
        for way, angle in zip(out, angles, strict=True)
    ]  # fmt: skip
    outer = (inner + 2 * thick) / np.cos(np.pi / sides)
    return walls, FreeSpace(list(bodies), middle, (inner, float(outer)))


def _in_sight(view: PinholeCamera, at: Floats, size: float) -> bool:
    """Whether a lamp would be in the picture."""
    deep = float((at - view.eye) @ view.rotation[2])
    if deep < -size:
        return False
    pixel = view.project(at.astype(np.float32))
    room = size / max(deep, 1.0) * view.focal + 30
    return bool((pixel > -room).all() and (pixel < np.array(view.size) + room).all())


def lamps(view: PinholeCamera, rng: np.random.Generator) -> tuple[tuple[Glow, ...], Floats]:
    """Make one to three lamps or windows, and the ambient light, linear BGR."""
    found: list[Glow] = []
    wanted = int(rng.choice([1, 1, 2, 3]))
    while len(found) < wanted:
        around, height = rng.uniform(0, 2 * np.pi), rng.uniform(0.3, 1.45)
        far = rng.uniform(350, 1600)
        flat = far * np.cos(height)
        at = np.array([flat * np.cos(around), flat * np.sin(around), far * np.sin(height)])
        half = np.exp(rng.uniform(np.log(0.04), np.log(0.45), 2)) * far
        if _in_sight(view, at, float(np.linalg.norm(half))):
            continue
        tint = np.exp(rng.normal(0, 0.14, 3))
        found.append(
            Glow(at, half, bool(rng.random() < 0.4), tint * rng.uniform(0.3, 1.3) / wanted**0.5)
        )
    return tuple(found), rng.uniform(0.1, 0.7) * np.exp(rng.normal(0, 0.1, 3))
