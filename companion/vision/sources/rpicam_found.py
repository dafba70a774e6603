"""What a Raspberry Pi's own camera has chosen for the light.

`rpicam-vid --metadata-format txt` writes a line `Name=value` for each thing known of a frame, and
an empty one after each frame. The names are libcamera's.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

SCANNING: Final = 1
"""`AfState` of a camera that looks for its focus."""

_NUMBER: Final = re.compile(r"-?\d+(?:\.\d+)?(?:e[-+]?\d+)?")
_LONGEST: Final = 1 << 16


@dataclass(frozen=True, slots=True)
class Found:
    """Exposure in µs, the gain of sensor and processor together, red's and blue's own gains, and
    the lens in dioptres (None: it does not move)."""

    exposure: float
    gain: float
    red: float
    blue: float
    lens: float | None

    @classmethod
    def of(cls, text: str) -> Found | None:
        """What was chosen for the frame of which this is said; None where not all is said, or the
        focus is still being looked for."""
        lines = (line.partition("=") for line in text.splitlines())
        said = {name: tuple(map(float, _NUMBER.findall(value))) for name, _, value in lines}
        match said:
            case {"AfState": (state,)} if state == SCANNING:
                return None
            case {"ExposureTime": (exposure,), "AnalogueGain": (gain,), "ColourGains": (red, blue)}:
                lens = next(iter(said.get("LensPosition", ())), None)
            case _:
                return None
        if min(exposure, gain, red, blue) <= 0:
            return None
        # The gain that is asked for is to hold both; a gain of red or blue below 1 is made up for
        # by itself.
        brightened = next(iter(said.get("DigitalGain", ())), 1.0) if min(red, blue) >= 1 else 1.0
        return cls(exposure, gain * max(1.0, brightened), red, blue, lens)

    def options(self) -> tuple[str, ...]:
        """With which `rpicam-vid` takes these and chooses none."""
        held = (
            *("--shutter", f"{self.exposure:.0f}us", "--gain", f"{self.gain:.4f}"),
            *("--awbgains", f"{self.red:.4f},{self.blue:.4f}"),
        )
        if self.lens is None:
            return held
        return (*held, "--autofocus-mode", "manual", "--lens-position", f"{self.lens:.4f}")


class Telling:
    """What is said of one frame after the other, in pieces as they come."""

    def __init__(self) -> None:
        self.newest: Found | None = None
        """What was chosen for the last frame of which all was said."""
        self._held = b""

    def hear(self, piece: bytes) -> None:
        """More has been said."""
        *whole, self._held = (self._held + piece).split(b"\n\n")
        if whole:
            self.newest = Found.of(whole[-1].decode(errors="replace"))
        if len(self._held) > _LONGEST:
            self._held = b""
