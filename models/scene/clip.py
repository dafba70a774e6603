"""Render short clips of dice thrown, settling, taken up by a hand and thrown again.

`python -m models.scene.clip FOLDER` writes test_new_york.mp4 and test_tokyo.mp4 with their labels;
`python -m models.scene.clip FOLDER N` writes clips of N other throws a game.
"""

import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

import cv2
import numpy as np

from models.arrays import Floats, Image
from models.art.glyphs import Bank, load_bank
from models.scene.box import Assets, assets
from models.scene.camera import CameraPose, camera
from models.scene.clutter import hand_at
from models.scene.die import (
    GAME_NAMES,
    GAMES,
    Die,
    make_print,
    make_yaw,
    paint_atlas,
    put_flat,
    rotation_with_top,
)
from models.scene.finishes import TILE, Finish, linear
from models.scene.light import Lamp, Scene, ground_light, lit
from models.scene.render import cast_die, label_of

FPS: Final = 20
SIZE: Final = (640, 360)
SIDE: Final = 17.0
PAUSE, FLIGHT, REST, REACH = 8, 18, 52, 26
"""Numbers of frames: before a throw, in flight, at rest after it, and with the hand in view."""
SUBFRAMES: Final = 4


@dataclass(frozen=True, slots=True)
class Script:
    """A clip: for each throw the six faces at rest and which dice were thrown."""

    name: str
    game: str
    surface: str
    faces: tuple[tuple[str, ...], ...]
    thrown: tuple[tuple[int, ...], ...]
    tilt: float
    seed: int


SCRIPTS: Final = (
    Script(
        "test_new_york", "new-york", "felt",
        (
            ("attack", "energy", "destruction", "ouch", "celebrity", "heal"),
            ("attack", "attack", "destruction", "destruction", "energy", "heal"),
            ("attack", "attack", "destruction", "destruction", "destruction", "heal"),
        ),
        ((0, 1, 2, 3, 4, 5), (1, 3, 4), (4,)), 17.0, 14,
    ),
    Script(
        "test_tokyo", "tokyo", "plain",
        (
            ("two", "three", "one", "energy", "heal", "attack"),
            ("two", "two", "one", "energy", "two", "attack"),
            ("two", "two", "two", "energy", "two", "attack"),
        ),
        ((0, 1, 2, 3, 4, 5), (1, 2, 4), (2,)), 10.0, 31,
    ),
)  # fmt: skip


PRINT: Final = frozenset(
    {"own:step", "own:pad", "own:split", "own:curve", "own:sharp", "own:front", "own:slab"}
)
"""The drawings on the clips' dice, known from training: clips show whether motion and light are."""


def scripts(throws: int) -> Iterator[Script]:
    """Yields scripts with so many throws of each game, each time all dice and then some of them."""
    for place, (game, names) in enumerate(zip(GAME_NAMES, GAMES, strict=True)):
        for start in range(0, throws, 3):
            rng = np.random.default_rng([place, start])
            faces, thrown = [tuple(str(face) for face in rng.choice(names, 6))], [tuple(range(6))]
            while len(faces) < min(3, throws - start):
                again = np.sort(rng.choice(6, int(rng.integers(1, 6)), replace=False))
                thrown.append(tuple(int(die) for die in again))
                kept = [face if die not in thrown[-1] else "" for die, face in enumerate(faces[-1])]
                faces.append(tuple(face or str(rng.choice(names)) for face in kept))
            surface, tilt = str(rng.choice(("felt", "plain"))), float(rng.uniform(5, 30))
            name = f"{game}_{start:03}"
            seed = 1000 * (place + 1) + start
            yield Script(name, game, surface, tuple(faces), tuple(thrown), tilt, seed)


@dataclass(frozen=True, slots=True)
class ClipStage:
    """The parts of a clip that stay the same."""

    scene: Scene
    table: Image
    dice: tuple[Die, ...]


def stage(script: Script, source: Assets) -> ClipStage:
    """Make the table, the camera and the six dice of a script, none of them placed yet."""
    rng = np.random.default_rng(script.seed)
    view = camera(CameraPose(script.tilt, 2.0, 60.0, 42.0), SIDE, SIZE)
    style = Finish(
        linear([26, 26, 24]), linear([70, 220, 150]), "black", 0.35, 60.0, 0.14, 0.0
    )  # fmt: skip
    number = GAME_NAMES.index(script.game)
    box = make_print((source.bank, source.split), number, rng, "glyph")
    up = np.array([0, 0, SIDE / 2], np.float32)
    die = Die(
        up, np.eye(3, dtype=np.float32), SIDE, box.names, box.drawings,
        *paint_atlas(box, style, rng), style, "glyph",
    )  # fmt: skip
    lamps = (Lamp(np.array([160, 90, 420], np.float32), np.full(3, 0.7, np.float32), 5.0),)
    scene = Scene(
        view, (), source.grounds[script.seed % len(source.grounds)], 420.0, lamps,
        np.full(3, 0.5, np.float32), (),
    )  # fmt: skip
    table = _table(script, rng)
    return ClipStage(scene, table, (die,) * 6)


