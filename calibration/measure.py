"""Measure the printed sheet in a picture.

`python -m calibration.measure PICTURE > PROFILE.json`
"""

from __future__ import annotations

import sys
from pathlib import Path

import msgspec

from companion.cli.words import sentence
from companion.vision.box import Profile
from companion.vision.calibration import FEWEST_MARKERS, calibrate
from companion.vision.pictures import decode, read_file
from companion.vision.readings import PhotoError


def main(picture: Path) -> int:
    """Print the profile; return 2 where the picture cannot be read, 1 where it shows no sheet."""
    try:
        sheet = calibrate(decode(read_file(picture)))
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
