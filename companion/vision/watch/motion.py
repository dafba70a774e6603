"""Whether the tray is at rest: cheap, on a picture of 160 pixels' width, no networks.

Rest is measured against the first picture of that rest and not against the picture before, so a
die that turns slowly is seen to move however little it changes from one frame to the next. A
hand is distinguished from dice by the last accepted rest: it is a large change that comes in
over the edge of the picture. Dice over the edge change it so too, those of now and those that were
there; where nothing moves, `Motion.are_dice` tells, of whoever has looked for dice.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto

import numpy as np
import numpy.typing as npt

from companion.vision.box.calibration import Calibration
from companion.vision.opencv import cv2
from companion.vision.pictures.frames import Grey, Shot

Boxes = npt.NDArray[np.float32]
"""(n, 4) float32: x, y, width, height of whole dice, in shares of the picture's width."""

NONE = np.zeros((0, 4), np.float32)

Small = Grey
"""(h, 160) float32, grey 0 to 255."""


class SceneState(Enum):
    """What the picture as a whole is doing."""

    MOVING = auto()
    HAND = auto()
    """Something large reaches in over the edge of the picture, moving or not."""
    STILL = auto()
    DARK = auto()
    BRIGHT = auto()
    UNKNOWN = auto()
    """Nothing is known of the time before this picture: rest begins anew, but nothing was seen
    to move."""


@dataclass(frozen=True, slots=True)
class Scene:
    """One look at the picture. `still_s`: how long nothing has moved."""

    state: SceneState
    still_s: float


@dataclass(frozen=True, slots=True)
class MotionSettings:
    """Limits in grey levels of 255, shares of the picture and seconds; starting values."""

    width: int = 160
    level: float = 10.0
    """A smaller change of a pixel is noise."""
    noise_factor: float = 6.0
    """Or a change below so many standard deviations of the camera's own noise."""
    moved_pixels: int = 3
    dark: float = 12.0
    bright: float = 243.0
    hand_level: float = 25.0
    """Above soft shadows."""
    hand_share: float = 0.01
    hand_contact: int = 5
    """So many small pixels of the edge must be covered: an arm, not the corner of a die."""
    die_rim: float = 0.35
    """A die changes the picture round its box by its shadow, in shares of the box."""
    die_reach: float = 1.5
    """What is no longer than so many dice, of which a part is outside, may be one that was not
    recognised."""
    hand_patience_s: float = 3.0
    """No hand lies as still as this: what does is part of the scene from now on."""
    adapt: float = 0.02
    """How fast the picture of a rest follows the daylight, a frame."""
    gap_s: float = 1.0
    """After a longer gap between frames nothing is known about the time between."""


