"""The card shop: filling slots (the table names each card), buying, sweeping; cards that start or
stop working (NY-15, TK-12).
"""

from __future__ import annotations

from companion.engine.base_position import BasePosition, My
from companion.engine.effects.cards import (
    BuyCard,
    CardArrived,
    CardLeft,
    CardRevealed,
    CopyCard,
    DeckEmpty,
    DropCard,
    OpenShop,
    PutOffShop,
    SweepShop,
    TakeCard,
)
from companion.engine.effects.numbers import SpendEnergy, TrimHealth
from companion.engine.effects.turn import BuyPhase
from companion.engine.game import Step
from companion.engine.questions import Answer, Choice, Option, Reveal
from companion.engine.shared.abilities import whenever
from companion.engine.values import CardId, CardInPlay, CardKind, Seat


def purchase(position: BasePosition, seat: Seat, card: CardInPlay, again: bool = False) -> Option:
    """Return the option of buying this card; barred if forbidden or unaffordable."""
    price = position.price(seat, card.name)
    lacking = max(0, price - position.purse(seat))
    forbidden = not position.may_buy(seat, card.name)
    return Option(
        "buy",
        (SpendEnergy(seat, price), BuyCard(seat, card.id, card.name)),
        again=again,
        barred="forbidden" if forbidden else "short" if lacking else "",
        lacking=lacking,
        card=card.id,
    )


@whenever(BuyPhase, clause=("NY-15.1", "NY-15.2", "TK-12.1"))
def shopping(my: My, phase: BuyPhase) -> Answer:
    """Buy and sweep, in any order, as long as energy lasts. No question if nothing can be done."""
    position, seat = my.position, phase.seat
    if len(position.alive()) == 1:
        return None
    cards = [card for card in my.game.in_play.shop if card is not None]
    buys = [purchase(position, seat, card, again=True) for card in cards]
    lacking = max(0, my.rules.sweep_cost - position.purse(seat))
    steps = (SpendEnergy(seat, my.rules.sweep_cost), SweepShop(seat))
    barred = "short" if lacking else "" if cards else "empty"
    sweep = Option("sweep", steps, again=True, barred=barred, lacking=lacking)
    name = Option("name_cards", (OpenShop(seat),), again=True)
    unnamed = (name,) if my.game.put_off and could_buy(position, seat) else ()
    choice = Choice(
        seat,
        "buy",
        (*buys, sweep, *unnamed, Option("end")),
        window="buy",
        clause=my.rules.clause("buy"),
    )
    if len(choice.open()) > 1 or any(entry.seat == seat for entry in position.powers("buy")):
        return choice
    return None


def could_buy(position: BasePosition, seat: Seat) -> bool:
    """Whether an unnamed empty slot could hold a card that the seat can afford."""
    unseen = position.game.deck or position.game.discards
    if position.empty_slot() is None:
        return False
    return any(position.price(seat, name) <= position.purse(seat) for name in dict.fromkeys(unseen))


def refill(my: My, seat: Seat) -> Answer:
    """The table names a card for the next empty slot (NY-15.1, NY-15.8, TK-12.5)."""
    slot = my.position.empty_slot()
    if my.game.put_off or slot is None:
        return None
    if not my.position.is_alive(seat):  # the card that was bought killed its buyer
        seat = my.position.after(seat)
    if not my.position.alive():
        return None
    card = CardId(my.game.next_id)

    def named(name: str | None) -> tuple[Step, ...]:
        return (DeckEmpty(seat),) if name is None else (CardRevealed(seat, slot, card, name),)

    names = tuple(dict.fromkeys(my.game.deck or my.game.discards))
    return Reveal(seat, "card", names, named, slot=slot, skip=(PutOffShop(seat),))


@whenever(OpenShop, clause=("NY-2.1", "TK-2.3"))
def fill_shop(my: My, opened: OpenShop) -> Answer:
    """The table names a card for each empty slot, one after another."""
    return refill(my, opened.seat)


@whenever(BuyCard, clause=("NY-15.1", "TK-12.1"))
def replace_bought(my: My, bought: BuyCard) -> Answer:
    """A bought card is replaced at once."""
    return refill(my, bought.seat)


@whenever(SweepShop, clause=("NY-15.2", "TK-12.1"))
def replace_swept(my: My, swept: SweepShop) -> Answer:
    """The table names a card for each empty slot, one after another."""
    return refill(my, swept.seat)


@whenever(BuyCard, clause=("NY-15.3", "TK-12.2"))
def arrived(my: My, bought: BuyCard) -> Answer:
    """A bought card begins to work; a discard card works once and goes."""
    come = CardArrived(bought.seat, bought.card, bought.name)
    if my.rules.cards[bought.name].kind is CardKind.DISCARD:
        return (come, DropCard(bought.seat, bought.card, bought.name))
    return come


@whenever(CopyCard, clause="TK-16.9")
def copied(my: My, copy: CopyCard) -> Answer:
    """A card begins to work as the one it copies, as if just bought."""
    if copy.of is None:
        return None
    return CardArrived(copy.seat, copy.card, copy.name, "copied")


@whenever(TakeCard, clause="TK-16.8")
def taken_over(my: My, taken: TakeCard) -> Answer:
    """A card taken over begins to work for its new owner."""
    return CardArrived(taken.seat, taken.card, taken.name, "taken")


@whenever(CardLeft, clause="TK-16.9")
def original_left(my: My, left: CardLeft) -> Answer:
    """When a card leaves play, its copies stop copying it."""
    if my.position.card(left.card) is not None:  # it only stopped copying, or has another owner
        return None
    return tuple(
        CopyCard(card.owner, card.id, None)
        for card in my.game.in_play.cards
        if card.copies == left.card
    )


@whenever(CardLeft, clause="TK-16.1")
def leaves(my: My, left: CardLeft) -> Answer:
    """A card that leaves applies its `leaving` steps, if it has any."""
    leaving = my.rules.cards[left.name].leaving
    return leaving(left.seat) if leaving is not None else None


@whenever(CardLeft, clause="TK-16.1")
def trim(my: My, left: CardLeft) -> Answer:
    """Health above a maximum that fell is lost (D6)."""
    return TrimHealth(left.seat)


BUYING = (
    shopping,
    arrived,
    copied,
    taken_over,
    fill_shop,
    replace_bought,
    replace_swept,
    original_left,
    leaves,
    trim,
)
