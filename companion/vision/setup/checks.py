"""Check a picture of the tray: the size of the dice, tilt, light, glare, sharpness, the tray.

Pure functions of one picture and the dice that the reader saw in it. Each check says how good one
property is, and which way it fails; the thresholds stand here, those of a die's own picture in the
networks' contract.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
import numpy.typing as npt

from companion.vision.networks.contract import DieLimits
from companion.vision.networks.corners import sides
from companion.vision.opencv import cv2
from companion.vision.pictures.decoding import Image
from companion.vision.read.seen import SeenDie
from companion.vision.setup.values import Check, CheckKey, Corners, Grade, Quadrant

_WIDTH: Final = 320
"""The width of the picture in which light, glare and the tray are looked for."""
_COMFORT: Final = 1.3
"""The size, in smallest allowed ones, from which a die is good."""
_SHARP: Final = 1.6
"""The same of the sharpness: crops of 48 px lose less to a blur than the dice do."""
_NEAR: Final = 0.25
"""The side of a die, in heights of the picture, above which the camera is too near."""
_TILT_GOOD, _TILT_MOST = 30.0, 45.0
"""Degrees."""
_DARK, _DIM, _BRIGHT = 30.0, 55.0, 225.0
"""The mean grey level of the picture: too dark, dim, too bright."""
_WHITE: Final = 250
"""The level of all three colours from which a pixel is overexposed."""
_GLARE, _GLARE_MOST = 0.004, 0.04
"""The overexposed share of the picture beside the dice that may hide one, and that is too much."""
_WASHED: Final = 0.03
"""The overexposed share of a die's top above which low contrast means glare."""
_TRAY: Final = 0.2
"""The smallest share of the picture that a tray fills."""
_RIM: Final = 0.01
"""The distance from the picture's edge, in shares of it, below which a tray may be cut off."""
_PARALLEL: Final = 0.08
"""How far a corner may be from the contour that it is taken from, in shares of its length."""

Mask = npt.NDArray[np.uint8]
"""(h, w) uint8, 0 or 255."""


def check_picture(
    image: Image,
    dice: Sequence[SeenDie],
    corners: Corners | None,
    limits: DieLimits,
    *,
    drawn: bool = False,
) -> tuple[Check, ...]:
    """Check a picture (H, W, 3) BGR with the dice seen in it; `corners`: the tray's, `drawn` by
    the host or found."""
    return (
        _light(image, dice, limits),
        _glare(image, dice, limits),
        _size(image, dice, limits),
        _tilt(dice),
        _sharpness(dice, limits),
        _tray(corners, drawn=drawn),
    )


def find_tray(image: Image) -> Corners | None:
    """Find the corners of the largest four-sided outline in the picture; None where there is
    none as large as a tray."""
    small = _reduced(image)
    # Tray and table may differ in one colour only, so the edges are those of any colour.
    edges = cv2.dilate(
        cv2.Canny(cv2.GaussianBlur(small, (5, 5), 0), 30, 90), np.ones((5, 5), np.uint8)
    )
    contours, _ = cv2.findContours(edges, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_SIMPLE)
    height, width = edges.shape
    best, most = None, _TRAY * width * height
    for contour in contours:
        hull = cv2.convexHull(contour)
        corners = cv2.approxPolyDP(hull, _PARALLEL * cv2.arcLength(hull, True), True)
        area = float(cv2.contourArea(corners))
        if len(corners) == 4 and area > most:
            best, most = corners.reshape(4, 2) / np.array([width, height], np.float64), area
    return None if best is None else _in_order(best)


def tilt_of(quads: npt.NDArray[np.float32]) -> float:
    """Return the angle, degrees, at which the camera looks at the plane of tops (N, 4, 2) px; 0
    from straight above.

    Squares of one plane are foreshortened alike, however each is turned in it. So the mean of
    their second moments shows the tilt, and the errors of single corners cancel out.
    """
    across = (quads[:, 1] - quads[:, 0] + quads[:, 2] - quads[:, 3]) / 2
    down = (quads[:, 3] - quads[:, 0] + quads[:, 2] - quads[:, 1]) / 2
    maps = np.stack([across, down], axis=2).astype(np.float64)
    moments = maps @ maps.transpose(0, 2, 1)
    moments /= np.trace(moments, axis1=1, axis2=2)[:, None, None]
    short, long = np.linalg.eigvalsh(moments.mean(axis=0))
    return float(np.degrees(np.arccos(np.sqrt(max(0.0, short / long)))))


def _size(image: Image, dice: Sequence[SeenDie], limits: DieLimits) -> Check:
    """Whether the dice are large enough to be read and small enough to leave room for a roll."""
    if not dice:
        return _check(CheckKey.SIZE, 0.0, "px", Grade.WARN, "no_dice")
    lengths = sides(np.stack([die.quad for die in dice]))
    typical = float(np.median(lengths))
    if typical < limits.smallest_px:
        return _check(CheckKey.SIZE, typical, "px", Grade.BAD, "far")
    if typical < _COMFORT * limits.smallest_px:
        return _check(CheckKey.SIZE, typical, "px", Grade.WARN, "far")
    if typical > _NEAR * image.shape[0]:
        return _check(CheckKey.SIZE, typical, "px", Grade.WARN, "near")
    return _check(CheckKey.SIZE, typical, "px", Grade.GOOD, "good")


def _tilt(dice: Sequence[SeenDie]) -> Check:
    """Whether the camera looks down steeply enough; one look along the table hides dice."""
    if not dice:
        return _check(CheckKey.TILT, 0.0, "degrees", Grade.WARN, "no_dice")
    tilt = tilt_of(np.stack([die.quad for die in dice]))
    verdict = Grade.GOOD if tilt <= _TILT_GOOD else Grade.WARN if tilt <= _TILT_MOST else Grade.BAD
    return _check(
        CheckKey.TILT, tilt, "degrees", verdict, "good" if verdict is Grade.GOOD else "steep"
    )


