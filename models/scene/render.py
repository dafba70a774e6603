"""Render labelled dice scenes fast: ground, tray, clutter, dice, hands, lamps and shadows.

`python -m models.scene.render sheet OUT.png` draws a contact sheet to look at.
"""

import sys
from copy import deepcopy
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from models.arrays import Floats, Image
from models.scene.box import Assets, assets, make_dice_box, place_dice
from models.scene.camera import CameraPose, PinholeCamera, camera, compressed, expose
from models.scene.clutter import clutter, hand, tray
from models.scene.die import (
    AXES,
    Die,
    Hit,
    cast,
    make_yaw,
)
from models.scene.legible import legible
from models.scene.light import Lamp, Scene, ground_light, lit, unit
from models.scene.mixes import HARD, Mix
from models.scene.surfaces import KINDS, TILE

FULL_WIDTH: Final = 960


@dataclass(frozen=True, slots=True)
class Label:
    """The label of one die: its top face's corners and the four under them, (4, 2) float32 px.

    `seen` is the share of the top face not hidden, `inside` the share of the body's box in the
    picture, `drawing` the asset that is printed on it, `contrast` the grey levels of 255 between
    its print and the rest of the top in the finished picture.
    """

    face: str
    colour: str
    quad: Floats
    base: Floats
    flat: bool
    seen: float
    inside: float
    drawing: str = ""
    contrast: float = 255.0

    def box(self) -> tuple[float, float, float, float]:
        """x, y, width, height of the whole die's projected corners, px."""
        points = np.concatenate([self.quad, self.base])
        low, high = points.min(axis=0), points.max(axis=0)
        return float(low[0]), float(low[1]), float(high[0] - low[0]), float(high[1] - low[1])


@dataclass(frozen=True, slots=True)
class Rendered:
    """A rendered scene: the linear picture (h, w, 3) float32, its labels, the share of ink on each
    of their tops (TEXTURE, TEXTURE), and the same picture of dice without print.
    """

    picture: Floats
    labels: tuple[Label, ...]
    prints: tuple[Floats, ...]
    bare: Floats

    def photograph(
        self,
        rng: np.random.Generator,
        unsharp: float,
        dim: tuple[float, float] | None = None,
        metered: Floats | None = None,
    ) -> tuple[Image, tuple[Label, ...]]:
        """Take the picture with a cheap webcam; also the labels, with the contrast of their prints
        in it. `unsharp` is in px; `dim` the least and the most share of its levels that is kept
        (None: all); the exposure is measured on `metered`, or on the picture itself.
        """
        twin = deepcopy(rng)
        meter = self.picture if metered is None else metered
        shot = expose(self.picture, rng, unsharp, meter)
        bare = expose(self.bare, twin, unsharp, meter)
        if dim is not None:
            share = rng.uniform(*dim)
            shot, bare = (np.asarray(image * share + 4, np.uint8) for image in (shot, bare))
        return shot, tuple(
            replace(label, contrast=legible(shot, bare, label.quad, ink))
            for label, ink in zip(self.labels, self.prints, strict=True)
        )


def _lamps(rng: np.random.Generator, view: PinholeCamera, split: str) -> tuple[Lamp, ...]:
    """Make one to three lamps; splits differ in the sectors of the sky where these hang."""
    sector = {"train": (0.0, 4.3), "val": (4.3, 5.3), "test": (5.3, 6.28)}[split]
    reach = float(np.linalg.norm(view.eye))
    lamps = []
    for _ in range(int(rng.choice([1, 1, 2, 3]))):
        around, height = rng.uniform(*sector), rng.uniform(0.25, 1.6)
        far = reach * rng.uniform(0.5, 2.0)
        at = np.array(
            [np.cos(around) * np.cos(height), np.sin(around) * np.cos(height), np.sin(height)]
        )
        tint = np.exp(rng.normal(0, 0.12, 3))
        power = rng.uniform(0.3, 1.2)
        lamps.append(
            Lamp(
                (at * far).astype(np.float32), (tint * power).astype(np.float32), rng.uniform(1, 14)
            )
        )
    return tuple(lamps)


