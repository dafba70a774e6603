"""What effects are made of: what they look up, how they change a board, their base class."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Protocol, TypeVar

from msgspec.structs import replace

from companion.engine.values import (
    B,
    Board,
    Borough,
    CardId,
    CardInPlay,
    CardKind,
    Clause,
    Condition,
    Deed,
    Number,
    Place,
    Seat,
    Stack,
    Tally,
    Tile,
    Token,
    TokenPile,
    Value,
)

B_co = TypeVar("B_co", bound=Board, covariant=True)


class HasKind(Protocol):
    """The part of a card's row that effects look at: its kind."""

    @property
    def kind(self) -> CardKind:
        """Whether the card stays, happens once or changes hands."""


class RuleLimits(Protocol):
    """The part of a ruleset that bounds effects."""

    @property
    def health(self) -> int:
        """Health of a Monster at the start."""

    @property
    def goal_stars(self) -> int:
        """The stars that win, which are the most a dial shows."""

    @property
    def places(self) -> Mapping[str, Place]:
        """All spaces where Monsters stand, by their names."""

    @property
    def start_places(self) -> tuple[str, ...]:
        """Names of the places where Monsters begin."""

    @property
    def tiles(self) -> Mapping[str, Tile]:
        """All tiles of the box, by their names."""

    @property
    def cards(self) -> Mapping[str, HasKind]:
        """All cards of the box, by their names."""


class Lookups(Protocol[B_co]):
    """A position as effects see it: a board, the limits of its rules, and numbers that abilities
    may have changed.
    """

    @property
    def game(self) -> B_co:
        """The board that the effect changes."""

    @property
    def rules(self) -> RuleLimits:
        """The limits of the game's ruleset."""

    def dice(self, seat: Seat) -> int:
        """Dice of the next roll."""

    def rolls(self, seat: Seat) -> int:
        """Rolls of a turn."""

    def tokens(self, seat: Seat, token: Token) -> int:
        """Tokens of a kind on a Monster."""

    def health_max(self, seat: Seat) -> int:
        """Maximum health of a Monster."""

    def room(self, name: str) -> int:
        """How many more Monsters a place can take."""

    def inside(self) -> tuple[Seat, ...]:
        """Monsters in the city."""

    def card(self, card: CardId) -> CardInPlay | None:
        """The owned card or goal of that id."""

    def stack(self, stack: int) -> tuple[Borough, Stack]:
        """The stack of that id and its borough."""

    def borough(self, area: str | None) -> Borough | None:
        """The tiles of an area, if it has any."""

    def borough_of_unit(self, unit: int) -> Borough:
        """The borough in which a Unit stands."""


def with_monster(board: B, seat: Seat, **changes: Any) -> B:
    """Return the board with fields of one Monster changed."""
    monsters = list(board.monsters)
    monsters[seat] = replace(monsters[seat], **changes)
    return replace(board, monsters=tuple(monsters))


def with_stars(board: B, seat: Seat, stars: int, goal: int) -> B:
    """Return the board with stars set; `reached` notes when they came to the goal (NY-17.7)."""
    monster = board.monsters[seat]
    reached = monster.reached
    if stars < goal:
        reached = None
    elif reached is None:
        reached = board.clock
    return with_monster(board, seat, stars=stars, reached=reached)


def with_number(board: B, seat: Seat, what: Number, value: int, goal: int) -> B:
    """Return the board with any number of a Monster set; `goal` as for `with_stars`."""
    if what is Number.STARS:
        return with_stars(board, seat, value, goal)
    return with_monster(board, seat, **{what: value})


def with_turn(board: B, **changes: Any) -> B:
    """Return the board with fields of the turn changed."""
    return replace(board, turn=replace(board.turn, **changes))


def with_tally(board: B, deed: Deed, by: Seat, to: Seat, amount: int) -> B:
    """Return the board with an amount of a deed added to this turn's tally."""
    return with_turn(board, tally=(*board.turn.tally, Tally(deed, by, to, amount)))


def with_in_play(board: B, **changes: Any) -> B:
    """Return the board with cards, shop, tokens or conditions changed."""
    return replace(board, in_play=replace(board.in_play, **changes))


def with_card(board: B, card: CardInPlay) -> B:
    """Return the board with the owned card of that id replaced, at the same index."""
    cards = tuple(card if each.id == card.id else each for each in board.in_play.cards)
    return with_in_play(board, cards=cards)


def without_card(board: B, card: CardId) -> B:
    """Return the board without the owned card of that id, which goes to the discard pile."""
    gone = next(each for each in board.in_play.cards if each.id == card)
    cards = tuple(each for each in board.in_play.cards if each.id != card)
    board = with_in_play(board, cards=cards)
    return replace(board, discards=tuple(sorted((*board.discards, gone.name))))


def with_tokens(board: B, seat: Seat, token: Token, count: int) -> B:
    """Return the board with exactly `count` tokens of a kind on a Monster."""
    rest = tuple(p for p in board.in_play.tokens if (p.seat, p.token) != (seat, token))
    piles = (*rest, TokenPile(token, seat, count)) if count else rest
    return with_in_play(board, tokens=tuple(sorted(piles, key=lambda p: (p.seat, p.token))))


def with_condition(board: B, condition: Condition) -> B:
    """Return the board with a condition in force; the same one twice is one."""
    kept = tuple(c for c in board.in_play.conditions if c != condition)
    return with_in_play(board, conditions=(*kept, condition))


def with_borough(board: B, borough: Borough) -> B:
    """Return the board with the borough of that area replaced."""
    boroughs = tuple(borough if each.area == borough.area else each for each in board.boroughs)
    return replace(board, boroughs=boroughs)


# -- the base class of all effects -----------------------------------------------------------------


class Histories(Value, frozen=True, kw_only=True):
    """Where an effect comes from: two histories, never merged, and the ability that brought it.

    `seen` are the refs of replacing abilities that treated this very happening; `causes` are the
    abilities (with their seats) that led here. Merged, one card's extra damage would escape another
    card's cancelling.
    """

    seen: tuple[str, ...] = ()
    causes: tuple[str, ...] = ()
    source: str = ""
    """The ability that laid it on the agenda, as `card.ability@seat` or `ability@game`."""


class Effect(Histories, frozen=True, tag_field="type"):
    """Something that happens to one Monster, `seat`: data, with the one way it changes the game."""

    counted: ClassVar[bool] = False
    """It has an amount, and with amount 0 it did not happen."""
    to_dead: ClassVar[bool] = False
    """It may happen to a Monster that is out of the game."""
    while_alive: ClassVar[bool] = False
    """Reactions to it end with its Monster."""
    ordered: ClassVar[bool] = False
    """Who owns several cards that answer it says which comes first, if that matters."""
    immediate: ClassVar[bool] = False
    """It does not wait for the packet it belongs to: a price is paid when it is agreed on."""
    quiet: ClassVar[bool] = False
    """Bookkeeping: left out where people read what happened."""

    clause: ClassVar[Clause] = ""
    """What it rests on if no ability that did it names a clause of its own."""

    seat: Seat

    @classmethod
    def tag(cls) -> str:
        """Its name in JSON, which stays when the class gets a plainer one."""
        return str(cls.__struct_config__.tag)

    @property
    def doer(self) -> Seat:
        """Whose deed it is: that of the seat it happens to, unless the effect names another."""
        return self.seat

    def fitted(self, position: Lookups[Board]) -> Effect:
        """Return the effect cut down to what can happen in this position."""
        return self

    def apply(self, position: Lookups[B]) -> B:
        """Return the board after the effect."""
        return position.game
