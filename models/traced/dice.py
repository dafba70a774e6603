"""Path-traced dice: their print, and how they lie flat, on one another, or leaning."""

from dataclasses import dataclass, replace
from typing import Final

import cv2
import numpy as np

from models.arrays import Floats, Image
from models.art.shapes import SIZE
from models.scene.box import Assets, random_spots
from models.scene.camera import PinholeCamera
from models.scene.die import (
    AXES,
    GAMES,
    TEXTURE,
    Die,
    glyph_of,
    make_yaw,
    put_flat,
    rotation_with_top,
    tipped_over,
)
from models.scene.finishes import finish, linear
from models.scene.mixes import ROLL
from models.traced.table import FreeSpace, gap, reach, settled

PRINT: Final = 240
"""Texels along a face: more than the largest width of a die in pixels."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A die, or a cube without print, and its material.

    `die.atlas` is (6 * PRINT, PRINT, 3) linear BGR here, `print` (6 * PRINT, PRINT) the share of
    ink in it, 0..1; `rough` is the plastic's, 0..1, `dull` the ink's, or 0 if it is no other.
    """

    die: Die
    print: Floats
    rough: float
    dull: float


def _face(mask: Image, rng: np.random.Generator) -> Floats:
    """(PRINT, PRINT) a drawing on a face, sharp-edged, 0..1."""
    scale = rng.uniform(0.5, 0.8) * PRINT / SIZE
    turn = 90.0 * rng.integers(4) + rng.normal(0, 2.5)
    middle = (SIZE / 2, SIZE / 2)
    grid = np.asarray(cv2.getRotationMatrix2D(middle, float(turn), float(scale)), np.float64)
    grid[:, 2] += PRINT / 2 - SIZE / 2 + rng.normal(0, 0.015 * PRINT, 2)
    soft = cv2.warpAffine(mask, grid, (PRINT, PRINT), flags=cv2.INTER_CUBIC) / 255.0
    return np.asarray(np.clip((soft - 0.5) * 2.5 + 0.5, 0, 1), np.float32)


def _rubbed(ink: Floats, wear: float, rng: np.random.Generator) -> Floats:
    """Rub patches and fine scratches off the print."""
    size = ink.shape[::-1]
    coarse = cv2.resize(rng.random((90, 15), dtype=np.float32), size, interpolation=cv2.INTER_CUBIC)
    fine = cv2.resize(rng.random((480, 80), dtype=np.float32), size)
    left = np.clip((0.7 * coarse + 0.3 * fine - wear + 0.1) * 6, 0.15, 1)
    return np.asarray(ink * left, np.float32)


@dataclass(frozen=True, slots=True)
class TracedBox:
    """The print of all dice of one box: the name of each face and its drawing's asset, and (6 *
    PRINT, PRINT) the share of ink.
    """

    names: tuple[str, ...]
    drawings: tuple[str, ...]
    ink: Floats


def _box(source: Assets, rng: np.random.Generator, game: tuple[str, ...]) -> TracedBox:
    names = tuple(str(name) for name in rng.permutation(game))
    faces = [glyph_of(source.bank, source.split, name, rng) for name in names]
    ink = np.concatenate([_face(mask, rng) for _, mask in faces])
    return TracedBox(names, tuple(asset for asset, _ in faces), ink)


def _piece(box: TracedBox, rng: np.random.Generator, side: float, style: Piece | None) -> Piece:
    """Make a die of this box at the origin, of the same make as another where one is given."""
    look = style.die.finish if style else finish(rng, 0.15, ROLL.worn)
    ink = _rubbed(box.ink, look.wear, rng) if look.wear > 0 else box.ink
    body = np.maximum(look.body, 0.004)
    atlas = np.asarray(body + (look.ink - body) * ink[..., None], np.float32)
    small = cv2.resize(ink, (TEXTURE, 6 * TEXTURE), interpolation=cv2.INTER_AREA)
    die = Die(
        np.array([0, 0, side / 2], np.float32), rotation_with_top(int(rng.integers(6))), side,
        box.names, box.drawings, atlas, small, look, "glyph",
    )  # fmt: skip
    if style:
        return Piece(die, ink, style.rough, style.dull)
    rough = float(np.exp(rng.uniform(np.log(0.06), np.log(0.45))))
    return Piece(die, ink, rough, float(rng.uniform(0.2, 0.5) if rng.random() < 0.4 else 0.0))


