"""What a table says beside the events of the rules: who sits where, undo, answers set ahead."""

from __future__ import annotations

import msgspec

from companion.engine.ahead import Ahead
from companion.engine.events import AnyEvent


class TableEvent(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="type"):
    """What the log holds beside the events of the rules."""


class SeatSetup(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A name and a monster's picture."""

    player: str
    monster: str


class TableSet(TableEvent, frozen=True):
    """Who sits where, clockwise, and which box lies on the table; said again until the start."""

    game: str
    edition: str
    seats: tuple[SeatSetup, ...]
    house: tuple[str, ...] = ()
    """House rules the table plays by."""


class GameStarted(TableEvent, frozen=True):
    """The game begins with this seat."""

    first: int


class Undone(TableEvent, frozen=True):
    """The event `seq` and all after it no longer count. Nothing is deleted."""

    seq: int


class Redone(TableEvent, frozen=True):
    """The undoing in row `seq` no longer counts."""

    seq: int


class AheadSaid(TableEvent, frozen=True):
    """A seat says what it will answer when it is hit in the city; None takes that back."""

    seat: int
    ahead: Ahead | None = None


AnyTableEvent = TableSet | GameStarted | Undone | Redone | AheadSaid
Input = AnyEvent | AnyTableEvent
