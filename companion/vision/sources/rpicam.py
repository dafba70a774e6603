"""A Raspberry Pi's own camera, through `rpicam-vid`, a program that writes JPEGs into a pipe.

It adjusts its exposure and colours all the time, as network cameras do: what changes all of the
picture is no motion (`pictures.gains`). It focuses once, when it starts.
"""

from __future__ import annotations

import os
import select
import signal
import subprocess
import time
from collections.abc import Generator
from contextlib import suppress
from functools import partial
from typing import Final

from companion.vision.pictures import HEIGHT, WIDTH, EncodedFrame
from companion.vision.readings import SourceError
from companion.vision.sources.cameras import PROGRAM
from companion.vision.sources.frames import jpeg_frames

FPS: Final = 15
SILENT_S = 1.5
"""The longest time between two pictures."""

BEGIN_S = 6.0
"""The time limit for the first picture."""

END_S = 0.5
"""The time limit for ending and releasing the camera."""

_CHUNK = 1 << 16


def rpicam_frames(number: int) -> Generator[EncodedFrame]:
    """Yields the frames of a numbered camera, stamped as they arrive, for ever. SourceError if the
    program is not installed, ends, is silent or sends no pictures."""
    try:
        process = _started(number)
    except OSError as error:
        raise SourceError("error.camera.no_rpicam") from error
    try:
        yield from jpeg_frames(partial(_more, process), f"csi:{number}", BEGIN_S, SILENT_S)
    finally:
        _end(process)


def _more(process: subprocess.Popen[bytes], deadline: float) -> bytes:
    """Read more bytes; none at the end, or if none come in time."""
    assert process.stdout is not None
    ready, _, _ = select.select([process.stdout], [], [], max(0.0, deadline - time.monotonic()))
    return os.read(process.stdout.fileno(), _CHUNK) if ready else b""


def _started(number: int) -> subprocess.Popen[bytes]:
    command = [
        *(PROGRAM, "--camera", str(number), "--timeout", "0", "--nopreview", "--verbose", "0"),
        *("--codec", "mjpeg", "--width", str(WIDTH), "--height", str(HEIGHT)),
        *("--framerate", str(FPS), "--autofocus-mode", "auto", "--flush", "--output", "-"),
    ]
    quiet = subprocess.DEVNULL
    return subprocess.Popen(command, stdin=quiet, stdout=subprocess.PIPE, stderr=quiet)


def _end(process: subprocess.Popen[bytes]) -> None:
    """End the program, so that it releases the camera."""
    process.send_signal(signal.SIGINT)
    with suppress(subprocess.TimeoutExpired):
        process.communicate(timeout=END_S)  # it may be blocked until its output is read
    process.kill()
    with suppress(subprocess.TimeoutExpired):
        process.wait(END_S)  # with a hanging driver it may never end