def _cube(rng: np.random.Generator, side: float) -> Piece:
    """Make an energy cube: green, without print."""
    green = linear(np.array([rng.uniform(10, 90), rng.uniform(120, 230), rng.uniform(10, 90)]))
    look = replace(finish(rng), body=green, ink=green, radius=float(rng.uniform(0.03, 0.12)))
    die = Die(
        np.array([0, 0, side / 2], np.float32), np.eye(3, dtype=np.float32), side, ("blank",) * 6,
        ("",) * 6, green.reshape(1, 1, 3), np.zeros((6 * TEXTURE, TEXTURE), np.float32), look,
        "blank",
    )  # fmt: skip
    return Piece(die, np.zeros((1, 1), np.float32), float(rng.uniform(0.05, 0.3)), 0.0)


def _at(piece: Piece, die: Die) -> Piece:
    """Replace the piece's die by the same one in another place."""
    return replace(piece, die=die)


def clear(die: Die, others: list[Die], room: float = -0.02) -> bool:
    """Whether the die is outside all others, at least `room` mm from each."""
    return all(gap(die, other) >= room for other in others)


def whole(die: Die, view: PinholeCamera) -> bool:
    """Whether all of the die is in the picture, with a little room."""
    points = view.project(die.corners().reshape(-1, 3))
    return bool((points >= 6).all() and (points <= np.array(view.size) - 6).all())


def against(die: Die, wall: Die, degrees: float, rng: np.random.Generator) -> Die:
    """Jam the die against a flat one: an edge on the table, the opposite one up its side."""
    # Any horizontal axis will do; which axes are horizontal depends on its top.
    side = wall.rotation @ AXES[wall.top(), 1]
    yaw = np.arctan2(side[1], side[0]) + np.pi / 2 * int(rng.integers(4))
    out = np.array([np.cos(yaw), np.sin(yaw), 0.0])
    around = float(np.degrees(yaw) + rng.normal(0, 3))
    turned = replace(die, rotation=make_yaw(around) @ _upright(die))
    tilted = settled(tipped_over(turned, float(yaw + np.pi / 2), degrees))
    far = reach(wall, out) + reach(tilted, -out) + 0.02
    along = np.array([-out[1], out[0], 0.0]) * rng.uniform(-0.45, 0.45) * wall.side
    centre = wall.centre + out * far + along
    centre[2] = tilted.centre[2]
    return replace(tilted, centre=centre.astype(np.float32))


def _upright(die: Die) -> Floats:
    """The die's rotation without its yaw: the same face up, unturned."""
    return rotation_with_top(die.top())


def propped(die: Die, degrees: float, rng: np.random.Generator) -> tuple[Die, Floats, float]:
    """Tip the die where it stands, and find what it rests on: (4,) the point of the table, mm,
    under the place where that touches its lower face and the unit direction up the slope, and the
    place's height, mm.
    """
    way = rng.uniform(0, 2 * np.pi)
    up = np.array([np.cos(way), np.sin(way), 0.0])
    # Tipped about the axis to the left of `up`, a die goes down on that side.
    tilted = settled(tipped_over(die, float(way - np.pi / 2), degrees))
    slope = np.tan(np.radians(degrees))
    normal = np.array([0, 0, 1.0]) * np.cos(np.radians(degrees))
    normal = normal - up * np.sin(np.radians(degrees))
    foot = tilted.centre - normal * die.side / 2
    start = -foot[2] / slope
    # Farther up the face curves away into its edge.
    most = min(0.8, 1 - 2 * die.finish.radius)
    height = float(rng.uniform(0.35, most) * die.side * np.sin(np.radians(degrees)))
    spot = foot + up * (start + height / slope)
    return tilted, np.concatenate([spot[:2], up[:2]]), height


