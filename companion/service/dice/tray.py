"""The dice tray: follows the table, runs the camera, and proposes readings of dice at rest. A
proposal becomes an event by a tap, or by `auto_apply`.
"""

from __future__ import annotations

import secrets
import threading
from collections import Counter
from collections.abc import Callable
from concurrent.futures import Future
from concurrent.futures import TimeoutError as NoAnswerError
from dataclasses import dataclass, replace
from functools import partial

from companion.demo.source import DemoTray, has_dice
from companion.engine import DiceRolled, Face, Roll
from companion.service import wire
from companion.service.dice.auto_apply import Seen
from companion.service.requests import DriftAct
from companion.service.views.news import IdentityCache
from companion.service.views.preview import preview_answer
from companion.service.wire import PreviewAnswer, Words
from companion.table import RefusedError, Snapshot, Table
from companion.vision.box import MOST_ROLLS, Lesson, lesson_of
from companion.vision.camera import Camera, Timeouts
from companion.vision.messages import (
    CameraChanged,
    CameraSetup,
    ClearTray,
    DiceRead,
    Report,
    TrayChanged,
)
from companion.vision.readings import (
    CameraState,
    DiceReading,
    DieReading,
    Rect,
    TrayReading,
    TrayState,
    VisionError,
)
from companion.vision.report import Footage, encode_report, report_of
from companion.vision.sources.kinds import FrameSource, Throw

FETCH_S = 10.0
"""The longest wait for the pictures of the camera's process."""
KEPT = 3
"""How many proposals keep their pictures: a phone may still show an older one."""
_LIE = frozenset({TrayState.READ, TrayState.UNSURE})
"""The states of a tray in which the dice of its last reading lie as they were read."""


Asked = tuple[str, str]
"""A game, and its question for a roll."""


@dataclass(frozen=True, slots=True)
class Proposal:
    """Dice at rest as they were read, waiting for a tap."""

    id: str
    question: Asked
    """The proposal is open only while this is asked."""
    roll: int
    """The number of the reading for this question, from 1."""
    reading: DiceReading
    is_photo: bool


@dataclass(frozen=True, slots=True)
class _Correction:
    """A roll that the table corrected: its proposal, the faces applied, and its pictures. Of one
    that is reported and was not applied yet: None for the faces."""

    proposal: str
    applied: tuple[Face, ...] | None
    footage: Future[Footage | None]


class Misreads:
    """Keeps the pictures of the last corrected roll, and makes reports. Thread-safe.

    A report is made when a player requests it, and goes to that player's phone alone. The pictures
    of the camera stay in its process until the next roll replaces them, so they are fetched when
    the table corrects a roll, or when a report is requested.
    """

    def __init__(self, fetch: Callable[[bool], Future[Footage | None]]) -> None:
        """`fetch` gets the pictures of the camera's last reading, or of the last photo (True)."""
        self._fetch = fetch
        self._lock = threading.Lock()
        self._correction: _Correction | None = None

    @property
    def last(self) -> str:
        """The id of the proposal of the last corrected roll; empty before the first."""
        found = self._correction
        return found.proposal if found is not None else ""

    def keep_correction(self, proposal: Proposal, applied: tuple[Face, ...]) -> bool:
        """Keep the roll's pictures if the applied faces differ from those read; whether they do."""
        if Counter(die.face for die in proposal.reading.dice) == Counter(applied):
            return False
        with self._lock:
            kept = self._correction
            if kept is None or kept.proposal != proposal.id:  # a phone may repeat its command
                footage = self._fetch(proposal.is_photo)
                self._correction = _Correction(proposal.id, applied, footage)
        return True

    def report(self, proposal: Proposal, corrected_faces: tuple[Face | None, ...] | None) -> bytes:
        """Make the file of a report. `corrected_faces`: the face of each die as the phone has it.

        RefusedError if the pictures are gone, VisionError if they are too large.
        """
        reading = proposal.reading
        with self._lock:
            kept = self._correction
            if kept is None or kept.proposal != proposal.id:
                kept = _Correction(proposal.id, None, self._fetch(proposal.is_photo))
        try:
            found = kept.footage.result(FETCH_S)
        except NoAnswerError:
            found = None
        if found is None or (found.frame, found.at_s) != (reading.frame, reading.at_s):
            raise RefusedError("error.report.gone")
        return encode_report(report_of(reading, found, corrected_faces, kept.applied))


