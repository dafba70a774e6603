"""Rights: the host may do everything, a player what is for the own seat, and at home for neighbours
too.
"""

from __future__ import annotations

from collections.abc import Sequence

from companion.engine import (
    CardShown,
    Chosen,
    DiceRolled,
    OrderChosen,
    PowerUsed,
    PutOff,
    TileShown,
)
from companion.service.wire import Role, You
from companion.table import AheadSaid, Entry, Input, RefusedError, State, TableSet, Undone


def may_send(
    you: You, event: Input, state: State, entries: Sequence[Entry], *, anyone: bool
) -> None:
    """Check that the sender may send this on top of these rows; else RefusedError.

    `anyone`: seated players may edit all. What ends a game is the host's alone.
    """
    if you.role is Role.HOST:
        return
    if you.role is not Role.PLAYER:
        raise RefusedError("error.only_watching")
    running = state.game is not None and state.game.ended is None
    if isinstance(event, TableSet) and running:
        raise RefusedError("error.not_yours")
    if isinstance(event, Undone) and undoes_start(event.seq, entries):
        raise RefusedError("error.not_yours")
    if not anyone and not _own(you, event, state):
        raise RefusedError("error.not_yours")


def undoes_start(seq: int, entries: Sequence[Entry]) -> bool:
    """Whether undoing this row leads back to before the game."""
    return 0 < seq <= len(entries) and entries[seq - 1].before.game is None


def _own(you: You, event: Input, state: State) -> bool:
    """Whether the event is about the sender's own seat, its dice and cards, or those of the own
    turn.
    """
    asked = state.question
    match event:
        case Chosen(seat=seat) | OrderChosen(seat=seat) | PowerUsed(seat=seat):
            return seat == you.seat
        case AheadSaid(seat=seat):
            return seat == you.seat
        case DiceRolled() | PutOff() | CardShown(slot=None) | TileShown(stack=None):
            if asked is not None and asked.seat >= 0:
                return asked.seat == you.seat
    return state.game is not None and state.game.turn.active == you.seat


def may_answer(seat: int | None, active: int, seats: int, *, anyone: bool) -> tuple[int, ...]:
    """Return the seats that may answer what `seat` is asked; None: the table is asked, so the
    active one.
    """
    return tuple(range(seats)) if anyone else (active if seat is None else seat,)
