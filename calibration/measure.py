"""Measure the printed sheet in a picture.

`python -m calibration.measure PICTURE > PROFILE.json`
"""

from __future__ import annotations

import sys
from pathlib import Path

import msgspec
import numpy as np

from companion.cli.words import sentence
from companion.vision.box import Profile, Sheet
from companion.vision.pictures import Image, cv2, decode
from companion.vision.read.geometry import MARKER_CORNERS, MARKERS, detect_markers, sheet_of
from companion.vision.readings import PhotoError

FEWEST_MARKERS = 2


def calibrate(image: Image) -> Sheet | None:
    """Calibrate a camera by a picture of the sheet; None with fewer than two markers in sight."""
    seen = detect_markers(image)
    if len(seen) < FEWEST_MARKERS:
        return None
    pixels = np.concatenate(list(seen.values()))
    page = np.concatenate([MARKER_CORNERS + MARKERS[number] for number in seen])
    homography, _ = cv2.findHomography(pixels, page)
    if homography is None:
        return None
    return sheet_of((image.shape[1], image.shape[0]), np.asarray(homography, np.float64))


def main(picture: Path) -> int:
    """Print the profile; return 2 if the picture cannot be read, 1 if it shows no sheet."""
    try:
        sheet = calibrate(decode(picture.read_bytes()))
    except OSError as error:
        print(f"Cannot read {picture}: {error.strerror}. Check the path.", file=sys.stderr)
        return 2
    except PhotoError as error:
        print(
            sentence(
                "error.image.refused", image=str(picture), why=sentence(error.key, **error.params)
            ),
            file=sys.stderr,
        )
        return 2
    if sheet is None:
        print(
            f"Fewer than {FEWEST_MARKERS} of the sheet's markers are in {picture}. "
            "Rest the sheet flat, whole and well lit before the camera.",
            file=sys.stderr,
        )
        return 1
    print(msgspec.json.encode(Profile(sheet=sheet)).decode())
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
