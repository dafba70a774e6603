"""Hold a camera's exposure, white balance and focus once they have settled.

A camera that keeps adjusting changes the picture while dice rest. So it adjusts until the picture
is steady, and then keeps its values until the light in the room changes. How a kind of camera holds
them is in its own module.
"""

from __future__ import annotations

from enum import Enum, auto
from typing import Final, Protocol

import numpy as np

from companion.vision.pictures.frames import AnyFrame

_GLANCE_WIDTH: Final = 80


class Adjustable(Protocol):
    """A camera that can keep its automatic values."""

    def hold(self) -> bool:
        """Keep the current values; False where it cannot, or has none yet."""

    def leave(self) -> None:
        """Adjust automatically again."""


class HoldState(Enum):
    """The state of holding: whether a camera adjusts itself."""

    SETTLING = auto()
    """It adjusts, and the picture is not steady yet."""
    TRIED = auto()
    """Its values were just held: the picture must stay as it was."""
    HELD = auto()
    """Its values are held."""
    LEFT = auto()
    """It adjusts for good: held values changed the picture twice in a row."""


class Hold:
    """Follows a camera's brightness, and decides when it adjusts itself."""

    GLANCE_S = 0.5
    SETTLE_S = 2.0
    TRY_S = 1.0
    STEADY = 0.15
    """The relative change of brightness of a steady picture."""
    DARK = 12.0
    """The brightness below which nothing can be adjusted."""
    TRIALS = 2
    """The attempts at holding; a hand may interfere with one."""

    def __init__(
        self, camera: Adjustable, now: float, drift: float = STEADY, drift_s: float = 3.0
    ) -> None:
        """`drift` is the relative change of light, and `drift_s` its duration, that ends
        holding."""
        self._camera = camera
        self._drift, self._drift_s = drift, drift_s
        self._since = self._glance_at = now
        self._level = 0.0
        self._trials = self.TRIALS
        self.state = HoldState.SETTLING
        self._camera.leave()  # it may still be held since an earlier run

    def glance(self, shot: AnyFrame, now: float) -> None:
        """Measure a picture's brightness twice a second."""
        if now >= self._glance_at:
            self._glance_at = now + self.GLANCE_S
            self.see(float(np.median(shot.grey(_GLANCE_WIDTH))), now)

    def see(self, level: float, now: float) -> None:
        """Take in the current brightness, the median of the grey levels."""
        away = abs(level - self._level)
        is_steady = away <= self.STEADY * self._level
        match self.state:
            case HoldState.SETTLING:
                if not is_steady or level < self.DARK:
                    self._level, self._since = level, now
                elif now - self._since >= self.SETTLE_S and self._camera.hold():
                    # After holding, its next picture may take a while.
                    self.state, self._level, self._since = HoldState.TRIED, level, np.inf
            case HoldState.TRIED:
                self._since = min(self._since, now)
                if not is_steady:
                    self._release(level, now)
                    self._trials -= 1
                    if self._trials == 0:
                        self.state = HoldState.LEFT
                elif now - self._since >= self.TRY_S:
                    self.state, self._trials = HoldState.HELD, self.TRIALS
            case HoldState.HELD:
                # At most half the range to white, or a light picture could never become too light.
                if away <= min(self._drift * self._level, (255 - self._level) / 2):
                    self._since = now
                elif now - self._since >= self._drift_s:
                    self._release(level, now)
            case HoldState.LEFT:
                return

    def _release(self, level: float, now: float) -> None:
        self.state, self._level, self._since = HoldState.SETTLING, level, now
        self._camera.leave()
