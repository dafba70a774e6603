"""From frames to rolls: each rest of the dice is read once, and only a new one is reported.

    rolling -> settling -> read, unsure, count, empty -> (a hand, a shadow) -> settling -> taken ...

A rest is read by looking several times within it; where that leaves doubt, it is looked at for a
while longer before the doubt is reported. What was reported is not repeated unless somebody
asks: not after a hand or a shadow has passed, not after a knock, not while dice are being taken
up, and not because the light is better now or was gone meanwhile. The roll may have been counted
long ago, and the dice may be waiting for the next player. What lies there besides, or instead, and
has no face is no roll either.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from companion.vision.box.rules import DiceRules
from companion.vision.pictures.decoding import Image
from companion.vision.pictures.frames import Frame, Shot
from companion.vision.read.reader import Expected, Reader, reading_of
from companion.vision.read.seen import SeenDie
from companion.vision.read.verdict import Verdict
from companion.vision.readings import DiceReading, Tray
from companion.vision.states import Problem, TrayState
from companion.vision.watch.motion import Boxes, Motion, Scene, SceneState
from companion.vision.watch.rolls import Rest, compare_with_last, first_rest


@dataclass(frozen=True, slots=True)
class WatchSettings:
    """How long dice must lie, in seconds, and how often they are looked at."""

    fresh_s: float = 0.1
    """The first pictures after a movement still show its traces."""
    look_every_s: float = 0.09
    rest_s: float = 0.6
    """Half a second of looking, after that first tenth."""
    doubt_s: float = 0.75
    """A rest that is not sure by then is reported with its doubts."""
    looks: int = 5
    tries: int = 3
    """How often what reaches in is looked at, in a rest, for dice that it may be."""
    try_every_s: float = 0.2


@dataclass(frozen=True, slots=True)
class Sight:
    """What one frame brought: the tray's state, and a reading in the frame that completed it."""

    tray: Tray
    reading: DiceReading | None = None
    is_idle: bool = False
    """Whether the tray is at rest and was read: the next frame may wait a little."""

    @property
    def is_blank(self) -> bool:
        """Whether the whole picture is black, or white."""
        return self.tray.state is TrayState.PROBLEM

    @property
    def is_dark(self) -> bool:
        """Whether the whole picture is black; dice that lie in the dark are another matter."""
        return self.tray.state is TrayState.PROBLEM and self.tray.problem is Problem.TOO_DARK


@dataclass(frozen=True, slots=True)
class Known:
    """What the watcher starts from.

    `reading`: the last one reported; its dice are not reported again. `at_once`: dice that lie
    there from the beginning are reported too; in a recording they are part of it, before a camera
    the first that rest may be an old roll.
    """

    reading: DiceReading | None = None
    at_once: bool = True


