"""A whole scene for path tracing: dice, table, camera, lamps and tags.

Everything is a body with a place and a size in millimetres, z up, so that light can be followed.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np

from models.arrays import Floats, Image
from models.scene.box import Assets
from models.scene.camera import CameraPose, PinholeCamera, camera
from models.traced.dice import (
    Piece,
    clear,
    cubes,
    cut_off,
    jammed,
    rolled,
    stacked,
    tipped,
    whole,
)
from models.traced.table import (
    GROUNDS,
    Disc,
    FreeSpace,
    Glow,
    Slab,
    apart,
    clutter,
    footprint,
    ground,
    lamps,
    prop,
    tray,
)

PICTURE: Final = (960, 540)
FAULTS: Final = ("fit", "cocked", "stacked", "cut")
ODDS: Final = (0.75, 0.12, 0.06, 0.07)


@dataclass(frozen=True, slots=True)
class TracedScene:
    """A whole scene. `aperture` is the lens's radius in mm, 0 for a pinhole; `focus` mm away."""

    camera: PinholeCamera
    pieces: tuple[Piece, ...]
    slabs: tuple[Slab, ...]
    tokens: tuple[Disc, ...]
    ground: Image
    ground_mm: float
    ground_turn: float
    varnish: float
    """The ground's roughness as a varnished one, or 0 if it is dull."""
    lamps: tuple[Glow, ...]
    sky: Floats
    aperture: float
    focus: float
    tags: tuple[str, ...]


def placed_camera(view: PinholeCamera) -> tuple[Floats, float, tuple[int, int]]:
    """The (4, 4) matrix, horizontal field of view (degrees) and film size of the same camera for a
    renderer whose camera looks along z with x to the left and y upwards.

    There pixel n reaches from n to n + 1; here its middle is n. A film that is one pixel larger has
    its middle half a pixel further, if this camera has it.
    """
    width, height = view.size[0] + 1, view.size[1] + 1
    matrix = np.eye(4)
    matrix[:3, :3] = (view.rotation * np.array([[-1], [-1], [1]])).T
    matrix[:3, 3] = view.eye
    return matrix, float(2 * np.degrees(np.arctan(width / 2 / view.focal))), (width, height)


def _view(rng: np.random.Generator, side: float, wide: float) -> PinholeCamera:
    """Draw a random camera over the table."""
    tilt = rng.uniform(0, 24) if rng.random() < 0.5 else rng.uniform(18, 50)
    field = float(rng.uniform(46, 78))
    return camera(CameraPose(float(tilt), float(rng.normal(0, 6)), field, wide), side, PICTURE)


def _lens(rng: np.random.Generator, view: PinholeCamera) -> tuple[float, float]:
    """The lens's radius and the distance at which it is sharp, mm; a pinhole for two thirds."""
    far = float(view.eye[2] / -view.rotation[2, 2])
    if rng.random() > 0.35:
        return 0.0, far
    focus = far * float(rng.uniform(0.9, 1.1))
    # A point a fifth farther than what is sharp becomes a disc so many pixels wide.
    disc = rng.uniform(1.0, 4.0)
    return float(disc / (2 * view.focal) / (1 / focus - 1 / (1.2 * focus))), focus


def _cocked(
    pieces: list[Piece], rng: np.random.Generator, view: PinholeCamera
) -> tuple[list[Piece], list[Slab], list[Disc]]:
    """Lean one of the dice on another, on a disc, or on a pile of cards."""
    if rng.random() < 0.55:
        found = jammed(pieces, rng, view)
        if found:
            return found, [], []
    for _ in range(80):
        place = int(rng.integers(len(pieces)))
        changed, spot, height = tipped(pieces, place, rng)
        die = changed[place].die
        others = [piece.die for piece in changed if piece is not changed[place]]
        slabs, tokens = prop(spot, height, die.side, rng)
        if apart(slabs, tokens, others) and clear(die, others) and whole(die, view):
            return changed, slabs, tokens
    return pieces, [], []


def arranged(assets: Assets, rng: np.random.Generator) -> TracedScene:
    """Make a random scene of six dice, sometimes seven or eight; a quarter have a fault."""
    fault = str(rng.choice(FAULTS, p=ODDS))
    count = int(rng.choice([6, 6, 6, 6, 6, 6, 7, 8]))
    side = float(rng.uniform(14, 22))
    wide = float(np.exp(rng.uniform(np.log(30), np.log(130))))
    view = _view(rng, side, wide)
    pieces = rolled(assets, rng, view, side, count)
    while len(pieces) < count:
        wide = max(30.0, 0.9 * wide)
        view = _view(rng, side, wide)
        pieces = rolled(assets, rng, view, side, count)
    slabs: list[Slab] = []
    tokens: list[Disc] = []
    if fault == "cocked":
        pieces, slabs, tokens = _cocked(pieces, rng, view)
    elif fault == "stacked":
        pieces = stacked(pieces, rng)
    elif fault == "cut":
        pieces = cut_off(pieces, rng, view)
    dice = [piece.die for piece in pieces]
    circles = [*((token.at, token.radius) for token in tokens), *map(footprint, slabs)]
    room = FreeSpace(circles, np.zeros(2))
    tags = [fault, f"tilt:{_tilt(view)}"]
    if rng.random() < 0.3 and fault != "cut":
        walls, room = tray([*((die.centre[:2], 0.75 * die.side) for die in dice), *circles], rng)
        room.circles = circles
        slabs = slabs + walls
        tags.append("tray")
    more_slabs, more_tokens = clutter(dice, view, rng, room)
    slabs, tokens = slabs + more_slabs, tokens + more_tokens
    if rng.random() < 0.35:
        pieces = pieces + cubes(pieces, rng, view, room)
    kind = str(rng.choice(GROUNDS))
    texture = ground(kind, assets, rng)
    aperture, focus = _lens(rng, view)
    if aperture:
        tags.append("dof")
    shine = float(rng.uniform(0.12, 0.4)) if kind != "weave" and rng.random() < 0.4 else 0.0
    glows, sky = lamps(view, rng)
    return TracedScene(
        view, tuple(pieces), tuple(slabs), tuple(tokens), texture, float(rng.uniform(150, 500)),
        float(rng.uniform(0, 360)), shine, glows, sky, aperture, focus,
        (*tags, f"surface:{kind}"),
    )  # fmt: skip


def _tilt(view: PinholeCamera) -> str:
    """The camera's tilt in bands of ten degrees."""
    low = int(np.degrees(np.arccos(np.clip(-view.rotation[2, 2], -1, 1))) // 10 * 10)
    return f"{low}-{low + 9}"
