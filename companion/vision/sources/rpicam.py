"""A Raspberry Pi's own camera, through `rpicam-vid`, a program that writes JPEGs into a pipe.

Its settings cannot change while it runs: to hold values or to adjust again, it is restarted. Its
metadata are parsed in `rpicam_metadata`.
"""

from __future__ import annotations

import os
import re
import select
import signal
import subprocess
import time
from collections.abc import Generator
from contextlib import closing, suppress
from dataclasses import dataclass
from itertools import count
from typing import IO, Final

from companion.vision.pictures import HEIGHT, WIDTH, EncodedFrame
from companion.vision.readings import SourceError
from companion.vision.sources.cameras import PROGRAM
from companion.vision.sources.devices import Hold
from companion.vision.sources.frames import MAX_JPEG_BYTES, cut_jpeg

SCANNING: Final = 1
"""`AfState` of a camera that is focusing."""

_NUMBER: Final = re.compile(r"-?\d+(?:\.\d+)?(?:e[-+]?\d+)?")
_LONGEST: Final = 1 << 16


@dataclass(frozen=True, slots=True)
class CameraValues:
    """The values a camera found: exposure in µs, the gain of sensor and processor together, red's
    and blue's own gains, and the lens in dioptres (None: it does not move)."""

    exposure: float
    gain: float
    red: float
    blue: float
    lens: float | None

    @classmethod
    def of(cls, text: str) -> CameraValues | None:
        """Parse one frame's metadata; None if a value is missing, or the camera is focusing."""
        lines = (line.partition("=") for line in text.splitlines())
        values = {name: tuple(map(float, _NUMBER.findall(value))) for name, _, value in lines}
        match values:
            case {"AfState": (state,)} if state == SCANNING:
                return None
            case {"ExposureTime": (exposure,), "AnalogueGain": (gain,), "ColourGains": (red, blue)}:
                lens = next(iter(values.get("LensPosition", ())), None)
            case _:
                return None
        if min(exposure, gain, red, blue) <= 0:
            return None
        # The requested gain has to include the digital one, except what only makes up for a gain of
        # red or blue below 1.
        brightened = next(iter(values.get("DigitalGain", ())), 1.0) if min(red, blue) >= 1 else 1.0
        return cls(exposure, gain * max(1.0, brightened), red, blue, lens)

    def options(self) -> tuple[str, ...]:
        """The options that make `rpicam-vid` use these values."""
        held = (
            *("--shutter", f"{self.exposure:.0f}us", "--gain", f"{self.gain:.4f}"),
            *("--awbgains", f"{self.red:.4f},{self.blue:.4f}"),
        )
        if self.lens is None:
            return held
        return (*held, "--autofocus-mode", "manual", "--lens-position", f"{self.lens:.4f}")


FPS = 15
SILENT_S = 1.5
"""The longest time between two pictures."""

BEGIN_S = 6.0
"""The time limit for the first picture."""

END_S = 0.5
"""The time limit for ending and releasing the camera."""

START_S = BEGIN_S + 2 * END_S
"""The time limit from a restart to the first picture."""

DRIFT, DRIFT_S = 0.4, 10.0
"""The relative change of light, and its duration in s, after which the camera adjusts again. Each
restart costs a moment without pictures."""

_CHUNK = 1 << 16


