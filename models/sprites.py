"""Render the faces of the demo's dice.

`python -m models.sprites [FOLDER]` writes GAME.png for each game: its faces in the order of its
rules from left to right, as they look from straight above: black dice above, green ones below,
opaque where the die is. The empty tray, tray.webp, is a picture of its own.
"""

import sys
from dataclasses import replace
from pathlib import Path
from typing import Final

import cv2
import numpy as np

from companion.engine import RULESETS
from companion.vision.box import rules_of
from models.arrays import Image
from models.art.drawings import outlines
from models.art.shapes import filled
from models.places import HERE
from models.scene.camera import CameraPose, camera
from models.scene.die import Die, rotation_with_top
from models.scene.finishes import Finish, linear
from models.scene.light import Lamp, Scene, lit
from models.scene.render import cast_die

FOLDER: Final = HERE / "demo"
FACE: Final = 160
"""The width of a face in a sprite, px."""
PRINTED: Final = 0.64
"""The size of a print in shares of its face."""
FINER: Final = 4
"""How much finer faces are rendered than they are kept."""


PRINTS: Final = {
    "energy": "step", "attack": "paw", "destruction": "wide", "heal": "curve",
    "celebrity": "sharp", "ouch": "grin", "one": "slab", "two": "stroked", "three": "stroked",
}  # fmt: skip
"""The style of each face; its first drawing is printed."""
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


def sprite(face: str, style: Finish) -> Image:
    """Render the face of a die from straight above, (FACE, FACE, 4) uint8 BGR and opacity."""
    fine = FACE * FINER
    drawing = filled(outlines(face, PRINTS[face]), fine, round(fine * (1 - PRINTED) / 2))
    ink = np.tile(drawing.astype(np.float32) / 255, (6, 1))
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


def sheet(game: str) -> Image:
    """Render all faces of a game's dice, (2 * FACE, 6 * FACE, 4) uint8."""
    faces = rules_of(game).faces
    return np.vstack([np.hstack([sprite(face, style) for face in faces]) for style in FINISHES])


def write(folder: Path) -> None:
    """Write all pictures to the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for game in RULESETS:
        cv2.imwrite(str(folder / f"{game}.png"), sheet(game), [cv2.IMWRITE_PNG_COMPRESSION, 9])


if __name__ == "__main__":
    write(Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER)
