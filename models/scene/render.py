"""Render labelled dice scenes fast: ground, tray, clutter, dice, hands, lamps and shadows."""

from dataclasses import dataclass, replace
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from models.arrays import Floats, Image
from models.scene.box import Assets, make_dice_box, place_dice
from models.scene.camera import CameraPose, PinholeCamera, camera, expose
from models.scene.clutter import clutter, hand, tray_walls
from models.scene.die import AXES, Die, Hit, cast, make_yaw
from models.scene.finishes import KINDS, TILE, Board
from models.scene.light import Lamp, Scene, ground_light, shaded, unit
from models.scene.mixes import HARD, Mix
from models.scene.tops import legible

FULL_WIDTH: Final = 960
LARGE_PX: Final = 120
"""Wider dice are photographed from NEAREST sides away at least."""
NEAREST: Final = 4.5
WALLED: Final = 0.35
"""The share of scenes with walls of a tray."""
RAKING: Final = 0.3
"""The share of varied scenes with a low lamp."""


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
    """A rendered scene: the linear picture (h, w, 3) float32, its labels, and the share of ink on
    each of their tops (TEXTURE, TEXTURE).
    """

    picture: Floats
    labels: tuple[Label, ...]
    prints: tuple[Floats, ...]
    light: float = 1.0
    """As in `Scene`."""

    def photograph(
        self,
        rng: np.random.Generator,
        unsharp: float,
        metered: Floats | None = None,
    ) -> tuple[Image, tuple[Label, ...]]:
        """Take the picture with a cheap webcam; also the labels, with the contrast of their prints
        in it. `unsharp` is in px; the exposure is measured on `metered`, or on the picture itself.
        """
        shot = expose(self.picture, rng, unsharp, metered, self.light)
        return shot, tuple(
            replace(label, contrast=legible(shot, label.quad, ink))
            for label, ink in zip(self.labels, self.prints, strict=True)
        )


def _lamps(
    rng: np.random.Generator, view: PinholeCamera, split: str, *, raking: bool
) -> tuple[Lamp, ...]:
    """Make one to three lamps; splits differ in the sectors of the sky where these hang. The first
    may be a `raking` one, so low that shadows are longer than dice.
    """
    sector = {"train": (0.0, 4.3), "val": (4.3, 5.3), "test": (5.3, 6.28)}[split]
    reach = float(np.linalg.norm(view.eye))
    lamps = []
    for number in range(int(rng.choice([1, 1, 2, 3]))):
        around, height, power = rng.uniform(*sector), rng.uniform(0.25, 1.6), rng.uniform(0.3, 1.2)
        if raking and not number:
            height = rng.uniform(0.12, 0.42)
            power *= 0.8 / np.sin(height) ** 0.7
        flat = np.array([np.cos(around), np.sin(around)]) * np.cos(height)
        at = reach * rng.uniform(0.5, 2.0) * np.array([*flat, np.sin(height)])
        light = np.exp(rng.normal(0, 0.12, 3)) * power
        lamps.append(Lamp(at.astype(np.float32), light.astype(np.float32), rng.uniform(1, 14)))
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
    tilt = rng.uniform(0, 20) if rng.random() < 1 - mix.steep else rng.uniform(*mix.tilts)
    wide = float(np.exp(rng.uniform(*np.log(die_px))))
    field = np.tan(np.radians(rng.uniform(48, 82)) / 2) * size[0] / FULL_WIDTH
    if wide > LARGE_PX:
        field = min(field, size[0] / 2 / (NEAREST * wide))
    tall = 2 * float(np.degrees(np.arctan(field)))
    if tilt > 52:
        tilt = min(tilt, 78 - float(np.degrees(np.arctan(field * size[1] / size[0]))))
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
    lamps = _lamps(rng, view, assets.split, raking=mix.varied and rng.random() < RAKING)
    ambient = rng.uniform(0.15, 0.9) * np.exp(rng.normal(0, 0.1, 3))
    scene = Scene(
        view, dice, assets.grounds[ground], rng.uniform(200, 700), lamps,
        ambient.astype(np.float32), panels,
        KINDS[assets.split][ground % len(KINDS[assets.split])], mix.hands, box,
    )  # fmt: skip
    if rng.random() < WALLED:
        scene = replace(scene, walls=tray_walls(dice, side, view, rng))
    if mix.varied:
        blown = rng.random() < (0.6 if box.common.body.min() > 0.5 else 0.06)
        scene = replace(scene, shading=True, light=rng.uniform(1.7, 10) if blown else 1.0)
    if mix.dim and rng.random() < mix.dim:
        scene = replace(scene, light=float(np.exp(rng.uniform(np.log(0.25), 0))))
    if assets.boards and mix.boards > 0 and rng.random() < mix.boards:
        board = assets.boards[int(rng.integers(len(assets.boards)))]
        scene = _on_board(scene, board, side, rng)
    return scene


