"""The watcher: reads each rest of the dice once, and reports only new rolls.

    rolling -> settling -> read, unsure, count, empty -> (a hand, a shadow) -> settling -> taken ...

A rest is read from several looks; if doubt remains, looking goes on for a while before the doubt
is reported. A reported roll is not repeated unless somebody asks: not after a hand or a shadow, not
after a knock, not while dice are being taken up, and not because of better light or a dark moment.
The roll may have been counted long ago, and the dice may be waiting for the next player. Objects
without a face are no roll either. How rests are compared: `rolls`; motion: `motion`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final, NamedTuple

import numpy as np
from msgspec.structs import replace as with_fields

from companion.vision.box import DiceRules
from companion.vision.pictures import AnyFrame, Frame, Image
from companion.vision.read.decision import Verdict
from companion.vision.read.reader import LOOKS, Expected, Reader, reading_of
from companion.vision.read.seen import SeenDie
from companion.vision.readings import READABLE, DiceReading, ReadingProblem, TrayReading, TrayState
from companion.vision.watch.drift import WIDTH as DRIFT_WIDTH
from companion.vision.watch.drift import BoxWatch, DriftWatch, RestlessWatch, scene_of
from companion.vision.watch.motion import Motion, MotionResult, MotionState, Rects
from companion.vision.watch.rolls import compare_with_last, is_unmoved

_FRESH_S: Final = 0.1
"""The time after a movement in which pictures may still be blurred."""
_LOOK_EVERY_S: Final = 0.2
_REST_S: Final = 0.6
"""Half a second of looking, after that first tenth."""
DOUBT_S: Final = 0.75
"""The time after which a rest that is not sure is reported with its doubts."""
_DRIFT_EVERY_S: Final = 2.0
"""How often a rest that was read is compared with the first one."""
_PATIENCE_S: Final = 2.0
"""The time without a rest after which it is the dice that must rest, not the picture."""
_GUARD_EVERY_S: Final = 0.5
"""How often dice that were read are looked at in a picture that does not come to rest."""
_TOP: Final = 0.5
"""The probability of being a die's top from which such a die counts."""
_MOST_BYTES: Final = 48 << 20
"""The size of the pictures that voted above which they are not kept: packing them for a report
would take as long as a camera that hangs."""
_TRIES: Final = 3
"""How often, in one rest, a change at the edge is checked for being dice."""
_TRY_EVERY_S: Final = 0.2

_DISTURBED: Final = {
    MotionState.DARK: TrayReading(state=TrayState.PROBLEM, problem=ReadingProblem.TOO_DARK),
    MotionState.BRIGHT: TrayReading(state=TrayState.PROBLEM, problem=ReadingProblem.GLARE),
    MotionState.HAND: TrayReading(state=TrayState.HAND),
    MotionState.UNKNOWN: TrayReading(state=TrayState.SETTLING),
    MotionState.MOVING: TrayReading(state=TrayState.ROLLING),
    MotionState.STILL: TrayReading(state=TrayState.ROLLING),
}
"""The tray's state while not at rest; dice may move in a picture that seems still."""


@dataclass(frozen=True, slots=True)
class FrameResult:
    """The result of one frame: the tray's state, and a reading if the frame completed one."""

    tray: TrayReading
    reading: DiceReading | None = None
    unnamed: DiceReading | None = None
    """The dice of a rest that is no reading, though they are as many as expected: too few of them
    can be named, or they pass for what is left of the last ones."""
    is_idle: bool = False
    """Whether the tray is at rest and was read: the next frame may wait a little."""

    @property
    def is_blank(self) -> bool:
        """Whether the whole picture is black, or white."""
        return self.tray.state is TrayState.PROBLEM

    @property
    def is_dark(self) -> bool:
        """Whether the whole picture is black; dark dice in a visible tray do not count."""
        return self.tray.state is TrayState.PROBLEM and self.tray.problem is ReadingProblem.TOO_DARK


@dataclass(frozen=True, slots=True)
class Voted:
    """What the last reported reading was decided from: the pictures, oldest first, and the dice
    that were expected."""

    reading: DiceReading
    frames: tuple[AnyFrame, ...]
    expected: Expected


class Unnamed(NamedTuple):
    """A rest of as many dice as expected, of which too few can be named: looks at it, what was
    expected, and the picture of the last look."""

    looks: tuple[tuple[SeenDie, ...], ...]
    expected: Expected
    image: Image