class RpiCamera:
    """A numbered camera, through one run of the program after the other (`devices.Adjustable`)."""

    def __init__(self, number: int) -> None:
        self._number = number
        self._program: Program | None = None
        self._started_at = time.monotonic()
        self._refuses = False

    def is_starting(self) -> bool:
        """Whether the program is starting, so that no picture is due yet."""
        has_begun = self._program is not None and self._program.has_begun
        return not has_begun and time.monotonic() - self._started_at < START_S

    def frames(self) -> Generator[EncodedFrame]:
        """Yields frames for ever, and holds the camera once it has settled. SourceError at their
        end."""
        with closing(self):
            hold = Hold(self, time.monotonic(), DRIFT, DRIFT_S)
            for shot in self.shots():
                hold.glance(shot, time.monotonic())
                yield shot

    def shots(self) -> Generator[EncodedFrame]:
        """Yields pictures, stamped as they arrive. SourceError at their end."""
        start = time.monotonic()
        for index in count():
            yield EncodedFrame(self._picture(), time.monotonic() - start, index)

    def hold(self) -> bool:
        """Hold the found values; False if there are none yet, or holding once failed."""
        found = self._program.found if self._program is not None else None
        if found is None or self._refuses:
            return False
        self._start(found)
        return True

    def leave(self) -> None:
        """Let the camera adjust itself."""
        if self._program is None or self._program.is_held:
            self._start(None)

    def suit(self, mains_hz: int) -> bool:
        """False: the program's exposures suit no lamp."""
        return False

    def close(self) -> None:
        """End the program."""
        if self._program is not None:
            self._program.close()

    def _start(self, found: CameraValues | None) -> Program:
        self._started_at = time.monotonic()
        self.close()
        self._program = Program(self._number, found)
        return self._program

    def _picture(self) -> bytes:
        """Read the next JPEG; restart once if held values stop the pictures."""
        program = self._program or self._start(None)
        try:
            return program.picture()
        except SourceError:
            if not program.is_held or program.has_begun:
                raise
        # It sent no picture with held values, so from now on it adjusts itself.
        self._refuses = True
        return self._start(None).picture()


class Program:
    """One run of the program, with held values, or adjusting and reporting its values. SourceError
    if it is not installed."""

    def __init__(self, number: int, found: CameraValues | None = None) -> None:
        self.is_held = found is not None
        self.has_begun = False
        """Whether it has sent a picture."""
        self._name = f"csi:{number}"
        self.found: CameraValues | None = None
        """The values of the last whole frame; None if they are held or not known yet."""
        self._noted = b""
        self._held = bytearray()
        try:
            self._process, self._notes = _started(number, found)
        except OSError as error:
            raise SourceError("error.camera.no_rpicam") from error
        assert self._process.stdout is not None
        self._pictures = self._process.stdout
        self._open: list[IO[bytes]] = [self._pictures, self._notes]

    def picture(self) -> bytes:
        """Read the next JPEG. SourceError when the program ends, is silent or sends no pictures."""
        deadline = time.monotonic() + (SILENT_S if self.has_begun else BEGIN_S)
        while (encoded := cut_jpeg(self._held)) is None:
            wait_s = max(0.0, deadline - time.monotonic())
            ready, _, _ = select.select(self._open, [], [], wait_s)
            if self._notes in ready:
                self._read_metadata()
            elif self._pictures not in ready or not self._read_pictures():
                raise SourceError("error.camera.lost", source=self._name)
        self.has_begun = True
        return encoded

    def close(self) -> None:
        """End the program, so that it releases the camera."""
        self._process.send_signal(signal.SIGINT)
        if not self._pictures.closed:
            with suppress(subprocess.TimeoutExpired):
                self._process.communicate(
                    timeout=END_S
                )  # it may be blocked until its output is read
        self._process.kill()
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(END_S)  # with a hanging driver it may never end
        self._pictures.close()
        self._notes.close()

    def _read_pictures(self) -> bool:
        """Read more picture bytes; False at the end, or if they contain no picture."""
        data = os.read(self._pictures.fileno(), _CHUNK)
        self._held += data
        return bool(data) and len(self._held) <= MAX_JPEG_BYTES

    def _read_metadata(self) -> None:
        data = os.read(self._notes.fileno(), _CHUNK)
        *whole, self._noted = (self._noted + data).split(b"\n\n")
        if whole:
            self.found = CameraValues.of(whole[-1].decode(errors="replace"))
        if not data or len(self._noted) > _LONGEST:
            self._open.remove(self._notes)


def _started(number: int, found: CameraValues | None) -> tuple[subprocess.Popen[bytes], IO[bytes]]:
    reading, writing = os.pipe()
    notes = os.fdopen(reading, "rb", 0)
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
        notes.close()
        raise
    finally:
        os.close(writing)
    return process, notes
