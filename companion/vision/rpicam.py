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

from companion.vision.errors import SourceError
from companion.vision.frames import HEIGHT, WIDTH, Packed
from companion.vision.hold import Hold
from companion.vision.jpegs import LARGEST, cut
from companion.vision.rpicam_found import Found, Telling

PROGRAM = "rpicam-vid"
FPS = 15
SILENT_S = 2.0
"""It begins to send within this, and goes on at shorter distances."""

BEGIN_S = 6.0
"""And has found its camera after so long."""

PROMPT_S = 1.3
"""One that took longer is not started anew: so long without a picture is a camera that stalls."""

END_S = 0.5
"""It has put the camera down so long after it was asked to end."""

DRIFT, DRIFT_S = 0.4, 10.0
"""By such a share the light may change, or for so long: it costs a second without pictures."""

_CHUNK = 1 << 16


def is_installed() -> bool:
    """Whether this machine has the program."""
    return shutil.which(PROGRAM) is not None


def rpicam_frames(number: int) -> Generator[Packed]:
    """Yields the frames of the numbered camera for ever. SourceError once there are none."""
    with closing(RpiCamera(number)) as camera:
        hold = Hold(camera, time.monotonic(), DRIFT, DRIFT_S)
        for shot in camera.shots():
            hold.glance(shot, time.monotonic())
            yield shot


class RpiCamera:
    """A camera through one program after the other (`hold.Adjustable`)."""

    def __init__(self, number: int) -> None:
        self._number = number
        self._program = Program(number)
        self._refuses = False

    def shots(self) -> Generator[Packed]:
        """Yields its pictures, stamped as they arrive. SourceError once there are none."""
        start = time.monotonic()
        for index in count():
            yield Packed(self._picture(), time.monotonic() - start, index)

    def hold(self) -> bool:
        """It chooses no more, unless it has not chosen yet, or to start it anew would take long."""
        found = self._program.found
        if found is None or self._refuses or self._program.took_s > PROMPT_S:
            return False
        self._start(found)
        return True

    def leave(self) -> None:
        """It chooses for itself."""
        if self._program.is_held:
            self._start(None)

    def close(self) -> None:
        """The program has ended."""
        self._program.close()

    def _start(self, found: Found | None) -> None:
        self._program.close()
        self._program = Program(self._number, found)

    def _picture(self) -> bytes:
        try:
            return self._program.picture()
        except SourceError:
            if not self._program.is_held or self._program.has_begun:
                raise
        # Held, it shows nothing at all: better to let it choose, from now on.
        self._refuses = True
        self._start(None)
        return self._program.picture()


class Program:
    """One life of the program: it takes what was found, or chooses and tells what. SourceError
    where it is not installed."""

    def __init__(self, number: int, found: Found | None = None) -> None:
        self.is_held = found is not None
        self.took_s = 0.0
        """How long after its start it sent its first picture."""
        self.has_begun = False
        self._name = f"csi:{number}"
        self._telling = Telling()
        self._held = bytearray()
        self._started_at = time.monotonic()
        reading, writing = os.pipe()
        chooses = ("--autofocus-mode", "auto", "--metadata", f"/dev/fd/{writing}")
        options = found.options() if found else (*chooses, "--metadata-format", "txt")
        try:
            self._process = _started(number, options, writing)
        except OSError as error:
            os.close(reading)
            raise SourceError("error.camera.no_rpicam") from error
        finally:
            os.close(writing)
        assert self._process.stdout is not None
        self._pictures, self._tells = self._process.stdout.fileno(), reading
        self._open = [self._pictures, self._tells]

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
        if not self.has_begun:
            self.has_begun, self.took_s = True, time.monotonic() - self._started_at
        return encoded

    def close(self) -> None:
        """It has ended, and let go of the camera."""
        assert self._process.stdout is not None
        self._process.stdout.close()  # it may be waiting to be read
        os.close(self._tells)
        self._process.send_signal(signal.SIGINT)
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(END_S)
        self._process.kill()
        self._process.wait()

    def _see(self) -> bool:
        """More of its pictures has come; False where no more will, or it is none."""
        came = os.read(self._pictures, _CHUNK)
        self._held += came
        return bool(came) and len(self._held) <= LARGEST

    def _hear(self) -> None:
        came = os.read(self._tells, _CHUNK)
        self._telling.hear(came)
        if not came:
            self._open.remove(self._tells)


def _started(number: int, options: tuple[str, ...], writing: int) -> subprocess.Popen[bytes]:
    """The program, which writes its pictures to its output and may write to what is passed."""
    command = [
        *(PROGRAM, "--camera", str(number), "--timeout", "0", "--nopreview", "--verbose", "0"),
        *("--codec", "mjpeg", "--width", str(WIDTH), "--height", str(HEIGHT)),
        *("--framerate", str(FPS), *options, "--flush", "--output", "-"),
    ]
    quiet = subprocess.DEVNULL
    return subprocess.Popen(
        command, stdin=quiet, stdout=subprocess.PIPE, stderr=quiet, pass_fds=(writing,)
    )
