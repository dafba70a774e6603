"""Who answers which effect: tables made once for what lies in play, merged when first asked for."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Final, TypeVar

from companion.engine.abilities import Ability, Instead, Modifies, Offers, Quantity, Whenever, Where
from companion.engine.effects import Effect
from companion.engine.ruleset import Ruleset
from companion.engine.values import TABLE, CardId, InPlay, Seat, Token

GAME_AGE: Final = 1 << 30
"""The game itself answers after every carrier."""


@dataclass(frozen=True, slots=True, eq=False)
class Entry:
    """One ability at one carrier.

    `ref` names it in a position, `cause` in a history (its twin by a copy too).
    """

    ref: str
    cause: str
    ability: Ability
    seat: Seat
    age: int
    card: CardId | None = None


class Carrier:
    """The abilities of one card, token, condition or ruleset, by what they answer. Made once."""

    __slots__ = ("by_ref", "insteads", "modifiers", "offers", "whenevers")

    def __init__(self, entries: tuple[Entry, ...]) -> None:
        self.by_ref = {entry.ref: entry for entry in entries}
        self.offers = [entry for entry in entries if isinstance(entry.ability, Offers)]
        self.insteads: dict[type[Effect], list[Entry]] = {}
        self.whenevers: dict[type[Effect], list[Entry]] = {}
        self.modifiers: dict[Quantity, list[Entry]] = {}
        for entry in entries:
            match entry.ability:
                case Instead(on=on):
                    self.insteads.setdefault(on, []).append(entry)
                case Whenever(on=on):
                    self.whenevers.setdefault(on, []).append(entry)
                case Modifies(quantity=quantity):
                    self.modifiers.setdefault(quantity, []).append(entry)


K = TypeVar("K")


class Merged(dict[K, tuple[Entry, ...]]):
    """Entries of all carriers by what they answer, each key merged when it is first asked for."""

    def __init__(self, tables: list[dict[K, list[Entry]]], by_stage: bool = False) -> None:
        super().__init__()
        self._tables = tables
        self._by_stage = by_stage

    def __missing__(self, on: K) -> tuple[Entry, ...]:
        chosen = [entry for table in self._tables for entry in table.get(on, ())]
        if self._by_stage:
            chosen.sort(key=_stage_and_age)
        self[on] = found = tuple(chosen)
        return found


class Index:
    """All abilities in force, by what they answer.

    `whenevers` by type of effect and `modifiers` by quantity stand oldest carrier first, the game's
    own last; `insteads` by type of effect by stage first.
    """

    __slots__ = ("_by_ref", "insteads", "modifiers", "offers", "whenevers")

    def __init__(self, carriers: tuple[Carrier, ...]) -> None:
        self.insteads = Merged([each.insteads for each in carriers], by_stage=True)
        self.whenevers = Merged([each.whenevers for each in carriers])
        self.modifiers = Merged([each.modifiers for each in carriers])
        self.offers = tuple(entry for each in carriers for entry in each.offers)
        self._by_ref: dict[str, Entry] = {}
        for each in carriers:
            self._by_ref |= each.by_ref

    def entry(self, ref: str) -> Entry | None:
        """The entry of that name, while its carrier is in force."""
        return self._by_ref.get(ref)


@lru_cache(maxsize=1024)
def index_of(rules: Ruleset, in_play: InPlay) -> Index:
    """The index of what lies in play; what carries the same abilities gives the same index."""
    carriers: list[Carrier | None] = []
    cards = in_play.cards
    for card in cards:
        carriers.append(_card(rules, card.id, card.name, card.owner, Where.OWNED))
        if card.copies is not None:
            copied = next((each.name for each in cards if each.id == card.copies), None)
            if copied is not None:
                carriers.append(_card(rules, card.id, copied, card.owner, Where.OWNED))
    for each in in_play.shop:
        if each is not None:
            carriers.append(_card(rules, each.id, each.name, each.owner, Where.FOR_SALE))
    carriers += (_token(rules, pile.token, pile.seat) for pile in in_play.tokens)
    carriers += (_condition(rules, held.kind, held.seat) for held in in_play.conditions)
    carriers.append(_own(rules))
    return _composed(tuple(each for each in carriers if each is not None))


def forget() -> None:
    """Every table will be made anew, from abilities as they are then."""
    for made in (index_of, _composed, _own, _card, _token, _condition):
        made.cache_clear()


@lru_cache(maxsize=1024)
def _composed(carriers: tuple[Carrier, ...]) -> Index:
    return Index(carriers)


def _stage_and_age(entry: Entry) -> tuple[int, int]:
    assert isinstance(entry.ability, Instead)
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
