"""Render what the demo tray is put together from: the faces of its dice, and the empty tray.

`python -m models.sprites [FOLDER]` writes GAME.png for each game and tray.webp. A GAME.png
holds the game's faces in the order of its rules from left to right, as they look from straight
above: black dice above, green ones below, opaque where the die is.
"""

import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

import cv2
import numpy as np

from companion.engine import RULESETS
from companion.vision.box import rules_of
from models.arrays import Floats, Image, Mask
from models.art.drawings import DRAWINGS
from models.art.shapes import Pen
from models.places import HERE
from models.scene.camera import CameraPose, camera
from models.scene.die import Die, rotation_with_top
from models.scene.finishes import Finish, linear
from models.scene.light import Lamp, Scene, lit
from models.scene.render import cast_die

FOLDER: Final = HERE / "demo"
FACE: Final = 160
"""The width of a face in a sprite, px."""
TRAY: Final = (1280, 720)
RIM: Final = 46
"""The width of the tray's wooden rim, px."""
PRINTED: Final = 0.64
"""The size of a print in shares of its face."""
FINER: Final = 4
"""How much finer faces are rendered than they are kept."""


@dataclass(frozen=True, slots=True)
class Print:
    """The drawing of a face: its style among DRAWINGS, and the seed of what it leaves to chance."""

    style: str
    seed: int


PRINTS: Final = {
    "energy": Print("step", 1), "attack": Print("paw", 0), "destruction": Print("wide", 0),
    "heal": Print("curve", 2), "celebrity": Print("sharp", 2), "ouch": Print("grin", 3),
    "one": Print("slab", 2), "two": Print("stroked", 2), "three": Print("stroked", 2),
}  # fmt: skip
FINISHES: Final = (
    Finish(linear([30, 27, 25]), linear([84, 226, 158]), "black", 0.3, 40.0, 0.15, 0.0),
    Finish(linear([78, 205, 118]), linear([24, 30, 22]), "green", 0.3, 40.0, 0.15, 0.0),
)
"""The finishes of the six dice of a game, and of its extra dice."""
_LAMPS: Final = tuple(
    Lamp(
        np.array([np.cos(turn) * 700, np.sin(turn) * 700, 800], np.float32),
        np.full(3, 0.11, np.float32),
        1.0,
    )
    for turn in np.arange(8) * np.pi / 4
)
"""A ring of lamps: a sprite is turned with its die, so its light comes from all sides alike."""


def drawing(shown: Print, face: str) -> Mask:
    """Draw the face as large as it fits, (4 * FACE, 4 * FACE) uint8, ink 255."""
    pen = Pen()
    DRAWINGS[face][shown.style](pen, np.random.default_rng(shown.seed))
    rows, columns = np.nonzero(pen.ink > 60)
    part = pen.ink[rows.min() : rows.max() + 1, columns.min() : columns.max() + 1]
    size = FACE * FINER
    scale = size * PRINTED / max(part.shape)
    middle = np.array(part.shape[::-1]) / 2
    grid = np.array([[scale, 0, size / 2], [0, scale, size / 2]])
    grid[:, 2] -= scale * middle
    large = cv2.warpAffine(part, grid, (size, size), flags=cv2.INTER_CUBIC)
    return np.asarray(np.clip((large.astype(np.float32) - 96) * 4, 0, 255), np.uint8)


def sprite(face: str, style: Finish) -> Image:
    """Render the face of a die from straight above, (FACE, FACE, 4) uint8 BGR and opacity."""
    fine = FACE * FINER
    ink = np.tile(drawing(PRINTS[face], face).astype(np.float32) / 255, (6, 1))
    atlas = style.body + (style.ink - style.body) * ink[..., None]
    die = Die(
        np.array([0, 0, 8], np.float32), rotation_with_top(0), 16.0, (face,) * 6, ("",) * 6,
        atlas.astype(np.float32), ink, style, "glyph",
    )  # fmt: skip
    pose = CameraPose(0.0, 0.0, 1.5, fine / 1.01)
    view = camera(pose, 16.0, (fine, fine))
    # From so far away the die's own height is seen as none.
    view = replace(view, eye=view.eye + np.array([0, 0, 16], np.float32))
    scene = Scene(
        view, (), np.zeros((1, 1, 3), np.uint8), 1.0, _LAMPS, np.full(3, 0.45, np.float32), ()
    )
    hit = cast_die(view, die)
    if hit is None:
        raise ValueError(f"no die is in the picture of {face}")
    light, shine = lit(scene, die, hit)
    seen = np.zeros((fine, fine, 4), np.float32)
    rows, columns = hit.mask.shape
    window = seen[hit.top : hit.top + rows, hit.left : hit.left + columns]
    window[hit.mask, :3] = (hit.albedo * light + shine)[hit.mask]
    window[hit.mask, 3] = 1
    small = cv2.resize(seen, (FACE, FACE), interpolation=cv2.INTER_AREA)
    colour = small[..., :3] / np.maximum(small[..., 3:], 1e-3)
    coded = np.clip(colour, 0, 1) ** (1 / 2.2) * 255
    return np.dstack([coded, small[..., 3] * 255]).round().astype(np.uint8)


