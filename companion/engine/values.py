"""The nouns of both rulebooks, frozen values without behaviour, and the board they make.

Everything a position holds is a tuple, a number, a string or one of these Structs, so that a
position is plain JSON, hashes, and has one digest. What is still to happen does not belong here:
`Game` puts the agenda on top.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Final, NewType, TypeVar

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
    """Which of the ruleset's `monsters` it is; not set if the rules tell none apart."""

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
    """Everything that carries abilities besides the rules; their index is cached by this value."""

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


# -- the table: Monsters, cards, dice and tiles, and the parts of a box that they name -------------


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
