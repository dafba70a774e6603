"""From frames to rolls: each rest of the dice is read once, and only a new one is told.

    rolling -> settling -> read, unsure, count, empty -> (a hand, a shadow) -> settling -> ...

A rest is read by looking several times within it; where that leaves doubt, it is looked at for a
while longer before the doubt is told. What was already read is not told again unless somebody
asks: not after a hand or a shadow has passed, not after a knock, not while dice are being taken
up, and not because the light is better now. The roll may have been counted long ago, and the dice
may be waiting for the next player.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from msgspec.structs import replace as replace_in

from companion.vision.frames import Frame
from companion.vision.judge import SeenDie, Verdict
from companion.vision.motion import Motion, Scene, SceneState
from companion.vision.reader import Expected, Reader, reading_of, rules_of, with_pictures
from companion.vision.readings import DiceReading, Tray
from companion.vision.rolls import compare
from companion.vision.states import Problem, TrayState


@dataclass(frozen=True, slots=True)
class WatchSettings:
    """How long dice must lie, in seconds, and how often they are looked at."""

    fresh_s: float = 0.1
    """The first pictures after a movement still show its traces."""
    look_every_s: float = 0.09
    rest_s: float = 0.6
    """Half a second of looking, after that first tenth."""
    doubt_s: float = 0.75
    """A rest that is not sure by then is told with its doubts."""
    looks: int = 5


@dataclass(frozen=True, slots=True)
class Sight:
    """What one frame brought: the tray's state, and a reading in the frame that completed it."""

    tray: Tray
    reading: DiceReading | None = None


@dataclass(frozen=True, slots=True)
class Known:
    """What the watcher starts from.

    `reading`: the last one told before; its dice are not told again. `at_once`: dice that lie
    there from the beginning are told too; in a recording they are part of it, before a camera
    they may be an old roll.
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
        self._has_moved = known.at_once
        self._forced = False
        self._looks: list[tuple[SeenDie, ...]] = []
        self._looked_at = float("-inf")
        self._verdict: Verdict | None = None
        self._resting: Tray | None = None
        self._first = True

    @property
    def expected(self) -> Expected:
        """Whose dice and how many are expected."""
        return self._expected

    def expect(self, count: int | None) -> None:
        """So many dice are expected of the next roll."""
        self._expected = replace(self._expected, count=count)

    def play(self, game: str) -> None:
        """The dice of this game lie there. VisionError where there is no such game."""
        self._expected = replace(self._expected, rules=rules_of(game))

    def read_now(self) -> None:
        """What lies there is told once it rests, although it was told before."""
        self._forced = True
        self._resting = self._verdict = None

    def see(self, frame: Frame) -> Sight:
        """What this frame brings, after all frames before it."""
        scene = self._motion.see(frame)
        if scene.state is not SceneState.STILL:
            return Sight(self._disturbed(scene))
        if self._resting is not None:
            return Sight(self._resting)
        settings = self._settings
        is_over = scene.still_s >= settings.doubt_s
        is_news = self._look(frame, scene) or self._verdict is None or is_over
        if len(self._looks) < settings.looks or scene.still_s < settings.rest_s:
            return Sight(Tray(state=TrayState.SETTLING))
        if is_news:
            self._verdict = self._reader.weigh(self._looks, self._expected, frame.image)
        verdict = self._verdict
        if verdict is None or not (verdict.sure or is_over or not verdict.dice):
            return Sight(Tray(state=TrayState.SETTLING))
        return self._settled(verdict, frame)

    def _disturbed(self, scene: Scene) -> Tray:
        """Not at rest: what was looked at so far is void."""
        self._looks.clear()
        self._verdict = None
        self._resting = None
        match scene.state:
            case SceneState.DARK:
                return Tray(state=TrayState.PROBLEM, problem=Problem.TOO_DARK)
            case SceneState.BRIGHT:
                return Tray(state=TrayState.PROBLEM, problem=Problem.GLARE)
            case SceneState.HAND:
                self._has_moved = True
                return Tray(state=TrayState.HAND)
            case _:
                # The first frame of all has nothing before it, so it counts as movement.
                self._has_moved = self._has_moved or not self._first
                self._first = False
                return Tray(state=TrayState.ROLLING)

    def _look(self, frame: Frame, scene: Scene) -> bool:
        """One look more, where it is time for it; whether it was."""
        since = frame.captured_at - self._looked_at
        if scene.still_s < self._settings.fresh_s or since < self._settings.look_every_s:
            return False
        self._looks.append(self._reader.look(frame.image))
        self._looked_at = frame.captured_at
        return True

    def _settled(self, verdict: Verdict, frame: Frame) -> Sight:
        """The dice lie, and it is known how; told only if that is news."""
        self._motion.accept()
        forced, self._forced = self._forced, False
        if not verdict.dice:
            self._known = None
            self._has_moved = True
            self._resting = Tray(state=TrayState.EMPTY)
            return Sight(self._resting)
        reading = reading_of(verdict, self._expected.rules.game, frame)
        before = self._known
        if before is None:
            is_news = self._has_moved or forced
            reading = replace_in(reading, moved=tuple(range(len(reading.dice))))
        else:
            comparison = compare(before.dice, reading.dice)
            if comparison.is_taken_up and not forced:
                self._resting = Tray(state=TrayState.HAND)
                return Sight(self._resting)
            ordered = tuple(reading.dice[index] for index in comparison.order())
            if comparison.is_same:
                is_news = forced
                reading = replace_in(reading, dice=ordered, moved=before.moved, roll=before.roll)
            else:
                is_news = True
                moved = comparison.moved()
                reading = replace_in(reading, dice=ordered, moved=moved, roll=before.roll + 1)
        self._resting = _shown(reading)
        if is_news or before is None:
            self._known = reading
        return Sight(self._resting, with_pictures(reading, frame.image) if is_news else None)


def _shown(reading: DiceReading) -> Tray:
    """The state of a tray in which this was read."""
    if Problem.COUNT in reading.problems:
        return Tray(state=TrayState.COUNT, problem=Problem.COUNT)
    if reading.problems:
        return Tray(state=TrayState.UNSURE, problem=reading.problems[0])
    return Tray(state=TrayState.READ)
