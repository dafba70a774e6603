"""`python -m companion.cli.doctor.look`: take one picture of the source that standard input names,
and print its size and mean level. The name may contain a password, so it is no argument.
"""

from __future__ import annotations

import json
import sys

import msgspec

from companion.cli.doctor.camera import Look, shown_name
from companion.vision.readings import VisionError
from companion.vision.sources.kinds import parse_source


def look(source: str) -> Look:
    """Return what the source's first picture is like."""
    try:
        opened = parse_source(source)
        if opened is None:
            return Look(key="error.camera.none")
        frames = opened.frames()
        image = next(frames).decode().image
        frames.close()
    except VisionError as wrong:
        return Look(key=wrong.key, params=wrong.params)
    except StopIteration:
        return Look(key="error.camera.lost", params={"source": shown_name(source)})
    height, width = image.shape[:2]
    return Look(width, height, float(image.mean()))


if __name__ == "__main__":
    print(msgspec.json.encode(look(json.load(sys.stdin))).decode())
