"""Who answers which effect: tables made once for what lies in play, merged when first asked for."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from companion.engine.abilities import Ability, Instead, Modifies, Offers, Quantity, Whenever, Where
from companion.engine.effects import Effect
from companion.engine.ruleset import Card, Ruleset
from companion.engine.values import TABLE, CardId, CardInPlay, InPlay, Seat

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


class Index:
    """All abilities in force, by what they answer."""

    def __init__(self, rules: Ruleset, in_play: InPlay) -> None:
        self._entries = (*_carried(rules, in_play), *_own(rules))
        self._by_ref = {entry.ref: entry for entry in self._entries}
        self._insteads: dict[type[Effect], tuple[Entry, ...]] = {}
        self._whenevers: dict[type[Effect], tuple[Entry, ...]] = {}
        self._modifiers: dict[Quantity, tuple[Entry, ...]] = {}
        self.offers = tuple(e for e in self._entries if isinstance(e.ability, Offers))

    def entry(self, ref: str) -> Entry | None:
        """The entry of that name, while its carrier is in force."""
        return self._by_ref.get(ref)

    def insteads(self, on: type[Effect]) -> tuple[Entry, ...]:
        """Replacing abilities by stage, then oldest carrier first."""
        found = self._insteads.get(on)
        if found is None:
            chosen = [
                (e.ability.stage, e.age, e)
                for e in self._entries
                if isinstance(e.ability, Instead) and e.ability.on is on
            ]
            found = tuple(e for *_, e in sorted(chosen, key=lambda row: row[:2]))
            self._insteads[on] = found
        return found

    def whenevers(self, on: type[Effect]) -> tuple[Entry, ...]:
        """Following abilities, oldest carrier first."""
        found = self._whenevers.get(on)
        if found is None:
            found = tuple(
                e for e in self._entries if isinstance(e.ability, Whenever) and e.ability.on is on
            )
            self._whenevers[on] = found
        return found

    def modifiers(self, quantity: Quantity) -> tuple[Entry, ...]:
        """Modifiers of a quantity, oldest carrier first."""
        found = self._modifiers.get(quantity)
        if found is None:
            found = tuple(
                e
                for e in self._entries
                if isinstance(e.ability, Modifies) and e.ability.quantity is quantity
            )
            self._modifiers[quantity] = found
        return found


@lru_cache(maxsize=2048)
def index_of(rules: Ruleset, in_play: InPlay) -> Index:
    """The index of what lies in play; the same value gives the same index."""
    return Index(rules, in_play)


@lru_cache(maxsize=8)
def _own(rules: Ruleset) -> tuple[Entry, ...]:
    return tuple(
        Entry(f"game/{ability.name}", f"{ability.name}@game", ability, TABLE, GAME_AGE + age)
        for age, ability in enumerate(rules.abilities)
    )


def _carried(rules: Ruleset, in_play: InPlay) -> list[Entry]:
    entries: list[Entry] = []
    names = {card.id: card.name for card in in_play.cards}
    for card in in_play.cards:
        entries += _of_card(card, rules.cards[card.name], Where.OWNED)
        if card.copies is not None and card.copies in names:
            entries += _of_card(card, rules.cards[names[card.copies]], Where.OWNED)
    for each in in_play.shop:
        if each is not None:
            entries += _of_card(each, rules.cards[each.name], Where.FOR_SALE)
    for pile in in_play.tokens:
        entries += _of_source(
            f"token.{pile.token}.{pile.seat}", pile.seat, rules.tokens[pile.token]
        )
    for held in in_play.conditions:
        source = f"condition.{held.kind}.{held.seat}"
        entries += _of_source(source, held.seat, rules.conditions[held.kind])
    return entries


def _of_card(card: CardInPlay, row: Card, where: Where) -> list[Entry]:
    return [
        Entry(
            f"card.{card.id}/{ability.name}",
            f"{row.name}.{ability.name}@{card.owner}",
            ability,
            card.owner,
            card.id,
            card.id,
        )
        for ability in row.abilities
        if ability.where is where
    ]


def _of_source(source: str, seat: Seat, abilities: tuple[Ability, ...]) -> list[Entry]:
    return [
        Entry(f"{source}/{a.name}", f"{a.name}@{seat}", a, seat, GAME_AGE - 1) for a in abilities
    ]
