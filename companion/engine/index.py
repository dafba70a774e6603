"""Who answers which effect: tables made once for what lies in play, merged when first asked for."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final, Generic, TypeVar

from companion.engine.abilities import Ability, Instead, Modifies, Offers, Quantity, Whenever, Where
from companion.engine.effects import Effect
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
"""The game itself answers after every carrier."""


A = TypeVar("A", bound=Ability, covariant=True)
E = TypeVar("E")
K = TypeVar("K")


@dataclass(frozen=True, slots=True, eq=False)
class Entry(Generic[A]):
    """One ability at one carrier.

    `ref` names it in a position, `cause` in a history (its twin by a copy too).
    """

    ref: str
    cause: str
    ability: A
    seat: Seat
    age: int
    card: CardId | None = None


AnyEntry = Entry[Any]
Insteads = dict[type[Effect], tuple[Entry[Instead], ...]]
Whenevers = dict[type[Effect], tuple[Entry[Whenever], ...]]
Modifiers = dict[Quantity, tuple[Entry[Modifies], ...]]


class Carrier:
    """The abilities of one card, token, condition or ruleset, by what they answer. Made once."""

    __slots__ = ("by_ref", "insteads", "modifiers", "offers", "whenevers")

    def __init__(self, entries: tuple[AnyEntry, ...]) -> None:
        self.by_ref = {entry.ref: entry for entry in entries}
        self.offers: tuple[Entry[Offers], ...] = ()
        self.insteads: Insteads = {}
        self.whenevers: Whenevers = {}
        self.modifiers: Modifiers = {}
        for entry in entries:
            match entry.ability:
                case Instead(on=on):
                    self.insteads[on] = (*self.insteads.get(on, ()), entry)
                case Whenever(on=on):
                    self.whenevers[on] = (*self.whenevers.get(on, ()), entry)
                case Modifies(quantity=quantity):
                    self.modifiers[quantity] = (*self.modifiers.get(quantity, ()), entry)
                case Offers():
                    self.offers = (*self.offers, entry)


class Index:
    """All abilities in force, by what they answer.

    `whenevers` by type of effect and `modifiers` by quantity stand oldest carrier first, the game's
    own last; `insteads` by type of effect by stage first; `by_ref` all by their names. What nobody
    answers, and what is not in force, has no key.
    """

    __slots__ = ("_offers", "_offers_in", "by_ref", "insteads", "modifiers", "whenevers")

    def __init__(self, carriers: tuple[Carrier, ...]) -> None:
        self.insteads = _merged([each.insteads for each in carriers])
        self.whenevers = _merged([each.whenevers for each in carriers])
        self.modifiers = _merged([each.modifiers for each in carriers])
        self.by_ref: dict[str, AnyEntry] = {}
        for each in carriers:
            self.by_ref.update(each.by_ref)
        for on, entries in self.insteads.items():
            if len(entries) > 1:
                self.insteads[on] = tuple(sorted(entries, key=_stage_and_age))
        self._offers = [entry for each in carriers for entry in each.offers]
        self._offers_in: dict[str, tuple[Entry[Offers], ...]] = {}

    def offers_in(self, window: str) -> tuple[Entry[Offers], ...]:
        """The powers that may be used while a question of this window is open, oldest first."""
        found = self._offers_in.get(window)
        if found is None:
            found = tuple([e for e in self._offers if e.ability.window in ("", window)])
            self._offers_in[window] = found
        return found


def _merged(tables: list[dict[K, tuple[E, ...]]]) -> dict[K, tuple[E, ...]]:
    """One table of several; what is last is the game's own and long: it is copied whole."""
    *carried, own = tables
    merged = own.copy()
    for table in reversed(carried):
        if table:
            for on, entries in table.items():
                merged[on] = entries + merged[on] if on in merged else entries
    return merged


@lru_cache(maxsize=1024)
def index_of(rules: Ruleset, in_play: InPlay) -> Index:
    """The index of what lies in play; what carries the same abilities gives the same index."""
    return _composed(
        (
            *_owned(rules, in_play.cards),
            *_for_sale(rules, in_play.shop),
            *_held(rules, in_play.tokens, in_play.conditions),
            _own(rules),
        )
    )


@lru_cache(maxsize=1024)
def _owned(rules: Ruleset, cards: tuple[CardInPlay, ...]) -> tuple[Carrier, ...]:
    carriers: list[Carrier | None] = []
    for card in cards:
        carriers.append(_card(rules, card.id, card.name, card.owner, Where.OWNED))
        if card.copies is not None:
            copied = next((each.name for each in cards if each.id == card.copies), None)
            if copied is not None:
                carriers.append(_card(rules, card.id, copied, card.owner, Where.OWNED))
    return tuple([each for each in carriers if each is not None])


@lru_cache(maxsize=1024)
def _for_sale(rules: Ruleset, shop: tuple[CardInPlay | None, ...]) -> tuple[Carrier, ...]:
    carriers = [
        _card(rules, each.id, each.name, each.owner, Where.FOR_SALE)
        for each in shop
        if each is not None
    ]
    return tuple([each for each in carriers if each is not None])


@lru_cache(maxsize=1024)
def _held(
    rules: Ruleset, tokens: tuple[TokenPile, ...], conditions: tuple[Condition, ...]
) -> tuple[Carrier, ...]:
    carriers = [_token(rules, pile.token, pile.seat) for pile in tokens]
    carriers += [_condition(rules, held.kind, held.seat) for held in conditions]
    return tuple([each for each in carriers if each is not None])


@lru_cache(maxsize=1024)
def _composed(carriers: tuple[Carrier, ...]) -> Index:
    return Index(carriers)


def _stage_and_age(entry: Entry[Instead]) -> tuple[int, int]:
    return entry.ability.stage, entry.age


@lru_cache(maxsize=8)
def _own(rules: Ruleset) -> Carrier:
    return Carrier(
        tuple(
            Entry(f"game/{ability.name}", f"{ability.name}@game", ability, TABLE, GAME_AGE + age)
            for age, ability in enumerate(rules.abilities)
        )
    )


@lru_cache(maxsize=4096)
def _card(rules: Ruleset, card: CardId, name: str, owner: Seat, where: Where) -> Carrier | None:
    """What the card carries there; None: nothing."""
    entries = tuple(
        Entry(f"card.{card}/{a.name}", f"{name}.{a.name}@{owner}", a, owner, card, card)
        for a in rules.cards[name].abilities
        if a.where is where
    )
    return Carrier(entries) if entries else None


@lru_cache(maxsize=64)
def _token(rules: Ruleset, token: Token, seat: Seat) -> Carrier | None:
    return _source(f"token.{token}.{seat}", seat, rules.tokens[token])


@lru_cache(maxsize=256)
def _condition(rules: Ruleset, kind: str, seat: Seat) -> Carrier | None:
    return _source(f"condition.{kind}.{seat}", seat, rules.conditions[kind])


def _source(source: str, seat: Seat, abilities: tuple[Ability, ...]) -> Carrier | None:
    entries = tuple(
        Entry(f"{source}/{a.name}", f"{a.name}@{seat}", a, seat, GAME_AGE - 1) for a in abilities
    )
    return Carrier(entries) if entries else None