def _on_board(scene: Scene, board: Board, side: float, rng: np.random.Generator) -> Scene:
    """Put the scene's dice on a printed board or a keyboard."""
    image, cell, kind = board
    texel = side * rng.uniform(0.55, 2.2) / cell
    # Pixels of the board to one of the picture; finer print than that would flicker.
    px = scene.camera.focal * side / float(np.linalg.norm(scene.camera.eye))
    finer = side / texel / max(1.0, px)
    image = image[::-1]  # Rows of a ground run up the table: letters would be mirrored.
    if finer > 1.3:
        image = cv2.blur(image, (int(2 * round(finer / 2) + 1),) * 2)
    image = np.ascontiguousarray(image, np.uint8)
    return replace(scene, ground=image, ground_mm=texel * TILE, surface=kind)


def throw_again(scene: Scene, rng: np.random.Generator, mix: Mix) -> Scene:
    """Replace the scene's dice by others of its box, as many as the mix has it, and put a tray
    round them if there was one. ValueError without a box.
    """
    box = replace(scene.own_box(), count=int(rng.choice(mix.counts)))
    dice, view = tuple(place_dice(box, rng, scene.camera, mix)), scene.camera
    walls = tray_walls(dice, box.mould.side, view, rng) if scene.walls else ()
    return replace(scene, dice=dice, walls=walls, hands=mix.hands)


def draw(scene: Scene, rng: np.random.Generator) -> Rendered:
    """Render the scene's linear picture and the labels of its dice."""
    view = scene.camera
    picture = _ground(scene, rng)
    owner = np.full(picture.shape[:2], -1, np.int16)
    depth = np.full(picture.shape[:2], np.inf, np.float32)
    for index, die in enumerate((*scene.dice, *scene.walls)):
        hit = cast_die(view, die)
        if hit is None:
            continue
        rows, columns = hit.mask.shape
        window = np.s_[hit.top : hit.top + rows, hit.left : hit.left + columns]
        front = hit.mask & (hit.depth < depth[window])
        picture[window][front] = shaded(scene, die, hit)[front]
        owner[window][front] = index
        depth[window][front] = hit.depth[front]
    if rng.random() < scene.hands:
        owner[hand(picture, rng, view.size)] = -2
    labels, prints = [], []
    for index, die in enumerate(scene.dice):
        label = label_of(view, die, index, owner)
        if label is not None:
            labels.append(label)
            prints.append(die.printed_top())
    return Rendered(picture, tuple(labels), tuple(prints), scene.light)


def cast_die(view: PinholeCamera, die: Die) -> Hit | None:
    """The die's pixels, or None if it is out of the picture."""
    seen = view.window(die.corners().reshape(-1, 3))
    return None if seen is None else cast(die, view.eye, view.rays(*seen), (seen[1], seen[0]))


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
    if cv2.contourArea(quad, oriented=True) < 0:
        seen = 0.0  # it leans away: what covers its place are other sides of the die
    return Label(
        die.names[top], die.finish.colour, quad, base, die.flat(), seen, inside, die.drawings[top]
    )


def add_glare(done: Rendered, label: Label) -> None:
    """Cover the die's top by a lamp's reflection, in the linear picture, in place."""
    picture = done.picture
    mask = np.zeros(picture.shape[:2], np.float32)
    centre = label.quad.mean(axis=0)
    larger = centre + (label.quad - centre) * 1.1
    cv2.fillConvexPoly(mask, np.round(larger * 8).astype(np.int32), 1.0, cv2.LINE_AA, 3)
    side = float(np.linalg.norm(label.quad[0] - label.quad[1]))
    soft = cv2.GaussianBlur(mask, (0, 0), max(0.6, 0.05 * side))
    picture += soft[..., None] * (6 * float(np.quantile(picture[::7, ::7], 0.95)) + 1)


def random_blur(rng: np.random.Generator) -> float:
    """Draw the blur of a picture, s.d. in px of a 960 px wide one."""
    return float(rng.uniform(0.4, 1.1) if rng.random() < 0.7 else rng.uniform(1.1, 2.6))
