"""The four kinds of ability, shared by cards, tokens, conditions and the game itself."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import IntEnum, StrEnum
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

from companion.engine.effects import Effect
from companion.engine.questions import Answer
from companion.engine.values import TABLE, CardId, CardInPlay, Face, Monster, Seat

if TYPE_CHECKING:
    from companion.engine.game import Game
    from companion.engine.index import AnyEntry
    from companion.engine.ruleset import Ruleset
    from companion.engine.standing import Standing

E = TypeVar("E", bound=Effect)


class Stage(IntEnum):
    """The order of replacing abilities on one effect: order of purchase must not decide.

    FORBID: it cannot happen at all, so nobody is asked what else he would do about it. CHANGE: what
    it is made of, before that grows or shrinks. IGNORE: what it has become does nothing to its
    owner, who need not prevent it. PREVENT and LAST: who is hurt orders its own (NY-G3, TK-G1).
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
    """Where a carrier must lie for an ability to work."""

    OWNED = "owned"
    FOR_SALE = "for_sale"


class My(msgspec.Struct, frozen=True, gc=False):
    """An ability's point of view: the game as it stands now, and who carries the ability.

    `seat` of the carrier's owner; TABLE for the game itself and cards for sale. Made by `mine`.
    """

    now: Standing
    entry: AnyEntry
    game: Game
    seat: Seat

    @property
    def ref(self) -> str:
        """The name of this ability at this carrier."""
        return self.entry.ref

    @property
    def card_id(self) -> CardId:
        """The id of the card that carries the ability."""
        assert self.entry.card is not None  # only cards' abilities ask
        return self.entry.card

    @property
    def card(self) -> CardInPlay:
        """The card that carries the ability."""
        card = self.now.card(self.card_id)
        assert card is not None  # an entry whose card is gone is not asked
        return card

    @property
    def name(self) -> str:
        """The name of the card that carries the ability, owned or for sale."""
        card = self.now.card(self.card_id) or self.now.for_sale(self.card_id)
        assert card is not None  # an entry whose card is gone is not asked
        return card.name

    @property
    def rules(self) -> Ruleset:
        """The game's ruleset."""
        return self.now.rules

    @property
    def monster(self) -> Monster:
        """The owner's Monster."""
        return self.now.game.monsters[self.seat]


def mine(now: Standing, entry: AnyEntry) -> My:
    """What the ability at this carrier looks at now."""
    return My(now, entry, now.game, entry.seat)


class Asked(msgspec.Struct, frozen=True, gc=False):
    """What a quantity is asked about: a seat, and where it matters a card's name or dice."""

    seat: Seat
    card: str = ""
    faces: tuple[Face, ...] = ()
    other: Seat = TABLE


@dataclass(frozen=True, slots=True)
class Instead:
    """Before an effect of type `on`: other steps in its place. `mine`: only of what happens to its
    owner.
    """

    on: type[Effect]
    steps: Callable[[My, Any], Answer]
    stage: Stage
    name: str
    where: Where = Where.OWNED
    mine: bool = False


@dataclass(frozen=True, slots=True)
class Whenever:
    """After an effect of type `on`: more steps.

    `once`: one reaction to a packet and dealer, not one for each victim (TK-16.4). `active_last`:
    the active Monster's answers come after all others, its own other ones too (TK-16.3, H8, H18).
    `at_once`: worked out as the game
    stands at the happening itself, before whoever it struck down is out (G9); such a one asks
    nothing. `mine`: only what happens to its owner.
    """

    on: type[Effect]
    steps: Callable[[My, Any], Answer]
    name: str
    once: bool = False
    active_last: bool = False
    at_once: bool = False
    mine: bool = False
    where: Where = Where.OWNED


@dataclass(frozen=True, slots=True)
class Modifies:
    """A number the rules look up is another: folded value → value. `mine`: only its owner's."""

    quantity: Quantity
    by: Callable[[My, Asked, int], int]
    name: str
    where: Where = Where.OWNED
    mine: bool = False


@dataclass(frozen=True, slots=True)
class Offers:
    """A power its owner may use while a question of `window` is open ("" for any);
    `waits`: the game asks for it once.
    """

    name: str
    available: Callable[[My], bool]
    steps: Callable[[My], Answer]
    window: str = ""
    waits: bool = False
    where: Where = Where.OWNED


Ability = Instead | Whenever | Modifies | Offers


def instead_of(
    on: type[E], stage: Stage = Stage.PREVENT, *, mine: bool = False
) -> Callable[[Callable[[My, E], Answer]], Instead]:
    """Make the function a replacing ability, named after itself."""
    return lambda steps: Instead(on, steps, stage, steps.__name__, mine=mine)


def whenever(
    on: type[E],
    *,
    once: bool = False,
    active_last: bool = False,
    at_once: bool = False,
    mine: bool = False,
) -> Callable[[Callable[[My, E], Answer]], Whenever]:
    """Make the function a following ability, named after itself."""
    return lambda steps: Whenever(on, steps, steps.__name__, once, active_last, at_once, mine)


def modifies(
    quantity: Quantity, where: Where = Where.OWNED, *, mine: bool = False
) -> Callable[[Callable[[My, Asked, int], int]], Modifies]:
    """Make the function a modifier, named after itself."""
    return lambda by: Modifies(quantity, by, by.__name__, where, mine)


def offers(
    available: Callable[[My], bool], *, window: str = "", waits: bool = False
) -> Callable[[Callable[[My], Answer]], Offers]:
    """Make the function a power, named after itself."""
    return lambda steps: Offers(steps.__name__, available, steps, window, waits)
