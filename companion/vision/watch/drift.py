"""Notice between rolls that the camera, the light or the dice are not what they were.

Pictures of 160 pixels' width are compared, of the background alone: dice are left out, hands are
seen as motion and never get here. What is noticed must last, and must be gone for a while before it
is withdrawn, so that a shadow or a tray that is put back says nothing. What dice show is no concern
of `compare`; whether they are of the known box: `BoxWatch`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from companion.vision.pictures import DARK_LEVEL, Colours, cv2
from companion.vision.readings import READABLE, DiceReading, DieReading, Drift, ReadingProblem
from companion.vision.watch.motion import MotionResult, Rects, leave_out
from companion.vision.watch.rolls import NEAR, widths_apart

WIDTH: Final = 160
"""Of the pictures that are compared, px."""
Mask = npt.NDArray[np.bool_]
"""(h, w)."""

_LEAST_SHARE: Final = 0.2
"""The share of the picture that must be background in both."""

_BRIGHTER: Final = 0.25
"""The relative change of light that is noticed."""
_TINTED: Final = 0.12
"""As `_BRIGHTER`, of one colour against the mean of all."""
_WHITE: Final = 250.0
"""The grey level from which a pixel is clipped."""
_GLARE: Final = 0.015
"""The share of the background that one new clipped patch must cover."""
_MOVED: Final = 1.0
"""The shift of the picture, px of 160, that is noticed."""
_ALIKE: Final = 0.75
"""The correlation of edges from which nothing has moved."""
_ELSEWHERE: Final = 0.25
"""The correlation below which nothing is where it was."""
_EDGES: Final = 0.05
"""The mean of the strongest twentieth of edges (changes of log brightness a pixel) below which
the background is too plain to say that it moved."""
STAYS_S: Final = 4.0
"""How long a change must last before it is reported."""
GONE_S: Final = 2.0
"""How long it must be gone before it is withdrawn."""
_ADAPT: Final = 0.006
"""The rate per comparison at which the reference follows the daylight."""


@dataclass(frozen=True, slots=True, eq=False)
class Scene:
    """The background at a rest: `picture` (h, w, 3) float32 BGR, and where it is `seen`."""

    picture: Colours
    seen: Mask


def scene_of(picture: Colours, dice: Rects, region: Mask | None = None) -> Scene:
    """Make a scene of a small picture without its dice; with a region, of that region alone."""
    height, width = picture.shape[:2]
    seen = np.ones((height, width), bool)
    if region is not None:
        seen = np.asarray(cv2.resize(region.astype(np.uint8), (width, height)) > 0)
    leave_out(seen, dice * np.float32(width))
    return Scene(picture, seen)


def compare(before: Scene, now: Scene) -> Drift | None:
    """What has changed between two scenes of one camera; None for nothing that can be said."""
    if before.picture.shape != now.picture.shape:
        return Drift.MOVED
    both = before.seen & now.seen
    inner = _shrunk(both)
    if inner.mean() < _LEAST_SHARE:
        return None
    if _has_moved(before, now, inner):
        return Drift.MOVED
    if _is_clipped(before, now, both):
        return Drift.GLARE
    ratios = np.median(_log(now.picture[both]) - _log(before.picture[both]), axis=0)
    if abs(float(ratios.mean())) > np.log1p(_BRIGHTER):
        return Drift.LIGHT
    if float(np.abs(ratios - ratios.mean()).max()) > np.log1p(_TINTED):
        return Drift.COLOUR
    return None


def _log(colours: Colours) -> Colours:
    return np.asarray(np.log(colours + np.float32(DARK_LEVEL)), np.float32)


def _is_clipped(before: Scene, now: Scene, both: Mask) -> bool:
    """Whether a patch of the background is white now that was not."""
    white = now.picture.min(axis=2) >= _WHITE
    was_white = before.picture.min(axis=2) >= _WHITE - 15
    fresh = (white & ~was_white & both).astype(np.uint8)
    _, _, stats, _ = cv2.connectedComponentsWithStats(fresh, connectivity=8)
    largest = stats[1:, cv2.CC_STAT_AREA].max(initial=0)
    return bool(largest >= _GLARE * np.count_nonzero(both))


def _has_moved(before: Scene, now: Scene, inner: Mask) -> bool:
    was, here = _edges(before), _edges(now)
    if min(_strength(was, before.seen), _strength(here, now.seen)) < _EDGES:
        return False
    in_place = float(np.corrcoef(was[inner], here[inner])[0, 1])
    if in_place >= _ALIKE:
        return False
    if in_place < _ELSEWHERE:
        return True
    # A turned or lowered camera shifts the picture too; a cup that was moved hardly does.
    window = cv2.createHanningWindow((was.shape[1], was.shape[0]), cv2.CV_32F)
    (right, down), _ = cv2.phaseCorrelate(was, here, window)
    return float(np.hypot(right, down)) >= _MOVED


def _edges(scene: Scene) -> npt.NDArray[np.float32]:
    """(h, w) the change of log brightness a pixel, 0 if the background is not seen."""
    grey = cv2.GaussianBlur(_log(scene.picture).mean(axis=2), (0, 0), 1.0)
    across, down = cv2.Sobel(grey, cv2.CV_32F, 1, 0), cv2.Sobel(grey, cv2.CV_32F, 0, 1)
    edges = np.minimum(np.hypot(across, down) / 8, 0.5)
    return np.where(_shrunk(scene.seen), edges, 0).astype(np.float32)


def _shrunk(seen: Mask) -> Mask:
    """The part of a region that is far enough from its rim for edges."""
    kernel = np.ones((5, 5), np.uint8)
    return np.asarray(cv2.erode(seen.astype(np.uint8), kernel) > 0)


def _strength(edges: npt.NDArray[np.float32], seen: Mask) -> float:
    found = np.sort(edges[seen])
    return float(found[-max(1, len(found) // 20) :].mean()) if len(found) else 0.0


class DriftWatch:
    """Compares each rest with the first one, and reports what has changed for good."""

    def __init__(self) -> None:
        self._reference: Scene | None = None
        self.drift: Drift | None = None
        """What is reported."""
        self._candidate: Drift | None = None
        self._since = 0.0
        self._seen_at = float("-inf")

    def accept(self) -> None:
        """Take the next scene as the reference."""
        self._reference = self.drift = self._candidate = None

    def see(self, scene: Scene, at: float) -> Drift | None:
        """Take in a scene, `at` s of the source's clock; what is reported from now on."""
        if at < self._seen_at:  # the clock of a reopened camera starts again
            self._candidate, self._since = self.drift, at
        self._seen_at = at
        if self._reference is None:
            self._reference = scene
            return self.drift
        found = compare(self._reference, scene)
        if found is not self._candidate:
            self._candidate, self._since = found, at
        wait_s = GONE_S if found is None else STAYS_S
        if found is not self.drift and at - self._since >= wait_s:
            self.drift = found
        if found is None:
            self._reference = _followed(self._reference, scene)
        return self.drift


