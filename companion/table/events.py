"""Events of a table beside those of the rules: who sits where, undo, answers set ahead."""

from __future__ import annotations

from typing import Annotated

import msgspec
from msgspec import Meta

from companion.engine import Ahead, AnyEvent, Corrected, Key, RowNumber, SeatIndex
from companion.table.log import LogRow

LONGEST_NAME = 400
"""Code points of a name as it comes: 24 signs, each with up to eleven marks, and some blanks."""


class TableEvent(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="type"):
    """What the log holds beside the events of the rules."""


class SeatSetup(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A name and a monster's picture."""

    player: Annotated[str, Meta(max_length=LONGEST_NAME)]
    monster: Key


class TableSet(TableEvent, frozen=True):
    """Who sits where, clockwise, and which box lies on the table; said again until the start."""

    game: Key
    edition: Key
    seats: Annotated[tuple[SeatSetup, ...], Meta(max_length=12)]
    house: Annotated[tuple[Key, ...], Meta(max_length=16)] = ()
    """House rules the table plays by."""


class GameStarted(TableEvent, frozen=True):
    """The game begins with this seat."""

    first: SeatIndex


class Undone(TableEvent, frozen=True):
    """The event `seq` and all after it no longer count. Nothing is deleted."""

    seq: RowNumber


class Redone(TableEvent, frozen=True):
    """The undoing in row `seq` no longer counts."""

    seq: RowNumber


class AheadSaid(TableEvent, frozen=True):
    """A seat says what it will answer when it is hit in the city; None takes that back."""

    seat: SeatIndex
    ahead: Ahead | None = None


class RowLost(TableEvent, frozen=True):
    """A row that damage took stood here; what it said is not known.

    `why`: `gone`, or `changed` where it was there and not as it was written; `aside`: the name of
    the file that was damaged.
    """

    why: str
    aside: str


AnyTableEvent = TableSet | GameStarted | Undone | Redone | AheadSaid
Input = AnyEvent | AnyTableEvent
"""What may be said to a table."""
Record = Input | RowLost
"""What a row of its log holds."""
_RECORD: msgspec.json.Decoder[Record] = msgspec.json.Decoder(Record)


def understood(row: LogRow) -> Record:
    """The row's event; one that only newer rules know is nothing, and a position mends it later."""
    try:
        event: Record = _RECORD.decode(row.event)
    except (msgspec.MsgspecError, RecursionError):
        return Corrected()
    return event
