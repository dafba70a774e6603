"""Which act the tray may perform without a tap: any doubt, and there is none. Pure functions."""

from __future__ import annotations

from dataclasses import dataclass

from companion.engine import Chosen, DiceRolled, OrderChosen, Roll
from companion.service.requests import PreviewAnswer
from companion.service.views.questions import answers_that_end
from companion.service.wire import FuseKind
from companion.table import Input, Redone, Snapshot, Undone
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
    """What applying it would do; None where a face is missing or their number is wrong."""

    @property
    def is_clear(self) -> bool:
        """Whether the tray is seen well and as it was set up."""
        sight = self.sight
        return self.camera is CameraState.OK and sight.problem is None and sight.drift is None


@dataclass(frozen=True, slots=True)
class Act:
    """What a fuse does: a command for this revision of the table."""

    kind: FuseKind
    table: str
    rev: int
    seat: int
    events: tuple[Input, ...]
    proposal: str | None = None


def act_of_reading(snapshot: Snapshot, seen: Seen, rolls: int) -> Act | None:
    """Return the command that applies the proposal; None where a person should look at it.

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
    if reading.game != position.game.rules:
        return None
    # Who falls, who wins, and a power that could still be used, are decided by a person.
    if preview.outcomes or preview.lacking or position.offers() or _was_taken_back(snapshot):
        return None
    faces = tuple(die.face for die in reading.dice if die.face is not None)
    events: tuple[Input, ...] = (DiceRolled(faces, (), final=True),)
    if len(preview.order) > 1:
        events = (OrderChosen(question.seat, preview.order), *events)
    seat = position.game.turn.active
    return Act(FuseKind.APPLY, snapshot.table, snapshot.rev, seat, events, seen.proposal)


def act_of_clearing(snapshot: Snapshot, seen: Seen) -> Act | None:
    """Return the command that ends the turn; None where the tray is not clear of dice, or anything
    but buying is asked.
    """
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
    return Act(FuseKind.END, snapshot.table, snapshot.rev, seat, events)


def _is_sure(reading: DiceReading, seen: Seen, expected: int) -> bool:
    """Return whether every die is sure, and as many as expected still lie in the tray."""
    return (
        seen.is_clear
        and seen.sight.state is TrayState.READ
        and reading.sure
        and not reading.problems
        and len(reading.dice) == expected
        and all(die.face is not None and die.flat and die.problem is None for die in reading.dice)
    )


def _was_taken_back(snapshot: Snapshot) -> bool:
    """Whether the newest row is an undo or redo: what was undone must not happen again."""
    return isinstance(snapshot.entries[-1].event, Undone | Redone)


def _rolled_this_turn(snapshot: Snapshot) -> bool:
    """Whether the last roll is of the turn that is played."""
    state = snapshot.state
    if not state.rolled or state.game is None:
        return False
    then = snapshot.entries[state.rolled - 1].before.game
    return then is not None and then.turn.number == state.game.turn.number
