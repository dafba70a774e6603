"""What the dice tray does without a tap: a countdown that any touch, change or doubt cancels."""

from __future__ import annotations

import secrets
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from companion.engine import Chosen, DiceRolled, OrderChosen, Roll
from companion.service import wire
from companion.service.views.questions import answers_that_end
from companion.service.wire import FuseKind, PreviewAnswer
from companion.table import TRAY, Input, Redone, RefusedError, Snapshot, Submission, Table, Undone
from companion.vision.readings import CameraState, DiceReading, TrayReading, TrayState

DICE_LIE = frozenset({TrayState.READ, TrayState.UNSURE, TrayState.COUNT, TrayState.TAKEN})
"""The states of a tray in which dice lie."""


@dataclass(frozen=True, slots=True)
class Seen:
    """What the camera shows of the tray at one moment."""

    camera: CameraState
    sight: TrayReading
    proposal: str = ""
    """The open proposal that the camera and not a photo gave; empty if there is none."""
    reading: DiceReading | None = None
    """Its reading."""
    preview: PreviewAnswer | None = None
    """What applying it would do; None if a face is missing or their number is wrong."""

    @property
    def is_clear(self) -> bool:
        """Whether the tray is seen well and as it was set up."""
        sight = self.sight
        return self.camera is CameraState.OK and sight.problem is None and sight.drift is None


@dataclass(frozen=True, slots=True)
class Act:
    """What a countdown leads to: a command for this revision of the table."""

    kind: FuseKind
    table: str
    rev: int
    seat: int
    events: tuple[Input, ...]
    proposal: str | None = None


def act_of_reading(snapshot: Snapshot, seen: Seen, rolls: int) -> Act | None:
    """Return the command that applies the proposal; None if a person should look at it.

    `rolls`: how many rolls of this question the camera has read.
    """
    position = snapshot.state.position
    if not snapshot.state.phone_free.fuse or position is None:
        return None
    question = position.question
    if not isinstance(question, Roll) or not question.main or question.showing:
        return None
    if (question.counted and question.left > 1) or question.owed > 1 or rolls < question.left:
        return None
    reading, preview = seen.reading, seen.preview
    if reading is None or preview is None or not _is_sure(reading, seen, question.dice):
        return None
    # Who falls, who wins, and a power that could still be used, are decided by a person.
    if preview.outcomes or preview.lacking or position.offers() or _was_taken_back(snapshot):
        return None
    if reading.game != position.game.rules:
        return None
    faces = tuple(die.face for die in reading.dice if die.face is not None)
    events: tuple[Input, ...] = (DiceRolled(faces, (), final=True),)
    if len(preview.order) > 1:
        events = (OrderChosen(question.seat, preview.order), *events)
    seat = position.game.turn.active
    return Act(FuseKind.APPLY, snapshot.game_id, snapshot.rev, seat, events, seen.proposal)


def act_of_clearing(snapshot: Snapshot, seen: Seen) -> Act | None:
    """Return the command that ends the turn; None unless the tray is empty and nothing asked."""
    state = snapshot.state
    position = state.position
    if not state.phone_free.tray_ends or position is None or not _rolled_this_turn(snapshot):
        return None
    if not seen.is_clear or seen.sight.state is not TrayState.EMPTY:
        return None
    if position.offers() or _was_taken_back(snapshot):
        return None
    ends = answers_that_end(position)
    if not ends:
        return None
    seat = position.game.turn.active
    events = tuple(Chosen(seat, option) for option in ends)
    return Act(FuseKind.END, snapshot.game_id, snapshot.rev, seat, events)


def _is_sure(reading: DiceReading, seen: Seen, expected: int) -> bool:
    """Whether the reading is sure, no die leans, and as many as expected still lie in the tray."""
    return (
        seen.is_clear
        and seen.sight.state is TrayState.READ
        and reading.sure
        and not reading.problems
        and len(reading.dice) == expected
        and all(die.sure and die.flat for die in reading.dice)
    )


def _was_taken_back(snapshot: Snapshot) -> bool:
    """Whether the newest row is an undo or redo: what was undone must not happen again."""
    return isinstance(snapshot.entries[-1].event, Undone | Redone)


def _rolled_this_turn(snapshot: Snapshot) -> bool:
    state = snapshot.state
    if not state.rolled or state.game is None:
        return False
    then = snapshot.entries[state.rolled - 1].before.game
    return then is not None and then.turn.number == state.game.turn.number


