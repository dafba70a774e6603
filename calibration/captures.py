"""Render the captures that tests read: `python -m calibration.captures` (a minute).

The sheet in the tray, six dice on it and one beside it; `labels.jsonl` holds a row a picture, as
`companion read --json` prints them, with the true faces.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import cv2
import msgspec
import numpy as np

from calibration.sheet import bars
from companion.engine import Face
from companion.vision.box import PAGE_MM
from companion.vision.readings import Colour, DieReading, ReadingRow
from models.arrays import Floats, Image
from models.art.glyphs import Bank, load_bank
from models.scene.box import assets
from models.scene.camera import CameraPose, camera
from models.scene.clip import (
    PRINT,
    SCRIPTS,
    SIDE,
    ClipStage,
    Script,
    frame_of,
    places,
    resting,
    stage,
)
from models.scene.die import Die
from models.scene.render import label_of

FOLDER = Path(__file__).parent / "captures"
SIZE = (960, 540)
PX_PER_MM = 6
BESIDE_MM = (-172.0, 20.0)
"""Where a die has fallen beside the sheet, from its middle."""


@dataclass(frozen=True, slots=True)
class Capture:
    """A rendered picture of the sheet with its labels."""

    name: str
    image: Image
    row: ReadingRow


def page() -> Image:
    """Draw the sheet as printed, (h, w, 3) uint8."""
    width, height = (round(side * PX_PER_MM) for side in PAGE_MM)
    drawn = np.full((height, width, 3), 225, np.uint8)
    for x, y, w, h in bars():
        left, top, right, bottom = (round(n * PX_PER_MM) for n in (x, y, x + w, y + h))
        drawn[top : max(top + 1, bottom), left : max(left + 1, right)] = 25
    return drawn


def with_sheet(staged: ClipStage, tilt: float) -> ClipStage:
    """Put the sheet on the stage's table, seen from farther away."""
    view = camera(CameraPose(tilt, 3.0, 60.0, 42.0), SIDE, SIZE)
    width, height = PAGE_MM
    corners = np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float32)
    # The page's middle is the table's; its y runs towards the camera, the table's away from it.
    table = np.array([[x - width / 2, height / 2 - y, 0] for x, y in corners], np.float32)
    to_picture = cv2.getPerspectiveTransform(corners * PX_PER_MM, view.project(table))
    picture = np.asarray(cv2.resize(staged.table, SIZE), np.uint8)
    fine = cv2.warpPerspective(page(), to_picture, SIZE, flags=cv2.INTER_AREA)
    mask = cv2.warpPerspective(np.full(page().shape[:2], 255, np.uint8), to_picture, SIZE)
    picture[mask > 127] = fine[mask > 127]
    return replace(staged, scene=replace(staged.scene, camera=view), table=picture)


def expose_clearly(linear: Floats, rng: np.random.Generator) -> Image:
    """Convert linear light to the (h, w, 3) uint8 picture of a camera in good light."""
    soft = cv2.GaussianBlur(linear, (0, 0), 0.6)
    shot = np.clip(soft * 0.9, 0, 1) ** (1 / 2.2) * 255 + rng.normal(0, 1.5, linear.shape)
    return np.asarray(np.clip(shot, 0, 255), np.uint8)


def capture(script: Script, staged: ClipStage) -> Capture:
    """Render the first throw of a clip's script on the sheet, and a die beside it."""
    spots = [*places(script)[0], (np.array(BESIDE_MM), 20.0)]
    faces = [*script.faces[0], script.faces[0][0]]
    moulds = [*staged.dice, staged.dice[0]]
    dice = tuple(map(resting, moulds, faces, spots))
    image = expose_clearly(frame_of(staged, dice), np.random.default_rng(script.seed))
    name = f"{script.game}.jpg"
    on_sheet = tuple(_label(staged, die) for die in dice[:-1])
    row = ReadingRow(image=name, game=script.game, sure=True, problems=(), dice=on_sheet)
    return Capture(name, image, row)


def _label(staged: ClipStage, die: Die) -> DieReading:
    owner = np.zeros((SIZE[1], SIZE[0]), np.int16)
    label = label_of(staged.scene.camera, die, 0, owner)
    assert label is not None
    x, y, width, height = (round(n) for n in label.box())
    return DieReading(
        face=Face(label.face),
        confidence=1.0,
        colour=Colour(label.colour),
        box=(x, y, width, height),
        flat=label.flat,
    )


def main() -> None:
    """Write the captures and their labels to `captures/`."""
    FOLDER.mkdir(exist_ok=True)
    own = tuple(replace(g, split="test") for g in load_bank().glyphs if g.asset in PRINT)
    source = replace(assets("test", grounds=8), bank=Bank(own))
    captures = [
        capture(script, with_sheet(stage(script, source), tilt=tilt))
        for script, tilt in zip(SCRIPTS, (12.0, 28.0), strict=True)
    ]
    for each in captures:
        cv2.imwrite(str(FOLDER / each.name), each.image, [cv2.IMWRITE_JPEG_QUALITY, 90])
    rows = b"".join(msgspec.json.encode(each.row) + b"\n" for each in captures)
    (FOLDER / "labels.jsonl").write_bytes(rows)


if __name__ == "__main__":
    main()
