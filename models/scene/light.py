"""A scene, and the light on its table and dice: lamps, ambient light, shadows and reflections."""

from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np

from models.arrays import Floats, Image
from models.scene.box import DiceBox
from models.scene.camera import PinholeCamera
from models.scene.die import Die, Hit, dots

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
    """The box of its dice; None where they were placed by hand."""

    def tilt(self) -> float:
        """The angle between the camera's axis and straight down, degrees."""
        return float(np.degrees(np.arccos(np.clip(-self.camera.rotation[2, 2], -1, 1))))


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
        grid *= _shadow(scene, lamp, small)
        light += grid[..., None] * lamp.light
    return cv2.resize(light, (width, height))


def _hull(mask: Floats, points: Floats, scale: Floats) -> None:
    """Set the convex hull of the points to 0 in the mask."""
    shape = cv2.convexHull(np.round(np.clip(points * scale, -3000, 3000) * 8).astype(np.int32))
    cv2.fillConvexPoly(mask, shape, 0.0, cv2.LINE_AA, 3)


def _shadow(scene: Scene, lamp: Lamp, size: tuple[int, int]) -> Floats:
    """The share of a lamp's light that reaches the table, (h, w)."""
    mask = np.ones((size[1], size[0]), np.float32)
    scale = np.array(size, np.float32) / np.array(scene.camera.size, np.float32)
    for die in scene.dice:
        points = die.corners().reshape(-1, 3)
        points = die.centre + (points - die.centre) * 0.94
        ways = points - lamp.at
        ground = lamp.at + ways * (lamp.at[2] / np.maximum(-ways[:, 2:], 1.0))
        _hull(mask, scene.camera.project(np.asarray(ground, np.float32)), scale)
    return cv2.GaussianBlur(mask, (0, 0), max(0.6, lamp.penumbra * size[0] / 960))


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
    soft = cv2.GaussianBlur(mask, (0, 0), max(1.0, width * float(scale[0]) * 0.16))
    return np.asarray(0.35 + 0.65 * soft, np.float32)


def lit(scene: Scene, die: Die, hit: Hit) -> tuple[Floats, Floats]:
    """The light that falls on the die's pixels, and what they reflect, (h, w, 3) each."""
    up = hit.normal[..., 2:]
    low = np.clip(hit.point[..., 2:] / die.side, 0, 1)
    light = scene.ambient * ((0.6 + 0.4 * up) * (0.55 + 0.45 * low))
    view = scene.camera.eye - hit.point
    view = view / np.sqrt(dots(view, view))[..., None]
    shine: Floats = np.zeros_like(light)
    style = die.finish
    for lamp in scene.lamps:
        way = unit((lamp.at - die.centre).astype(np.float64))
        facing_lamp = np.maximum(hit.normal @ way, 0)[..., None]
        light = light + facing_lamp * lamp.light
        if style.gloss > 0:
            middle = view + way
            middle = middle / np.sqrt(dots(middle, middle))[..., None]
            glint = np.maximum(dots(hit.normal, middle), 0) ** style.sharpness
            strength = style.gloss * (0.2 + style.sharpness / 60)
            shine = shine + (glint * strength)[..., None] * lamp.light
    if style.gloss > 0.1 and scene.panels:
        mirror = 2 * dots(hit.normal, view)[..., None] * hit.normal - view
        for way, cosine, power in scene.panels:
            edge = 0.004 + 0.1 * (1 - min(1.0, style.sharpness / 200))
            shown = np.clip((dots(mirror, way) - cosine) / edge, 0, 1)
            shine = shine + (shown * power * style.gloss * 0.35)[..., None]
    return np.asarray(light, np.float32), np.asarray(shine, np.float32)
