"""A Raspberry Pi's own camera, through `rpicam-vid`, a program that writes JPEGs into a pipe.

It takes no orders while it runs: to be held at what it has chosen, or to choose again, it is
started anew.
"""

from __future__ import annotations

import os
import select
import shutil
import signal
import subprocess
import time
from collections.abc import Generator
from contextlib import closing, suppress
from itertools import count
from typing import IO

from companion.vision.errors import SourceError
from companion.vision.pictures.frames import HEIGHT, WIDTH, EncodedFrame
from companion.vision.pictures.jpegs import LARGEST, cut
from companion.vision.sources.hold import Hold
from companion.vision.sources.rpicam_found import Found, Telling

PROGRAM = "rpicam-vid"
FPS = 15
SILENT_S = 1.5
"""Its pictures come at shorter distances than this."""

BEGIN_S = 6.0
"""And the first has come after so long."""

END_S = 0.5
"""It has put the camera down so long after it was asked to end."""

START_S = BEGIN_S + 2 * END_S
"""So long it may take until another program shows its first picture."""

DRIFT, DRIFT_S = 0.4, 10.0
"""How much, or how long, the light may be another before the camera is let choose again: each time
costs a moment without pictures."""

_CHUNK = 1 << 16


def is_installed() -> bool:
    """Whether this machine has the program."""
    return shutil.which(PROGRAM) is not None


class RpiCamera:
    """A numbered camera, through one program after the other (`hold.Adjustable`)."""

    def __init__(self, number: int) -> None:
        self._number = number
        self._program: Program | None = None
        self._asked_at = time.monotonic()
        self._refuses = False

    def is_starting(self) -> bool:
        """Whether it is not to be expected yet that it shows anything."""
        has_begun = self._program is not None and self._program.has_begun
        return not has_begun and time.monotonic() - self._asked_at < START_S

    def frames(self) -> Generator[EncodedFrame]:
        """Yields its frames for ever, held once it has settled. SourceError once there are none."""
        with closing(self):
            hold = Hold(self, time.monotonic(), DRIFT, DRIFT_S)
            for shot in self.shots():
                hold.glance(shot, time.monotonic())
                yield shot

    def shots(self) -> Generator[EncodedFrame]:
        """Yields its pictures, stamped as they arrive. SourceError once there are none."""
        start = time.monotonic()
        for index in count():
            yield EncodedFrame(self._picture(), time.monotonic() - start, index)

    def hold(self) -> bool:
        """It chooses no more, unless it has not chosen yet or shows nothing when it is held."""
        found = self._program.found if self._program is not None else None
        if found is None or self._refuses:
            return False
        self._start(found)
        return True

    def leave(self) -> None:
        """It chooses for itself."""
        if self._program is None or self._program.is_held:
            self._start(None)

    def close(self) -> None:
        """The program has ended."""
        if self._program is not None:
            self._program.close()

    def _start(self, found: Found | None) -> Program:
        self._asked_at = time.monotonic()
        self.close()
        self._program = Program(self._number, found)
        return self._program

    def _picture(self) -> bytes:
        program = self._program or self._start(None)
        try:
            return program.picture()
        except SourceError:
            if not program.is_held or program.has_begun:
                raise
        # Held, it shows nothing at all: it chooses from now on, whatever `Hold` takes it for.
        self._refuses = True
        return self._start(None).picture()


class Program:
    """One life of the program: it takes what was found, or chooses and tells what. SourceError
    where it is not installed."""

    def __init__(self, number: int, found: Found | None = None) -> None:
        self.is_held = found is not None
        self.has_begun = False
        """Whether it has sent a picture."""
        self._name = f"csi:{number}"
        self._telling = Telling()
        self._held = bytearray()
        try:
            self._process, self._tells = _started(number, found)
        except OSError as error:
            raise SourceError("error.camera.no_rpicam") from error
        assert self._process.stdout is not None
        self._pictures = self._process.stdout
        self._open: list[IO[bytes]] = [self._pictures, self._tells]

    @property
    def found(self) -> Found | None:
        """What it has chosen for the last frame, where it chooses and has."""
        return self._telling.newest

    def picture(self) -> bytes:
        """The next JPEG. SourceError when the program has ended or is silent, or when what comes
        are no pictures."""
        deadline = time.monotonic() + (SILENT_S if self.has_begun else BEGIN_S)
        while (encoded := cut(self._held)) is None:
            wait_s = max(0.0, deadline - time.monotonic())
            ready, _, _ = select.select(self._open, [], [], wait_s)
            if self._tells in ready:
                self._hear()
            elif self._pictures not in ready or not self._see():
                raise SourceError("error.camera.lost", source=self._name)
        self.has_begun = True
        return encoded

    def close(self) -> None:
        """It has ended, and let go of the camera."""
        self._process.send_signal(signal.SIGINT)
        if not self._pictures.closed:
            with suppress(subprocess.TimeoutExpired):
                self._process.communicate(timeout=END_S)  # it may be waiting to be read
        self._process.kill()
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(END_S)  # one whose driver hangs may never be gone
        self._pictures.close()
        self._tells.close()

    def _see(self) -> bool:
        """More of its pictures has come; False where no more will, or it is none."""
        came = os.read(self._pictures.fileno(), _CHUNK)
        self._held += came
        return bool(came) and len(self._held) <= LARGEST

    def _hear(self) -> None:
        came = os.read(self._tells.fileno(), _CHUNK)
        self._telling.hear(came)
        if not came:
            self._open.remove(self._tells)


def _started(number: int, found: Found | None) -> tuple[subprocess.Popen[bytes], IO[bytes]]:
    """The program, which writes its pictures to its output, and what it tells of its choice."""
    reading, writing = os.pipe()
    tells = os.fdopen(reading, "rb", 0)
    chooses = ("--autofocus-mode", "auto", "--metadata", f"/dev/fd/{writing}")
    options = found.options() if found else (*chooses, "--metadata-format", "txt")
    command = [
        *(PROGRAM, "--camera", str(number), "--timeout", "0", "--nopreview", "--verbose", "0"),
        *("--codec", "mjpeg", "--width", str(WIDTH), "--height", str(HEIGHT)),
        *("--framerate", str(FPS), *options, "--flush", "--output", "-"),
    ]
    quiet, pipe = subprocess.DEVNULL, subprocess.PIPE
    try:
        process = subprocess.Popen(
            command, stdin=quiet, stdout=pipe, stderr=quiet, pass_fds=(writing,)
        )
    except OSError:
        tells.close()
        raise
    finally:
        os.close(writing)
    return process, tells