def tray() -> Image:
    """Draw the empty tray from above: felt in a wooden rim, (h, w, 3) uint8 BGR."""
    rng = np.random.default_rng(5)
    width, height = TRAY
    y, x = np.mgrid[:height, :width].astype(np.float32)
    inside = _depth(x, y, RIM, 60.0)
    # Brighter, or with a stronger fall of light, the reader takes part of the felt for a die.
    felt = np.array([60, 32, 104], np.float32) * (0.93 + 0.14 * _fibres(rng))[..., None]
    middle = np.hypot((x - width * 0.44) / width, (y - height * 0.36) / width)
    felt *= (1.05 - 0.25 * middle**1.5)[..., None]
    # The rim stands above the felt: it takes light from it, most from the side of the lamp.
    lamp_side = np.minimum(inside, np.minimum(x, y) - RIM)
    felt *= (1 - 0.38 * np.exp(-np.maximum(inside, 0) / 9))[..., None]
    felt *= (1 - 0.3 * np.exp(-np.maximum(lamp_side, 0) / 22))[..., None]
    wood = _wood(rng, x, y) * _bevel(x, y, inside)[..., None]
    share = np.clip(inside + 0.5, 0, 1)[..., None]
    return np.clip(wood + (felt - wood) * share, 0, 255).round().astype(np.uint8)


def _depth(x: Floats, y: Floats, rim: float, radius: float) -> Floats:
    """(h, w) how far each pixel is within a rectangle with round corners, px; below 0 outside."""
    height, width = x.shape
    across = np.abs(x + 0.5 - width / 2) - (width / 2 - rim - radius)
    down = np.abs(y + 0.5 - height / 2) - (height / 2 - rim - radius)
    corner = np.hypot(np.maximum(across, 0), np.maximum(down, 0))
    return np.asarray(radius - corner - np.minimum(np.maximum(across, down), 0), np.float32)


def _fibres(rng: np.random.Generator) -> Floats:
    """(h, w) the mottle of felt, about 0..1."""
    width, height = TRAY
    mottle = np.zeros((height, width), np.float32)
    for cells, share in ((3, 0.25), (9, 0.3), (60, 0.45)):
        coarse = rng.random((height // cells + 2, width // cells + 2), dtype=np.float32)
        mottle += share * cv2.resize(coarse, (width, height), interpolation=cv2.INTER_CUBIC)
    return mottle


def _wood(rng: np.random.Generator, x: Floats, y: Floats) -> Floats:
    """(h, w, 3) boards whose grain runs along each side of the rim, mitred at the corners."""
    height, width = x.shape
    edge = np.stack([y, height - 1 - y, x, width - 1 - x])
    side = edge.argmin(axis=0)
    along = np.where(side < 2, x, y)
    across = np.take_along_axis(edge, side[None], 0)[0]
    field = cv2.resize(
        rng.random((24, 40), dtype=np.float32), (width, 128), interpolation=cv2.INTER_CUBIC
    )
    wave = cv2.remap(
        field,
        along.astype(np.float32),
        (across + 31.0 * side).astype(np.float32) % 127,
        cv2.INTER_LINEAR,
    )
    rings = 0.5 + 0.5 * np.sin(across * 0.55 + wave * 9 + side * 2.0)
    fine = rng.random((height, width), dtype=np.float32)
    grain = 0.8 + 0.2 * rings + 0.06 * (fine - 0.5) + 0.12 * (wave - 0.5)
    return np.asarray(np.array([38, 66, 112], np.float32) * grain[..., None], np.float32)


def _bevel(x: Floats, y: Floats, inside: Floats) -> Floats:
    """(h, w) the light on a rim with rounded edges."""
    height, width = x.shape
    outer = np.minimum(np.minimum(x, y), np.minimum(width - 1 - x, height - 1 - y))
    round_ = np.exp(-outer / 8) * -0.35 + np.exp(np.minimum(inside, 0) / 5) * -0.3
    gleam = 0.22 * np.exp(-(((inside + 12) / 6) ** 2)) * np.where(x + y > width * 0.9, 1.0, 0.45)
    return np.asarray(1 + round_ + gleam, np.float32)


def sheet(game: str) -> Image:
    """Render all faces of a game's dice, (2 * FACE, 6 * FACE, 4) uint8."""
    faces = rules_of(game).faces
    return np.vstack([np.hstack([sprite(face, style) for face in faces]) for style in FINISHES])


def write(folder: Path) -> None:
    """Write all pictures to the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for game in RULESETS:
        cv2.imwrite(str(folder / f"{game}.png"), sheet(game), [cv2.IMWRITE_PNG_COMPRESSION, 9])
    cv2.imwrite(str(folder / "tray.webp"), tray(), [cv2.IMWRITE_WEBP_QUALITY, 90])


if __name__ == "__main__":
    write(Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER)
