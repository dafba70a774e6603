"""Cards that buy, sell and take cards."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import UNSET

from companion.engine.abilities import Quantity, Query
from companion.engine.base_position import My
from companion.engine.effects.cards import (
    BuyCard,
    CardRevealed,
    DeckEmpty,
    DrawCard,
    DropCard,
    TakeCard,
)
from companion.engine.effects.numbers import SpendEnergy, TakeBackEnergy
from companion.engine.effects.sources import Mark
from companion.engine.effects.turn import Ask, EndPhase, MarkUsed
from companion.engine.game import Step
from companion.engine.questions import Answer, Choice, Option, Reveal
from companion.engine.shared.buying import purchase
from companion.engine.shared.cards import can_pay, keep, transfer
from companion.engine.shared.decorators import modifies, offers, whenever
from companion.engine.values import TABLE, CardId, CardKind


@whenever(CardRevealed, active_last=True, clause="TK-16.3")
def buy_at_once(my: My, revealed: CardRevealed) -> Answer:
    """You may buy a card as soon as it is revealed; with a copy of this one you are still asked
    only once (H8).
    """
    card = my.position.for_sale(revealed.card)  # by id: the slot may hold another card by now
    declined = Mark("declined", about=revealed.card, seat=my.seat)
    if card is None or my.has_used(declined):
        return None
    buy = purchase(my.position, my.seat, card)
    if buy.barred:
        return None
    about = (("card", card.name),)
    return Choice(
        my.seat,
        "buy_at_once",
        (buy, Option("pass", (MarkUsed(my.seat, str(declined)),))),
        window="revealed",
        clause="TK-16.3",
        about=about,
    )


@modifies(Quantity.PRICE, mine=True, clause="TK-16.12")
def cheaper(my: My, query: Query, price: int) -> int:
    """Cards cost you 1 less."""
    return price - 1


def _loot(my: My) -> Iterator[Option]:
    for c in my.game.in_play.cards:
        if c.owner in (my.seat, TABLE) or my.rules.cards[c.name].kind is not CardKind.KEEP:
            continue
        price = my.position.price(my.seat, c.name)
        if can_pay(my, price):
            steps = (*transfer(my, my.seat, price, c.owner), TakeCard(my.seat, c.id, c.name))
            yield Option("take", steps, card=c.id)


def _can_loot(my: My) -> bool:
    return my.is_active and any(_loot(my))


@offers(_can_loot, window="buy", clause="TK-16.8")
def buy_from_others(my: My) -> Answer:
    """In your buying phase, Keep cards of others are for sale; they get the price (H9)."""
    return Ask(my.seat, "loot", my.card_id)


@whenever(Ask)
def what_to_take(my: My, ask: Ask) -> Answer:
    """You choose any that you can pay for, or none."""
    if ask.topic != "loot" or ask.card != my.card_id:
        return None
    return Choice(my.seat, "take_card", (*_loot(my), Option("pass")), window="take")


def _can_peek(my: My) -> bool:
    unseen = bool(my.game.deck or my.game.discards)
    return my.is_active and unseen and not my.has_used()


@offers(_can_peek, window="buy", clause="TK-12.1")
def peek(my: My) -> Answer:
    """In your buying phase you may look at the next card, and buy it."""
    return (MarkUsed(my.seat, my.ref), Ask(my.seat, "peek", my.card_id))


@whenever(Ask)
def what_lies_on_top(my: My, ask: Ask) -> Answer:
    """The table names the top card to the owner."""
    if ask.topic != "peek" or ask.card != my.card_id:
        return None
    names = tuple(dict.fromkeys(my.game.deck or my.game.discards))

    def named(name: str | None) -> tuple[Step, ...]:
        if name is None:
            return (DeckEmpty(my.seat),)
        return (Ask(my.seat, "peeked", my.card_id, shown=name),)

    return Reveal(my.seat, "peek", names, named, slot=-1, again=False)


@whenever(Ask)
def buy_what_you_saw(my: My, ask: Ask) -> Answer:
    """You may buy it at its price, or leave it on the deck."""
    name = ask.shown
    if ask.topic != "peeked" or ask.card != my.card_id or name is UNSET:
        return None
    price, card = my.position.price(my.seat, name), CardId(my.game.next_id)
    buy = (SpendEnergy(my.seat, price), DrawCard(my.seat, card, name), BuyCard(my.seat, card, name))
    lacking = max(0, price - my.position.purse(my.seat))
    barred = "short" if lacking else ""
    options = (Option("buy", buy, barred=barred, lacking=lacking), Option("pass"))
    return Choice(my.seat, "buy_peeked", options, window="take", about=(("card", name),))


@whenever(EndPhase, mine=True, clause="TK-16.5")
def sell_cards(my: My, phase: EndPhase) -> Answer:
    """At the end of your turn you may sell Keep cards for their printed cost (H6). What lets you
    sell is better sold last: without it no other card can be (H35).
    """
    mine = [c for c in my.game.in_play.cards if c.owner == my.seat]
    seller = (my.card_id, my.card.copies) if len(mine) > 1 else ()
    options = tuple(
        Option(
            "sell",
            (
                DropCard(my.seat, c.id, c.name),
                TakeBackEnergy(my.seat, my.rules.cards[c.name].cost),
            ),
            again=True,
            card=c.id,
            warning="sell_last" if c.id in seller else "",
        )
        for c in mine
        if my.rules.cards[c.name].kind is CardKind.KEEP
    )
    return Choice(my.seat, "sell", (*options, Option("pass")), window="end", clause="TK-16.5")


CARDS = (
    keep("alien_metabolism", 3, cheaper),
    keep("made_in_a_lab", 2, peek, what_lies_on_top, buy_what_you_saw),
    keep("metamorph", 3, sell_cards),
    keep("opportunist", 3, buy_at_once),
    keep("parasitic_tentacles", 4, buy_from_others, what_to_take),
)
