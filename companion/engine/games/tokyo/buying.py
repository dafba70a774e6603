"""Cards of Tokyo that work once, or buy, sell, take and copy cards."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import UNSET

from companion.engine.abilities import Quantity, Query
from companion.engine.base_position import My
from companion.engine.effects.cards import (
    BuyCard,
    CardArrived,
    CardRevealed,
    CopyCard,
    DeckEmpty,
    DrawCard,
    DropCard,
    TakeCard,
)
from companion.engine.effects.numbers import (
    LoseEnergy,
    LoseHealth,
    LoseStars,
    SpendEnergy,
    TakeBackEnergy,
)
from companion.engine.effects.sources import Mark
from companion.engine.effects.turn import Ask, DiceCounted, EndPhase, MarkUsed, MoveTo
from companion.engine.game import Step
from companion.engine.questions import Answer, Choice, Option, Reveal
from companion.engine.shared.abilities import (
    arrives,
    before_first_roll,
    bought,
    can_pay,
    discard,
    extra_turn,
    gain,
    gains,
    hurt_all,
    hurt_me,
    hurt_others,
    keep,
    modifies,
    offers,
    others,
    transfer,
    whenever,
)
from companion.engine.shared.buying import purchase
from companion.engine.values import TABLE, CardId, CardInPlay, CardKind, How, Seat

# -- cards that are discarded after one use --------------------------------------------------------


def drop_in(my: My) -> tuple[Step, ...]:
    """Move the owner to Tokyo City, unless it is in Tokyo (City or Bay); a Monster in Tokyo City
    leaves without damage (TK-16.7, C20).
    """
    if my.position.is_inside(my.seat):
        return ()
    city = next(p.name for p in my.rules.places.values() if p.entry and not p.track)
    outside = my.rules.start_places[0]
    there = (m.seat for m in my.game.monsters if m.alive and m.place == city)
    out = tuple(MoveTo(s, outside, How.LEAVE) for s in there)
    return (*out, MoveTo(my.seat, city, How.ENTER))


def evacuate(my: My) -> tuple[Step, ...]:
    """Make every other Monster lose 5 stars (H21)."""
    return tuple(LoseStars(s, 5) for s in others(my))


def storm(my: My) -> tuple[Step, ...]:
    """Make every other Monster lose half of its own energy, rounded down."""
    return tuple(LoseEnergy(s, my.game.monsters[s].energy // 2) for s in others(my))


def shrinks_back(seat: Seat) -> tuple[Step, ...]:
    """Return the step that costs 2 health when Even Bigger leaves play (TK-16.1, D7)."""
    return (LoseHealth(seat, 2),)


# -- cards that buy, sell and take cards -----------------------------------------------------------


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


@offers(_can_peek, window="buy", clause="TK-16.26")
def peek(my: My) -> Answer:
    """In your buying phase you may look at the next card, and buy it; others learn no more than
    that (H40).
    """
    return (MarkUsed(my.seat, my.ref), Ask(my.seat, "peek", my.card_id))


@whenever(Ask)
def what_lies_on_top(my: My, ask: Ask) -> Answer:
    """The owner looks at the top card and names it, or keeps even that to itself (`UNNAMED`)."""
    if ask.topic != "peek" or ask.card != my.card_id:
        return None
    names = tuple(dict.fromkeys(my.game.deck or my.game.discards))

    def named(name: str | None) -> tuple[Step, ...]:
        if name is None:
            return (DeckEmpty(my.seat),)
        return (Ask(my.seat, "peeked", my.card_id, shown=name or UNSET),)

    return Reveal(my.seat, "peek", names, named, slot=-1, again=False, secret=True)


@whenever(Ask)
def buy_what_you_saw(my: My, ask: Ask) -> Answer:
    """You may buy it at its price, or leave it on the deck. Without its name, as others know the
    game, it can only be left.
    """
    if ask.topic != "peeked" or ask.card != my.card_id:
        return None
    name, leave = ask.shown, Option("pass")
    if name is UNSET:
        return Choice(my.seat, "peeked", (leave,), "take", "TK-16.26", secret=True)
    price, card = my.position.price(my.seat, name), CardId(my.game.next_id)
    buy = (SpendEnergy(my.seat, price), DrawCard(my.seat, card, name), BuyCard(my.seat, card, name))
    lacking = max(0, price - my.position.purse(my.seat))
    barred = "short" if lacking else ""
    options = (Option("buy", buy, barred=barred, lacking=lacking), leave)
    about = (("card", name),)
    return Choice(my.seat, "buy_peeked", options, "take", "TK-16.26", about, secret=True)


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


# -- cards that count as another card --------------------------------------------------------------


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
    """You choose the card it counts as; before the roll (number 1) that may change the dice."""
    if ask.topic != "copy" or ask.card != my.card_id:
        return None
    then = (DiceCounted(my.seat),) * ask.number
    options = tuple(
        Option("copy", (CopyCard(my.seat, my.card_id, c.id, c.name), *then), card=c.id)
        for c in _models(my)
    )
    return Choice(my.seat, "copy", options, window="copy", clause="TK-16.9") if options else None


CARDS = (
    discard("apartment_building", 5, gains(stars=3)),
    discard("commuter_train", 4, gains(stars=2)),
    discard("corner_store", 3, gains(stars=1)),
    discard("drop_from_high_altitude", 5, bought(gain(stars=2), drop_in)),
    discard("energize", 8, gains(energy=9)),
    discard("evacuation_orders", 7, bought(evacuate), copies=2),
    discard("fire_blast", 3, bought(hurt_others(2))),
    discard("frenzy", 7, bought(extra_turn())),
    discard("gas_refinery", 6, bought(gain(stars=2), hurt_others(3))),
    discard("heal", 3, gains(health=2)),
    discard("high_altitude_bombing", 4, bought(hurt_all(3))),
    discard("jet_fighters", 5, bought(gain(stars=5), hurt_me(4))),
    discard("national_guard", 3, bought(gain(stars=2), hurt_me(2))),
    discard("nuclear_power_plant", 6, gains(stars=2, health=3)),
    discard("skyscraper", 6, gains(stars=4)),
    discard("tanks", 4, bought(gain(stars=4), hurt_me(3))),
    discard("vast_storm", 6, bought(gain(stars=2), storm)),
    keep("alien_metabolism", 3, cheaper),
    keep("made_in_a_lab", 2, peek, what_lies_on_top, buy_what_you_saw),
    keep("metamorph", 3, sell_cards),
    keep("opportunist", 3, buy_at_once),
    keep("parasitic_tentacles", 4, buy_from_others, what_to_take),
    keep("mimic", 8, copy_a_card, pay_to_copy_another, which_to_copy, copier=True),
)
