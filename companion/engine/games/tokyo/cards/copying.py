"""Cards that count as another card."""

from __future__ import annotations

from companion.engine.base_position import My
from companion.engine.effects.cards import CardArrived, CopyCard
from companion.engine.effects.numbers import SpendEnergy
from companion.engine.effects.turn import Ask, DiceCounted, MarkUsed
from companion.engine.questions import Answer, Choice, Option
from companion.engine.shared.cards import arrives, before_first_roll, can_pay, keep
from companion.engine.shared.decorators import offers, whenever
from companion.engine.values import TABLE, CardInPlay, CardKind


def _models(my: My) -> list[CardInPlay]:
    """Return the Keep cards in play that this card could copy and does not copy yet."""
    mine = (my.card_id, my.card.copies)
    keep_cards = (c for c in my.game.in_play.cards if my.rules.cards[c.name].kind is CardKind.KEEP)
    return [c for c in keep_cards if c.id not in mine and c.owner != TABLE]


@whenever(CardArrived, mine=True, clause="TK-16.9")
def copy_a_card(my: My, arrived: CardArrived) -> Answer:
    """Choose a Keep card in play: this one counts as that, as if just bought."""
    bought_now = arrives(my, arrived) and arrived.how == "bought"
    return Ask(my.seat, "copy", my.card_id) if bought_now else None


def _can_copy_another(my: My) -> bool:
    return before_first_roll(my) and can_pay(my, 1) and bool(_models(my))


@offers(_can_copy_another, window="roll", clause="TK-16.9")
def pay_to_copy_another(my: My) -> Answer:
    """At the start of your turn, 1 energy puts it on another card (H10)."""
    asked = Ask(my.seat, "copy", my.card_id, number=1)
    return (SpendEnergy(my.seat, 1), MarkUsed(my.seat, my.ref), asked)


@whenever(Ask)
def which_to_copy(my: My, ask: Ask) -> Answer:
    """You choose the card it counts as from now on; before the roll (number 1) that may change the
    dice.
    """
    if ask.topic != "copy" or ask.card != my.card_id:
        return None
    then = (DiceCounted(my.seat),) * ask.number
    options = tuple(
        Option("copy", (CopyCard(my.seat, my.card_id, c.id, c.name), *then), card=c.id)
        for c in _models(my)
    )
    return Choice(my.seat, "copy", options, window="copy", clause="TK-16.9") if options else None


CARDS = (keep("mimic", 8, copy_a_card, pay_to_copy_another, which_to_copy, copier=True),)
