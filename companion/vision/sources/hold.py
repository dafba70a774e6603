"""Who decides how bright and how sharp a camera's picture is.

A camera that goes on adjusting itself changes the picture under the dice. So exposure, white
balance and focus are left to the camera until they have settled, and are then held, until the light
in the room is another.
"""

from __future__ import annotations

from enum import Enum, auto
from typing import Final, Protocol

import numpy as np

from companion.vision.pictures.frames import Shot

_GLANCE_WIDTH: Final = 80


class Adjustable(Protocol):
    """A camera that can be made to keep the values that it has chosen."""

    def hold(self) -> bool:
        """Keep what it has chosen; False where it cannot, or has not chosen yet."""

    def leave(self) -> None:
        """It chooses for itself."""


class Held(Enum):
    """Who decides."""

    SETTLING = auto()
    """The camera, for the moment."""
    TRIED = auto()
    """Nobody since a moment: it must turn out whether the picture stays what it was."""
    HELD = auto()
    """Nobody."""
    LEFT = auto()
    """The camera, for good: its values, given back to it, made another picture twice running."""


class Hold:
    """Follows how bright a camera's picture is, and tells the camera when to adjust itself."""

    GLANCE_S = 0.5
    SETTLE_S = 2.0
    TRY_S = 1.0
    STEADY = 0.15
    """By such a share a picture varies that has settled."""
    DARK = 12.0
    """In the dark nothing can be adjusted."""
    TRIALS = 2
    """A hand may come in between."""

    def __init__(
        self, camera: Adjustable, now: float, drift: float = STEADY, drift_s: float = 3.0
    ) -> None:
        """While it is held the light may change by such a share, or for so long."""
        self._camera = camera
        self._drift, self._drift_s = drift, drift_s
        self._since = self._glance_at = now
        self._level = 0.0
        self._trials = self.TRIALS
        self.state = Held.SETTLING
        self._camera.leave()  # one that was held in an earlier life still is

    def glance(self, shot: Shot, now: float) -> None:
        """This is its picture now; most are not looked at."""
        if now >= self._glance_at:
            self._glance_at = now + self.GLANCE_S
            self.see(float(np.median(shot.grey(_GLANCE_WIDTH))), now)

    def see(self, level: float, now: float) -> None:
        """The picture is so bright now: the median of its grey levels."""
        away = abs(level - self._level)
        is_steady = away <= self.STEADY * self._level
        match self.state:
            case Held.SETTLING:
                if not is_steady or level < self.DARK:
                    self._level, self._since = level, now
                elif now - self._since >= self.SETTLE_S and self._camera.hold():
                    # Told so, it may take a while until its next picture.
                    self.state, self._level, self._since = Held.TRIED, level, np.inf
            case Held.TRIED:
                self._since = min(self._since, now)
                if not is_steady:
                    self._release(level, now)
                    self._trials -= 1
                    if self._trials == 0:
                        self.state = Held.LEFT
                elif now - self._since >= self.TRY_S:
                    self.state, self._trials = Held.HELD, self.TRIALS
            case Held.HELD:
                # Half of what there is to white: or a light picture could never become too light.
                if away <= min(self._drift * self._level, (255 - self._level) / 2):
                    self._since = now
                elif now - self._since >= self._drift_s:
                    self._release(level, now)
            case Held.LEFT:
                return

    def _release(self, level: float, now: float) -> None:
        self.state, self._level, self._since = Held.SETTLING, level, now
        self._camera.leave()