def _followed(before: Scene, now: Scene) -> Scene:
    """The reference after one more comparison without a change: nearer to the present, and with
    what dice covered until now."""
    both, fresh = before.seen & now.seen, now.seen & ~before.seen
    picture = before.picture.copy()
    picture[both] += np.float32(_ADAPT) * (now.picture[both] - picture[both])
    picture[fresh] = now.picture[fresh]
    return Scene(picture, before.seen | now.seen)


class RestlessWatch:
    """Reports that the picture does not come to rest, and why."""

    def __init__(self) -> None:
        self.drift: Drift | None = None
        self._seen_at = float("-inf")

    def see(self, motion: MotionResult, at_s: float, *, flickers: bool) -> None:
        """Take in a picture's motion; `flickers`: whole rows change from picture to picture."""
        if motion.restless_s >= STAYS_S:
            self.drift = Drift.FLICKER if flickers else Drift.RESTLESS
            self._seen_at = at_s
        elif not 0 <= at_s - self._seen_at < GONE_S:  # or the clock of a reopened camera
            self.drift = None


_STRANGE: Final = frozenset({ReadingProblem.DOUBTFUL, ReadingProblem.WRONG_GAME})
_FEWEST: Final = 3
"""The fewest dice of a roll that say something of the box."""


def fits_box(reading: DiceReading) -> bool | None:
    """Whether the dice of a roll look like those of the known box; None if too few lie flat and
    in sight, their number is wrong, or only some are doubted: light and angle do that too."""
    plain = [die for die in reading.dice if die.flat and die.problem in READABLE]
    if len(plain) < _FEWEST or ReadingProblem.COUNT in reading.problems:
        return None
    strange = sum(die.face is None or die.problem in _STRANGE for die in plain)
    if 2 * strange > len(plain):
        return False
    return True if 3 * strange <= len(plain) else None


class BoxWatch:
    """Reports another box when two rolls in a row do not fit the known one."""

    ROLLS: Final = 2

    def __init__(self) -> None:
        self._strange = 0
        self._dice: tuple[DieReading, ...] = ()

    @property
    def drift(self) -> Drift | None:
        """`Drift.BOX` if the dice are of another box."""
        return Drift.BOX if self._strange >= self.ROLLS else None

    def accept(self) -> None:
        """Begin again: with another box, or the same one after all."""
        self._strange = 0

    def see(self, reading: DiceReading, *, is_known: bool) -> None:
        """Take in a rest; dice that have hardly moved are the same roll, and say nothing more.
        `is_known`: prints of a box are known for its game."""
        before, self._dice = self._dice, reading.dice
        stayed = sum(any(widths_apart(was, die) <= NEAR for was in before) for die in reading.dice)
        if 2 * stayed > len(reading.dice):
            return
        fits = fits_box(reading) if is_known else True
        if fits is not None:
            self._strange = 0 if fits else self._strange + 1