class Watcher:
    """Follows the frames of one source, and reports each new roll once."""

    def __init__(
        self,
        reader: Reader,
        expected: Expected,
        known: DiceReading | None = None,
        *,
        at_once: bool = True,
    ) -> None:
        """`known`: the last reading reported; its dice are not reported again. `at_once`: dice that
        are there from the beginning are reported too, as in a recording; in front of a camera they
        may be an old roll.
        """
        self._reader = reader
        self._motion = Motion(reader.tray)
        self.expected = expected
        """The expected dice: game and number."""
        self._known = known
        self._ignores_first = known is None and not at_once
        self._was_empty = False
        self._forced = False
        self._looks: list[tuple[SeenDie, ...]] = []
        self._shots: list[AnyFrame] = []
        """The pictures of `_looks`."""
        self._decided_for = expected
        """What was expected when `_verdict` was made."""
        self.voted: Voted | None = None
        """What the last reported reading was decided from; None before the first."""
        self._looked_at = float("-inf")
        self._last: Image | None = None
        self._verdict: Verdict | None = None
        self._resting: TrayReading | None = None
        self._drift, self._box, self._restless = DriftWatch(), BoxWatch(), RestlessWatch()
        self._lie_since: float | None = None
        """Since when the dice lie, if the picture does not come to rest."""
        self._drift_at = float("-inf")
        self._edge_is_dice = False
        """Whether the change at the edge was found to be dice, and nothing has moved since."""
        self._tries = 0
        self._is_unnamed = False
        """Whether too few dice of the newest whole roll could be named."""

    def expect(self, count: int | None) -> None:
        """Expect this number of dice from the next roll on."""
        self.expected = replace(self.expected, count=count)

    def play(self, rules: DiceRules) -> None:
        """Expect dice of another game."""
        self.expected = replace(self.expected, rules=rules)

    def accept_scene(self) -> None:
        """Take camera, light and dice as they are from now on."""
        self._drift.accept()
        self._box.accept()

    def read_now(self) -> None:
        """Report the dice of the next rest even if they were reported before."""
        self._forced = True
        self._resting = self._verdict = None

    @property
    def unnamed(self) -> Unnamed | None:
        """The present rest, if its dice are strange to the reader."""
        if not self._is_unnamed or self._last is None or not self._looks:
            return None
        return Unnamed(tuple(self._looks), self.expected, self._last)

    def see(self, shot: AnyFrame) -> FrameResult:
        """Take in a frame, given all frames before it."""
        result = self._see(shot)
        return replace(result, tray=self._with_drift(result.tray))

    def _see(self, shot: AnyFrame) -> FrameResult:
        motion = self._motion.see(shot)
        self._restless.see(motion, shot.captured_at, flickers=self._motion.flickers)
        if (motion.restless_s >= _PATIENCE_S) != (self._lie_since is not None):
            self._disturbed(motion)
            self._lie_since = shot.captured_at if self._lie_since is None else None
        if self._lie_since is not None:
            motion = MotionResult(MotionState.STILL, shot.captured_at - self._lie_since)
        if motion.state is MotionState.HAND and self._are_dice(shot, motion):
            motion = MotionResult(MotionState.STILL, motion.still_s)
        if motion.state is not MotionState.STILL:
            return FrameResult(self._disturbed(motion))
        if self._resting is not None and self._lie_since is None:
            self._compare_scene(shot)
            return FrameResult(self._resting, is_idle=True)
        frame = shot.decode()
        is_over = motion.still_s >= DOUBT_S
        is_news = self._look(shot, frame, motion) or self._verdict is None or is_over
        if self._resting is not None:
            return FrameResult(self._resting, is_idle=True)
        if len(self._looks) < LOOKS or motion.still_s < _REST_S:
            return FrameResult(TrayReading(state=TrayState.SETTLING))
        if is_news and self._last is not None:
            # Only at the end: a doubt that time resolves needs no closer look.
            self._decided_for = self.expected
            self._verdict = self._reader.decide(
                self._looks, self.expected, self._last, closely=is_over
            )
        verdict = self._verdict
        if verdict is None or not (not verdict.problems or is_over or not verdict.dice):
            return FrameResult(TrayReading(state=TrayState.SETTLING))
        return self._settled(verdict, frame)

    def _compare_scene(self, shot: AnyFrame) -> None:
        """Compare a rest that was read with the first one, now and then."""
        if 0 <= shot.captured_at - self._drift_at < _DRIFT_EVERY_S:
            return
        self._drift_at = shot.captured_at
        picture = shot.colours(DRIFT_WIDTH)
        self._drift.see(scene_of(picture, self._motion.dice, self._motion.region), shot.captured_at)

    def _with_drift(self, tray: TrayReading) -> TrayReading:
        """The tray's state with what has changed, and how far strange dice are known; dice of
        another box matter most."""
        rules = self.expected.rules
        known = len(self._reader.known(rules.game))
        is_learning = self._is_unnamed and known < len(rules.faces)
        is_learning = is_learning or self._reader.is_half_known(rules)
        drift = self._box.drift or self._restless.drift or self._drift.drift
        return with_fields(
            tray,
            drift=drift,
            known=known if is_learning else None,
            is_strange=self._reader.is_half_known(rules),
        )

    def _are_dice(self, shot: AnyFrame, motion: MotionResult) -> bool:
        """Whether an apparent hand is dice over the picture's edge, or removed ones: the reader
        looks for dice a few times while nothing moves."""
        if motion.still_s < _FRESH_S:
            self._edge_is_dice, self._tries = False, 0
        elif not self._edge_is_dice and self._tries < _TRIES:
            due_s = _FRESH_S + self._tries * _TRY_EVERY_S
            if motion.still_s >= due_s:
                self._tries += 1
                image = shot.decode().image
                self._edge_is_dice = self._motion.are_dice(_boxes(self._reader.look(image), image))
        return self._edge_is_dice

    def _disturbed(self, motion: MotionResult) -> TrayReading:
        """The tray's state while not at rest; drops all looks so far."""
        self._looks.clear()
        self._shots.clear()
        self._looked_at = float("-inf")
        self._verdict = None
        self._resting = None
        return _DISTURBED[motion.state]

    def _look(self, shot: AnyFrame, frame: Frame, motion: MotionResult) -> bool:
        """Look once more if it is due; whether it was."""
        since = frame.captured_at - self._looked_at
        every_s = _LOOK_EVERY_S if self._resting is None else _GUARD_EVERY_S
        if motion.still_s < _FRESH_S or since < every_s:
            return False
        # Without a rest dice may have moved since, so all are looked for each time.
        look = self._reader.look(frame.image, self._looks if self._lie_since is None else ())
        if self._lie_since is not None and not (self._looks and _lie_alike(self._looks[-1], look)):
            self._disturbed(motion)
            self._lie_since = frame.captured_at
        if self._resting is not None:
            self._looks.clear()
            self._shots.clear()
        self._looks.append(look)
        self._shots.append(shot)
        self._looked_at, self._last = frame.captured_at, frame.image
        return True

    def _settled(self, verdict: Verdict, frame: Frame) -> FrameResult:
        """Finish a rest that was read: report its dice if they are news."""
        self._motion.accept(_boxes(self._looks[-1], frame.image))
        ignored, self._ignores_first = self._ignores_first, False
        if not verdict.dice:
            self._was_empty = True
            self._resting = TrayReading(state=TrayState.EMPTY)
            return FrameResult(self._resting)
        forced, self._forced = self._forced, False
        reading = reading_of(verdict, self.expected.rules.game, frame)
        # Dice without a face are no news, but a box that is not known has only such.
        rules = self.expected.rules
        self._box.see(reading, is_known=self._reader.known(rules.game) >= set(rules.faces))
        count = self.expected.count
        is_whole = len(reading.dice) == count
        if is_whole:
            self._is_unnamed = _is_unnamed(reading)
        rest = compare_with_last(self._known, reading, count, was_empty=self._was_empty)
        is_asked = is_whole and not ignored and (self._is_unnamed or rest.is_taken_up)
        if rest.is_taken_up and not forced:
            are_fewer = self._known is not None and len(reading.dice) < len(self._known.dice)
            if are_fewer:
                self._resting = TrayReading(state=TrayState.TAKEN)
                return FrameResult(self._resting)
            self._resting = _tray_of(reading)
            return FrameResult(self._resting, unnamed=self._shown(reading) if is_asked else None)
        is_news = (rest.is_news and not ignored) or forced
        self._was_empty = False
        self._known = rest.reading if is_news else rest.known
        self._resting = _tray_of(rest.reading)
        if not is_news:
            return FrameResult(self._resting, unnamed=self._shown(reading) if is_asked else None)
        is_small = sum(map(_bytes_of, self._shots)) <= _MOST_BYTES
        self.voted = Voted(rest.reading, tuple(self._shots) if is_small else (), self._decided_for)
        return FrameResult(self._resting, self._shown(rest.reading))

    def _shown(self, reading: DiceReading) -> DiceReading:
        """The reading of the last look, with its pictures."""
        assert self._last is not None
        return self._reader.with_pictures(reading, self._last, self._looks[-1])


