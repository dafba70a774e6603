"""The table: Monsters, cards, dice and tiles, and the parts of a box that they name.

What is still to happen does not belong here: `Game` puts the agenda on top.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeVar

from companion.engine.values import (
    Borough,
    Ended,
    ExtraTurn,
    InPlay,
    Monster,
    Turn,
    UnitKind,
    Value,
)


@dataclass(frozen=True, slots=True)
class Place:
    """A space where Monsters stand.

    `area`: the borough or city it belongs to; `room`: how many Monsters it holds; `track`: within a
    city, 0 decides first (NY-18.6, TK-11.8); `entry`: Monsters enter here; `needs_alive`: usable
    only while so many live (NY-18.1, TK-11.1); `stars`, `energy`: income of starting a turn here;
    `onward`: where its Monster advances to (NY-13.3); `slides_to`: the space of the first track
    beside it (NY-18.6); `falls_back_to`: where its Monster goes, if there is room, when the space
    leaves the game (TK-17.3).
    """

    name: str
    area: str
    room: int
    inside: bool = False
    track: int = 0
    entry: bool = False
    needs_alive: int = 0
    stars: int = 0
    energy: int = 0
    onward: str | None = None
    slides_to: str | None = None
    falls_back_to: str | None = None


@dataclass(frozen=True, slots=True)
class TileReward:
    """What destroying a tile gives; exactly one of the three is above 0 (NY-3.3)."""

    stars: int = 0
    energy: int = 0
    health: int = 0


@dataclass(frozen=True, slots=True)
class Tile:
    """A building tile, or a Unit as its back (NY-3.1)."""

    name: str
    durability: int
    reward: TileReward
    unit: UnitKind | None = None
    count: int = 0


class Progress(Value, frozen=True, kw_only=True):
    """The progress of a game: turns to come, the clock, ids, the result.

    Keyword-only: in JSON these fields follow those of every class that inherits them.
    """

    extra: tuple[ExtraTurn, ...] = ()
    put_off: bool = False
    """The table has put off naming the cards for sale."""
    ended: Ended | None = None
    clock: int = 0
    """Counts performed effects; decides who came to the goal first."""
    next_id: int = 1
    house: tuple[str, ...] = ()
    """House rules switched on, sorted."""


class Board(Progress, frozen=True):
    """The table at one moment: everything that effects change, without the agenda."""

    rules: str
    edition: str
    monsters: tuple[Monster, ...]
    turn: Turn
    in_play: InPlay
    deck: tuple[str, ...]
    """Cards that nobody has seen, sorted: what may still turn up."""
    discards: tuple[str, ...] = ()
    boroughs: tuple[Borough, ...] = ()
    tile_pool: tuple[str, ...] = ()
    """Building tiles that nobody has seen on top of a stack, sorted."""


B = TypeVar("B", bound=Board)
"""A board or a subclass of it (`Game`): functions that change one return the same type."""
