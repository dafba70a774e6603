"""The tray as its host drew it: four corners of the picture become a sheet, as the printed one.

Nothing here loads NumPy or OpenCV: the service works it out without them.
"""

from __future__ import annotations

from typing import Final

from companion.vision.box.profile import PAGE_MM, Sheet
from companion.vision.errors import VisionError

Corner = tuple[float, float]
_SMALLEST: Final = 0.02
"""The smallest area of a tray, in shares of the picture."""

Matrix = tuple[tuple[float, float, float], tuple[float, float, float], tuple[float, float, float]]


def sheet_of_tray(size: tuple[int, int], corners: tuple[Corner, Corner, Corner, Corner]) -> Sheet:
    """Make the sheet whose page fills these corners, clockwise from the upper left, in shares of a
    picture of `size` (width, height). VisionError where they are no convex tray of some size."""
    turns = [_turn(corners[n], corners[(n + 1) % 4], corners[(n + 2) % 4]) for n in range(4)]
    area = sum(
        a[0] * b[1] - b[0] * a[1] for a, b in zip(corners, (*corners[1:], corners[0]), strict=True)
    )
    if min(turns) <= 0 or area / 2 < _SMALLEST:
        raise VisionError("error.setup.corners")
    points = [(x * size[0], y * size[1]) for x, y in corners]
    to_picture = _from_square(points)
    (a, b, c), (d, e, f), (g, h, i) = _inverse(to_picture)
    width, height = PAGE_MM
    rows: Matrix = (
        (a * width, b * width, c * width),
        (d * height, e * height, f * height),
        (g, h, i),
    )
    return Sheet(size, rows)


def corners_of(sheet: Sheet) -> tuple[Corner, Corner, Corner, Corner]:
    """Return the corners of a sheet's page in shares of the picture, clockwise."""
    to_picture = _inverse(sheet.to_page)
    width, height = PAGE_MM
    found = []
    for x, y in ((0.0, 0.0), (width, 0.0), (width, height), (0.0, height)):
        across, down, scale = (row[0] * x + row[1] * y + row[2] for row in to_picture)
        found.append((across / scale / sheet.size[0], down / scale / sheet.size[1]))
    a, b, c, d = found
    return a, b, c, d


def _turn(a: Corner, b: Corner, c: Corner) -> float:
    """Positive where the way from a over b to c turns right, with y pointing down."""
    return (b[0] - a[0]) * (c[1] - b[1]) - (b[1] - a[1]) * (c[0] - b[0])


def _from_square(points: list[Corner]) -> Matrix:
    """The homography from the unit square to a convex quadrilateral (Heckbert 1989, 2.2.2)."""
    (x0, y0), (x1, y1), (x2, y2), (x3, y3) = points
    dx1, dy1, dx2, dy2 = x1 - x2, y1 - y2, x3 - x2, y3 - y2
    sx, sy = x0 - x1 + x2 - x3, y0 - y1 + y2 - y3
    whole = dx1 * dy2 - dx2 * dy1
    g = (sx * dy2 - dx2 * sy) / whole
    h = (dx1 * sy - sx * dy1) / whole
    return (
        (x1 - x0 + g * x1, x3 - x0 + h * x3, x0),
        (y1 - y0 + g * y1, y3 - y0 + h * y3, y0),
        (g, h, 1.0),
    )


def _inverse(matrix: Matrix) -> Matrix:
    """The inverse, up to a factor, which a homography does not have: the adjugate."""
    (a, b, c), (d, e, f), (g, h, i) = matrix
    return (
        (e * i - f * h, c * h - b * i, b * f - c * e),
        (f * g - d * i, a * i - c * g, c * d - a * f),
        (d * h - e * g, b * g - a * h, a * e - b * d),
    )
