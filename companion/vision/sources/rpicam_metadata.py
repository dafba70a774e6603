"""Parse the metadata of a Raspberry Pi's own camera: exposure, gains and focus.

`rpicam-vid --metadata-format txt` writes a line `Name=value` for each property of a frame, and an
empty line after each frame. The names are libcamera's.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

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
        """Parse one frame's metadata; None where a value is missing, or the camera is focusing."""
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


class Metadata:
    """The stream of metadata, frame after frame, in pieces as they arrive."""

    def __init__(self) -> None:
        self.newest: CameraValues | None = None
        """The values of the last complete frame."""
        self._held = b""

    def feed(self, piece: bytes) -> None:
        """Take in a piece of the stream."""
        *whole, self._held = (self._held + piece).split(b"\n\n")
        if whole:
            self.newest = CameraValues.of(whole[-1].decode(errors="replace"))
        if len(self._held) > _LONGEST:
            self._held = b""
