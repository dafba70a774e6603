"""Rulesets: everything that distinguishes one game from another, as one value."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Final

from companion.engine.abilities import Ability
from companion.engine.effects import AnyEffect
from companion.engine.effects.base import Lookups
from companion.engine.game import Step
from companion.engine.values import Board, CardKind, Clause, Face, Number, Place, Seat, Tile, Token


@dataclass(frozen=True, slots=True)
class Card:
    """A row of the card table. `finished` False: players carry the card out by hand."""

    name: str
    cost: int
    kind: CardKind
    abilities: tuple[Ability, ...] = ()
    district: tuple[str, ...] = ()
    copies: int = 1
    finished: bool = True
    leaving: Callable[[Seat], tuple[Step, ...]] | None = None
    """Steps for its owner when it stops working, however it leaves."""
    tokens: int = 0
    """The most tokens that may be on it; 0 for a card without tokens."""
    copier: bool = False
    """It may count as another card."""


@dataclass(frozen=True, slots=True)
class Limit:
    """How far a number of a Monster may go; it never goes below 0."""

    most: Callable[[Lookups[Board], Seat], int]
    """The most that its dial shows for a seat of a position."""
    named: bool = True
    """Whether players know the limit, so that phones say it: "7 of 10"."""


MOST_ENERGY: Final = 99
"""More cubes than any box holds; the rules name no limit."""
NUMBERS: Final[Mapping[Number, Limit]] = MappingProxyType(
    {
        Number.HEALTH: Limit(lambda position, seat: position.health_max(seat)),  # NY-9.1, TK-8.1
        Number.STARS: Limit(lambda position, seat: position.rules.goal_stars),  # NY-17.7, TK-14.5
        Number.ENERGY: Limit(lambda position, seat: MOST_ENERGY, named=False),
    }
)
"""The numbers that Monsters have in both boxes, in the order in which phones show them."""


@dataclass(frozen=True, slots=True)
class OddsColumn:
    """A column of the odds of a roll: the chance of `count` dice of a face, of several faces the
    one that is shown most; with 0 how many dice show it on average.
    """

    faces: tuple[Face, ...]
    count: int = 0


@dataclass(frozen=True, slots=True, eq=False)
class Ruleset:
    """A game as data, one value for each edition and set of house rules; its functions are pure."""

    name: str
    edition: str
    editions: tuple[str, ...]
    """All editions of the box, the usual one first."""
    prefix: str
    """How the numbers of its rulebook's clauses begin: `NY` of `NY-6.2`."""
    faces: tuple[Face, ...]
    """In the order of keys on the phone: two rows of three."""
    sensible: tuple[Face, ...]
    """A first guess at the order of groups; `order` refines it."""
    dice: int
    dice_min: int
    """With fewer in the tray the camera takes a roll as incomplete, if no game says how many."""
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
    scoring: Mapping[Face, Callable[[Any, Seat, int], tuple[Step, ...]]]
    """What so many dice of a face do for a seat of a position. Positions hold their rules and so
    stand above them: `Scoring` (`base_position.py`) is the exact type of these functions.
    """
    cards: Mapping[str, Card]
    abilities: tuple[Ability, ...]
    order: Callable[[Any], tuple[Face, ...]] | None = None
    """The best order of groups in a position; None: always that of `sensible`."""
    looks_at: Mapping[Face, Mapping[str, Callable[[Any, Seat], int]]] = field(default_factory=dict)
    """What the sentence about a group names beside its dice, each by a function of position and
    seat: the Units that strike, for instance.
    """
    numbers: Mapping[Number, Limit] = field(default_factory=lambda: NUMBERS)
    """The numbers of a Monster, in the order in which phones show them, each with its limit."""
    monsters: tuple[str, ...] = ()
    """The Monsters that the rules tell apart, by their ids; most games have no such rule."""
    tokens: Mapping[Token, tuple[Ability, ...]] = field(default_factory=dict)
    conditions: Mapping[str, tuple[Ability, ...]] = field(default_factory=dict)
    areas: tuple[str, ...] = ()
    stacks_per_area: int = 0
    tiles_per_stack: int = 0
    tiles: Mapping[str, Tile] = field(default_factory=dict)
    goals: tuple[str, ...] = ()
    odds: tuple[OddsColumn, ...] = ()
    """What players ask of dice that they may throw again, three at most."""
    clauses: Mapping[str, str] = field(default_factory=dict)
    """The clause behind each question that all games ask and each reminder, by its key; behind each
    number that is looked up, by its name; behind what a group of a face does, by the face; behind
    what cards of a kind do; and behind shared abilities and effects that name no clause of this
    rulebook, by their names.
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
    """The importable package whose files the game's texts are; "" if it has none."""
    rulebook: str = ""
    """The file there with the numbered clauses."""
    bgg_id: int = 0
    """The box's number at boardgamegeek.com, by which other programs know it; 0: it has none."""

    def clause(self, question: str) -> str:
        """Return the clause of this rulebook behind a question or number; "" if it has none."""
        return self.clauses.get(question, "")

    def own_clause(self, clause: Clause) -> str:
        """Return the first of these clauses that is one of this rulebook; "" if none is."""
        written = (clause,) if isinstance(clause, str) else clause
        return next((one for one in written if one.startswith(f"{self.prefix}-")), "")

    def area_of(self, place: str | None) -> str | None:
        """Return the borough or city of a place; None for a Monster without a place."""
        return self.places[place].area if place is not None else None
