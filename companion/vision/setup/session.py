"""One set-up in the camera's process: follows the frames, counts views, reads a test roll.

It looks twice a second. Views count once the dice rest, each die once for each way it lies; after
NEED of them the next face is asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from companion.engine import Face
from companion.vision.box.rules import DiceRules
from companion.vision.pictures.frames import AnyFrame, Frame
from companion.vision.read.comparing import compare_prints, select_prints
from companion.vision.read.reader import Expected, Reader, png, reading_of
from companion.vision.read.seen import SeenDie
from companion.vision.readings import DiceReading, PixelBox
from companion.vision.setup.checks import check_picture, find_tray
from companion.vision.setup.values import (
    FEWEST,
    NEED,
    Area,
    Corners,
    DieView,
    FaceViews,
    Result,
    SetupSeen,
    Stage,
    TestDie,
    TestRoll,
    ViewProblem,
)
from companion.vision.setup.views import (
    View,
    face_problem,
    is_unmoved,
    plain_problem,
    worth,
)
from companion.vision.watch.motion import Motion, MotionState

LOOK_S: Final = 0.5
"""The interval of looks, s."""
REST_S: Final = 0.6
"""How long the dice must rest before their views count, s."""
_TOP: Final = 0.5
"""The probability of being a die's top from which a find is shown."""
_LOOKS: Final = 3
"""Looks at a test roll."""
_MORE: Final = 4
"""Further views of a face that is shown again."""

Prints = dict[Face, tuple[bytes, ...]]
"""By face: PNGs of its prints."""


@dataclass(slots=True)
class _Newest:
    """What the last look found."""

    dice: tuple[DieView, ...] = ()
    result: Result | None = None
    roll: TestRoll | None = None