class Watcher:
    """Follows the frames of one source."""

    def __init__(
        self,
        reader: Reader,
        expected: Expected,
        known: Known | None = None,
        settings: WatchSettings | None = None,
    ) -> None:
        known = known or Known()
        self._reader = reader
        self._settings = settings or WatchSettings()
        self._motion = Motion(sheet=reader.calibration)
        self._expected = expected
        self._known = known.reading
        self._adopts = known.reading is None and not known.at_once
        self._was_empty = False
        self._forced = False
        self._looks: list[tuple[SeenDie, ...]] = []
        self._looked_at = float("-inf")
        self._last: Image | None = None
        self._verdict: Verdict | None = None
        self._resting: Tray | None = None
        self._excused = False
        """Whether what reaches in was found to be dice, and nothing has moved since."""
        self._tries = 0

    @property
    def expected(self) -> Expected:
        """Whose dice and how many are expected."""
        return self._expected

    def expect(self, count: int | None) -> None:
        """So many dice are expected of the next roll."""
        self._expected = replace(self._expected, count=count)

    def play(self, rules: DiceRules) -> None:
        """Dice by these rules lie there."""
        self._expected = replace(self._expected, rules=rules)

    def read_now(self) -> None:
        """Report what lies there once it rests, even if it was reported before."""
        self._forced = True
        self._resting = self._verdict = None

    def see(self, shot: Shot) -> Sight:
        """What this frame brings, after all frames before it."""
        scene = self._motion.see(shot)
        if scene.state is SceneState.HAND and self._are_dice(shot, scene):
            scene = Scene(SceneState.STILL, scene.still_s)
        if scene.state is not SceneState.STILL:
            return Sight(self._disturbed(scene))
        if self._resting is not None:
            return Sight(self._resting, is_idle=True)
        settings = self._settings
        frame = shot.decode()
        is_over = scene.still_s >= settings.doubt_s
        is_news = self._look(frame, scene) or self._verdict is None or is_over
        if len(self._looks) < settings.looks or scene.still_s < settings.rest_s:
            return Sight(Tray(state=TrayState.SETTLING))
        if is_news and self._last is not None:
            # Only at the end: a doubt that time resolves needs no closer look.
            self._verdict = self._reader.weigh(
                self._looks, self._expected, self._last, closely=is_over
            )
        verdict = self._verdict
        if verdict is None or not (verdict.sure or is_over or not verdict.dice):
            return Sight(Tray(state=TrayState.SETTLING))
        return self._settled(verdict, frame)

    def _are_dice(self, shot: Shot, scene: Scene) -> bool:
        """Whether what seems to be a hand is dice over the picture's edge, or dice that were
        there: looked for a few times while nothing moves."""
        if scene.still_s < self._settings.fresh_s:
            self._excused, self._tries = False, 0
        elif not self._excused and self._tries < self._settings.tries:
            due_s = self._settings.fresh_s + self._tries * self._settings.try_every_s
            if scene.still_s >= due_s:
                self._tries += 1
                image = shot.decode().image
                self._excused = self._motion.are_dice(_boxes(self._reader.look(image), image))
        return self._excused

    def _disturbed(self, scene: Scene) -> Tray:
        """Not at rest: what was looked at so far is void."""
        self._looks.clear()
        self._looked_at = float("-inf")
        self._verdict = None
        self._resting = None
        match scene.state:
            case SceneState.DARK:
                return Tray(state=TrayState.PROBLEM, problem=Problem.TOO_DARK)
            case SceneState.BRIGHT:
                return Tray(state=TrayState.PROBLEM, problem=Problem.GLARE)
            case SceneState.HAND:
                return Tray(state=TrayState.HAND)
            case SceneState.UNKNOWN:
                return Tray(state=TrayState.SETTLING)
            case _:
                return Tray(state=TrayState.ROLLING)

    def _look(self, frame: Frame, scene: Scene) -> bool:
        """One look more, where it is time for it; whether it was."""
        since = frame.captured_at - self._looked_at
        if scene.still_s < self._settings.fresh_s or since < self._settings.look_every_s:
            return False
        self._looks.append(self._reader.look(frame.image))
        self._looked_at, self._last = frame.captured_at, frame.image
        return True

    def _settled(self, verdict: Verdict, frame: Frame) -> Sight:
        """The dice are at rest and read: report them if that is news."""
        self._motion.accept(_boxes(self._looks[-1], frame.image))
        forced, self._forced = self._forced, False
        adopts, self._adopts = self._adopts, False
        if not verdict.dice:
            self._was_empty = True
            self._resting = Tray(state=TrayState.EMPTY)
            return Sight(self._resting)
        reading = reading_of(verdict, self._expected.rules.game, frame)
        rest = self._compared(reading)
        if rest.is_taken_up and not forced:
            are_fewer = self._known is not None and len(reading.dice) < len(self._known.dice)
            self._resting = Tray(state=TrayState.TAKEN) if are_fewer else _shown(reading)
            return Sight(self._resting)
        is_news = (rest.is_news and not adopts) or forced
        self._was_empty = False
        self._known = rest.reading if is_news else rest.known
        self._resting = _shown(rest.reading)
        if not is_news:
            return Sight(self._resting)
        shown = self._reader.with_pictures(rest.reading, frame.image, self._looks[-1])
        return Sight(self._resting, shown)

    def _compared(self, reading: DiceReading) -> Rest:
        """The rest compared with what is known."""
        count = self._expected.count
        if self._known is None:
            return first_rest(reading, count)
        return compare_with_last(self._known, reading, count, was_empty=self._was_empty)


def _boxes(look: tuple[SeenDie, ...], image: Image) -> Boxes:
    """Where the dice of a look at the picture lie."""
    boxes = np.array([die.box() for die in look], np.float32).reshape(-1, 4)
    return boxes / np.float32(image.shape[1])


def _shown(reading: DiceReading) -> Tray:
    """The state of a tray in which this was read."""
    if Problem.COUNT in reading.problems:
        return Tray(state=TrayState.COUNT, problem=Problem.COUNT)
    if reading.problems:
        return Tray(state=TrayState.UNSURE, problem=reading.problems[0])
    return Tray(state=TrayState.READ)
