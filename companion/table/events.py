"""Table events, logged beside the events of the rules: seats, start, undo, answers set ahead."""

from __future__ import annotations

from typing import Annotated, Final

import msgspec
from msgspec import Meta

from companion.engine import Ahead, AnyEvent, Corrected, Key, RowNumber, SeatIndex
from companion.table.database import StoredRow

LONGEST_NAME = 400
"""Code points of a name as sent: 24 characters, each with up to eleven combining marks, and some
blanks.
"""


TRAY: Final = "tray"
"""The sender of commands that no phone sent: the dice tray's, where the table is phone-free."""
HOME: Final = "home"
"""The sender of commands that a button in Home Assistant sent."""


class TableEvent(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="type"):
    """Base of the events in the log that do not concern the rules."""


class SeatSetup(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A seat: the player's name and the monster's picture."""

    player: Annotated[str, Meta(max_length=LONGEST_NAME)]
    monster: Key


class TableSet(TableEvent, frozen=True):
    """The seats, clockwise, and the box; sent again at every change until the start."""

    game: Key
    edition: Key
    seats: Annotated[tuple[SeatSetup, ...], Meta(max_length=12)]
    house: Annotated[tuple[Key, ...], Meta(max_length=16)] = ()
    """House rules the table plays by."""


class GameStarted(TableEvent, frozen=True):
    """The game begins with the seat `first`."""

    first: SeatIndex


class Undone(TableEvent, frozen=True):
    """The event in row `seq` and all after it no longer count. Nothing is deleted."""

    seq: RowNumber


class Redone(TableEvent, frozen=True):
    """The undo in row `seq` no longer counts."""

    seq: RowNumber


class AheadSaid(TableEvent, frozen=True):
    """A seat sets ahead what it will answer when it is hit in the city; None withdraws it."""

    seat: SeatIndex
    ahead: Ahead | None = None


class AnsweredEarly(TableEvent, frozen=True):
    """A seat hit by the same attack as the one that is asked answers before its turn to be asked.

    The answer is given when the rules ask for it; where the seat is asked by now, at once.
    """

    seat: SeatIndex
    option: Key


class PhoneFreeSet(TableEvent, frozen=True):
    """What the dice tray does without a tap; undoing what came before does not change it.

    `fuse`: a sure reading of the last roll applies itself; `tray_ends`: clearing the tray ends the
    turn.
    """

    fuse: bool = False
    tray_ends: bool = False


BY_TAP: Final = PhoneFreeSet()
"""Nothing happens without a tap: how a table begins."""


AnyTableEvent = TableSet | GameStarted | Undone | Redone | AheadSaid | AnsweredEarly | PhoneFreeSet
Input = AnyEvent | AnyTableEvent
"""Any event that a command, or a row of the log, may hold."""
_RECORD: msgspec.json.Decoder[Input] = msgspec.json.Decoder(Input)


def decode_event(row: StoredRow) -> Input:
    """Return the row's event.

    An event that only newer rules know becomes an empty correction; the next stored position makes
    up for it.
    """
    try:
        event: Input = _RECORD.decode(row.event)
    except (msgspec.MsgspecError, RecursionError):
        return Corrected()
    return event


def setup_for(
    setup: TableSet | None, game: str, edition: str, house: tuple[str, ...], seats: int
) -> TableSet:
    """Return the setup where it matches a position with this many seats; else one with empty names
    for the seats that the log has lost.
    """
    if setup is not None and (setup.game, len(setup.seats)) == (game, seats):
        return setup
    known = setup.seats if setup is not None else ()
    padded = (*known, *(SeatSetup("", "") for _ in range(seats)))[:seats]
    return TableSet(game, edition, padded, house)
