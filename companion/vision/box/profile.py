"""The profile of one table's camera and dice, one JSON file.

Prints are kept as pictures and not as embeddings, so that other networks can use them. Nothing here
imports NumPy or OpenCV: the service loads profiles without them.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import Annotated, Final

import msgspec

from companion.engine import Face
from companion.files import write_atomically
from companion.vision.errors import VisionError

Side = Annotated[int, msgspec.Meta(gt=0)]
"""px."""
PAGE_MM: Final = (297.0, 210.0)
"""Width and height of the sheet's page."""
_FLAT: Final = 1e-12
"""The determinant, relative to the rows' lengths, below which it is rounding error."""


class Sheet(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How one camera sees the printed sheet. ValueError where `to_page` cannot be inverted."""

    size: tuple[Side, Side]
    """Width and height of the camera's pictures."""
    to_page: tuple[
        tuple[float, float, float], tuple[float, float, float], tuple[float, float, float]
    ]
    """The homography from px to mm of the page, row by row."""

    def __post_init__(self) -> None:
        (a, b, c), (d, e, f), (g, h, i) = self.to_page
        determinant = a * (e * i - f * h) - b * (d * i - f * g) + c * (d * h - e * g)
        # Negated, so that NaN after an overflow is refused too.
        if not abs(determinant) > _FLAT * math.prod(math.hypot(*row) for row in self.to_page):
            raise ValueError("to_page cannot be inverted")


MOST_PRINTS: Final = 16
"""The most prints kept of a face: an even selection of enrolled ones, and the newest learned ones,
since light and camera change over an evening."""

Dice = dict[str, dict[Face, tuple[bytes, ...]]]
"""By game and face: PNGs of the prints of a box, rectified as the classifier takes them."""


class Profile(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A table's sheet and enrolled dice; both may be missing."""

    sheet: Sheet | None = None
    dice: Dice = {}


def load_profile(path: Path) -> Profile:
    """Load a profile. VisionError where the file cannot be read or is malformed."""
    try:
        return msgspec.json.decode(path.read_bytes(), type=Profile)
    except OSError as error:
        reason = error.strerror or ""
        raise VisionError("error.unreadable", path=str(path), reason=reason) from error
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        reason = str(error)
        raise VisionError("error.profile.form", profile=str(path), reason=reason) from error


def save_profile(profile: Profile, path: Path) -> None:
    """Write a profile; after a power cut the file holds the old one or the new one. VisionError,
    with the file unchanged, where it cannot be written."""
    try:
        write_atomically(path, msgspec.json.encode(profile) + b"\n")
    except OSError as error:
        reason = error.strerror or ""
        raise VisionError("error.profile.unwritable", profile=str(path), reason=reason) from error
