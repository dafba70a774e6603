"""The table before a game."""

from __future__ import annotations

from companion.engine import Face
from companion.service.wire.words import Wire


class SeatDraft(Wire, frozen=True):
    """A seat before the game starts."""

    player: str
    monster: str
    taken: bool = False
    phones: int = 0


class Box(Wire, frozen=True):
    """A game one can start."""

    game: str
    editions: tuple[str, ...]
    house: tuple[str, ...]
    """House rules that may be switched on."""
    faces: tuple[Face, ...]
    players_min: int
    players_max: int
    start_places: tuple[str, ...]
    first_roll_dice: int


class Lobby(Wire, frozen=True):
    """The table before a game: what can be played, who sits where."""

    boxes: tuple[Box, ...]
    game: str
    edition: str
    house: tuple[str, ...]
    seats: tuple[SeatDraft, ...]
    monsters: tuple[str, ...]