def arrange(
    assets: Assets,
    rng: np.random.Generator,
    size: tuple[int, int],
    die_px: tuple[float, float],
    mix: Mix = HARD,
) -> Scene:
    """Make a random scene; the dice are `die_px` wide in the middle of the picture.

    A picture less than 960 px wide is the middle of such a picture.
    """
    side = rng.uniform(14, 22)
    tilt = rng.uniform(0, 20) if rng.random() < 1 - mix.steep else rng.uniform(15, 52)
    wide = float(np.exp(rng.uniform(*np.log(die_px))))
    field = np.tan(np.radians(rng.uniform(48, 82)) / 2) * size[0] / FULL_WIDTH
    tall = 2 * float(np.degrees(np.arctan(field)))
    view = camera(CameraPose(tilt, rng.normal(0, 6), tall, wide), side, size)
    panels = tuple(
        (
            unit(np.array([rng.normal(0, 0.6), rng.normal(0.2, 0.7), 1.0])),
            float(np.cos(np.radians(rng.uniform(4, 30)))),
            float(rng.uniform(0.3, 3.0)),
        )
        for _ in range(int(rng.choice([0, 1, 1, 2])))
    )
    box = make_dice_box(assets, rng, side, mix)
    dice = tuple(place_dice(box, rng, view, mix))
    ground = int(rng.integers(len(assets.grounds)))
    return Scene(
        view, dice, assets.grounds[ground], rng.uniform(200, 700), _lamps(rng, view, assets.split),
        (rng.uniform(0.15, 0.9) * np.exp(rng.normal(0, 0.1, 3))).astype(np.float32), panels,
        KINDS[assets.split][ground % len(KINDS[assets.split])], mix.hands, box,
    )  # fmt: skip


def throw_again(scene: Scene, rng: np.random.Generator, mix: Mix) -> Scene:
    """Replace the scene's dice by others of its box, as many as the mix has it. ValueError without
    a box.
    """
    if scene.box is None:
        raise ValueError("the dice of this scene come from no box")
    box = replace(scene.box, count=int(rng.choice(mix.counts)))
    return replace(scene, dice=tuple(place_dice(box, rng, scene.camera, mix)), hands=mix.hands)


def draw(scene: Scene, rng: np.random.Generator) -> Rendered:
    """Render the scene's linear picture and the labels of its dice."""
    view = scene.camera
    picture = _ground(scene, rng)
    bare = picture.copy()
    owner = np.full(picture.shape[:2], -1, np.int16)
    depth = np.full(picture.shape[:2], np.inf, np.float32)
    for index, die in enumerate(scene.dice):
        hit = cast_die(view, die)
        if hit is None:
            continue
        rows, columns = hit.mask.shape
        window = np.s_[hit.top : hit.top + rows, hit.left : hit.left + columns]
        front = hit.mask & (hit.depth < depth[window])
        light, shine = lit(scene, die, hit)
        picture[window][front] = (hit.albedo * light + shine)[front]
        bare[window][front] = (die.finish.body * light + shine)[front]
        owner[window][front] = index
        depth[window][front] = hit.depth[front]
    if rng.random() < scene.hands:
        covered = hand(picture, rng, view.size)
        bare[covered] = picture[covered]
        owner[covered] = -2
    labels, prints = [], []
    for index, die in enumerate(scene.dice):
        label = label_of(view, die, index, owner)
        if label is not None:
            labels.append(label)
            prints.append(die.printed_top())
    return Rendered(picture, tuple(labels), tuple(prints), bare)


def cast_die(view: PinholeCamera, die: Die) -> Hit | None:
    """The die's pixels, or None where it is out of the picture."""
    points = view.project(die.corners().reshape(-1, 3))
    low = np.maximum(np.floor(points.min(axis=0)).astype(int) - 1, 0)
    high = np.minimum(np.ceil(points.max(axis=0)).astype(int) + 2, np.array(view.size))
    if (high - low < 2).any():
        return None
    left, top = int(low[0]), int(low[1])
    rays = view.rays(left, top, int(high[0]) - left, int(high[1]) - top)
    return cast(die, view.eye, rays, (top, left))


def _ground(scene: Scene, rng: np.random.Generator) -> Floats:
    """Draw the table with clutter, in linear light."""
    view = scene.camera
    width, height = view.size
    corners = np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float32)
    places = view.on_ground(corners)[:, :2] / scene.ground_mm * TILE
    turn = make_yaw(rng.uniform(0, 360))[:2, :2]
    to_tile = cv2.getPerspectiveTransform(
        corners, np.asarray(places @ turn.T + TILE / 2, np.float32)
    )
    image = cv2.warpPerspective(
        scene.ground, to_tile, (width, height),
        flags=cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP, borderMode=cv2.BORDER_REFLECT,
    )  # fmt: skip
    side = scene.dice[0].side if scene.dice else 16.0
    if rng.random() < 0.35:
        tray(image, view, side, rng)
    clutter(image, view, side, rng)
    table = (np.linspace(0, 1, 256, dtype=np.float32) ** 2.2).astype(np.float32)
    return np.asarray(table[image] * ground_light(scene), np.float32)


