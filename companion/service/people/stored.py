"""Who has joined, as it is kept in the state of the log."""

from __future__ import annotations

from typing import Annotated, Final

import msgspec
from msgspec import Meta

from companion.engine import SeatIndex
from companion.service.people.moment import Moment
from companion.service.wire import Role
from companion.table.log import EventLog

KEY: Final = "browsers"
"""Of the state."""
MOST_ROWS: Final = 1000
_JOINED: Final = frozenset({Role.HOST, Role.PLAYER, Role.SPECTATOR})


class StoredBrowser(msgspec.Struct, frozen=True):
    """One browser that joined; its secret is stored as a hash only."""

    secret_hash: Annotated[str, Meta(pattern="^[0-9a-f]{64}$")]
    role: Role
    seat: SeatIndex | None = None
    before: SeatIndex | None = None
    """The seat that it lost to another browser."""
    may_return: bool = False
    """It may take `before` back without asking: it was only silent."""
    heard: Moment | None = None
    """When it was last seen."""


_ROWS: Final = msgspec.json.Decoder(
    Annotated[tuple[StoredBrowser, ...], Meta(max_length=MOST_ROWS)]
)


def read_browsers(log: EventLog) -> tuple[StoredBrowser, ...]:
    """Return who had joined; nobody if that was lost."""
    rows = log.state(KEY, _ROWS)
    return rows if rows is not None and _is_sound(rows) else ()


def _is_sound(rows: tuple[StoredBrowser, ...]) -> bool:
    """Return whether there is at most one host, at most one browser a seat, and roles that fit."""
    seats = [row.seat for row in rows if row.seat is not None]
    return (
        sum(row.role is Role.HOST for row in rows) <= 1
        and len(set(seats)) == len(seats)
        and len({row.secret_hash for row in rows}) == len(rows)
        and all(row.role in _JOINED for row in rows)
        and all((row.role is Role.PLAYER) <= (row.seat is not None) for row in rows)
        and all((row.role is Role.SPECTATOR) <= (row.seat is None) for row in rows)
    )
