"""Detect rest, motion and hands in the tray, on a picture 160 pixels wide, without networks.

Rest is measured against the first picture of that rest and not against the picture before, so a die
that turns slowly is seen to move however little it changes from one frame to the next. A hand is
distinguished from dice by the last accepted rest: it is a large change that crosses the edge of the
picture. Dice over the edge are such a change too, new ones as well as removed ones; if nothing
moves, `Motion.are_dice` decides, given the dice that the reader found. What the dice show is no
concern of this module.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto
from typing import Final

import numpy as np
import numpy.typing as npt

from companion.vision.box import Corners
from companion.vision.pictures import DARK_LEVEL, AnyFrame, Grey, cv2, gains
from companion.vision.read.geometry import in_tray

Rects = npt.NDArray[np.float32]
"""(n, 4) float32: x, y, width, height of whole dice, in shares of the picture's width."""

NONE = np.zeros((0, 4), np.float32)


class MotionState(Enum):
    """The state of the picture as a whole."""

    MOVING = auto()
    HAND = auto()
    """Something large crosses the edge of the picture, moving or not."""
    STILL = auto()
    DARK = auto()
    BRIGHT = auto()
    UNKNOWN = auto()
    """The time before this picture is unknown: rest starts again, though no motion was seen."""


@dataclass(frozen=True, slots=True)
class MotionResult:
    """The state of one picture. `still_s`: how long nothing has moved."""

    state: MotionState
    still_s: float
    restless_s: float = 0.0
    """How long there was no rest, hands left out."""


_WIDTH: Final = 160
_LEVEL: Final = 10.0
"""The change of a pixel below which it is noise."""
_NOISE_FACTOR: Final = 6.0
"""As `_LEVEL`, in standard deviations of the camera's own noise."""
_MOST_NOISE: Final = 4.0
"""The most of it that is learnt while something moves."""
_UNEVEN: Final = 0.5
"""The share of a row's change that a pixel may lack: white cannot get brighter."""
_BANDS: Final = 0.015
"""The spread of `gains` from picture to picture above which the lamp flickers."""
_MOVED_PIXELS: Final = 3
_DARK: Final = 12.0
_BRIGHT: Final = 243.0
_HAND_LEVEL: Final = 25.0
"""Above soft shadows."""
_HAND_SHARE: Final = 0.01
_HAND_CONTACT: Final = 5
"""The edge pixels that must be covered: an arm, not the corner of a die."""
_DIE_RIM: Final = 0.35
"""The width of the rim round a die's box that its shadow changes, in shares of the box."""
_DIE_REACH: Final = 1.5
"""The length, in dice, up to which a change at the edge may be an unrecognised die."""
_HAND_PATIENCE_S: Final = 3.0
"""The stillness after which a change is no hand but part of the scene."""
_ADAPT: Final = 0.02
"""The rate per frame at which the picture of a rest follows the daylight."""
_REST_S: Final = 0.6
"""The stillness that is a rest."""
_GAP_S: Final = 1.0
"""The gap between frames after which the time between counts as unknown."""