def _light(image: Image, dice: Sequence[SeenDie], limits: DieLimits) -> Check:
    """Whether the picture is neither too dark nor too bright, and the prints stand out."""
    level = float(cv2.cvtColor(_reduced(image), cv2.COLOR_BGR2GRAY).mean())
    percent = level / 2.55
    if level < _DARK:
        return _check(CheckKey.LIGHT, percent, "percent", Grade.BAD, "dark")
    if level > _BRIGHT:
        return _check(CheckKey.LIGHT, percent, "percent", Grade.BAD, "bright")
    is_faint = [
        die.contrast < limits.dark and die.clipped <= _WASHED for die in dice if die.top >= 0.5
    ]
    if is_faint and np.mean(is_faint) > 0.5:
        return _check(CheckKey.LIGHT, percent, "percent", Grade.BAD, "dark")
    if level < _DIM:
        return _check(CheckKey.LIGHT, percent, "percent", Grade.WARN, "dark")
    return _check(CheckKey.LIGHT, percent, "percent", Grade.GOOD, "good")


def _glare(image: Image, dice: Sequence[SeenDie], limits: DieLimits) -> Check:
    """Whether a lamp shines back from the tray, and in which quarter of the picture."""
    small = _reduced(image)
    white = np.asarray((small.min(axis=2) >= _WHITE) * 255, np.uint8)
    white = np.asarray(cv2.morphologyEx(white, cv2.MORPH_OPEN, np.ones((3, 3), np.uint8)), np.uint8)
    scale = small.shape[1] / image.shape[1]
    beside = white.copy()
    for die in dice:
        # The body of a light die may be overexposed without any glare.
        cv2.fillConvexPoly(beside, np.rint(die.quad * scale).astype(np.int32), 0)
    share = float(np.count_nonzero(beside)) / beside.size
    washed = [die for die in dice if die.clipped > _WASHED and die.contrast < limits.dark]
    if washed:
        place = washed[0].middle()
        return _check(
            CheckKey.GLARE,
            100 * share,
            "percent",
            Grade.BAD,
            "on_die",
            _quadrant(place[0] / image.shape[1], place[1] / image.shape[0]),
        )
    if share < _GLARE:
        return _check(CheckKey.GLARE, 100 * share, "percent", Grade.GOOD, "good")
    rows, columns = np.nonzero(beside)
    quadrant = _quadrant(
        float(np.median(columns)) / beside.shape[1], float(np.median(rows)) / beside.shape[0]
    )
    verdict = Grade.BAD if share >= _GLARE_MOST else Grade.WARN
    return _check(CheckKey.GLARE, 100 * share, "percent", verdict, "glare", quadrant)


def _sharpness(dice: Sequence[SeenDie], limits: DieLimits) -> Check:
    """Whether the prints are in focus."""
    if not dice:
        return _check(CheckKey.SHARP, 0.0, "", Grade.WARN, "no_dice")
    typical = float(np.median([die.sharpness for die in dice]))
    if typical < limits.blurred:
        return _check(CheckKey.SHARP, typical, "", Grade.BAD, "blurred")
    if typical < _SHARP * limits.blurred:
        return _check(CheckKey.SHARP, typical, "", Grade.WARN, "blurred")
    return _check(CheckKey.SHARP, typical, "", Grade.GOOD, "good")


def _tray(corners: Corners | None, *, drawn: bool) -> Check:
    """Whether the whole tray is in view."""
    if corners is None:
        return _check(CheckKey.TRAY, 0.0, "", Grade.WARN, "not_found")
    points = np.asarray(corners)
    if drawn:
        return _check(CheckKey.TRAY, 4.0, "", Grade.GOOD, "drawn")
    if (points < _RIM).any() or (points > 1 - _RIM).any():
        return _check(CheckKey.TRAY, 4.0, "", Grade.WARN, "cut")
    return _check(CheckKey.TRAY, 4.0, "", Grade.GOOD, "good")


def _check(
    key: CheckKey,
    value: float,
    unit: str,
    verdict: Grade,
    reason: str,
    quadrant: Quadrant | None = None,
) -> Check:
    return Check(
        key=key,
        value=round(value, 2),
        unit=unit,
        verdict=verdict,
        reason=reason,
        quadrant=quadrant,
    )


def _quadrant(x: float, y: float) -> Quadrant:
    """The quarter of the picture that holds a point, in shares of the picture."""
    if y < 0.5:
        return Quadrant.TOP_LEFT if x < 0.5 else Quadrant.TOP_RIGHT
    return Quadrant.BOTTOM_LEFT if x < 0.5 else Quadrant.BOTTOM_RIGHT


def _reduced(image: Image) -> Image:
    """The picture at _WIDTH, averaged over areas."""
    height = max(1, round(image.shape[0] * _WIDTH / image.shape[1]))
    return np.asarray(cv2.resize(image, (_WIDTH, height), interpolation=cv2.INTER_AREA), np.uint8)


def _in_order(points: npt.NDArray[np.float64]) -> Corners:
    """Order corners (4, 2) clockwise from the upper left."""
    middle = points.mean(axis=0)
    away = points - middle
    ordered = points[np.argsort(np.arctan2(away[:, 1], away[:, 0]))]
    first = int(np.argmin(ordered.sum(axis=1)))
    a, b, c, d = ((float(x), float(y)) for x, y in np.roll(ordered, -first, axis=0))
    return a, b, c, d
