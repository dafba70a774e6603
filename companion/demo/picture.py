"""Draw the demo tray: the picture of the empty tray, shadows, and dice of rendered sprites."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

import numpy as np
import numpy.typing as npt

from companion.demo.dice import SIDES, Floats, Pose
from companion.vision.pictures import Image, cv2
from companion.vision.readings import SourceError

WIDE = 84.0
"""The width in px of a side that lies in the middle of the tray."""
FAR = 24.0
"""The camera's distance from the middle of the tray, in sides."""
TILT = np.radians(10)
"""The angle between the camera's axis and straight down; it looks from the near side."""
FINER = 2
"""How much finer dice at rest are drawn than shown: their edges are smooth."""
LAMP = np.array([-9.0, 11.0, 22.0])
"""The lamp's place; its light comes from the upper left."""
_AMBIENT, _DIRECT = 0.42, 0.66
ROUND = 0.14
"""The radius of a die's edges, in sides."""
_COARSER = 4
"""How much coarser shadows are drawn: they are soft."""
_SHADOW, _CONTACT = 0.42, 0.45

_EYE = FAR * np.array([0.0, -np.sin(TILT), np.cos(TILT)])
_AHEAD = -_EYE / FAR
_RIGHT = np.array([1.0, 0.0, 0.0])
_AXES = np.stack([_RIGHT, np.cross(_AHEAD, _RIGHT), _AHEAD])


