"""A pinhole camera over the table, and a model of a cheap webcam's picture."""

from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np

from models.arrays import Floats, Image

_LEVELS: Final = 4095
_LINEAR: Final = np.linspace(0, 1, _LEVELS + 1, dtype=np.float32)


@dataclass(frozen=True, slots=True)
class PinholeCamera:
    """A pinhole camera: rotation rows are right, down, forward; `focal` in px; size (w, h) px."""

    eye: Floats
    rotation: Floats
    focal: float
    size: tuple[int, int]

    def project(self, points: Floats) -> Floats:
        """(..., 2) float32 px of world points (..., 3)."""
        seen = (points - self.eye) @ self.rotation.T
        flat = seen[..., :2] / np.maximum(seen[..., 2:], 1e-3) * self.focal
        return np.asarray(flat + np.array(self.size, np.float32) / 2, np.float32)

    def shows(self, pixels: Floats) -> bool:
        """Whether all pixels (n, 2) are in the picture."""
        return bool((pixels >= 0).all() and (pixels <= self.size).all())

    def rays(self, left: int, top: int, width: int, height: int) -> Floats:
        """(height, width, 3) world directions through the pixels of a window."""
        x = (np.arange(left, left + width, dtype=np.float32) - self.size[0] / 2) / self.focal
        y = (np.arange(top, top + height, dtype=np.float32) - self.size[1] / 2) / self.focal
        across = x[None, :, None] * self.rotation[0] + y[:, None, None] * self.rotation[1]
        return np.asarray(across + self.rotation[2], np.float32)

    def window(self, points: Floats) -> tuple[int, int, int, int] | None:
        """Left, top, width and height of the part of the picture that world points (n, 3) span, px;
        None if it is out of the picture.
        """
        flat = self.project(points)
        low = np.maximum(np.floor(flat.min(axis=0)).astype(int) - 1, 0)
        wide, high = np.minimum(np.ceil(flat.max(axis=0)).astype(int) + 2, self.size) - low
        return None if min(wide, high) < 2 else (int(low[0]), int(low[1]), int(wide), int(high))

    def on_ground(self, pixels: Floats, height: float = 0.0) -> Floats:
        """(n, 3) world points of pixels (n, 2) on the plane z = height."""
        flat = (pixels - np.array(self.size, np.float32) / 2) / self.focal
        ways = flat @ self.rotation[:2] + self.rotation[2]
        reach = (height - self.eye[2]) / ways[:, 2:]
        return np.asarray(self.eye + ways * reach, np.float32)


@dataclass(frozen=True, slots=True)
class CameraPose:
    """The parameters of a camera: tilt and roll in degrees, horizontal field of view, die size in
    px.
    """

    tilt: float
    roll: float
    field: float
    die_px: float


def camera(view: CameraPose, side: float, size: tuple[int, int]) -> PinholeCamera:
    """Make a camera aimed at the table's centre, if a die of side `side` mm is `view.die_px`
    pixels wide.
    """
    focal = size[0] / 2 / np.tan(np.radians(view.field) / 2)
    distance = focal * side / view.die_px
    tilt, roll = np.radians(view.tilt), np.radians(view.roll)
    forward = np.array([0.0, np.sin(tilt), -np.cos(tilt)])
    right = np.array([1.0, 0.0, 0.0])
    down = np.cross(forward, right)
    rows = np.stack([right, down, forward])
    turn = np.array([[np.cos(roll), -np.sin(roll), 0], [np.sin(roll), np.cos(roll), 0], [0, 0, 1]])
    return PinholeCamera(
        (-forward * distance).astype(np.float32), (turn @ rows).astype(np.float32),
        float(focal), size,
    )  # fmt: skip


def _tone(picture: Floats, rng: np.random.Generator) -> Image:
    """Apply a random tone curve."""
    gamma = rng.uniform(1.9, 2.5)
    levels = _LINEAR ** np.float32(1 / gamma)
    bend = rng.uniform(-0.25, 0.35)
    curve = levels + bend * levels * (1 - levels) * (2 * levels - 1)
    table = np.clip(curve * 255, 0, 255).astype(np.uint8)
    index = np.clip(picture * _LEVELS, 0, _LEVELS).astype(np.uint16)
    return np.asarray(table[index])


def expose(
    picture: Floats,
    rng: np.random.Generator,
    softness: float,
    metered: Floats | None = None,
    light: float = 1.0,
) -> Image:
    """Convert linear light to the (h, w, 3) uint8 picture of a cheap webcam; softness in px. The
    exposure is measured on `metered`, or on the picture itself. The camera makes up for half of
    a lack of `light` (1 is the usual), and amplifies the noise; the rest is too dark, or too bright
    if there is more.
    """
    meter = picture if metered is None else metered
    bright = (float(np.quantile(meter[::7, ::7], 0.93)) + 1e-3) / light**0.5
    gain = 0.72 / bright * float(np.exp(np.clip(rng.normal(0, 0.42), -1.1, 1.0)))
    warmth = rng.normal(0, 0.18)
    balance = np.exp(np.array([-warmth, rng.normal(0, 0.05), warmth])).astype(np.float32)
    shot: Floats = picture * (balance * gain)
    if softness > 0.25:
        shot = cv2.GaussianBlur(shot, (0, 0), softness)
    if rng.random() < 0.08:
        length = int(rng.integers(3, 8))
        kernel = np.zeros((length, length), np.float32)
        cv2.line(kernel, (0, int(rng.integers(length))), (length - 1, int(rng.integers(length))), 1)
        shot = cv2.filter2D(shot, -1, kernel / kernel.sum())
    image = _tone(shot, rng)
    noise = np.empty(image.shape, np.int16)
    spread = rng.uniform(0.3, 7) if rng.random() < 0.8 else rng.uniform(7, 14)
    spread = min(18.0, spread / light**0.5)
    cv2.setRNGSeed(int(rng.integers(1 << 31)))
    cv2.randn(noise, np.zeros(3), np.full(3, spread))
    image = np.clip(image.astype(np.int16) + noise, 0, 255).astype(np.uint8)
    if rng.random() < 0.35:
        soft = cv2.GaussianBlur(image, (0, 0), 1.1)
        amount = rng.uniform(0.3, 1.2)
        image = cv2.addWeighted(image, 1 + amount, soft, -amount, 0)
    return image


def compressed(image: Image, rng: np.random.Generator) -> bytes:
    """Encode the picture as JPEG of a random quality."""
    quality = int(rng.integers(35, 96))
    done, coded = cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, quality])
    if not done:
        raise OSError("the picture could not be coded as JPEG")
    return bytes(coded)
