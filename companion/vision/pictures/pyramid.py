"""An image pyramid: a picture at halved sizes, each computed when first needed."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from companion.vision.opencv import cv2

Image = npt.NDArray[np.uint8]
Floats = npt.NDArray[np.float32]

_MOST = 4
_ROOM = 0.6
"""The excess of detail, as a power of 2, up to which a picture is used as it is: 1.5 times."""


class Pyramid:
    """The (H, W, 3) uint8 picture in sizes of 1, 1/2, 1/4, 1/8 and 1/16."""

    def __init__(self, image: Image) -> None:
        self._levels = [image]

    @property
    def image(self) -> Image:
        """The picture itself."""
        return self._levels[0]

    def reduced_to(self, scale: float) -> tuple[Image, int]:
        """The picture reduced to the detail of a crop with `scale` px for each px of the picture,
        and the number of halvings.
        """
        level = int(np.ceil(-np.log2(max(scale, 1e-3)) - _ROOM))
        level = max(0, min(_MOST, level))
        while len(self._levels) <= level:
            self._levels.append(_halved(self._levels[-1]))
        return self._levels[level], level


def at_level(points: Floats, level: int) -> Floats:
    """Map points (..., 2) px of the picture (pixels' middles at whole numbers) to a `level`."""
    return np.asarray((points + 0.5) / 2**level - 0.5, np.float32)


def _halved(image: Image) -> Image:
    height, width = image.shape[:2]
    even = image[: height // 2 * 2, : width // 2 * 2]
    if even.size == 0:
        return image
    half = (even.shape[1] // 2, even.shape[0] // 2)
    return np.asarray(cv2.resize(even, half, interpolation=cv2.INTER_AREA), np.uint8)
