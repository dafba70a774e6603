"""A scene, and the light on its table and dice: lamps, ambient light, shadows and reflections."""

from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np

from models.arrays import Floats, Image
from models.scene.box import DiceBox
from models.scene.camera import PinholeCamera
from models.scene.clutter import Wall
from models.scene.die import Die, Hit, dots, largest, through_box
from models.scene.finishes import Finish

LIGHT_GRID: Final = 36


@dataclass(frozen=True, slots=True)
class Lamp:
    """A lamp: its place (mm), its light (linear BGR at the table), and the width of its penumbra
    (px).
    """

    at: Floats
    light: Floats
    penumbra: float


@dataclass(frozen=True, slots=True)
class Scene:
    """A whole scene to be drawn."""

    camera: PinholeCamera
    dice: tuple[Die, ...]
    ground: Image
    ground_mm: float
    lamps: tuple[Lamp, ...]
    ambient: Floats
    panels: tuple[tuple[Floats, float, float], ...]
    surface: str = ""
    """The kind of ground."""
    hands: float = 0.08
    box: DiceBox | None = None
    """The box of its dice; None if they were placed by hand."""
    walls: tuple[Wall, ...] = ()
    shading: bool = False
    """Whether dice and walls throw shadows on one another too, not only on the table."""
    light: float = 1.0
    """Of the usual light; with more, and less, the camera exposes too long, and too short."""

    def own_box(self) -> DiceBox:
        """The box of its dice. ValueError if they were placed by hand."""
        if self.box is None:
            raise ValueError("the dice of this scene come from no box")
        return self.box

    def tilt_tag(self) -> str:
        """The angle between the camera's axis and straight down, in a band of ten degrees."""
        tilt = np.degrees(np.arccos(np.clip(-self.camera.rotation[2, 2], -1, 1)))
        low = int(tilt // 10 * 10)
        return f"tilt:{low}-{low + 9}"


def unit(way: Floats) -> Floats:
    """The way, (3,), at length 1."""
    return np.asarray(way / np.linalg.norm(way), np.float32)


def ground_light(scene: Scene) -> Floats:
    """(h, w, 3) the linear light on the table, shadows included."""
    view = scene.camera
    width, height = view.size
    x, y = np.meshgrid(np.linspace(0, width, LIGHT_GRID), np.linspace(0, height, LIGHT_GRID))
    points = view.on_ground(np.stack([x.ravel(), y.ravel()], 1).astype(np.float32))
    small = (max(8, width // 3), max(8, height // 3))
    blocked = _ambient_shadow(scene, small)
    light = cv2.resize(np.ones((2, 2, 3), np.float32) * scene.ambient, small)
    light *= blocked[..., None]
    for lamp in scene.lamps:
        ways = lamp.at - points
        far = np.linalg.norm(ways, axis=1)
        fall = ways[:, 2] / far * (np.linalg.norm(lamp.at) / far) ** 2
        grid = cv2.resize(fall.reshape(LIGHT_GRID, LIGHT_GRID).astype(np.float32), small)
        reached = _shadow(scene, lamp, small)
        if reached.ndim == 3:
            light += grid[..., None] * reached * lamp.light
        else:
            light += (grid * reached)[..., None] * lamp.light
    return cv2.resize(light, (width, height))


def _hull(
    mask: Floats, points: Floats, scale: Floats, value: float | tuple[float, ...] = 0.0
) -> None:
    """Set the convex hull of the points to the value in the mask."""
    shape = cv2.convexHull(np.round(np.clip(points * scale, -3000, 3000) * 8).astype(np.int32))
    cv2.fillConvexPoly(mask, shape, value, cv2.LINE_AA, 3)


def _clarity(style: Finish) -> float:
    """The share of light that passes through a die of the finish, 0..1."""
    return style.plastic.clarity if style.plastic else 0.0


def _shadow(scene: Scene, lamp: Lamp, size: tuple[int, int]) -> Floats:
    """The share of a lamp's light that reaches the table, (h, w); (h, w, 3) with clear dice."""
    clear = any(_clarity(die.finish) > 0 for die in scene.dice)
    mask = np.ones((size[1], size[0], 3) if clear else (size[1], size[0]), np.float32)
    scale = np.array(size, np.float32) / np.array(scene.camera.size, np.float32)
    dice = sorted(scene.dice, key=lambda die: -_clarity(die.finish)) if clear else scene.dice
    for die in dice:
        points = die.corners().reshape(-1, 3)
        points = die.centre + (points - die.centre) * 0.94
        tint = die.finish.body * (0.8 * _clarity(die.finish))
        _hull(mask, _thrown(scene, lamp, points), scale, tuple(tint.tolist()) if clear else 0.0)
    for wall in scene.walls:
        _hull(mask, _thrown(scene, lamp, wall.corners()), scale, (0.0,) * 3 if clear else 0.0)
    return cv2.GaussianBlur(mask, (0, 0), max(0.6, lamp.penumbra * size[0] / 960))


def _thrown(scene: Scene, lamp: Lamp, points: Floats) -> Floats:
    """(n, 2) px where the lamp throws the shadows of points (n, 3) on the table."""
    ways = points - lamp.at
    ground = lamp.at + ways * (lamp.at[2] / np.maximum(-ways[:, 2:], 1.0))
    return scene.camera.project(np.asarray(ground, np.float32))


def _ambient_shadow(scene: Scene, size: tuple[int, int]) -> Floats:
    """The share of ambient light that reaches the table, (h, w)."""
    mask = np.ones((size[1], size[0]), np.float32)
    scale = np.array(size, np.float32) / np.array(scene.camera.size, np.float32)
    width = 4.0
    for die in scene.dice:
        points = die.corners().reshape(-1, 3).copy()
        points[:, 2] = 0
        flat = scene.camera.project(points)
        width = max(width, float(np.ptp(flat[:, 0])))
        _hull(mask, flat, scale)
    for wall in scene.walls:
        _hull(mask, scene.camera.project(wall.corners()[:4]), scale)
    soft = cv2.GaussianBlur(mask, (0, 0), max(1.0, width * float(scale[0]) * 0.16))
    return np.asarray(0.35 + 0.65 * soft, np.float32)


def shaded(scene: Scene, die: Die, hit: Hit, behind: Floats) -> Floats:
    """(h, w, 3) the linear picture of the die's pixels; `behind` is that of what is behind the die,
    which clear plastic shows.
    """
    reached = tuple(_reached(scene, die, hit, lamp) for lamp in scene.lamps)
    light, shine = lit(scene, die, hit, reached)
    shown = hit.albedo * light + shine
    clarity = _clarity(die.finish)
    if clarity > 0:
        through = cv2.blur(behind, (5, 5)) * (die.finish.body / max(0.05, die.finish.body.max()))
        ink = cv2.remap(die.ink, *hit.texels, cv2.INTER_LINEAR)
        shown += (through - shown) * (0.5 * clarity**1.5 * (1 - ink))[..., None]
    return np.asarray(shown)


def _reached(scene: Scene, die: Die, hit: Hit, lamp: Lamp) -> Floats | None:
    """The share of a lamp's light that other dice and walls let pass to a die's pixels, (h, w, 1);
    None if nothing is in its way.
    """
    if not scene.shading:
        return None
    way = unit((lamp.at - die.centre).astype(np.float64))
    # Every second pixel will do: the edges of shadows are soft.
    points = np.ascontiguousarray(hit.point[::2, ::2])
    blocked: Floats | None = None
    bodies: tuple[Die | Wall, ...] = (*scene.dice, *scene.walls)
    for body in bodies:
        if body is die:
            continue
        half = body.half if isinstance(body, Wall) else np.full(3, body.side * 0.47, np.float32)
        apart = body.centre - die.centre
        along = float(apart @ way)
        reach = float(np.linalg.norm(half)) + 0.87 * die.side
        if along < -reach or float(apart @ apart) - along**2 > reach**2:
            continue
        local = (points - body.centre) @ body.rotation
        steps = way @ body.rotation
        near, far, _ = through_box(local, steps, half)
        passed = 0.6 * (0.0 if isinstance(body, Wall) else _clarity(body.finish))
        crossed = (near < far) & (near > -0.1 * die.side) & (far > 0.05 * die.side)
        share = np.where(crossed, np.float32(passed), np.float32(1))
        blocked = share if blocked is None else np.minimum(blocked, share)
    if blocked is None or blocked.min() == 1:
        return None
    width = max(0.5, lamp.penumbra * scene.camera.size[0] / 960)
    high, wide = hit.mask.shape
    return cv2.GaussianBlur(cv2.resize(blocked, (wide, high)), (0, 0), width)[..., None]


def lit(
    scene: Scene, die: Die, hit: Hit, reached: tuple[Floats | None, ...] = ()
) -> tuple[Floats, Floats]:
    """The light that falls on the die's pixels, and what they reflect, (h, w, 3) each. `reached` is
    the share of each lamp's light that comes to them, (h, w, 1), or None: all.
    """
    up = hit.normal[..., 2:]
    low = np.clip(hit.point[..., 2:] / die.side, 0, 1)
    light = scene.ambient * ((0.6 + 0.4 * up) * (0.55 + 0.45 * low))
    view = scene.camera.eye - hit.point
    view = view / np.sqrt(dots(view, view))[..., None]
    shine: Floats = np.zeros_like(light)
    style = die.finish
    clarity = _clarity(style)
    for number, lamp in enumerate(scene.lamps):
        way = unit((lamp.at - die.centre).astype(np.float64))
        facing_lamp = np.maximum(hit.normal @ way, 0)[..., None]
        share = reached[number] if reached else None
        if share is not None:
            facing_lamp = facing_lamp * share
        if clarity > 0:
            # Clear plastic is filled with light, most where it leaves the body again.
            depth = np.clip((hit.point - die.centre) @ way / (-die.side) + 0.5, 0, 1.2)[..., None]
            facing_lamp = facing_lamp * (1 - 0.6 * clarity) + clarity * (0.12 + 0.75 * depth**2)
        light = light + facing_lamp * lamp.light
        if style.gloss > 0:
            middle = view + way
            middle = middle / np.sqrt(dots(middle, middle))[..., None]
            glint = np.maximum(dots(hit.normal, middle), 0) ** style.sharpness
            strength = style.gloss * (0.2 + style.sharpness / 60)
            if share is not None:
                glint = glint * share[..., 0]
            shine = shine + (glint * strength)[..., None] * lamp.light
    if style.gloss > 0.1 and scene.panels:
        mirror = 2 * dots(hit.normal, view)[..., None] * hit.normal - view
        for way, cosine, power in scene.panels:
            edge = 0.004 + 0.1 * (1 - min(1.0, style.sharpness / 200))
            shown = np.clip((dots(mirror, way) - cosine) / edge, 0, 1)
            shine = shine + (shown * power * style.gloss * 0.35)[..., None]
    if clarity > 0:
        local = np.abs(hit.normal @ die.rotation)
        light = light * (1 + 2.2 * clarity * (1 - largest(local)))[..., None]
    return np.asarray(light, np.float32), np.asarray(shine, np.float32)