class TrayController:
    """Runs the camera for one table; `changed` is called whenever phones should get a new view."""

    def __init__(
        self,
        table: Table,
        setup: CameraSetup,
        changed: Callable[[], None],
        timeouts: Timeouts,
    ) -> None:
        self._table, self._changed = table, changed
        self._lock = threading.Lock()
        self._proposed: tuple[Proposal, ...] = ()
        """The newest proposals, whether they are open or not."""
        self._open: Proposal | None = None
        self._run = secrets.token_hex(3)
        self._count = 0
        self._rest: tuple[Asked, DiceReading] | None = None
        """The dice that the camera read last, proposed or not, and what was asked then."""
        self._withdrawn: tuple[Lesson, ...] = ()
        """The newest lessons of rows that were undone and may be redone."""
        self._problem: VisionError | None = None
        self._previews = IdentityCache[Proposal | Snapshot, PreviewAnswer](1)
        self.camera = Camera(setup, self._on_report, timeouts)
        """The camera, with the process that reads photos."""
        self._misreads = Misreads(lambda is_photo: self.camera.footage(photo=is_photo))
        self._photo_s = timeouts.photo_s
        self._recorded = setup.source is not None and not setup.source.live
        self.settled: Future[CameraChanged] = Future()
        """The first state of the camera that is not "starting"; a recording starts later."""
        if setup.source is None or self._recorded:
            self.settled.set_result(CameraChanged(self.camera.state))
        self._started = self._closed = False
        self._is_switching = False
        """Whether another source was chosen and the previous one's process may still run."""
        self._act: Throw | ClearTray | None = None
        """The pending demo command, sent once the demo tray is open."""

    @property
    def game(self) -> str:
        """The game whose dice are read."""
        return self.camera.setup.rules.game

    @property
    def demo(self) -> bool:
        """Whether demo dice are in the tray."""
        return isinstance(self.camera.setup.source, DemoTray)

    def start(self) -> None:
        """Open a camera at once, a recording at the first question for a roll."""
        self.follow(self._table.snapshot())
        if not self._recorded:
            self._start()

    def _start(self) -> None:
        with self._lock:
            first, self._started = not (self._started or self._closed), True
        if first:
            self.camera.start()

    def use_source(self, source: FrameSource | None) -> None:
        """Read another source from now on, at once; None: no source."""
        self._recorded = False
        with self._lock:
            # What was read, and a pending demo command, belong to the previous source.
            self._act, self._rest, self._withdrawn = None, None, ()
            if self._open is not None and not self._open.is_photo:
                self._open = None
            self._is_switching = True
        self.camera.use_source(source)
        self._start()

    def close(self) -> None:
        """End the camera's process."""
        with self._lock:
            self._closed = True
        self.camera.close()

    def follow(self, snapshot: Snapshot) -> None:
        """Send the reader the game, the number of dice that are awaited, and what was undone."""
        self._withdraw_undone(snapshot)
        with self._lock:
            if self._open is not None and self._open.question != _question(snapshot):
                self._open = None
        setup, question = snapshot.state.setup, snapshot.state.question
        game = setup.game if setup is not None else self.game
        expected = question.dice if isinstance(question, Roll) else None
        if game != self.game:
            self.camera.play(game)
            if self.demo:
                self._tell_demo(ClearTray())
        if expected != self.camera.setup.expected:
            self.camera.expect(expected)
        if self._recorded and expected is not None:
            self._start()

    def read_again(self) -> None:
        """Propose the tray's dice again once they rest; RefusedError without a camera."""
        if self.camera.state is CameraState.NONE:
            raise RefusedError("error.no_camera")
        self._check_roll_is_awaited()
        self.camera.read_now()

    def take_back_lesson(self) -> Lesson | None:
        """Withdraw what the dice in the tray have taught, if anything, and return it."""
        _, rest = self._rest or (None, None)
        newest = next(reversed(self.camera.setup.learned), None)
        if rest is None or newest is None or newest.prints != rest.prints:
            return None
        self.camera.learn(replace(newest, faces=()))
        return newest

    def forget_lessons(self) -> None:
        """Forget which lessons may be redone: now other dice are read."""
        with self._lock:
            self._withdrawn = ()

    def read_lying(self) -> None:
        """Read the dice in the tray again, unless what they were thrown for is answered."""
        then, _ = self._rest or (None, None)
        if then == _question(self._table.snapshot()):
            self.camera.read_now()

    def throw_demo_dice(self, proposal: str | None, keep: tuple[int, ...]) -> None:
        """Throw demo dice for the open question. `keep`: indexes of the proposal's dice that stay.
        RefusedError without a demo tray or dice of the game, if no roll is awaited, or for an
        outdated proposal.
        """
        self._check_demo()
        question = self._table.snapshot().state.question
        if not isinstance(question, Roll):
            raise RefusedError("error.no_roll_awaited", outdated=True)
        if not has_dice(self.game):
            raise RefusedError("error.demo.no_dice")
        kept = self._boxes_of(proposal, keep) if proposal is not None else ()
        self._tell_demo(Throw(self.game, question.dice, kept))

    def clear_demo_dice(self) -> None:
        """Take all demo dice out of the tray; RefusedError without a demo tray."""
        self._check_demo()
        self._tell_demo(ClearTray())

    def _check_demo(self) -> None:
        if not self.demo:
            raise RefusedError("error.demo.off", outdated=True)

    def _boxes_of(self, proposal: str, dice: tuple[int, ...]) -> tuple[Rect, ...]:
        """Return the boxes of these dice of the proposal that was read last, applied or not."""
        with self._lock:
            found = next(iter(self._proposed), None)
        if found is None or found.id != proposal or found.is_photo:
            raise RefusedError("error.outdated_proposal", outdated=True)
        lying = found.reading.dice
        if not all(0 <= die < len(lying) for die in dice):
            raise RefusedError("error.no_such_die", count=len(lying))
        return tuple(lying[die].box for die in dice)

    def _tell_demo(self, act: Throw | ClearTray) -> None:
        """Send the demo tray a command: at once, or as soon as it is open."""
        with self._lock:
            is_open = self.camera.state is CameraState.OK and not self._is_switching
            self._act = None if is_open else act
        if is_open:
            self.camera.throw(act)

    def answer_drift(self, act: DriftAct) -> None:
        """Do what the host has chosen about a drift; RefusedError without a camera."""
        if self.camera.state is CameraState.NONE:
            raise RefusedError("error.no_camera")
        self.camera.accept_scene(reopen=act is DriftAct.ADJUST)

    def read_photo(self, encoded: bytes) -> None:
        """Propose the dice of the photo; VisionError or RefusedError if it cannot be read."""
        asked = self._check_roll_is_awaited()
        self._start()
        try:
            reading = self.camera.read_photo(encoded).result(timeout=self._photo_s)
        except NoAnswerError as late:
            raise RefusedError("error.photo.too_slow") from late
        if not reading.dice:
            raise RefusedError("error.photo.no_dice")
        if not self._propose(reading, asked, is_photo=True):
            raise RefusedError("error.no_roll_awaited", outdated=True)
        self._changed()

    def teach(self, proposal: str | None, seq: int) -> None:
        """Teach the reader the faces of row `seq`: of the proposal's dice, or those lying there."""
        snapshot = self._table.snapshot()
        entry = next(iter(snapshot.entries[seq - 1 : seq]), None)
        if entry is None or not isinstance(entry.event, DiceRolled) or self.demo:
            return
        faces, asked = entry.event.faces, (snapshot.game_id, entry.before.question_id)
        found = self._proposed_reading(proposal) if proposal is not None else None
        reading = found.reading if found is not None else self._lying(asked)
        if found is not None and self._misreads.keep_correction(found, faces):
            self._changed()
        lesson = reading and lesson_of(reading, faces, f"{snapshot.game_id}-{seq}")
        if isinstance(lesson, Lesson):
            self.camera.learn(lesson)

    def _lying(self, asked: Asked) -> DiceReading | None:
        """Return the dice that are in the tray, or were when this was answered before."""
        then, reading = self._rest or (None, None)
        lessons = (*self.camera.setup.learned, *self._withdrawn)
        has_taught = reading is not None and any(one.prints == reading.prints for one in lessons)
        lie = self.camera.state is CameraState.OK and self.camera.tray.state in _LIE
        return reading if (lie or has_taught) and then == asked else None

    def _withdraw_undone(self, snapshot: Snapshot) -> None:
        """Withdraw the lessons of rows that were undone, and teach those that were redone."""
        learned = self.camera.setup.learned
        undone = [one for one in learned if _counts(one, snapshot) is False]
        with self._lock:
            redone = [one for one in self._withdrawn if _counts(one, snapshot)]
            left = (one for one in self._withdrawn if one not in redone)
            self._withdrawn = (*left, *undone)[-MOST_ROLLS:]
        for lesson in undone:
            self.camera.learn(replace(lesson, faces=()))
        for lesson in redone:
            self.camera.learn(lesson)

    def picture(self, proposal: str) -> bytes | None:
        """Return the JPEG of a proposal's tray."""
        found = self._proposed_reading(proposal)
        return found.reading.picture or None if found is not None else None

    def crop(self, proposal: str, die: int) -> bytes | None:
        """Return the JPEG of one die of a proposal."""
        found = self._proposed_reading(proposal)
        if found is None or not 0 <= die < len(found.reading.crops):
            return None
        return found.reading.crops[die]

    def misread_report(
        self, proposal: str, corrected_faces: tuple[Face | None, ...] | None
    ) -> bytes:
        """Return the file of a report of a proposal that was misread.

        `corrected_faces`: the face of each of its dice, None for one that is no die; None as a
        whole if the phone sent no faces. RefusedError if there is no such proposal, its pictures
        are gone, or the faces are not one for each die; VisionError if it is too large.
        """
        found = self._proposed_reading(proposal)
        if found is None:
            raise RefusedError("error.report.gone")
        if corrected_faces is not None and len(corrected_faces) != len(found.reading.dice):
            raise RefusedError("error.no_such_die", count=len(found.reading.dice))
        return self._misreads.report(found, corrected_faces)

    def view(
        self, snapshot: Snapshot, box: str | None, fuse: wire.Fuse | None = None, found: str = ""
    ) -> wire.Tray:
        """Return the view of the camera and its proposal, with the name of the box in use, the fuse
        that burns, and the name of a camera that was plugged in.
        """
        sight, state, chosen = self.camera.tray, self.camera.state, snapshot.state.phone_free
        proposal = self._open_for(snapshot)
        seen = sight.state if state is CameraState.OK else TrayState.EMPTY
        if self.demo and seen is TrayState.HAND:  # demo dice are in nobody's hand
            seen = TrayState.ROLLING
        return wire.Tray(
            camera=state,
            state=seen,
            problem=self._problem_words(state, sight),
            roll=proposal.roll if proposal is not None else 0,
            since_s=round(self.camera.silent_s, 1) if state is CameraState.LOST else 0.0,
            proposal=self._proposal_view(proposal, snapshot) if proposal is not None else None,
            box=box,
            misread=self._misreads.last,
            drift=sight.drift if state is CameraState.OK else None,
            known=sight.known if state is CameraState.OK else None,
            phone_free=wire.PhoneFree(fuse=chosen.fuse, tray_ends=chosen.tray_ends),
            fuse=fuse,
            demo=self.demo,
            found=found,
        )

    def _on_report(self, report: Report) -> None:
        """Handle a message of the reader; called on the camera's own thread."""
        match report:
            case CameraChanged(state, problem):
                self._problem = problem if state is CameraState.LOST else None
                if state is not CameraState.STARTING and not self.settled.done():
                    self.settled.set_result(report)
                self._switched(state)
            case TrayChanged():
                pass
            case DiceRead() if self._is_switching:
                pass  # of the previous source
            case DiceRead(reading, _, is_new):
                self._rest = _question(self._table.snapshot()), reading
                if is_new:
                    self._propose(reading)
        self._changed()

    def _switched(self, state: CameraState) -> None:
        """Note that the source's process has started, or its tray is open."""
        with self._lock:
            if state in (CameraState.STARTING, CameraState.NONE):
                self._is_switching = False
            is_open = state is CameraState.OK and not self._is_switching
            act, self._act = (self._act, None) if is_open else (None, self._act)
        if act is not None:
            self.camera.throw(act)

    def _propose(
        self, reading: DiceReading, asked: Asked | None = None, *, is_photo: bool = False
    ) -> bool:
        """Propose these dice in place of any earlier proposal; False if no roll of their game is
        awaited, or another than the one they were `asked` for."""
        now = self._table.snapshot()
        awaited = _question(now)
        if not isinstance(now.state.question, Roll) or asked not in (None, awaited):
            return False
        if now.state.game is None or now.state.game.rules != reading.game:
            return False
        with self._lock:
            old, roll = self._open, 1
            if old is not None and old.question == awaited:
                again = not (is_photo or old.is_photo) and reading.roll == old.reading.roll
                roll = old.roll if again else old.roll + 1
            self._count += 1
            # Browsers keep pictures by this id: no other run may use it.
            name = f"{now.game_id}-{self._run}-{self._count}"
            fresh = Proposal(name, awaited, roll, reading, is_photo)
            self._open, self._proposed = fresh, (fresh, *self._proposed)[:KEPT]
        return True

    def check_open(self, proposal: str, snapshot: Snapshot) -> None:
        """Raise RefusedError unless the proposal of this id is the one that waits for a tap."""
        found = self._open_for(snapshot)
        if found is None or found.id != proposal:
            raise RefusedError("error.outdated_proposal", outdated=True)

    def _open_for(self, snapshot: Snapshot) -> Proposal | None:
        """Return the proposal for the question that is open at this moment."""
        found = self._open
        return found if found is not None and found.question == _question(snapshot) else None

    def _proposed_reading(self, proposal: str) -> Proposal | None:
        with self._lock:
            return next((each for each in self._proposed if each.id == proposal), None)

    def _check_roll_is_awaited(self) -> Asked:
        now = self._table.snapshot()
        if not isinstance(now.state.question, Roll):
            raise RefusedError("error.no_roll_awaited", outdated=True)
        return _question(now)

    def _problem_words(self, state: CameraState, sight: TrayReading) -> Words | None:
        if state is CameraState.LOST and self._problem is not None:
            return Words(key=self._problem.key, args=self._problem.params)
        if state is CameraState.OK and sight.problem is not None:
            return Words(key=f"tray.problem.{sight.problem}")
        return None

    def _proposal_view(self, proposal: Proposal, snapshot: Snapshot) -> wire.Proposal:
        reading = proposal.reading
        return wire.Proposal(
            id=proposal.id,
            dice=tuple(
                _die_view(die, f"/api/crop/{proposal.id}/{n}.jpg" if reading.crops else "")
                for n, die in enumerate(reading.dice)
            ),
            problems=tuple(reading.problems),
            roll=proposal.roll,
            photo=proposal.is_photo,
            picture=f"/api/tray.jpg?proposal={proposal.id}" if reading.picture else "",
            picture_size=reading.size,
            preview=self._preview(proposal, snapshot) or PreviewAnswer(),
        )

    def seen(self, snapshot: Snapshot) -> Seen:
        """Return what the camera shows at this moment, with the reading that it proposes."""
        found = self._open_for(snapshot)
        if found is None or found.is_photo:
            return Seen(self.camera.state, self.camera.tray)
        preview = self._preview(found, snapshot)
        return Seen(self.camera.state, self.camera.tray, found.id, found.reading, preview)

    def _preview(self, proposal: Proposal, snapshot: Snapshot) -> PreviewAnswer | None:
        """Return what Apply would do with the dice as read, computed once for each snapshot."""
        position = snapshot.state.position
        dice = proposal.reading.dice
        faces = tuple(die.face for die in dice if die.face is not None)
        whole = len(faces) == len(dice) == self.camera.setup.expected
        if position is None or not whole:
            return None
        make = partial(preview_answer, position, faces)
        return self._previews.of((proposal, snapshot), make)


def _counts(lesson: Lesson, snapshot: Snapshot) -> bool | None:
    """Whether the lesson's row counts; None if it is no row of this game: the box may come from
    another table, whose games have the same names."""
    game, _, row = lesson.roll.rpartition("-")
    if game != snapshot.game_id:
        return None
    entry = next(iter(snapshot.entries[int(row) - 1 : int(row)]), None)
    event = entry.event if entry is not None else None
    is_its = isinstance(event, DiceRolled) and event.faces == lesson.faces
    return int(row) in snapshot.state.active if is_its else None


def _question(snapshot: Snapshot) -> Asked:
    return snapshot.game_id, snapshot.state.question_id


def _die_view(die: DieReading, crop: str) -> wire.ProposedDie:
    return wire.ProposedDie(
        face=die.face,
        confidence=round(die.confidence, 4),
        sure=die.sure,
        flat=die.flat,
        colour=die.colour,
        box=die.box,
        alternatives=die.alternatives,
        crop=crop,
    )
