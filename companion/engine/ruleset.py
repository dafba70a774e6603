"""What one game is made of. Games are values of this class; nothing else tells them apart."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from companion.engine.values import CardKind, Face, Token, UnitKind

if TYPE_CHECKING:
    from companion.engine.abilities import Ability
    from companion.engine.effects import AnyEffect
    from companion.engine.game import Step
    from companion.engine.standing import Standing
    from companion.engine.values import Seat


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


@dataclass(frozen=True, slots=True)
class Card:
    """A row of the card table. `finished` False: the table does what the card says, by hand."""

    name: str
    cost: int
    kind: CardKind
    abilities: tuple[Ability, ...] = ()
    district: tuple[str, ...] = ()
    copies: int = 1
    finished: bool = True
    leaving: Callable[[Seat], tuple[Step, ...]] | None = None
    """What happens to its owner when it stops working, whoever it goes to."""
    tokens: int = 0
    """The most tokens that may lie on it, 0 where it says nothing of any."""
    copier: bool = False
    """It may count as another card."""


@dataclass(frozen=True, slots=True, eq=False)
class Ruleset:
    """A game as data, one value for each edition and set of house rules. Functions here are pure;
    `scoring` says what a group of one face does.
    """

    name: str
    edition: str
    editions: tuple[str, ...]
    """All editions of the box, the usual one first."""
    prefix: str
    """How the numbers of its rulebook's clauses begin: `NY` of `NY-6.2`."""
    faces: tuple[Face, ...]
    """In the order of keys on the phone: two rows of three."""
    sensible: tuple[Face, ...]
    """A first guess at the order of groups; `order.py` refines it."""
    dice: int
    dice_min: int
    """With fewer in the tray the roll is not complete, where nobody says how many there are."""
    dice_max: int
    first_roll_dice: int
    rolls: int
    players_min: int
    players_max: int
    health: int
    goal_stars: int
    entering_stars: int
    sweep_cost: int
    phases: tuple[Callable[[Seat], AnyEffect], ...]
    entering: Callable[[Seat], AnyEffect]
    """The phase in which the city is entered."""
    places: Mapping[str, Place]
    start_places: tuple[str, ...]
    scoring: Mapping[Face, Callable[[Standing, Seat, int], tuple[Step, ...]]]
    cards: Mapping[str, Card]
    abilities: tuple[Ability, ...]
    tokens: Mapping[Token, tuple[Ability, ...]] = field(default_factory=dict)
    conditions: Mapping[str, tuple[Ability, ...]] = field(default_factory=dict)
    areas: tuple[str, ...] = ()
    stacks_per_area: int = 0
    tiles_per_stack: int = 0
    tiles: Mapping[str, Tile] = field(default_factory=dict)
    goals: tuple[str, ...] = ()
    sets: tuple[tuple[Face, ...], ...] = ()
    """Faces that pay when each of them lies (a card's or the rules'), for who wants the odds."""
    clauses: Mapping[str, str] = field(default_factory=dict)
    """The clause behind each question that all games ask and each reminder, by its key; behind each
    number that is looked up, by its name; behind what cards of a kind do; and behind shared
    abilities and effects that name no clause of this rulebook, by their names.
    """
    house: Mapping[str, Callable[[Ruleset], Ruleset]] = field(default_factory=dict)
    """House rules a table may switch on: each makes other rules of these."""
    reworded: frozenset[str] = frozenset()
    """Names and texts (`<card>.name`, `<card>.text`) that are this edition's own."""
    trophies: bool = False
    """Who destroys a Unit keeps its tile, for show."""
    marks: frozenset[str] = frozenset()
    """What a turn may remember (`Turn.used`) that is no ability's name: the word without ids."""
    package: str = ""
    """The importable package whose files the game's texts are; "" where it has none."""
    rulebook: str = ""
    """The file there with the numbered clauses."""

    def clause(self, question: str) -> str:
        """The clause of this rulebook behind a question or number; "" where it has none."""
        return self.clauses.get(question, "")

    def area_of(self, place: str | None) -> str | None:
        """The borough or city of a place; None for a Monster that stands nowhere."""
        return self.places[place].area if place is not None else None