def _table(script: Script, rng: np.random.Generator) -> Image:
    """Draw the table's ground."""
    tint = {"felt": (58, 96, 44), "plain": (120, 92, 60)}[script.surface]
    grain = cv2.resize(rng.random((TILE // 4, TILE // 4), dtype=np.float32), (TILE, TILE))
    ground = (np.array(tint) * (0.94 + 0.12 * grain[..., None])).astype(np.uint8)
    image = cv2.resize(ground, SIZE, interpolation=cv2.INTER_AREA)
    return np.asarray(image, np.uint8)


def places(script: Script) -> list[list[tuple[Floats, float]]]:
    """The resting places of the six dice for each throw: (x, y) mm and yaw in degrees."""
    rng = np.random.default_rng(script.seed + 1)
    spots: list[tuple[Floats, float]] = []
    throws = []
    for thrown in script.thrown:
        spots = list(spots) if spots else [(np.full(2, 1e3), 0.0)] * 6
        for index in thrown:
            spots[index] = (np.full(2, 1e3), 0.0)
        for index in thrown:
            while True:
                at = rng.uniform((-78, -36), (78, 40))
                if min(float(np.linalg.norm(at - other)) for other, _ in spots) > SIDE * 1.55:
                    break
            spots[index] = (at, float(rng.uniform(0, 360)))
        throws.append(spots)
    return throws


def resting(die: Die, face: str, spot: tuple[Floats, float]) -> Die:
    """Put the die at its spot with the face on top."""
    upright = replace(die, rotation=rotation_with_top(die.names.index(face)))
    return put_flat(upright, spot[0], spot[1])


def _flying(die: Die, age: float, rng: np.random.Generator) -> Die:
    """Put the die on its way to its resting place; age 0..1 of the flight."""
    left = 1 - age
    start = np.array([rng.uniform(-60, 60), -150.0 - rng.uniform(0, 40)])
    axis = np.append(rng.normal(0, 1, 2), rng.normal(0, 0.4))
    spin = axis / np.linalg.norm(axis) * left**1.6 * rng.uniform(7, 11)
    turn = np.asarray(cv2.Rodrigues(spin)[0], np.float32)
    tipped = replace(die, rotation=turn @ make_yaw(left**2 * 140) @ die.rotation)
    rest = die.centre[:2].astype(np.float64)
    at = rest + (start - rest) * left**2.2
    height = abs(np.sin(age * np.pi * 2.5)) * 46 * left**1.5
    raised = replace(tipped, centre=np.array([at[0], at[1], SIDE / 2], np.float32))
    low = float(raised.corners()[..., 2].min())
    return replace(raised, centre=raised.centre + np.array([0, 0, height - low], np.float32))


def frame_of(
    staged: ClipStage, dice: tuple[Die, ...], hand: tuple[Floats, float] | None = None
) -> Floats:
    """Render the stage with the dice, and the hand with its palm at px, if any, in linear light."""
    scene = replace(staged.scene, dice=dice)
    levels = (np.linspace(0, 1, 256, dtype=np.float32) ** 2.2).astype(np.float32)
    picture = np.asarray(levels[staged.table] * ground_light(scene), np.float32)
    depth = np.full(picture.shape[:2], np.inf, np.float32)
    for die in dice:
        hit = cast_die(scene.camera, die)
        if hit is None:
            continue
        rows, columns = hit.mask.shape
        window = np.s_[hit.top : hit.top + rows, hit.left : hit.left + columns]
        front = hit.mask & (hit.depth < depth[window])
        light, shine = lit(scene, die, hit)
        picture[window][front] = (hit.albedo * light + shine)[front]
        depth[window][front] = hit.depth[front]
    if hand is not None:
        palm = hand[0].astype(np.float64)
        elbow = np.array([palm[0] * 0.5 + SIZE[0] * 0.3, SIZE[1] + 120.0])
        hand_at(picture, np.random.default_rng(3), (elbow, palm), hand[1])
    return picture


def _visit(
    staged: ClipStage, dice: tuple[Die, ...], taken: tuple[int, ...]
) -> Iterator[tuple[Floats, tuple[Die, ...]]]:
    """Yields frames of a hand that comes from below, passes over the dice it takes, and leaves."""
    view = staged.scene.camera
    away = np.array([SIZE[0] * 0.5, SIZE[1] + 150.0], np.float32)
    stops = [away, *(view.project(dice[i].centre[None])[0] for i in taken), away]
    knots = np.linspace(0, 1, len(stops))
    knots[1:-1] = 0.3 + 0.4 * (knots[1:-1] - knots[1]) / max(1e-6, knots[-2] - knots[1])
    path = np.stack(stops)
    gone: set[int] = set()
    for age in np.linspace(0.05, 0.97, REACH):
        palm = np.array([np.interp(age, knots, path[:, axis]) for axis in (0, 1)], np.float32)
        for index in taken:
            near = np.linalg.norm(palm - view.project(dice[index].centre[None])[0]) < 22
            if near or age > 0.72:
                gone.add(index)
        left = tuple(die for i, die in enumerate(dice) if i not in gone)
        yield frame_of(staged, left, (palm, 34.0)), left


def _frames(script: Script, staged: ClipStage) -> Iterator[tuple[Floats, str, tuple[Die, ...]]]:
    """Yields every frame: its picture, its phase, the dice on the table."""
    spots = places(script)
    kept: tuple[Die, ...] = ()
    for number, (faces, thrown) in enumerate(zip(script.faces, script.thrown, strict=True)):
        dice = tuple(resting(staged.dice[i], faces[i], spots[number][i]) for i in range(len(faces)))
        kept = tuple(die for i, die in enumerate(dice) if i not in thrown)
        still = frame_of(staged, kept)
        for _ in range(PAUSE):
            yield still, "pause", kept
        for step in range(FLIGHT):
            mean = np.zeros_like(still)
            for part in range(SUBFRAMES):
                age = (step + part / SUBFRAMES * 0.7) / FLIGHT
                moving = tuple(
                    _flying(die, age, np.random.default_rng([script.seed, number, i]))
                    if i in thrown else die
                    for i, die in enumerate(dice)
                )  # fmt: skip
                mean += frame_of(staged, moving) / SUBFRAMES
            yield mean, "flight", dice
        still = frame_of(staged, dice)
        for _ in range(REST):
            yield still, "rest", dice
        following = (
            script.thrown[number + 1] if number + 1 < len(script.thrown) else (0, 1, 2, 3, 4, 5)
        )
        for picture, left in _visit(staged, dice, following):
            yield picture, "hand", left


def _coded(picture: Floats, rng: np.random.Generator) -> Image:
    """Convert linear light to the clip's 8-bit picture."""
    soft = cv2.GaussianBlur(picture, (0, 0), 0.6)
    shot = np.clip(soft * 1.15, 0, 1) ** (1 / 2.2) * 255
    grain = rng.normal(0, 0.7, (SIZE[1] // 2, SIZE[0] // 2)).astype(np.float32)
    return np.clip(shot + cv2.resize(grain, SIZE)[..., None], 0, 255).astype(np.uint8)


def write(script: Script, folder: Path) -> None:
    """Write NAME.mp4 and NAME.json of the script to the folder."""
    bank = Bank(tuple(replace(g, split="test") for g in load_bank().glyphs if g.asset in PRINT))
    staged = stage(script, replace(assets("test"), bank=bank))
    rng = np.random.default_rng(script.seed)
    path = folder / f"{script.name}.mp4"
    writer = cv2.VideoWriter(str(path), cv2.VideoWriter.fourcc(*"mp4v"), FPS, SIZE)
    if not writer.isOpened():
        raise OSError(f"no video can be written to {path}")
    throws: list[dict[str, object]] = []
    before = ""
    for index, (picture, phase, dice) in enumerate(_frames(script, staged)):
        writer.write(_coded(picture, rng))
        if phase == "rest" and before != "rest":
            throws.append(_throw(script, len(throws), index, (staged, dice)))
        if phase == "hand" and before == "rest":
            throws[-1]["next_motion_frame"] = index
        before = phase
    writer.release()
    labels = {
        "clip": path.name, "game": script.game, "fps": FPS, "size": list(SIZE),
        "surface": script.surface, "tilt_deg": round(script.tilt), "throws": throws,
    }  # fmt: skip
    path.with_suffix(".json").write_text(json.dumps(labels) + "\n")


def _throw(
    script: Script, number: int, frame: int, seen: tuple[ClipStage, tuple[Die, ...]]
) -> dict[str, object]:
    """Make the labels of a throw."""
    staged, dice = seen
    owner = np.zeros((SIZE[1], SIZE[0]), np.int16)
    found = []
    for die in dice:
        label = label_of(staged.scene.camera, die, 0, owner)
        if label is not None:
            box = [round(v) for v in label.box()]
            found.append(
                {"face": label.face, "colour": label.colour, "box": box, "flat": label.flat,
                 "visible": round(label.inside, 2)}
            )  # fmt: skip
    return {
        "settled_frame": frame, "next_motion_frame": frame + REST,
        "thrown": len(script.thrown[number]), "dice": found,
    }  # fmt: skip


if __name__ == "__main__":
    target = Path(sys.argv[1])
    target.mkdir(parents=True, exist_ok=True)
    for each in scripts(int(sys.argv[2])) if len(sys.argv) > 2 else SCRIPTS:
        write(each, target)
