"""How much of what is printed on a face can still be seen in a picture of it."""

from typing import Final

import cv2
import numpy as np

from models.arrays import Floats, Image

SIZE: Final = 40
RIM: Final = 7
"""Crop px at the face's edge that are left out: rounded, they show little of what is printed."""
ASIDE: Final = 3
"""By so many crop px, either way, print may be seen beside its place: engraved, it shows by the
shadow of its edge, and what light has eaten away at is left on one side."""


def legible(image: Image, bare: Image, quad: Floats, ink: Floats) -> float:
    """The grey levels of 255 between print and ground on a face, as its picture shows them.

    `quad` (4, 2) px are the corners of `ink` (n, n), the share of print, 0..1; `bare` is the same
    picture, noise and all, of dice without print. What is asked is how far that which the print
    changes follows the print, at its place or close beside it: no patch of light counts, and
    nothing that is only brighter all over. The colour channel that shows most decides. Where half
    of the print is lost, so is half of it.
    """
    last = SIZE - 1
    square = np.array([[0, 0], [last, 0], [last, last], [0, last]], np.float32)
    grid = cv2.getPerspectiveTransform(quad.astype(np.float32), square)
    shown, empty = (
        cv2.warpPerspective(picture, grid, (SIZE, SIZE)).astype(np.float32)
        for picture in (image, bare)
    )
    print_ = cv2.resize(ink.astype(np.float32), (SIZE, SIZE), interpolation=cv2.INTER_AREA)
    inner = np.s_[RIM:-RIM, RIM:-RIM]
    changed = _detail((shown - empty)[inner])
    return max(
        _slope(_detail(np.roll(print_, (down, right), axis=(0, 1))[inner]), changed)
        for down in range(-ASIDE, ASIDE + 1)
        for right in range(-ASIDE, ASIDE + 1)
    )


def _slope(wanted: Floats, changed: Floats) -> float:
    """How much (n, n, 3) changes where (n, n) changes by one, in the channel where it does most."""
    total = float((wanted**2).sum())
    if total < 1:
        return 0.0
    slopes = np.tensordot(changed, wanted, axes=((0, 1), (0, 1))) / total
    return float(np.abs(slopes).max())


def _detail(picture: Floats) -> Floats:
    """The picture less what changes slowly across the face."""
    wide = len(picture) // 2 + 1
    return np.asarray(picture - cv2.blur(picture, (wide, wide), borderType=cv2.BORDER_REFLECT))
