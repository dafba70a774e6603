"""What the hub's page shows; `webui/src/wire.ts` is generated from here too."""

from __future__ import annotations

import msgspec

from companion.mqtt.tables.forms import TableCard


class TableLine(msgspec.Struct, frozen=True, kw_only=True):
    """One table. `name`: its name in topics; `online`: whether it is connected to the broker."""

    name: str
    card: TableCard
    online: bool
    quiet_s: int
    """Seconds since the hub saw a new row of it, when this was sent."""
    rows: int
    """Rows of the game that is played which the hub has, without a gap."""
    gaps: tuple[tuple[int, int], ...] = ()
    """First and last of those that are missing in between."""
    replaced: int = 0
    """Rows that came again with other content since the hub started."""
    doubled: bool = False
    """Whether cards of two tables with this name have come by turns in the last ten minutes."""


class ResultSeat(msgspec.Struct, frozen=True, kw_only=True):
    """How one seat of a game ended. `player`: "" where it may not be named."""

    player: str
    monster: str
    rank: int
    won: bool
    stars: int


class ResultLine(msgspec.Struct, frozen=True, kw_only=True):
    """A game that has ended, as its rows say by the rules."""

    table: str
    title: str
    log: str
    """The game's name in the table's log."""
    game: str
    reason: str
    turns: int
    ended: str
    """ISO 8601, by the table's clock; "" where unknown."""
    seats: tuple[ResultSeat, ...]


class StandingLine(msgspec.Struct, frozen=True, kw_only=True):
    """A player over all games; only who may be named."""

    player: str
    games: int
    won: int
    stars: int


class HubChange(msgspec.Struct, frozen=True, kw_only=True):
    """What has changed since the last message of a stream, all at the first; what is None has not.

    `connected`: whether the hub has the broker; `full`: its disk takes no more rows; `too_many`:
    a table is left out, since the hub takes no more; `dropped`: the oldest results were, since it
    keeps no more; `gone`: tables whose cards were deleted.
    """

    number: int
    connected: bool
    full: bool
    too_many: bool
    dropped: bool
    tables: tuple[TableLine, ...]
    gone: tuple[str, ...] = ()
    results: tuple[ResultLine, ...] | None = None
    standings: tuple[StandingLine, ...] | None = None
