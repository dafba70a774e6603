"""Calibration by the printed sheet in the tray: from px of a picture to mm of the sheet.

The sheet is an A4 page across with a marker in each corner; the dice roll between them. Two
markers in sight are enough.
"""

from __future__ import annotations

from collections.abc import Set
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from companion.vision.box import PAGE_MM, Sheet
from companion.vision.pictures import Image, cv2
from companion.vision.readings import VisionError

Points = npt.NDArray[np.float64]
"""(..., 2)."""

MARKER_MM: Final = 24.0
EDGE_MM: Final = 8.0
"""The rim that printers leave white, mm."""

MARKERS: Final = {
    0: (EDGE_MM, EDGE_MM),
    1: (PAGE_MM[0] - EDGE_MM - MARKER_MM, EDGE_MM),
    2: (PAGE_MM[0] - EDGE_MM - MARKER_MM, PAGE_MM[1] - EDGE_MM - MARKER_MM),
    3: (EDGE_MM, PAGE_MM[1] - EDGE_MM - MARKER_MM),
}
"""Each marker's number and its upper left corner on the page, mm."""

FEWEST_MARKERS: Final = 2
_SAME_SHAPE = 0.01
_CORNERS = np.array([[0, 0], [1, 0], [1, 1], [0, 1]], np.float64) * MARKER_MM
_WITH_RIM = _CORNERS * 1.3 - 0.15 * MARKER_MM
"""A marker with the white rim by which it is found."""


@dataclass(frozen=True, slots=True)
class Calibration:
    """The sheet as one camera sees it."""

    sheet: Sheet

    def millimetres(self, points: Points) -> Points:
        """Map points (..., 2) px to the page, mm from its upper left corner."""
        flat = np.asarray(points, np.float64).reshape(-1, 1, 2)
        mapped = cv2.perspectiveTransform(flat, np.array(self.sheet.to_page))
        return np.asarray(mapped, np.float64).reshape(np.shape(points))

    def contains(self, points: Points) -> npt.NDArray[np.bool_]:
        """(...,) whether each point (..., 2) px is on the page."""
        page = self.millimetres(points)
        return np.asarray(((page >= 0) & (page <= PAGE_MM)).all(axis=-1))

    def on_markers(self, points: Points, seen: Set[int]) -> npt.NDArray[np.bool_]:
        """(N,) which points (N, 2) px are on a marker that is detected or cut off by the picture.

        A marker that is neither is covered, perhaps by a die.
        """
        page = self.millimetres(points)
        found = np.zeros(len(page), bool)
        for number, corner in MARKERS.items():
            within = ((page >= corner) & (page <= np.add(corner, MARKER_MM))).all(axis=-1)
            if number in seen or not self._shows(_WITH_RIM + corner):
                found |= within
        return found

    def _shows(self, page: Points) -> bool:
        """Whether all points (N, 2) mm of the page are in the picture."""
        to_picture = np.linalg.inv(np.array(self.sheet.to_page))
        pixels = cv2.perspectiveTransform(page.reshape(-1, 1, 2), to_picture)
        return bool(((pixels >= 0) & (pixels <= self.sheet.size)).all())

    def scaled_to(self, size: tuple[int, int]) -> Calibration:
        """Scale the calibration to another picture size. VisionError for another aspect ratio."""
        measured = self.sheet.size
        across, down = size[0] / measured[0], size[1] / measured[1]
        if abs(across / down - 1) > _SAME_SHAPE:
            theirs, ours = ("{}x{}".format(*s) for s in (size, measured))
            raise VisionError("error.profile.size", size=theirs, expected=ours)
        homography = np.array(self.sheet.to_page) @ np.diag([1 / across, 1 / down, 1])
        return Calibration(_sheet(size, homography))


@dataclass(frozen=True, slots=True)
class Marker:
    """A marker in the picture: `corners` (4, 2) float64 px, from its upper left, clockwise."""

    number: int
    corners: Points


def dictionary() -> cv2.aruco.Dictionary:
    """The ArUco dictionary of the markers."""
    return cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_4X4_50)


def detect_markers(image: Image) -> tuple[Marker, ...]:
    """Detect the sheet's markers in a picture, by number."""
    detector = cv2.aruco.ArucoDetector(dictionary())
    found, numbers, _ = detector.detectMarkers(image)
    if numbers is None:
        return ()
    seen = {
        int(number): Marker(int(number), np.asarray(corners, np.float64).reshape(4, 2))
        for corners, number in zip(found, np.ravel(numbers), strict=True)
    }
    return tuple(seen[number] for number in sorted(seen) if number in MARKERS)


def calibrate(image: Image) -> Sheet | None:
    """Calibrate a camera by a picture of the sheet; None with fewer than two markers in sight, or
    where the camera looks along the sheet."""
    seen = detect_markers(image)
    if len(seen) < FEWEST_MARKERS:
        return None
    pixels = np.concatenate([marker.corners for marker in seen])
    page = np.concatenate([_CORNERS + MARKERS[marker.number] for marker in seen])
    homography, _ = cv2.findHomography(pixels, page)
    if homography is None:
        return None
    try:
        return _sheet((image.shape[1], image.shape[0]), np.asarray(homography, np.float64))
    except ValueError:
        return None


def _sheet(size: tuple[int, int], homography: Points) -> Sheet:
    """Make a sheet of a (3, 3) homography."""
    first, second, third = ((float(a), float(b), float(c)) for a, b, c in homography)
    return Sheet(size, (first, second, third))
