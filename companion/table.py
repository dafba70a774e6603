"""One table: the only writer of its log."""

from __future__ import annotations

import msgspec


class TableEvent(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="type"):
    """What the log holds beside the events of the rules."""


class SeatSetup(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A name and a monster's picture."""

    player: str
    monster: str


class TableSet(TableEvent, frozen=True):
    """Who sits where, clockwise, and which box lies on the table. May be said again until the game starts."""

    game: str
    edition: str
    seats: tuple[SeatSetup, ...]


class GameStarted(TableEvent, frozen=True):
    """The game begins with this seat."""

    first: int


class Undone(TableEvent, frozen=True):
    """The event `seq` and all after it no longer count. Nothing is deleted."""

    seq: int


class Redone(TableEvent, frozen=True):
    """The undoing in row `seq` no longer counts."""

    seq: int


AnyTableEvent = TableSet | GameStarted | Undone | Redone
