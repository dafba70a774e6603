"""Abilities that many cards share, and the rows a card table is made of."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec.structs import replace

from companion.engine.abilities import Ability, My, Whenever, whenever
from companion.engine.effects import (
    CardArrived,
    Damage,
    GainEnergy,
    GainStars,
    GiveTokens,
    Heal,
    RemoveTokens,
    ResolveFace,
)
from companion.engine.game import Together
from companion.engine.questions import Answer, Choice, Option
from companion.engine.ruleset import Card
from companion.engine.values import CardKind, Seat, Token


def keep(name: str, cost: int, *abilities: Ability, copies: int = 1) -> Card:
    """A card that stays in front of its owner (NY-15.3, TK-12.2)."""
    return Card(name, cost, CardKind.KEEP, abilities, copies=copies)


def discard(name: str, cost: int, *abilities: Ability, district: tuple[str, ...] = ()) -> Card:
    """A card that works once, when it is bought (NY-15.3, TK-12.2)."""
    return Card(name, cost, CardKind.DISCARD, abilities, district)


def goal(name: str) -> Card:
    """A card won with dice, never bought (NY-2.1)."""
    return Card(name, 0, CardKind.GOAL)


def unfinished(
    name: str, cost: int, kind: CardKind, district: tuple[str, ...] = (), copies: int = 1
) -> Card:
    """A card the engine cannot carry out yet: it can be shown and bought, and the table does what
    it says.
    """
    return Card(name, cost, kind, (), district, copies, finished=False)


def deck(*cards: Card) -> dict[str, Card]:
    """The cards by their ids."""
    return {card.name: card for card in cards}


def arrives(my: My, arrived: CardArrived) -> bool:
    """Whether it is this very card that begins to work, as itself or as what it copies."""
    return arrived.card == my.card_id and arrived.seat == my.seat


def gains(*, stars: int = 0, energy: int = 0, health: int = 0) -> Whenever:
    """When bought: stars, energy and health for the buyer (NY-15.4, TK-12.3)."""

    @whenever(CardArrived)
    def gain(my: My, arrived: CardArrived) -> Answer:
        if not arrives(my, arrived):
            return None
        return (GainStars(my.seat, stars), GainEnergy(my.seat, energy), Heal(my.seat, health))

    return gain


def everyone(my: My, amount: int) -> Together:
    """The same damage to every living Monster at once, dealt by the owner;
    not an attack (NY-15.7, TK-7.6).
    """
    seats: Iterable[Seat] = my.now.clockwise(my.seat)
    return Together(tuple(Damage(s, amount, my.seat) for s in seats if my.now.is_alive(s)))


def wounded_get(token: Token) -> Whenever:
    """Each other Monster the owner damages gets a token."""

    @whenever(Damage)
    def mark_the_wounded(my: My, hurt: Damage) -> Answer:
        mine = hurt.dealer == my.seat and hurt.seat != my.seat
        return GiveTokens(hurt.seat, 1, token) if mine else None

    return mark_the_wounded


def spend_on_tokens(my: My, group: ResolveFace, token: Token) -> Answer:
    """Ask how many of these symbols take tokens off instead of doing what they do."""
    most = min(group.amount, my.now.tokens(my.seat, token))
    options = tuple(
        Option(
            f"use_{k}",
            (RemoveTokens(my.seat, k, token), replace(group, amount=group.amount - k)),
            face=group.face,
        )
        for k in range(most + 1)
    )
    about = (("token", token.value), ("amount", group.amount))
    return Choice(my.seat, "use_on_tokens", options, window="group", about=about)
