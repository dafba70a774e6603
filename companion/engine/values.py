"""The nouns of both rulebooks: frozen values without behaviour.

Everything a position holds is a tuple, a number, a string or one of these Structs, so that a
position is plain JSON, hashes, and has one digest.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Final, NewType

import msgspec

Seat = NewType("Seat", int)
"""A place at the table, counted from 0, clockwise."""

CardId = NewType("CardId", int)
"""One physical card, from the moment it is shown until it is discarded."""

Clause = str | tuple[str, ...]
"""The clauses that something rests on: one, or those of several rulebooks; "" for none."""

LASTING: Final = 1 << 30
"""`Condition.turn` of a condition that ends only when it is used."""

TABLE: Final = Seat(-1)
"""Owner of what belongs to nobody: goal cards beside the deck, the rules' own effects."""


class Value(msgspec.Struct, frozen=True, forbid_unknown_fields=True, gc=False):
    """A frozen value; unknown fields are refused when one is read from JSON.

    `gc=False`: a frozen value that holds only values cannot be in a reference cycle.
    """


class Face(StrEnum):
    """What a die shows on top; each game uses six of the nine."""

    ENERGY = "energy"
    ATTACK = "attack"
    HEAL = "heal"
    DESTRUCTION = "destruction"
    CELEBRITY = "celebrity"
    OUCH = "ouch"
    ONE = "one"
    TWO = "two"
    THREE = "three"


class Token(StrEnum):
    """A kind of token on a Monster (tokens on cards are the card's counters)."""

    WEB = "web"
    CURSE = "curse"
    POISON = "poison"
    SHRINK = "shrink"


class CardKind(StrEnum):
    """Keep cards stay, discard cards happen once, goals change hands (NY-15.3, TK-12.2, NY-2.1)."""

    KEEP = "keep"
    DISCARD = "discard"
    GOAL = "goal"


class UnitKind(StrEnum):
    """The back of a building tile (NY-3.2)."""

    INFANTRY = "infantry"
    JET = "jet"
    TANK = "tank"


class How(StrEnum):
    """Why a Monster changes its place."""

    PLACED = "placed"
    ENTER = "enter"
    FLEE = "flee"
    MOVE = "move"
    ADVANCE = "advance"
    SLIDE = "slide"
    LEAVE = "leave"
    BY_HAND = "by_hand"


class Number(StrEnum):
    """A number of a Monster that may change; the ruleset says which of them its Monsters have."""

    HEALTH = "health"
    STARS = "stars"
    ENERGY = "energy"


class Monster(Value, frozen=True):
    """A player's Monster. `fallen`: at 0 health, its fate not yet carried out."""

    seat: Seat
    health: int
    stars: int = 0
    energy: int = 0
    place: str | None = None
    alive: bool = True
    fallen: bool = False
    died_turn: int | None = None
    reached: int | None = None
    """`Game.clock` when it came to the goal in stars; None below it (NY-17.7, TK-14.5)."""
    trophies: tuple[UnitKind, ...] = ()
    """Units it destroyed and keeps before it, for show (NY-10.6)."""
    name: str | msgspec.UnsetType = msgspec.UNSET
    """Which of the ruleset's `monsters` it is; not set where the rules tell none apart."""

    def number(self, what: Number) -> int:
        """One of its numbers."""
        value: int = getattr(self, what)
        return value


class CardInPlay(Value, frozen=True, cache_hash=True):
    """A face-up card: for sale, in front of a Monster, or a goal beside the deck."""

    id: CardId
    name: str
    owner: Seat = TABLE
    counters: int = 0
    copies: CardId | None = None


class TokenPile(Value, frozen=True):
    """`count` tokens of one kind on one Monster; never 0."""

    token: Token
    seat: Seat
    count: int


class Condition(Value, frozen=True):
    """A condition of a seat until the end of turn `turn`."""

    kind: str
    seat: Seat
    turn: int


class InPlay(Value, frozen=True, cache_hash=True):
    """Everything that carries abilities besides the rules; the index of abilities is cached by this
    value.
    """

    cards: tuple[CardInPlay, ...] = ()
    """In front of Monsters and goals, oldest first."""
    shop: tuple[CardInPlay | None, ...] = (None, None, None)
    """Face up for sale; None: an empty slot, or one that nobody has named."""
    tokens: tuple[TokenPile, ...] = ()
    conditions: tuple[Condition, ...] = ()


class Stack(Value, frozen=True):
    """A stack of building tiles.

    `top` None: nobody has named it, or (`left` 0) the stack is gone.
    """

    id: int
    top: str | None
    left: int


class Unit(Value, frozen=True):
    """A Unit tile beside the stacks; it came up in turn `turn` (NY-10.5)."""

    id: int
    kind: UnitKind
    turn: int


class Borough(Value, frozen=True, rename={"marked": "souvenir"}):
    """The tiles of one borough (NY-3.7)."""

    area: str
    stacks: tuple[Stack, ...]
    units: tuple[Unit, ...] = ()
    marked: bool = False
    """It has its marker, which can be put down once."""


class Deed(StrEnum):
    """Deeds that the turn counts, for rules that ask about the turn."""

    DAMAGE = "damage"
    ENERGY_GAINED = "energy_gained"


class Tally(Value, frozen=True):
    """The amount of a deed this turn: `by` did it to, or gained it for, `seat`."""

    deed: Deed
    by: Seat
    seat: Seat
    amount: int


class ExtraTurn(Value, frozen=True):
    """A turn still to be taken by this seat, under this condition ("" for a plain one)."""

    seat: Seat
    condition: str = ""


class Turn(Value, frozen=True):
    """What rules may ask about the turn being played."""

    active: Seat
    number: int
    inside_at_start: int = 0
    """Monsters in the city when the turn began (NY-8.3)."""
    rolls_left: int = 0
    dice: int = 0
    """How many dice this turn's roll has."""
    faces: tuple[Face, ...] = ()
    final: bool = False
    added: tuple[Face, ...] = ()
    """Symbols that cards add to the result."""
    spent: tuple[int, ...] = ()
    """Dice, by index, given up for something else."""
    order: tuple[Face, ...] = ()
    resolved: tuple[Face, ...] = ()
    claimed: bool = False
    """An attack opened the city to the active Monster (TK-9.4, TK-9.5, TK-7.2)."""
    destroyed: tuple[str, ...] = ()
    """Tiles and Units the active Monster destroyed this turn."""
    tally: tuple[Tally, ...] = ()
    used: tuple[str, ...] = ()
    """Powers used this turn, by the refs of their abilities, and windows passed."""
    follows: Seat | None = None
    """An extra turn: whose turn of the order it comes after; the order goes on from there."""


class Ended(Value, frozen=True):
    """The game is over. No winner: all died (NY-17.4, TK-14.3)."""

    reason: str
    winners: tuple[Seat, ...]


class Change(Value, frozen=True):
    """One number of one Monster, before and after."""

    seat: Seat
    what: Number
    before: int
    after: int
