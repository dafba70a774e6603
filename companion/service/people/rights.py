"""Rights by role: a host may send everything, a player almost everything, for every seat."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from companion.engine import (
    CardShown,
    Choice,
    Chosen,
    DiceRolled,
    OrderChosen,
    PowerUsed,
    PutOff,
    Question,
    Reveal,
    TileShown,
)
from companion.service.wire import Role, You
from companion.table import (
    AheadSaid,
    AnsweredEarly,
    Entry,
    Input,
    PhoneFreeSet,
    RefusedError,
    Snapshot,
    State,
    TableSet,
    Undone,
)


def check_may_send(you: You, events: Iterable[Input], snapshot: Snapshot) -> None:
    """Raise RefusedError unless the sender, a player or the host, may send these events now.

    Seated players may edit for every seat, which is written into the log, unless what is asked is
    one seat's alone. Only the host may end a game by a new table, undo its start, or choose what
    happens without a tap.
    """
    if you.role is Role.HOST:
        return
    if not all(_may_send(you, event, snapshot) for event in events):
        raise RefusedError("error.not_yours")


def _may_send(you: You, event: Input, snapshot: Snapshot) -> bool:
    """Whether a player may send this event."""
    state = snapshot.state
    match event:
        case PhoneFreeSet():
            return False
        case TableSet() if state.game is not None and state.game.ended is None:
            return False
        case Undone(seq=seq) if undoes_start(seq, snapshot.entries):
            return False
    return not is_secret(state.question) or _own(you, event, state)


def is_secret(question: Question | None) -> bool:
    """Whether what is asked is for its seat alone."""
    return isinstance(question, Choice | Reveal) and question.secret


def undoes_start(seq: int, entries: Sequence[Entry]) -> bool:
    """Whether undoing this row leads back to before the game."""
    return 0 < seq <= len(entries) and entries[seq - 1].before.game is None


def _own(you: You, event: Input, state: State) -> bool:
    """Whether the event concerns the sender's own seat: its answer, or dice and cards that it is
    asked for, or of its own turn.
    """
    question = state.question
    match event:
        case Chosen(seat=seat) | OrderChosen(seat=seat) | PowerUsed(seat=seat):
            return seat == you.seat
        case AheadSaid(seat=seat) | AnsweredEarly(seat=seat):
            return seat == you.seat
        case DiceRolled() | PutOff() | CardShown(slot=None) | TileShown(stack=None):
            if question is not None and question.seat >= 0:
                return question.seat == you.seat
    return state.game is not None and state.game.turn.active == you.seat