@dataclass(frozen=True, slots=True)
class Countdown:
    """A countdown that runs. `until`: when it ends, by the monotonic clock."""

    act: Act
    timer: threading.Timer
    until: float
    id: str = field(default_factory=lambda: f"tray-{secrets.token_hex(8)}")


class AutoApply:
    """The countdown of one table; `changed` is called if phones should get a new view."""

    def __init__(
        self,
        table: Table,
        look: Callable[[Snapshot], Seen],
        changed: Callable[[], None],
        seconds: float,
    ) -> None:
        self._table, self._look, self._changed = table, look, changed
        self._seconds = seconds
        self._lock = threading.Lock()
        self._running: Countdown | None = None
        self._question = ("", "")
        """The table and question that the next four are about."""
        self._rolls: set[int] = set()
        """The rolls that the camera has read for it."""
        self._newest: int | None = None
        """The roll that was read last, for it or before it."""
        self._old: int | None = None
        """The roll that was read last before it: those dice, read again, are none of its rolls."""
        self._stopped = False
        """Somebody has touched a phone, or the camera was lost: nothing is applied by itself."""
        self._tried = ""
        """The last proposal that had a countdown: none gets a second one."""
        self._dice_at: tuple[str, int] | None = None
        """The table and revision at which dice were seen in the tray, so that it can be cleared."""
        self._closed = False

    def follow(self) -> None:
        """Cancel or start the countdown. Called after every change of the table or the tray."""
        with self._lock:
            if self._closed:
                return
            snapshot = self._table.snapshot()
            seen = self._look(snapshot)
            self._note(snapshot, seen)
            act = self._act(snapshot, seen)
            if self._running is not None and self._running.act != act:
                self._stop()
            if self._running is not None or act is None:
                return
            if act.kind is FuseKind.APPLY and act.proposal == self._tried:
                return
            timer = threading.Timer(self._seconds, self._end)
            timer.daemon = True
            self._running = Countdown(act, timer, time.monotonic() + self._seconds)
            self._tried = act.proposal or self._tried
            timer.start()

    def cancel(self, countdown: str) -> None:
        """Cancel the countdown of this id: somebody touched a phone, so it is left to a tap."""
        with self._lock:
            if self._running is None or self._running.id != countdown:
                return
            self._stop()
            self._stopped, self._dice_at = True, None
        self._changed()

    def view(self) -> wire.Fuse | None:
        """Return the countdown that runs, for phones to show."""
        running = self._running
        if running is None:
            return None
        left = min(max(running.until - time.monotonic(), 0.0), self._seconds)
        return wire.Fuse(
            id=running.id,
            kind=running.act.kind,
            seat=running.act.seat,
            seconds=self._seconds,
            left_s=round(left, 2),
        )

    def close(self) -> None:
        """Cancel the countdown for good."""
        with self._lock:
            self._closed = True
            self._stop()

    def _note(self, snapshot: Snapshot, seen: Seen) -> None:
        """Note what the tray has shown for this question and this revision."""
        question = (snapshot.game_id, snapshot.state.question_id)
        if question != self._question:
            self._question, self._rolls, self._stopped = question, set(), False
            self._old = self._newest
        if seen.reading is not None:
            self._newest = seen.reading.roll
            self._rolls |= {self._newest} - {self._old}
        if seen.camera is not CameraState.OK:
            self._dice_at = None
        elif seen.sight.state in DICE_LIE:
            self._dice_at = (snapshot.game_id, snapshot.rev)
        if seen.camera in {CameraState.LOST, CameraState.ENDED}:
            self._stopped = True

    def _act(self, snapshot: Snapshot, seen: Seen) -> Act | None:
        if self._stopped:
            return None
        applied = act_of_reading(snapshot, seen, len(self._rolls))
        if applied is None and self._dice_at == (snapshot.game_id, snapshot.rev):
            return act_of_clearing(snapshot, seen)
        return applied

    def _stop(self) -> None:
        if self._running is not None:
            self._running.timer.cancel()
            self._running = None

    def _end(self) -> None:
        """Perform the act, unless anything has changed since the countdown began."""
        self.follow()
        with self._lock:
            ended = self._running
            if ended is None or ended.timer is not threading.current_thread():
                return
            self._running = None
        act = ended.act
        try:
            self._table.submit(Submission(ended.id, act.rev, act.events, TRAY, act.table))
        except RefusedError:  # a phone was quicker by a moment
            self._changed()