def rolled(
    assets: Assets, rng: np.random.Generator, view: PinholeCamera, side: float, count: int
) -> list[Piece]:
    """Place up to `count` dice from one box, flat, whole in the picture, and apart."""
    box = _box(assets, rng, GAMES[int(rng.random() < 0.42)])
    has_extra = rng.random() < 0.3
    makes: list[Piece] = []
    pieces: list[Piece] = []
    for at, yaw in random_spots(rng, view, (side, float(rng.choice([0.1, 0.14]))), count):
        make = int(has_extra and rng.random() < 0.25)
        piece = _piece(box, rng, side, makes[make] if make < len(makes) else None)
        if make >= len(makes):
            makes.append(piece)
        die = put_flat(piece.die, at, yaw)
        if clear(die, [other.die for other in pieces]):
            pieces.append(_at(piece, die))
    return pieces


def jammed(
    pieces: list[Piece], rng: np.random.Generator, view: PinholeCamera
) -> list[Piece] | None:
    """Lean one of the dice against another by 13 to 42 degrees; None if there is no room."""
    for _ in range(60):
        place, wall = (int(n) for n in rng.permutation(len(pieces))[:2])
        die = against(pieces[place].die, pieces[wall].die, float(rng.uniform(13, 42)), rng)
        if clear(die, _others(pieces, place)) and whole(die, view):
            return [*pieces[:place], _at(pieces[place], die), *pieces[place + 1 :]]
    return None


def tipped(
    pieces: list[Piece], place: int, rng: np.random.Generator
) -> tuple[list[Piece], Floats, float]:
    """Lean the die of that number by 13 to 42 degrees; returns what `propped` does."""
    die, spot, height = propped(pieces[place].die, float(rng.uniform(13, 42)), rng)
    return [*pieces[:place], _at(pieces[place], die), *pieces[place + 1 :]], spot, height


def _others(pieces: list[Piece], place: int) -> list[Die]:
    """The dice of all other pieces."""
    return [piece.die for n, piece in enumerate(pieces) if n != place]


def stacked(pieces: list[Piece], rng: np.random.Generator) -> list[Piece]:
    """Put the last of the dice on another."""
    under, upper = pieces[int(rng.integers(len(pieces) - 1))].die, pieces[-1]
    top = put_flat(upper.die, under.centre[:2] + rng.normal(0, 0.13 * under.side, 2),
               float(rng.uniform(0, 360)))  # fmt: skip
    rise = np.array([0, 0, under.side], np.float32)
    return [*pieces[:-1], _at(upper, replace(top, centre=top.centre + rise))]


def cut_off(pieces: list[Piece], rng: np.random.Generator, view: PinholeCamera) -> list[Piece]:
    """Put the last of the dice across the picture's edge, where there is room for it."""
    others = [piece.die for piece in pieces[:-1]]
    for _ in range(40):
        spot = rng.uniform(0.1, 0.9, 2)
        spot[int(rng.integers(2))] = rng.integers(2)
        side = pieces[-1].die.side
        pixel = (spot * np.array(view.size))[None].astype(np.float32)
        at = view.on_ground(pixel, side / 2)[0, :2] + rng.normal(0, 0.25 * side, 2)
        die = put_flat(replace(pieces[-1].die, rotation=_upright(pieces[-1].die)), at,
                   float(rng.uniform(0, 360)))  # fmt: skip
        if clear(die, others):
            return [*pieces[:-1], _at(pieces[-1], die)]
    return pieces


def cubes(
    pieces: list[Piece], rng: np.random.Generator, view: PinholeCamera, room: FreeSpace
) -> list[Piece]:
    """Strew green cubes where there is room."""
    side = pieces[0].die.side * float(rng.uniform(0.4, 0.75))
    placed: list[Piece] = []
    for _ in range(int(rng.integers(1, 8))):
        pixel = (rng.uniform(0, 1, (1, 2)) * np.array(view.size)).astype(np.float32)
        at = view.on_ground(pixel)[0, :2]
        cube = _cube(rng, side)
        die = put_flat(cube.die, at, float(rng.uniform(0, 360)))
        if not room.free(at, 0.72 * side):
            continue
        if clear(die, [piece.die for piece in (*pieces, *placed)], 0.3):
            placed.append(_at(cube, die))
    return placed