def label_of(view: PinholeCamera, die: Die, index: int, owner: NDArray[np.int16]) -> Label | None:
    """Make the die's label in a picture whose pixels belong to dice by number; None for blank
    cubes.
    """
    if die.kind == "blank":
        return None
    top = die.top()
    corners = die.corners()
    quad = view.project(corners[top])
    base = view.project(corners[top] - AXES[top, 0] @ die.rotation.T * die.side)
    points = np.concatenate([quad, base])
    low, high = points.min(axis=0), points.max(axis=0)
    size = np.array(view.size)
    clipped = np.maximum(np.minimum(high, size) - np.maximum(low, 0), 0)
    inside = float(np.prod(clipped) / np.prod(high - low))
    face = np.zeros(owner.shape, np.uint8)
    cv2.fillConvexPoly(face, np.round(quad * 8).astype(np.int32), 1, cv2.LINE_8, 3)
    area = max(1.0, float(cv2.contourArea(quad)))
    seen = float(((face > 0) & (owner == index)).sum()) / area
    return Label(
        die.names[top], die.finish.colour, quad, base, die.flat(), seen, inside, die.drawings[top]
    )


def add_glare(done: Rendered, label: Label) -> None:
    """Cover the die's top by a lamp's reflection, in both linear pictures, in place."""
    picture = done.picture
    mask = np.zeros(picture.shape[:2], np.float32)
    centre = label.quad.mean(axis=0)
    larger = centre + (label.quad - centre) * 1.1
    cv2.fillConvexPoly(mask, np.round(larger * 8).astype(np.int32), 1.0, cv2.LINE_AA, 3)
    side = float(np.linalg.norm(label.quad[0] - label.quad[1]))
    soft = cv2.GaussianBlur(mask, (0, 0), max(0.6, 0.05 * side))
    glow = soft[..., None] * (6 * float(np.quantile(picture[::7, ::7], 0.95)) + 1)
    picture += glow
    done.bare[:] += glow


def random_blur(rng: np.random.Generator) -> float:
    """Draw the blur of a picture, s.d. in px of a 960 px wide one."""
    return float(rng.uniform(0.4, 1.1) if rng.random() < 0.7 else rng.uniform(1.1, 2.6))


def sheet(split: str, count: int = 24, seed: int = 7) -> Image:
    """Make a contact sheet of scenes with their labels drawn in."""
    source = assets(split)
    tiles = []
    for index in range(count):
        rng = np.random.default_rng([seed, index])
        done = draw(arrange(source, rng, (960, 540), (30, 130)), rng)
        coded = compressed(done.photograph(rng, random_blur(rng))[0], rng)
        seen = cv2.imdecode(np.frombuffer(coded, np.uint8), cv2.IMREAD_COLOR)
        image = np.asarray(seen, np.uint8)
        for label in done.labels:
            tint = (0, 255, 255) if label.flat else (0, 0, 255)
            cv2.polylines(image, [label.quad.astype(np.int32)], True, tint, 1, cv2.LINE_AA)
            cv2.polylines(image, [label.base.astype(np.int32)], True, (255, 0, 255), 1, cv2.LINE_AA)
            at = label.quad.mean(axis=0).astype(int)
            cv2.putText(
                image, f"{label.face[:3]} {label.seen:.1f}", (int(at[0]), int(at[1])), 0, 0.5, tint
            )
        tiles.append(cv2.resize(image, (480, 270), interpolation=cv2.INTER_AREA))
    rows = [np.hstack(tiles[i : i + 4]) for i in range(0, len(tiles) - 3, 4)]
    return np.vstack(rows)


if __name__ == "__main__":
    _, command, target, *rest = sys.argv
    if command != "sheet":
        raise SystemExit("usage: python -m models.scene.render sheet OUT.png [train|val|test]")
    Path(target).parent.mkdir(parents=True, exist_ok=True)
    cv2.imwrite(target, sheet(rest[0] if rest else "train"))