class TrayPicture:
    """Draws the tray; `size` is its width and height in px. SourceError if the folder lacks a
    picture."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._empty = _loaded(folder / "tray.webp", cv2.IMREAD_COLOR)
        height, width = self._empty.shape[:2]
        self.size = (width, height)

    def draw(self, poses: Sequence[Pose], *, finer: int = FINER) -> Image:
        """Draw the dice in the tray, (h, w, 3) uint8 BGR."""
        if not poses:
            return self._empty.copy()
        light = cv2.resize(self._light(poses), self.size, interpolation=cv2.INTER_LINEAR)
        picture = cv2.multiply(self._empty, cv2.cvtColor(light, cv2.COLOR_GRAY2BGR), scale=1 / 255)
        for pose in sorted(poses, key=lambda one: -float(np.linalg.norm(one.middle - _EYE))):
            self._add(np.asarray(picture, np.uint8), pose, finer)
        return np.asarray(picture, np.uint8)

    def spot(self, pose: Pose) -> tuple[float, float]:
        """Where the middle of a die is in the picture, px."""
        x, y = self._project(pose.middle)
        return float(x), float(y)

    def _project(self, points: Floats) -> Floats:
        """(..., 2) px of points (..., 3)."""
        seen = (points - _EYE) @ _AXES.T
        flat = seen[..., :2] / seen[..., 2:] * (WIDE * FAR)
        return np.asarray(flat + np.array(self.size) / 2)

    def _light(self, poses: Sequence[Pose]) -> npt.NDArray[np.uint8]:
        """(h, w) the share of light that reaches the tray, of 255, coarser than the picture."""
        small = (self.size[0] // _COARSER, self.size[1] // _COARSER)
        thrown, close = (np.zeros((small[1], small[0]), np.float32) for _ in range(2))
        for pose in poses:
            points = pose.middle + (pose.corners().reshape(-1, 3) - pose.middle) * 0.94
            away = points - LAMP
            ground = LAMP + away * (LAMP[2] / -away[:, 2:])
            _fill(thrown, self._project(ground) / _COARSER, 1.0)
            below = points * [1, 1, 0]
            _fill(close, self._project(below) / _COARSER, 1 / max(1.0, 2 * float(pose.middle[2])))
        wide = WIDE / _COARSER
        thrown = cv2.GaussianBlur(thrown, (0, 0), wide * 0.07)
        close = cv2.GaussianBlur(close, (0, 0), wide * 0.2)
        light = (1 - _SHADOW * thrown) * (1 - _CONTACT * close)
        return np.asarray(light * 255, np.uint8)

    def _add(self, picture: Image, pose: Pose, finer: int) -> None:
        pixels = self._project(pose.corners())
        low = np.floor(pixels.min(axis=(0, 1))).astype(int) - 2
        wide, high = np.ceil(pixels.max(axis=(0, 1))).astype(int) + 2 - low
        left, top = max(0, -low[0]), max(0, -low[1])
        there = picture[max(0, low[1]) : low[1] + high, max(0, low[0]) : low[0] + wide]
        if low[0] + wide <= 0 or low[1] + high <= 0 or there.size == 0:
            return
        layer = self._layer(pose, low * finer, (wide * finer, high * finer), finer)
        small = cv2.resize(layer, (wide, high), interpolation=cv2.INTER_AREA)
        shown = small[top : top + there.shape[0], left : left + there.shape[1]]
        there[:] = there * (1 - shown[..., 3:] / 255) + shown[..., :3]

    def _layer(
        self, pose: Pose, corner: Floats, size: tuple[int, int], finer: int
    ) -> npt.NDArray[np.float32]:
        """(h, w, 4) float32 the die alone, `finer` than the picture, from a corner on: its colours
        times its opacity, both of 255."""
        sprites, edge = sprites_of(self._folder, pose.die.game, is_extra=pose.die.is_extra)
        layer = np.zeros((size[1], size[0], 4), np.float32)
        # The body of a round-edged die is what its corners' spheres span.
        corners = pose.corners()
        inner = pose.middle + (corners.reshape(-1, 3) - pose.middle) * (1 - 2 * ROUND)
        radius = finer * WIDE * FAR * ROUND / float(np.linalg.norm(pose.middle - _EYE))
        turn = np.linspace(0, 2 * np.pi, 16, endpoint=False)
        ring = radius * np.stack([np.cos(turn), np.sin(turn)], axis=1)
        body = (self._project(inner) * finer - corner)[:, None] + ring
        _fill(layer, body.reshape(-1, 2), (*edge, 255.0))
        within = layer[..., 3:] / np.float32(255)
        square = np.array([[0, 0], [1, 0], [1, 1], [0, 1]], np.float32) * sprites.shape[1]
        pixels = (self._project(corners) * finer - corner).astype(np.float32)
        to_lamp = (LAMP - pose.middle) / np.linalg.norm(LAMP - pose.middle)
        for side, sprite in enumerate(sprites):
            outward = pose.rotation @ SIDES[side, 0]
            if outward @ (_EYE - corners[side].mean(axis=0)) <= 0:
                continue
            grid = cv2.getPerspectiveTransform(square, pixels[side])
            seen = cv2.warpPerspective(sprite, grid, size, flags=cv2.INTER_LINEAR)
            shade = _AMBIENT + _DIRECT * max(0.0, float(outward @ to_lamp))
            layer *= 1 - seen[..., 3:] / np.float32(255)
            layer += seen * np.array([shade, shade, shade, 1], np.float32)
        return np.asarray(np.minimum(layer, 255) * within, np.float32)


@lru_cache(maxsize=8)
def sprites_of(
    folder: Path, game: str, *, is_extra: bool
) -> tuple[npt.NDArray[np.float32], tuple[float, float, float]]:
    """(6, n, n, 4) float32 the game's faces, colours times opacity, of 255; and the colour of the
    edges. SourceError if there are none."""
    sheet = _loaded(folder / f"{game}.png", cv2.IMREAD_UNCHANGED).astype(np.float32)
    size = sheet.shape[0] // 2
    row = sheet[size:] if is_extra else sheet[:size]
    faces = row.reshape(size, len(SIDES), size, 4).transpose(1, 0, 2, 3).copy()
    edge = faces[:, size // 16, size // 4 : -size // 4, :3].mean(axis=(0, 1)) * 0.8
    faces[..., :3] *= faces[..., 3:] / 255
    return faces, (float(edge[0]), float(edge[1]), float(edge[2]))


def _loaded(path: Path, flag: int) -> Image:
    found = cv2.imread(str(path), flag)
    if found is None:
        raise SourceError("error.camera.unreadable_file", source=str(path))
    return np.asarray(found, np.uint8)


def _fill(mask: npt.NDArray[np.float32], points: Floats, value: float | tuple[float, ...]) -> None:
    """Set the hull of points (n, 2) px in the mask."""
    hull = cv2.convexHull(np.round(points * 16).astype(np.int32))
    cv2.fillConvexPoly(mask, hull, value, cv2.LINE_AA, 4)
