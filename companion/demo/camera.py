"""The open demo tray: pictures as a camera takes them, and the hand that throws and clears."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import numpy.typing as npt

from companion.demo.dice import FLIGHT_S, Dice, Pose, at_rest
from companion.demo.picture import FINER, WIDE, TrayPicture
from companion.vision.pictures import Frame, Image
from companion.vision.readings import Rect
from companion.vision.sources.kinds import Throw

FPS = 20.0
NOISE = 1.4
"""The sensor's noise: standard deviation in grey levels of 255."""
_SHIFT = 64
"""How many px the prepared noise is larger than the picture, in which it is shifted at random."""
_HEADROOM = 8
"""Grey levels are kept so far from 0 and 255 that noise never leaves them."""


class DemoCamera:
    """A virtual camera over the tray (`sources.kinds.Player`) whose dice can be thrown
    (`ThrowingPlayer`). A picture is made when it is asked for, and drawn only if dice move."""

    def __init__(
        self,
        pictures: Path,
        seed: int | None = None,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self.dice = Dice(seed)
        self._clock, self._sleep = clock, sleep
        self._picture = TrayPicture(pictures)
        self._rng = np.random.default_rng(seed)
        self._noise = self._make_noise()
        self._still: Image | None = None
        """The picture of the dice at rest; None while some are in flight."""
        self._began_at = self._next_at = clock()
        self._thrown_at = float("-inf")
        self._index = 0

    def take(self, timeout_s: float) -> Frame | None:
        """Take the next frame when its time has come; None until then."""
        early_s = self._next_at - self._clock()
        if early_s > 0:
            self._sleep(min(early_s, timeout_s))
        if early_s > timeout_s:
            return None
        now = self._clock()
        self._next_at = max(now, self._next_at + 1 / FPS)
        self._index += 1
        return Frame(self._seen(now), now - self._began_at, self._index - 1)

    def throw(self, throw: Throw) -> None:
        """Take up all dice but those in the kept boxes, and throw as many as are missing."""
        kept = frozenset(found for box in throw.kept if (found := self._die_in(box)) is not None)
        self.dice.throw(throw.game, throw.dice, kept)
        self._thrown_at, self._still = self._clock(), None

    def clear(self) -> None:
        """Take all dice out of the tray."""
        self.dice.clear()
        self._still = None

    def spots(self) -> list[tuple[float, float]]:
        """Where the middles of all dice are in the picture once none is in flight, px."""
        return [self._picture.spot(at_rest(die)) for die in self.dice.lying]

    def _die_in(self, box: Rect) -> int | None:
        x, y, width, height = box
        at = (x + width / 2, y + height / 2)
        away = [np.hypot(at[0] - across, at[1] - down) for across, down in self.spots()]
        nearest = int(np.argmin(away)) if away else 0
        return nearest if away and away[nearest] < WIDE / 2 else None

    def _seen(self, now: float) -> Image:
        picture = self._still
        if picture is None:
            age_s = now - self._thrown_at
            is_still = age_s >= FLIGHT_S
            picture = self._drawn(self.dice.poses(age_s), FINER if is_still else 1)
            self._still = picture if is_still else None
        height, width = picture.shape[:2]
        top, left = self._rng.integers(_SHIFT, size=2)
        # Bytes are added modulo 256, so that noise may be negative.
        return np.asarray(picture + self._noise[top : top + height, left : left + width])

    def _drawn(self, poses: list[Pose], finer: int) -> Image:
        picture = self._picture.draw(poses, finer=finer)
        return np.clip(picture, _HEADROOM, 255 - _HEADROOM, out=picture)

    def _make_noise(self) -> npt.NDArray[np.uint8]:
        width, height = self._picture.size
        shape = (height + _SHIFT, width + _SHIFT, 3)
        noise = self._rng.standard_normal(shape, np.float32) * np.float32(NOISE)
        kept = np.clip(np.round(noise), -_HEADROOM, _HEADROOM)
        return np.asarray(kept.astype(np.int8).view(np.uint8))
