"""Diagnoses about cameras: which there are, and whether the chosen one gives pictures."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Annotated

import msgspec
from msgspec import Meta

from companion.cli.doctor.diagnoses import Diagnosis, Verdict, diagnosis
from companion.cli.words import sentence
from companion.redaction import shown_source
from companion.vision.readings import SourceError
from companion.vision.sources.cameras import find_cameras, list_devices
from companion.vision.sources.kinds import parse_source

LOOK_S = 20.0
"""Longest time for one picture; a Pi's own camera takes seven seconds to start."""
DARK, BRIGHT = 12.0, 243.0
"""Mean levels of a picture, of 255, beyond which nothing is read."""
LOOK = "companion.cli.doctor.look"


class Look(msgspec.Struct, frozen=True):
    """One picture of a camera: its size and mean level; or why there is none."""

    width: int = 0
    height: int = 0
    level: float = 0.0
    key: str = ""
    params: Annotated[dict[str, str | int], Meta(max_length=8)] = {}


def camera(source: str, *, in_use: bool) -> Diagnosis:
    """Look at the camera, unless a running table has it; without one, name those that are there."""
    if source == "none":
        return _none_chosen()
    if source == "auto":
        first = next(iter(find_cameras()), None)
        if first is None:
            return diagnosis("camera", Verdict.OK, "no_camera")
        if first.problem and not in_use:
            return _refused(f"error.camera.{first.problem}", {"source": first.name})
        source = first.source
    try:
        opened = parse_source(source)
    except SourceError as wrong:
        return _refused(wrong.key, wrong.params)
    if in_use:
        return diagnosis("camera", Verdict.OK, "camera_in_use", name=shown_name(source))
    if opened is None or not opened.present():
        return _refused("error.camera.unknown_device", {"source": shown_name(source)})
    return camera_diagnosis(look_at(source), source)


def _none_chosen() -> Diagnosis:
    found = list_devices()
    if found:
        return diagnosis("camera", Verdict.LOOK, "camera_unused", name=found[0])
    return diagnosis("camera", Verdict.OK, "no_camera")


def camera_diagnosis(look: Look, source: str) -> Diagnosis:
    """Return what the picture comes to."""
    if look.key:
        return _refused(look.key, look.params)
    seen: dict[str, str | int] = {
        "width": look.width,
        "height": look.height,
        "name": shown_name(source),
    }
    if look.level < DARK:
        return diagnosis("camera", Verdict.BAD, "camera_dark", **seen)
    if look.level > BRIGHT:
        return diagnosis("camera", Verdict.BAD, "camera_bright", **seen)
    return diagnosis("camera", Verdict.OK, "camera", **seen)


def _refused(key: str, params: dict[str, str | int]) -> Diagnosis:
    found, end, do = sentence(key, **params).partition(". ")
    return Diagnosis("camera", Verdict.BAD, found + end.strip(), do)


def look_at(source: str, patience_s: float = LOOK_S) -> Look:
    """Take one picture in a process of its own, since a driver may block or crash."""
    try:
        done = subprocess.run(
            [sys.executable, "-P", "-m", LOOK],
            input=json.dumps(source).encode(),
            capture_output=True,
            timeout=patience_s,
            check=True,
        )
        return msgspec.json.decode(done.stdout, type=Look)
    except subprocess.TimeoutExpired:
        return Look(key="error.camera.stalled", params={"source": shown_name(source)})
    except (OSError, subprocess.CalledProcessError, msgspec.MsgspecError):
        return Look(key="error.camera.lost", params={"source": shown_name(source)})


def shown_name(source: str) -> str:
    """Return a source's name without what may be a secret: an address has a password in it."""
    return Path(source).name if source.startswith("/") else shown_source(source).partition(":/")[0]