def _bytes_of(shot: AnyFrame) -> int:
    return shot.image.nbytes if isinstance(shot, Frame) else len(shot.encoded)


def _is_unnamed(reading: DiceReading) -> bool:
    """Whether half of the dice lie in full view and show no face that is known: their symbols are
    new, not hidden by the light or the place, and not only those of the other game."""
    strange = [die.problem for die in reading.dice if die.face is None and die.problem in READABLE]
    return 2 * len(strange) >= len(reading.dice) and ReadingProblem.DOUBTFUL in strange


def _lie_alike(before: tuple[SeenDie, ...], now: tuple[SeenDie, ...]) -> bool:
    """Whether both looks show the same dice at the same places."""
    was, here = ([die for die in look if die.top >= _TOP] for look in (before, now))
    return len(was) == len(here) and all(is_unmoved(die, was) for die in here)


def _boxes(look: tuple[SeenDie, ...], image: Image) -> Rects:
    boxes = np.array([die.box() for die in look], np.float32).reshape(-1, 4)
    return boxes / np.float32(image.shape[1])


def _tray_of(reading: DiceReading) -> TrayReading:
    if ReadingProblem.COUNT in reading.problems:
        return TrayReading(state=TrayState.COUNT, problem=ReadingProblem.COUNT)
    if not reading.sure:
        doubt = min(reading.problems, key=lambda one: one is ReadingProblem.NOT_FLAT)
        return TrayReading(state=TrayState.UNSURE, problem=doubt)
    return TrayReading(state=TrayState.READ)
