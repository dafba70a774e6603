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
from itertools import count
from typing import Final

from companion.vision.pictures import HEIGHT, WIDTH, EncodedFrame
from companion.vision.readings import SourceError
from companion.vision.sources.cameras import PROGRAM
from companion.vision.sources.frames import MAX_JPEG_BYTES, cut_jpeg

FPS: Final = 15
SILENT_S = 1.5
"""The longest time between two pictures."""

BEGIN_S = 6.0
"""The time limit for the first picture."""

END_S = 0.5
"""The time limit for ending and releasing the camera."""

_CHUNK = 1 << 16


class RpiCamera:
    """A numbered camera, through one run of the program."""

    def __init__(self, number: int) -> None:
        self._number = number
        self._began_at = time.monotonic()
        self._has_begun = False

    def is_starting(self) -> bool:
        """Whether the program is starting, so that no picture is due yet."""
        return not self._has_begun and time.monotonic() - self._began_at < BEGIN_S

    def frames(self) -> Generator[EncodedFrame]:
        """Yields frames, stamped as they arrive, for ever. SourceError if the program is not
        installed, ends, is silent or sends no pictures."""
        self._began_at = time.monotonic()
        try:
            process = _started(self._number)
        except OSError as error:
            raise SourceError("error.camera.no_rpicam") from error
        received = bytearray()
        try:
            for index in count():
                deadline = time.monotonic() + (SILENT_S if self._has_begun else BEGIN_S)
                while (encoded := cut_jpeg(received)) is None:
                    data = _more(process, deadline)
                    received += data
                    if not data or len(received) > MAX_JPEG_BYTES:
                        raise SourceError("error.camera.lost", source=f"csi:{self._number}")
                self._has_begun = True
                yield EncodedFrame(encoded, time.monotonic() - self._began_at, index)
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