class SetupSession:
    """The set-up of one box for one game."""

    def __init__(
        self,
        reader: Reader,
        rules: DiceRules,
        with_prints: Callable[[Prints], Reader],
        drawn: Corners | None = None,
    ) -> None:
        """`with_prints` makes the reader of the test roll; `drawn`: the tray's corners, where the
        host has drawn them."""
        self._reader, self._rules, self._with_prints = reader, rules, with_prints
        self._drawn = drawn
        self._motion = Motion()
        self._stage = Stage.PLACE
        self._face: Face | None = None
        self._needs = dict.fromkeys(rules.faces, NEED)
        self._views: list[View] = []
        self._rest = 0
        self._lying: tuple[SeenDie, ...] = ()
        """The dice of the last rest that counted."""
        self._most = 0
        self._waits = False
        self._looks: list[tuple[SeenDie, ...]] = []
        self._tester: Reader | None = None
        self._newest = _Newest()
        self._began: float | None = None
        self._looked_at = float("-inf")
        self._state = MotionState.UNKNOWN
        self._last: tuple[Frame, tuple[SeenDie, ...]] | None = None

    @property
    def is_dark(self) -> bool:
        """Whether the last picture was black."""
        return self._state is MotionState.DARK

    @property
    def is_blank(self) -> bool:
        """Whether the last picture was black, or white."""
        return self._state in {MotionState.DARK, MotionState.BRIGHT}

    def prints(self) -> Prints:
        """Return the prints of each face that has FEWEST of them, without those that are more like
        another face."""
        found = compare_prints(self._views)
        return {face: select_prints(one) for face, one in found.items() if len(one.kept) >= FEWEST}

    def use(self, reader: Reader, drawn: Corners | None) -> None:
        """Use a reader for another tray from now on."""
        self._reader, self._drawn = reader, drawn

    def place(self) -> None:
        """Go back to the camera's place."""
        self._enter(Stage.PLACE)

    def show(self, face: Face | None) -> None:
        """Ask for this face: for NEED views, or _MORE further ones. None: the first that lacks
        views. A face that is not the game's is ignored."""
        if face is None:
            self._next_face(None)
        elif face in self._needs:
            good = self._good(face)
            self._needs[face] = NEED if good < NEED else good + _MORE
            self._ask(face)

    def skip(self) -> None:
        """Leave the current face: for good where it has FEWEST views, else for later."""
        if self._face is None:
            return
        good = self._good(self._face)
        if good >= FEWEST:
            self._needs[self._face] = min(good, self._needs[self._face])
        self._next_face(self._face)

    def undo(self) -> None:
        """Drop the views of the last rest, and ask for their face again."""
        if self._views:
            last = self._views[-1]
            self._views = [view for view in self._views if view.rest != last.rest]
            self._needs[last.face] = max(NEED, self._needs[last.face])
            self._ask(last.face)

    def test(self) -> None:
        """Read the next rolls with the new prints."""
        self._tester = self._with_prints(self.prints())
        self._enter(Stage.TEST)
        self._newest.roll = None

    def lying(self, expected: Expected) -> DiceReading | None:
        """Read the dice of the last look; None before the first."""
        if self._last is None:
            return None
        frame, look = self._last
        verdict = self._reader.decide([look], expected, frame.image)
        return reading_of(verdict, expected.rules.game, frame)

    def see(self, shot: AnyFrame) -> SetupSeen | None:
        """Take in a frame, given all frames before it; None where it was not looked at."""
        motion = self._motion.see(shot)
        now = shot.captured_at
        if self._began is None or now < self._began:
            self._began = now
        self._state = motion.state
        is_resting = motion.state is MotionState.STILL
        if not is_resting:
            self._waits = False
            self._looks.clear()
        is_due = not 0 <= now - self._looked_at < LOOK_S
        if not is_due:
            return None
        self._looked_at = now
        frame = shot.decode()
        look = self._reader.look(frame.image)
        self._last = frame, look
        dice = tuple(die for die in look if die.top >= _TOP)
        counts = is_resting and motion.still_s >= REST_S and not self._waits
        if self._stage is Stage.FACES:
            self._look_at_face(frame, dice, counts=counts)
        else:
            self._newest.dice = self._shown(frame, dice, [None] * len(dice))
        if self._stage is Stage.TEST and counts:
            self._read_test(frame)
        return self._seen(frame, dice, now)

    def _look_at_face(self, frame: Frame, dice: tuple[SeenDie, ...], *, counts: bool) -> None:
        """Show which dice are good views of the current face, and count them at a rest."""
        assert self._face is not None
        size = (frame.image.shape[1], frame.image.shape[0])
        limits = self._reader.contract.die_limits
        plain = [plain_problem(die, dice, size, limits) for die in dice]
        unmoved = [is_unmoved(die, self._lying) for die in dice]
        fresh = [
            die
            for die, problem, is_old in zip(dice, plain, unmoved, strict=True)
            if problem is None and not is_old
        ]
        mine = [view.die for view in self._views if view.face is self._face]
        shown = {
            face: [view.die for view in self._views if view.face is face]
            for face in self._rules.faces
            if face is not self._face
        }
        problems = list(plain)
        good = []
        for index, die in enumerate(dice):
            if plain[index] is None and not unmoved[index]:
                others = [*mine, *(one for one in fresh if one is not die)]
                problems[index] = face_problem(die, others, shown)
                if problems[index] is None:
                    good.append(die)
        self._newest.dice = self._shown(frame, dice, problems)
        if counts and good:
            self._count(frame, good, dice)

    def _count(self, frame: Frame, good: Sequence[SeenDie], dice: tuple[SeenDie, ...]) -> None:
        """Keep these views of the current face; ask for the next one where there are enough."""
        assert self._face is not None
        self._rest += 1
        cut = self._reader.prints(frame.image, tuple(good))
        self._views += [
            View(self._face, die, png(one), self._rest) for die, one in zip(good, cut, strict=True)
        ]
        self._lying, self._most = dice, max(self._most, len(dice))
        boxes = np.array([die.box() for die in dice], np.float32) / frame.image.shape[1]
        self._motion.accept(np.asarray(boxes, np.float32))
        self._waits = True
        if self._good(self._face) >= self._needs[self._face]:
            self._next_face(self._face)

    def _next_face(self, current: Face | None) -> None:
        """Ask for the next face that lacks views; with none left, work out the result."""
        faces = self._rules.faces
        start = 0 if current is None else faces.index(current) + 1
        lacking = [
            face
            for face in (*faces[start:], *faces[:start])
            if self._good(face) < self._needs[face]
        ]
        if lacking:
            self._ask(lacking[0])
        else:
            self._newest.result = worth(self._views, faces)
            self._enter(Stage.RESULT)

    def _ask(self, face: Face) -> None:
        self._face = face
        self._enter(Stage.FACES)

    def _enter(self, stage: Stage) -> None:
        """Begin a stage. Dice in the tray count once they were moved, at the first face at once."""
        self._stage = stage
        self._waits = bool(self._views)
        self._looks.clear()
        if stage is not Stage.FACES:
            self._face = None

    def _read_test(self, frame: Frame) -> None:
        """Look at a test roll; read it after _LOOKS looks."""
        assert self._tester is not None
        self._looks.append(self._tester.look(frame.image))
        if len(self._looks) < _LOOKS:
            return
        count = self._most if self._rules.allow(self._most, None) else None
        expected = Expected(self._rules, count)
        verdict = self._tester.decide(self._looks, expected, frame.image)
        height, width = frame.image.shape[:2]
        self._newest.roll = TestRoll(
            dice=tuple(
                TestDie(face=die.face, area=_area(die.box, width, height), problem=die.problem)
                for die in verdict.dice
            ),
            problems=verdict.problems,
            sure=verdict.sure,
        )
        self._waits = True

    def _shown(
        self, frame: Frame, dice: Sequence[SeenDie], problems: Sequence[ViewProblem | None]
    ) -> tuple[DieView, ...]:
        height, width = frame.image.shape[:2]
        return tuple(
            DieView(area=_area(die.box(), width, height), problem=problem)
            for die, problem in zip(dice, problems, strict=True)
        )

    def _seen(self, frame: Frame, dice: tuple[SeenDie, ...], now: float) -> SetupSeen:
        """The state after a look."""
        assert self._began is not None
        corners = self._drawn or find_tray(frame.image)
        checks = check_picture(
            frame.image,
            dice,
            corners,
            self._reader.contract.die_limits,
            drawn=self._drawn is not None,
        )
        return SetupSeen(
            stage=self._stage,
            checks=checks,
            corners=corners,
            is_drawn=self._drawn is not None,
            size=(frame.image.shape[1], frame.image.shape[0]),
            face=self._face,
            views=tuple(
                FaceViews(face=face, good=self._good(face), need=self._needs[face])
                for face in self._rules.faces
            ),
            dice=self._newest.dice,
            is_waiting=self._waits,
            result=self._newest.result,
            roll=self._newest.roll,
            seconds=round(now - self._began, 1),
        )

    def _good(self, face: Face) -> int:
        return sum(view.face is face for view in self._views)


def _area(box: PixelBox, width: int, height: int) -> Area:
    """A box in shares of the picture."""
    x, y, across, down = box
    return (
        round(x / width, 4),
        round(y / height, 4),
        round(across / width, 4),
        round(down / height, 4),
    )
