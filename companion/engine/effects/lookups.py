"""Protocols of what effects look up: the board, the limits of the rules, and modified numbers.
`BasePosition` implements them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol, TypeVar

from companion.engine.board import Board, Place, Tile
from companion.engine.values import Borough, CardId, CardInPlay, CardKind, Seat, Stack, Token

B_co = TypeVar("B_co", bound=Board, covariant=True)


class HasKind(Protocol):
    """The part of a card's row that effects look at: its kind."""

    @property
    def kind(self) -> CardKind:
        """Whether the card stays, happens once or changes hands."""
        ...


class RuleLimits(Protocol):
    """The part of a ruleset that bounds effects."""

    @property
    def health(self) -> int:
        """Health of a Monster at the start."""
        ...

    @property
    def goal_stars(self) -> int:
        """The stars that win, which are the most a dial shows."""
        ...

    @property
    def places(self) -> Mapping[str, Place]:
        """All spaces where Monsters stand, by their names."""
        ...

    @property
    def start_places(self) -> tuple[str, ...]:
        """Names of the places where Monsters begin."""
        ...

    @property
    def tiles(self) -> Mapping[str, Tile]:
        """All tiles of the box, by their names."""
        ...

    @property
    def cards(self) -> Mapping[str, HasKind]:
        """All cards of the box, by their names."""
        ...


class Lookups(Protocol[B_co]):
    """A position as effects see it: a board, the limits of its rules, and numbers that abilities
    may have changed.
    """

    @property
    def game(self) -> B_co:
        """The board that the effect changes."""
        ...

    @property
    def rules(self) -> RuleLimits:
        """The limits of the game's ruleset."""
        ...

    def dice(self, seat: Seat) -> int:
        """Dice of the next roll."""
        ...

    def rolls(self, seat: Seat) -> int:
        """Rolls of a turn."""
        ...

    def tokens(self, seat: Seat, token: Token) -> int:
        """Tokens of a kind on a Monster."""
        ...

    def health_max(self, seat: Seat) -> int:
        """Maximum health of a Monster."""
        ...

    def room(self, name: str) -> int:
        """How many more Monsters a place can take."""
        ...

    def inside(self) -> tuple[Seat, ...]:
        """Monsters in the city."""
        ...

    def card(self, card: CardId) -> CardInPlay | None:
        """The owned card or goal of that id."""
        ...

    def stack(self, stack: int) -> tuple[Borough, Stack]:
        """The stack of that id and its borough."""
        ...

    def borough(self, area: str | None) -> Borough | None:
        """The tiles of an area, if it has any."""
        ...

    def borough_of_unit(self, unit: int) -> Borough:
        """The borough in which a Unit stands."""
        ...
