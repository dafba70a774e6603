"""The four kinds of ability, shared by cards, tokens, conditions and the game itself.

Their functions take a position. Its class is defined above this module, so its type is `Any` here
and checked where an ability is made (`shared/abilities.py`).

Each may name the `clause` it carries out, which `explain` cites for its effects.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import IntEnum, StrEnum
from typing import Any

import msgspec

from companion.engine.effects import Effect
from companion.engine.questions import Answer
from companion.engine.values import TABLE, Clause, Face, Seat


class Stage(IntEnum):
    """The order of replacing abilities on one effect, so that the order of purchase never decides.

    FORBID: the effect cannot happen, so nobody is asked about it. CHANGE: what it consists of,
    before its amount. IGNORE: it does nothing to the owner. PREVENT and LAST: the hurt player
    orders its own cards (NY-G3, TK-G1).
    """

    FORBID = 0
    CHANGE = 1
    ADD = 2
    MULTIPLY = 3
    IGNORE = 4
    PREVENT = 5
    LAST = 6


class Quantity(StrEnum):
    """A number the rules look up, and abilities may modify."""

    DICE = "dice"
    ROLLS = "rolls"
    HEALTH_MAX = "health_max"
    PRICE = "price"
    MAY_BUY = "may_buy"
    TOLL = "toll"
    RETHROW_PRICE = "rethrow_price"
    ROLL_COST = "roll_cost"
    """How many of the turn's rolls throwing these dice again uses up."""
    MAY_RETHROW = "may_rethrow"
    MUST_ROLL = "must_roll"
    """Above 0: every roll there is must be used."""
    DURABILITY = "durability"
    MAY_DESTROY = "may_destroy"
    REACH = "reach"
    """Above 0: this kind of Unit may be destroyed in any borough."""
    TARGET = "target"
    """Above 0: claws of `seat` hit `other`."""
    GOAL_FACES = "goal_faces"
    PURSE = "purse"
    """What a seat can pay with."""


class Where(StrEnum):
    """Where a carrier must be for an ability to work."""

    OWNED = "owned"
    FOR_SALE = "for_sale"


class Query(msgspec.Struct, frozen=True, gc=False):
    """What a quantity is looked up for: a seat and, if it matters, a card's name or dice."""

    seat: Seat
    card: str = ""
    faces: tuple[Face, ...] = ()
    other: Seat = TABLE


@dataclass(frozen=True, slots=True)
class Instead:
    """A replacing ability: answers an effect of type `on` before it happens, with other steps in
    its place. `mine`: only one that happens to its owner.
    """

    on: type[Effect]
    steps: Callable[[Any, Any], Answer]
    stage: Stage
    name: str
    where: Where = Where.OWNED
    mine: bool = False
    clause: Clause = ""


@dataclass(frozen=True, slots=True)
class Whenever:
    """A following ability: answers an effect of type `on` after it happened, with more steps.

    `once`: one reaction to a packet and dealer, not one for each victim (TK-16.4). `active_last`:
    the active Monster's answers come after all others, its own other ones too (TK-16.3, H8, H18).
    `at_once`: computed on the position right after the effect, before anybody is eliminated by it
    (G9); such an ability asks nothing. `mine`: only what happens to its owner.
    """

    on: type[Effect]
    steps: Callable[[Any, Any], Answer]
    name: str
    once: bool = False
    active_last: bool = False
    at_once: bool = False
    mine: bool = False
    where: Where = Where.OWNED
    clause: Clause = ""


@dataclass(frozen=True, slots=True)
class Modifies:
    """A modifier: a function of a quantity's value so far. `mine`: only its owner's quantity."""

    quantity: Quantity
    by: Callable[[Any, Query, int], int]
    name: str
    where: Where = Where.OWNED
    mine: bool = False
    clause: Clause = ""


@dataclass(frozen=True, slots=True)
class Offers:
    """A power: its owner may use it while a question of `window` is open ("" for any). `waits`: the
    game asks for it once.
    """

    name: str
    available: Callable[[Any], bool]
    steps: Callable[[Any], Answer]
    window: str = ""
    waits: bool = False
    where: Where = Where.OWNED
    clause: Clause = ""


Ability = Instead | Whenever | Modifies | Offers
