"""`python -m companion.cli.doctor.reading`: read the picture of dice that is part of this program,
and print what was found as one object.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import msgspec

from companion.cli.doctor.diagnoses import Diagnosis, Verdict, diagnosis

STILL = Path(__file__).parent / "still.jpg"
"""A picture of dice, made by the renderer of the training."""
SHOWN = Path(__file__).parent / "still.json"
READ_S = 120.0
"""Longest time, the networks' loading from a slow card included."""


class Still(msgspec.Struct, frozen=True):
    """What the picture shows."""

    game: str
    faces: tuple[str, ...]


def reads_dice(patience_s: float = READ_S) -> Diagnosis:
    """Read the picture in a process of its own: on some processors a network ends its process."""
    try:
        done = subprocess.run(
            [sys.executable, "-P", "-m", __name__],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=patience_s,
            check=True,
        )
        return msgspec.json.decode(done.stdout, type=Diagnosis)
    except (OSError, subprocess.SubprocessError, msgspec.MsgspecError) as wrong:
        return diagnosis("model", Verdict.BAD, "model_broken", reason=str(wrong))


def read_still() -> Diagnosis:
    """Read the picture in this process."""
    from companion.vision.box import rules_of
    from companion.vision.pictures import decode, read_file
    from companion.vision.read.reader import Expected, Reader
    from companion.vision.readings import VisionError

    try:
        shown = msgspec.json.decode(SHOWN.read_bytes(), type=Still)
        image = decode(read_file(STILL))
        reading = Reader.shipped().read(image, Expected(rules_of(shown.game), len(shown.faces)))
    except (OSError, msgspec.MsgspecError, VisionError) as wrong:
        return diagnosis("model", Verdict.BAD, "model_broken", reason=str(wrong))
    faces = sorted(str(die.face) for die in reading.dice)
    if faces != sorted(shown.faces):
        return diagnosis("model", Verdict.BAD, "model_wrong", faces=", ".join(faces))
    return diagnosis("model", Verdict.OK, "model", number=len(faces))


if __name__ == "__main__":
    print(msgspec.json.encode(read_still()).decode())
