"""The legibility of a printed face in a picture of it."""

from typing import Final

import cv2
import numpy as np

from models.arrays import Floats, Image

SIZE: Final = 40
RIM: Final = 7
"""Crop px at the face's edge that are left out: they are rounded and show little print."""
ASIDE: Final = 3
"""The crop px, either way, by which print may be seen beside its place: engraved print shows by the
shadow of its edge, and print in glare is left on one side."""


def legible(image: Image, bare: Image, quad: Floats, ink: Floats) -> float:
    """The grey levels of 255 between print and ground on a face, as its picture shows them.

    `quad` (4, 2) px are the corners of `ink` (n, n), the share of print, 0..1; `bare` is the same
    picture, noise and all, of dice without print. The result is the regression slope of
    their difference on the print, at its place or close beside it: a patch of light does not
    count, nor an even brightening. The colour channel with the largest slope decides. If half
    of the print is lost, so is half of the slope.
    """
    last = SIZE - 1
    square = np.array([[0, 0], [last, 0], [last, last], [0, last]], np.float32)
    grid = cv2.getPerspectiveTransform(quad.astype(np.float32), square)
    shown, empty = (
        cv2.warpPerspective(picture, grid, (SIZE, SIZE)).astype(np.float32)
        for picture in (image, bare)
    )
    print_ = cv2.resize(ink.astype(np.float32), (SIZE, SIZE), interpolation=cv2.INTER_AREA)
    size = SIZE - 2 * RIM
    around = print_[RIM - ASIDE : SIZE - RIM + ASIDE, RIM - ASIDE : SIZE - RIM + ASIDE]
    places = np.lib.stride_tricks.sliding_window_view(around, (size, size)).reshape(-1, size, size)
    wanted = _detail(np.ascontiguousarray(places.transpose(1, 2, 0)))
    changed = _detail((shown - empty)[RIM:-RIM, RIM:-RIM])
    totals = (wanted**2).sum(axis=(0, 1))
    slopes = np.tensordot(wanted, changed, axes=((0, 1), (0, 1)))[totals >= 1]
    slopes /= totals[totals >= 1][:, None]
    return float(np.abs(slopes).max(initial=0.0))


def _detail(picture: Floats) -> Floats:
    """(n, n, k) the picture less what changes slowly across the face."""
    wide = len(picture) // 2 + 1
    return np.asarray(picture - cv2.blur(picture, (wide, wide), borderType=cv2.BORDER_REFLECT))