class Motion:
    """Classifies each frame of one source as moving, still, covered by a hand, dark or bright."""

    def __init__(self, tray: Corners | None = None) -> None:
        """With a tray, only motion in it counts."""
        self._tray = tray
        self.region: npt.NDArray[np.bool_] | None = None
        """(h, 160) which pixels show the tray; None without one."""
        self._anchor: Grey | None = None
        self._previous: Grey | None = None
        self._accepted: Grey | None = None
        self.dice: Rects = NONE
        """The dice of the accepted rest."""
        self._still_since = 0.0
        self._seen_at = 0.0
        self._rested_at = 0.0
        self._noise = self._bands = 0.0

    @property
    def flickers(self) -> bool:
        """Whether whole rows or columns change from picture to picture, as a lamp's bands do."""
        return self._bands > _BANDS

    def see(self, frame: AnyFrame) -> MotionResult:
        """Classify a frame, given all frames before it."""
        small = frame.grey(_WIDTH)
        if self._anchor is not None and self._anchor.shape != small.shape:
            self._anchor = self._accepted = None  # another camera, or the same one turned
        if self._tray is not None and self._anchor is None:
            self.region = _region(self._tray, small)
        mean = float(small.mean())
        is_unknown = self._is_unknown(frame.captured_at)
        moved = is_unknown or self._has_moved(small)
        passed_s, self._seen_at = frame.captured_at - self._seen_at, frame.captured_at
        self._previous = small
        if moved:
            self._anchor = small
            self._still_since = frame.captured_at
        still_s = frame.captured_at - self._still_since
        if is_unknown or still_s >= _REST_S:
            self._rested_at = frame.captured_at
        if mean < _DARK:
            return MotionResult(MotionState.DARK, still_s)
        if mean > _BRIGHT:
            return MotionResult(MotionState.BRIGHT, still_s)
        if still_s < _HAND_PATIENCE_S and self._reaching(small).any():
            self._rested_at += 0.0 if is_unknown else passed_s
            return MotionResult(MotionState.HAND, still_s)
        if is_unknown:
            return MotionResult(MotionState.UNKNOWN, still_s)
        state = MotionState.MOVING if moved else MotionState.STILL
        return MotionResult(state, still_s, frame.captured_at - self._rested_at)

    def accept(self, dice: Rects) -> None:
        """Take the current rest, with `dice` in it, as the reference for noticing a hand."""
        self._accepted, self.dice = self._anchor, dice

    def are_dice(self, dice: Rects) -> bool:
        """Whether the change at the edge of the last picture is dice and no hand, given the dice
        in it: outside them and the accepted ones, nothing is longer than a die."""
        small = self._previous
        if small is None or self._accepted is None:
            return True
        both = np.concatenate([dice, self.dice]) * np.float32(small.shape[1])
        if len(both) == 0:
            return False
        rest = self._reaching(small)
        leave_out(rest, both)
        longest = _DIE_REACH * float(np.median(both[:, 2:].max(axis=1)))
        _, _, stats, _ = cv2.connectedComponentsWithStats(rest.astype(np.uint8), connectivity=8)
        large = stats[1:][stats[1:, cv2.CC_STAT_AREA] >= _HAND_SHARE * rest.size]
        sizes = large[:, [cv2.CC_STAT_WIDTH, cv2.CC_STAT_HEIGHT]]
        return bool((sizes <= longest).all())

    def _is_unknown(self, at: float) -> bool:
        """Whether this is the first picture, or the gap before it is too long or negative: the
        clock of a reopened camera starts again."""
        return self._anchor is None or not 0 <= at - self._seen_at <= _GAP_S

    def _has_moved(self, small: Grey) -> bool:
        assert self._anchor is not None
        assert self._previous is not None
        changed = _change(small, self._anchor) > max(_LEVEL, _NOISE_FACTOR * self._noise)
        if self.region is not None:
            changed &= self.region
        moved = int(np.count_nonzero(changed)) >= _MOVED_PIXELS
        since = gains(small, self._previous)
        noise = float(np.median(np.abs(small / since - self._previous))) * 1.4826
        self._noise += 0.1 * ((min(noise, _MOST_NOISE) if moved else noise) - self._noise)
        self._bands += 0.1 * (float(np.log(since).std()) - self._bands)
        if not moved:
            self._anchor = self._anchor + _ADAPT * (small - self._anchor)
        return moved

    def _reaching(self, small: Grey) -> npt.NDArray[np.bool_]:
        """(h, w) which pixels belong to something that crosses the edge, large and new since the
        accepted rest."""
        if self._accepted is None:
            return np.zeros(small.shape, bool)
        change = _change(small, self._accepted) > _HAND_LEVEL
        _, labels, stats, _ = cv2.connectedComponentsWithStats(
            change.astype(np.uint8), connectivity=8
        )
        edge = np.concatenate((labels[0], labels[-1], labels[1:-1, 0], labels[1:-1, -1]))
        contact = np.bincount(edge, minlength=len(stats))
        large = stats[:, cv2.CC_STAT_AREA] >= _HAND_SHARE * small.size
        reaching = large & (contact >= _HAND_CONTACT)
        if self.region is not None:
            reaching &= np.bincount(labels[self.region], minlength=len(stats)) > 0
        reaching[0] = False
        return np.asarray(reaching[labels])


def leave_out(mask: npt.NDArray[np.bool_], boxes: Rects) -> None:
    """Clear a mask (h, w) where dice are, with the rims that their shadows change; `boxes` in its
    px.
    """
    for x, y, width, height in boxes:
        rim = _DIE_RIM * max(width, height) + 1
        left, top = max(0, round(float(x - rim))), max(0, round(float(y - rim)))
        right, bottom = round(float(x + width + rim)), round(float(y + height + rim))
        mask[top : max(0, bottom), left : max(0, right)] = False


def _region(tray: Corners, small: Grey) -> npt.NDArray[np.bool_]:
    height, width = small.shape
    points = np.stack(np.meshgrid(np.arange(width) + 0.5, np.arange(height) + 0.5), axis=-1)
    return in_tray(points, tray, (width, height))


def _change(small: Grey, before: Grey) -> Grey:
    """The change of each pixel beside what changed along its whole row and column."""
    dark, since = np.float32(DARK_LEVEL), gains(small, before)
    change = np.abs((small + dark) / since - before - dark)
    return np.asarray(change - _UNEVEN * np.abs(since - 1) * before, np.float32)
