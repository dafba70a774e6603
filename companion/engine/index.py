"""The index of abilities in play: by effect, by quantity and by name."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final, Generic, TypeVar

from companion.engine.abilities import Ability, Instead, Modifies, Offers, Quantity, Whenever, Where
from companion.engine.effects import Effect
from companion.engine.effects.sources import Ref, Source
from companion.engine.ruleset import Ruleset
from companion.engine.values import (
    TABLE,
    CardId,
    CardInPlay,
    Condition,
    InPlay,
    Seat,
    Token,
    TokenPile,
)

GAME_AGE: Final = 1 << 30
"""The age of the game's own abilities: they answer after those of all carriers."""


A = TypeVar("A", bound=Ability, covariant=True)
One = TypeVar("One", bound=Ability)
E = TypeVar("E")
K = TypeVar("K")


@dataclass(frozen=True, slots=True, eq=False)
class CarriedAbility(Generic[A]):
    """One ability at one carrier.

    `ref` names it in a position, `cause` in a history (its twin by a copy too).
    """

    ref: str
    cause: str
    ability: A
    seat: Seat
    age: int
    card: CardId | None = None


AnyCarried = CarriedAbility[Any]
Insteads = dict[type[Effect], tuple[CarriedAbility[Instead], ...]]
Whenevers = dict[type[Effect], tuple[CarriedAbility[Whenever], ...]]
Modifiers = dict[Quantity, tuple[CarriedAbility[Modifies], ...]]


class Index:
    """Abilities by what they answer: those of one card, token, condition or ruleset, or of several
    together.

    `whenevers` (by type of effect) and `modifiers` (by quantity) are sorted by age of the carrier,
    the game's own last; `insteads` (by type of effect) by stage, then age; `by_ref` has all by
    their names; `at_once` are the effects that some ability answers at once. Effects without an
    answer have no key. Immutable after construction, because parts are shared.
    """

    __slots__ = (
        "_offers_in",
        "_only_the_game",
        "at_once",
        "by_ref",
        "insteads",
        "modifiers",
        "offers",
        "whenevers",
    )

    def __init__(self, entries: Iterable[AnyCarried]) -> None:
        self.by_ref: dict[str, AnyCarried] = {}
        self.offers: tuple[CarriedAbility[Offers], ...] = ()
        self.insteads: Insteads = {}
        self.whenevers: Whenevers = {}
        self.at_once: frozenset[type[Effect]] = frozenset()
        self.modifiers: Modifiers = {}
        self._offers_in: dict[str, tuple[CarriedAbility[Offers], ...]] = {}
        self._only_the_game: dict[type[Effect], CarriedAbility[Whenever] | None] = {}
        for entry in entries:
            self.by_ref[entry.ref] = entry
            match entry.ability:
                case Instead(on=on):
                    self.insteads[on] = _staged((*self.insteads.get(on, ()), entry))
                case Whenever(on=on):
                    self.whenevers[on] = (*self.whenevers.get(on, ()), entry)
                    if entry.ability.at_once:
                        self.at_once |= {on}
                case Modifies(quantity=quantity):
                    self.modifiers[quantity] = (*self.modifiers.get(quantity, ()), entry)
                case Offers():
                    self.offers = (*self.offers, entry)

    def joined(self, later: Index) -> Index:
        """Return the index of both, the other one later in order."""
        both = Index(())
        both.by_ref = self.by_ref | later.by_ref
        both.offers = self.offers + later.offers
        both.at_once = self.at_once | later.at_once
        both.insteads = _joined(self.insteads, later.insteads)
        for on in self.insteads.keys() & later.insteads.keys():
            both.insteads[on] = _staged(both.insteads[on])
        both.whenevers = _joined(self.whenevers, later.whenevers)
        both.modifiers = _joined(self.modifiers, later.modifiers)
        return both

    def only_the_game(self, on: type[Effect]) -> CarriedAbility[Whenever] | None:
        """Return the ability of the game that alone answers an effect of this type, unless it
        caused it; None if others do, or not every one is answered. `on` is a key of `whenevers`.
        """
        if on not in self._only_the_game:
            first, *others = self.whenevers[on]
            ability = first.ability
            always = not (others or ability.once or ability.at_once or ability.mine)
            self._only_the_game[on] = first if always and first.age >= GAME_AGE else None
        return self._only_the_game[on]

    def offers_in(self, window: str) -> tuple[CarriedAbility[Offers], ...]:
        """Return the powers usable while a question of this window is open, oldest first."""
        found = self._offers_in.get(window)
        if found is None:
            found = tuple([e for e in self.offers if e.ability.window in ("", window)])
            self._offers_in[window] = found
        return found


def _joined(
    earlier: dict[K, tuple[E, ...]], later: dict[K, tuple[E, ...]]
) -> dict[K, tuple[E, ...]]:
    if not earlier or not later:
        return earlier or later
    both = earlier | later
    for on in earlier.keys() & later.keys():
        both[on] = earlier[on] + later[on]
    return both