class Motion:
    """Follows one source's frames and says of each what the scene is doing."""

    def __init__(
        self, settings: MotionSettings | None = None, sheet: Calibration | None = None
    ) -> None:
        """With a sheet, only what moves on it moves."""
        self._settings = settings or MotionSettings()
        self._sheet = sheet
        self._region: npt.NDArray[np.bool_] | None = None
        self._anchor: Small | None = None
        self._previous: Small | None = None
        self._accepted: Small | None = None
        self._lay: Boxes = NONE
        """Where dice were in that picture."""
        self._still_since = 0.0
        self._seen_at = 0.0
        self._noise = 0.0

    def see(self, frame: Shot) -> Scene:
        """The scene in this frame, seen after all frames before it."""
        settings = self._settings
        small = frame.grey(settings.width)
        if self._anchor is not None and self._anchor.shape != small.shape:
            self._anchor = self._accepted = None  # another camera, or the same one turned
        if self._sheet is not None and self._anchor is None:
            self._region = _region(self._sheet, small)
        mean = float(small.mean())
        is_unknown = self._is_unknown(frame.captured_at)
        moved = is_unknown or self._has_moved(small)
        self._previous = small
        self._seen_at = frame.captured_at
        if moved:
            self._anchor = small
            self._still_since = frame.captured_at
        still_s = frame.captured_at - self._still_since
        if mean < settings.dark:
            return Scene(SceneState.DARK, still_s)
        if mean > settings.bright:
            return Scene(SceneState.BRIGHT, still_s)
        if still_s < settings.hand_patience_s and self._reaches_in(small):
            return Scene(SceneState.HAND, still_s)
        if is_unknown:
            return Scene(SceneState.UNKNOWN, still_s)
        return Scene(SceneState.MOVING if moved else SceneState.STILL, still_s)

    def accept(self, dice: Boxes) -> None:
        """The rest now seen is the scene against which a hand will be noticed; `dice` lie in it."""
        self._accepted, self._lay = self._anchor, dice

    def are_dice(self, dice: Boxes) -> bool:
        """Whether what reaches into the last picture is dice and no hand, where these lie in it:
        apart from them and from those that were there, it is nowhere longer than a die."""
        small = self._previous
        if small is None or self._accepted is None:
            return True
        settings = self._settings
        both = np.concatenate([dice, self._lay]) * np.float32(small.shape[1])
        if len(both) == 0:
            return False
        rest = self._reaching(small, self._accepted)
        for x, y, width, height in both:
            rim = settings.die_rim * max(width, height) + 1
            left, top = max(0, round(float(x - rim))), max(0, round(float(y - rim)))
            right, bottom = round(float(x + width + rim)), round(float(y + height + rim))
            rest[top : max(0, bottom), left : max(0, right)] = False
        longest = settings.die_reach * float(np.median(both[:, 2:].max(axis=1)))
        _, _, stats, _ = cv2.connectedComponentsWithStats(rest.astype(np.uint8), connectivity=8)
        large = stats[1:][stats[1:, cv2.CC_STAT_AREA] >= settings.hand_share * rest.size]
        sizes = large[:, [cv2.CC_STAT_WIDTH, cv2.CC_STAT_HEIGHT]]
        return bool((sizes <= longest).all())

    def _is_unknown(self, at: float) -> bool:
        """Whether this is the first picture, or too long after the one before; or before it, for
        a camera that is opened again has its clock begin anew."""
        return self._anchor is None or not 0 <= at - self._seen_at <= self._settings.gap_s

    def _has_moved(self, small: Small) -> bool:
        """Whether something has moved since the rest began."""
        settings = self._settings
        assert self._anchor is not None
        assert self._previous is not None
        change = np.abs(_levelled(small, self._anchor))
        flicker = float(np.median(np.abs(_levelled(small, self._previous)))) * 1.4826
        level = max(settings.level, settings.noise_factor * self._noise)
        moved = change > level
        if self._region is not None:
            moved &= self._region
        if int(np.count_nonzero(moved)) >= settings.moved_pixels:
            return True
        self._noise += 0.1 * (flicker - self._noise)
        self._anchor = self._anchor + settings.adapt * (small - self._anchor)
        return False

    def _reaches_in(self, small: Small) -> bool:
        """Whether something large stands in the picture, over its edge, that did not before."""
        return self._accepted is not None and bool(self._reaching(small, self._accepted).any())

    def _reaching(self, small: Small, before: Small) -> npt.NDArray[np.bool_]:
        """(h, w) which pixels belong to something large over the edge that was not there before."""
        settings = self._settings
        change = np.abs(_levelled(small, before)) > settings.hand_level
        _, labels, stats, _ = cv2.connectedComponentsWithStats(
            change.astype(np.uint8), connectivity=8
        )
        edge = np.concatenate((labels[0], labels[-1], labels[1:-1, 0], labels[1:-1, -1]))
        contact = np.bincount(edge, minlength=len(stats))
        large = stats[:, cv2.CC_STAT_AREA] >= settings.hand_share * small.size
        reaching = large & (contact >= settings.hand_contact)
        if self._region is not None:
            reaching &= np.bincount(labels[self._region], minlength=len(stats)) > 0
        reaching[0] = False
        return np.asarray(reaching[labels])


def _region(sheet: Calibration, small: Small) -> npt.NDArray[np.bool_]:
    """(h, w) where the sheet is in the small picture."""
    height, width = small.shape
    points = np.stack(np.meshgrid(np.arange(width) + 0.5, np.arange(height) + 0.5), axis=-1)
    return sheet.at((width, height)).holds(points)


def _levelled(small: Small, reference: Small) -> Small:
    """The difference of two pictures of one scene, less what the exposure did to all of it."""
    difference = small - reference
    return difference - np.float32(np.median(difference))
