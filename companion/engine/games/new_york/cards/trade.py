"""Cards that bring cards in other ways than the usual purchase."""

from __future__ import annotations

from collections.abc import Iterator

from companion.engine.base_position import My
from companion.engine.effects.cards import (
    AddCondition,
    BuyCard,
    CardRevealed,
    EndCondition,
    TakeFromDiscards,
)
from companion.engine.effects.numbers import SpendEnergy
from companion.engine.effects.turn import Ask
from companion.engine.questions import Answer, Choice, Option
from companion.engine.shared.cards import bought, can_pay, discard, gain, keep
from companion.engine.shared.decorators import offers, whenever
from companion.engine.values import LASTING, CardId, CardKind


def _salvage(my: My) -> Iterator[Option]:
    for name in dict.fromkeys(my.game.discards):
        if my.rules.cards[name].kind is not CardKind.KEEP:
            continue
        cost = max(0, my.position.price(my.seat, name) - 1)
        if can_pay(my, cost):
            card = CardId(my.game.next_id)
            steps = (
                SpendEnergy(my.seat, cost),
                TakeFromDiscards(my.seat, card, name),
                BuyCard(my.seat, card, name),
            )
            yield Option("salvage", steps, name=name)


def _can_salvage(my: My) -> bool:
    return my.is_active and any(_salvage(my))


@offers(_can_salvage, window="buy")
def rummage(my: My) -> Answer:
    """Keep cards of the discard pile are for sale to you, 1 cheaper."""
    return Ask(my.seat, "salvage", my.card_id)


@whenever(Ask)
def what_to_salvage(my: My, ask: Ask) -> Answer:
    """You choose any that you can pay for, or none."""
    if ask.topic != "salvage" or ask.card != my.card_id:
        return None
    return Choice(my.seat, "salvage", (*_salvage(my), Option("pass")), window="salvage")


@whenever(CardRevealed)
def enrol(my: My, revealed: CardRevealed) -> Answer:
    """The next Keep card that is revealed is yours, for free."""
    card = my.position.for_sale(revealed.card)
    if card is None or my.rules.cards[card.name].kind is not CardKind.KEEP:
        return None
    return (EndCondition(my.seat, "columbia_university"), BuyCard(my.seat, card.id, card.name))


_MANHATTAN = ("manhattan",)

CARDS = (
    discard(
        "columbia_university",
        6,
        bought(gain(stars=2), lambda my: (AddCondition(my.seat, "columbia_university", LASTING),)),
        district=_MANHATTAN,
    ),
    keep("scavenger", 3, rummage, what_to_salvage),
)