def _staged(entries: tuple[CarriedAbility[Instead], ...]) -> tuple[CarriedAbility[Instead], ...]:
    return tuple(sorted(entries, key=_stage_and_age))


@lru_cache(maxsize=256)
def index_of(rules: Ruleset, in_play: InPlay) -> Index:
    """Return the index of what is in play; the same abilities give the same index."""
    owned = _owned(rules, in_play.cards)
    others = (
        *_for_sale(rules, in_play.shop),
        *_held(rules, in_play.tokens, in_play.conditions),
    )
    return _composed(rules, owned, others)


def index_after(rules: Ruleset, before: InPlay, index: Index, after: InPlay) -> Index:
    """Return the index of what is in play now, from that of a moment ago: mostly other cards are
    for sale, and cards for sale seldom answer anything.
    """
    if (
        after.cards is before.cards
        and after.tokens is before.tokens
        and after.conditions is before.conditions
        and _for_sale(rules, after.shop) == _for_sale(rules, before.shop)
    ):
        return index
    return index_of(rules, after)


@lru_cache(maxsize=256)
def _owned(rules: Ruleset, cards: tuple[CardInPlay, ...]) -> tuple[Index, ...]:
    found: list[Index | None] = []
    for card in cards:
        found.append(_carried(rules, card))
        if card.copies is not None:
            copied = next((each.name for each in cards if each.id == card.copies), None)
            if copied is not None:
                found.append(_card(rules, card.id, copied, card.owner, Where.OWNED))
    return tuple([each for each in found if each is not None])


@lru_cache(maxsize=256)
def _for_sale(rules: Ruleset, shop: tuple[CardInPlay | None, ...]) -> tuple[Index, ...]:
    found = [
        _card(rules, each.id, each.name, each.owner, Where.FOR_SALE)
        for each in shop
        if each is not None
    ]
    return tuple([each for each in found if each is not None])


@lru_cache(maxsize=256)
def _held(
    rules: Ruleset, tokens: tuple[TokenPile, ...], conditions: tuple[Condition, ...]
) -> tuple[Index, ...]:
    found = [_token(rules, pile.token, pile.seat) for pile in tokens]
    found += [_condition(rules, held.kind, held.seat) for held in conditions]
    return tuple([each for each in found if each is not None])


@lru_cache(maxsize=256)
def _composed(rules: Ruleset, owned: tuple[Index, ...], others: tuple[Index, ...]) -> Index:
    below = _with_the_game(rules, others)
    return _together(owned).joined(below) if owned else below


@lru_cache(maxsize=256)
def _with_the_game(rules: Ruleset, carriers: tuple[Index, ...]) -> Index:
    return _together(carriers).joined(_own(rules)) if carriers else _own(rules)


@lru_cache(maxsize=256)
def _together(carriers: tuple[Index, ...]) -> Index:
    """Join indexes, reusing that of all but the last."""
    *others, last = carriers
    return _together(tuple(others)).joined(last) if others else last


def _stage_and_age(entry: CarriedAbility[Instead]) -> tuple[int, int]:
    return entry.ability.stage, entry.age


@lru_cache(maxsize=8)
def _own(rules: Ruleset) -> Index:
    return Index(
        _entry(Ref("game", "", TABLE, ability.name), "", TABLE, ability, GAME_AGE + age)
        for age, ability in enumerate(rules.abilities)
    )


@lru_cache(maxsize=512)
def _carried(rules: Ruleset, card: CardInPlay) -> Index | None:
    """Return the index of an owned card, whatever its counters."""
    return _card(rules, card.id, card.name, card.owner, Where.OWNED)


@lru_cache(maxsize=512)
def _card(rules: Ruleset, card: CardId, name: str, owner: Seat, where: Where) -> Index | None:
    """Return the index of a card's abilities at that place; None if it has none there."""
    entries = tuple(
        _entry(Ref.of_card(card, a.name), name, owner, a, card, card)
        for a in rules.cards[name].abilities
        if a.where is where
    )
    return Index(entries) if entries else None


@lru_cache(maxsize=64)
def _token(rules: Ruleset, token: Token, seat: Seat) -> Index | None:
    return _held_by("token", token, seat, rules.tokens[token])


@lru_cache(maxsize=256)
def _condition(rules: Ruleset, kind: str, seat: Seat) -> Index | None:
    return _held_by("condition", kind, seat, rules.conditions[kind])


def _held_by(kind: str, name: str, seat: Seat, abilities: tuple[Ability, ...]) -> Index | None:
    """Return the abilities of a seat's token or condition; None if it has none."""
    entries = tuple(
        _entry(Ref(kind, name, seat, a.name), "", seat, a, GAME_AGE - 1) for a in abilities
    )
    return Index(entries) if entries else None


def _entry(
    ref: Ref, carrier: str, seat: Seat, ability: One, age: int, card: CardId | None = None
) -> CarriedAbility[One]:
    cause = str(Source(carrier, ability.name, seat))
    return CarriedAbility(str(ref), cause, ability, seat, age, card)
