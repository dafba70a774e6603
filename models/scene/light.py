"""A scene, and the light on its table and dice: lamps, ambient light, shadows and reflections."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np

from models.arrays import Floats, Image
from models.scene.box import DiceBox
from models.scene.camera import PinholeCamera
from models.scene.die import Die, Hit, dots, through_box

LIGHT_GRID: Final = 36


@dataclass(frozen=True, slots=True)
class Lamp:
    """A lamp: its place (mm), its light (linear BGR at the table), and the width of its penumbra
    (px).
    """

    at: Floats
    light: Floats
    penumbra: float

    def thrown(self, points: Floats) -> Floats:
        """(n, 3) where the shadows of points fall on the table."""
        ways = points - self.at
        return np.asarray(self.at + ways * (self.at[2] / np.maximum(-ways[:, 2:], 1.0)))


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
    walls: tuple[Die, ...] = ()
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
    side = scene.dice[0].side if scene.dice else 16.0
    soft = 0.05 * view.focal * side / float(np.linalg.norm(view.eye))
    below = _shadow(scene, small, max(1.0, soft), lambda body: body * np.array([1, 1, 0]))
    light = (0.35 + 0.65 * below)[..., None] * scene.ambient
    for lamp in scene.lamps:
        ways = lamp.at - points
        far = np.linalg.norm(ways, axis=1)
        fall = ways[:, 2] / far * (np.linalg.norm(lamp.at) / far) ** 2
        grid = cv2.resize(fall.reshape(LIGHT_GRID, LIGHT_GRID).astype(np.float32), small)
        penumbra = max(0.6, lamp.penumbra * small[0] / 960)
        light += (grid * _shadow(scene, small, penumbra, lamp.thrown))[..., None] * lamp.light
    return cv2.resize(light.astype(np.float32), (width, height))


def _shadow(
    scene: Scene, size: tuple[int, int], soft: float, thrown: Callable[[Floats], Floats]
) -> Floats:
    """(h, w) the share of light that reaches the table past dice and walls, whose points (n, 3) it
    throws on the table; its edge is `soft` px.
    """
    mask = np.ones((size[1], size[0]), np.float32)
    scale = np.array(size, np.float32) / np.array(scene.camera.size, np.float32)
    for body in (*scene.dice, *scene.walls):
        points = scene.camera.project(np.asarray(thrown(body.corners().reshape(-1, 3)), np.float32))
        shape = cv2.convexHull(np.round(np.clip(points * scale, -3000, 3000) * 8).astype(np.int32))
        cv2.fillConvexPoly(mask, shape, 0.0, cv2.LINE_AA, 3)
    return cv2.GaussianBlur(mask, (0, 0), soft)


def shaded(scene: Scene, die: Die, hit: Hit) -> Floats:
    """(h, w, 3) the linear picture of the die's pixels."""
    reached = tuple(_reached(scene, die, hit, lamp) for lamp in scene.lamps)
    light, shine = lit(scene, die, hit, reached)
    return hit.albedo * light + shine


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
    for body in (*scene.dice, *scene.walls):
        if body is die:
            continue
        half = 0.94 * body.half()
        apart = body.centre - die.centre
        along = float(apart @ way)
        reach = float(np.linalg.norm(half) + np.linalg.norm(die.half()))
        if along < -reach or float(apart @ apart) - along**2 > reach**2:
            continue
        local = (points - body.centre) @ body.rotation
        steps = way @ body.rotation
        near, far = through_box(local, steps, half)
        crossed = (near < far) & (near > -0.1 * die.side) & (far > 0.05 * die.side)
        share = np.where(crossed, np.float32(0), np.float32(1))
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
    for number, lamp in enumerate(scene.lamps):
        way = unit((lamp.at - die.centre).astype(np.float64))
        facing_lamp = np.maximum(hit.normal @ way, 0)[..., None]
        share = reached[number] if reached else None
        if share is not None:
            facing_lamp = facing_lamp * share
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
    return np.asarray(light, np.float32), np.asarray(shine, np.float32)
