"""The forms of what a table publishes for hubs, and of what a hub may ask; all bounded."""

from __future__ import annotations

from typing import Annotated, Final

import msgspec
from msgspec import Meta

from companion.table.database import StoredRow
from companion.vision.states import CameraState

FORM: Final = 1
"""The version of these forms; one that a hub does not know is left out."""
MOST_SEATS_SHOWN: Final = 12
MOST_GAMES: Final = 64
"""Games of one list."""
MOST_ROWS: Final = 64
"""Rows of one page."""
PAGE_BYTES: Final = 64 * 1024
"""Bytes of events and positions after which a page ends."""
LONGEST: Final = 256 * 1024
"""Bytes of any message that a hub reads."""

Text = Annotated[str, Meta(max_length=400)]
Name = Annotated[str, Meta(max_length=64)]
Hash = Annotated[str, Meta(pattern=r"^[0-9a-f]*\Z", max_length=64)]
GameName = Annotated[str, Meta(pattern=r"^g[0-9]+\Z", max_length=12)]
Row = Annotated[int, Meta(ge=0, le=1_000_000)]
Place = Annotated[int, Meta(ge=1, le=1_000_000)]
Number = Annotated[int, Meta(ge=-10_000, le=10_000)]


class SeatCard(msgspec.Struct, frozen=True, kw_only=True):
    """One seat. `player`: "" where it may not be named; `monster`: its picture."""

    player: Text
    monster: Name
    health: Number
    stars: Number
    energy: Number
    alive: bool
    place: Name | None = None


class TableCard(msgspec.Struct, frozen=True, kw_only=True):
    """One table at one moment, as the broker retains it."""

    form: int = FORM
    title: Text
    address: Text
    log: GameName
    """The game of the log that is played."""
    rows: Row
    tip: Hash
    """The hash of its newest row, chained over all of its published rows."""
    at: Name
    """When the newest row was written, by the table's clock."""
    game: Name | None = None
    edition: Name | None = None
    turn: Number = 0
    active: Number | None = None
    seats: Annotated[tuple[SeatCard, ...], Meta(max_length=MOST_SEATS_SHOWN)] = ()
    asked: Name | None = None
    """What the table waits for, by the question's key."""
    reason: Name | None = None
    """How the game ended; None where it has not."""
    winners: Annotated[tuple[Number, ...], Meta(max_length=MOST_SEATS_SHOWN)] = ()
    camera: CameraState = CameraState.NONE
    help: Annotated[tuple[Name, ...], Meta(max_length=16)] = ()
    """Why somebody should come, by keys."""
    origin: Name = ""
    """The start of the service that published it; "" where the table does not say."""


class Page(msgspec.Struct, frozen=True, kw_only=True):
    """Consecutive rows of one game; names of players who have not agreed are left out of them.

    `before`: the hash of the row before the first; `total`: how many rows the game has.
    """

    form: int = FORM
    log: GameName
    first: Place
    before: Hash
    rows: Annotated[tuple[StoredRow, ...], Meta(max_length=MOST_ROWS)]
    total: Row


class GameLine(msgspec.Struct, frozen=True):
    """A game of a table's log, and how many rows it has. `tip`: the hash of the last of them; None
    where the table does not say.
    """

    log: GameName
    rows: Row
    tip: Hash | None = None


class GameList(msgspec.Struct, frozen=True, kw_only=True):
    """Games of a table's log, last used first, from place `first` on. `total`: how many there are;
    None where the table lists no others.
    """

    form: int = FORM
    games: Annotated[tuple[GameLine, ...], Meta(max_length=MOST_GAMES)]
    first: Place = 1
    total: Row | None = None


class Ask(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a hub lacks: the rows of a game from `first` on, or the games from place `first` on."""

    log: GameName | None = None
    first: Place = 1
