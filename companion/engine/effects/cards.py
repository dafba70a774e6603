"""Effects on cards (revealed, bought, copied, discarded), conditions and extra turns.

A `tag` is an effect's stored name if it differs from the class.
"""

from __future__ import annotations

from typing import Any, ClassVar

from msgspec.structs import replace

from companion.engine.effects.base import (
    Effect,
    Lookups,
    with_card,
    with_condition,
    with_in_play,
    without_card,
)
from companion.engine.values import (
    TABLE,
    B,
    Board,
    CardId,
    CardInPlay,
    Clause,
    Condition,
    ExtraTurn,
    Seat,
)


def _with_changed(position: Lookups[B], card: CardId, **changes: Any) -> B:
    """Return the board with fields of a card in play changed; as it is if the card has left."""
    found = position.card(card)
    return with_card(position.game, replace(found, **changes)) if found else position.game


def _without_top(board: B, name: str, card: CardId) -> B:
    """Return the board without this card of the deck, which was given that id. A deck that lacks it
    was made of the discard pile before (NY-15.8).
    """
    deck, discards = list(board.deck), board.discards
    if name not in deck:
        deck, discards = [*deck, *discards], ()
    deck.remove(name)
    next_id = max(board.next_id, card + 1)
    return replace(board, deck=tuple(sorted(deck)), discards=discards, next_id=next_id)


class OpenShop(Effect, frozen=True):
    """The table is to name cards for the empty slots of the shop; ends an earlier `PutOffShop`."""

    clause: ClassVar[Clause] = ("NY-2.1", "TK-2.3")

    to_dead: ClassVar = True
    quiet: ClassVar = True

    def apply(self, position: Lookups[B]) -> B:
        """Clear "put off": the shop is to be filled and named."""
        return replace(position.game, put_off=False)


class PutOffShop(Effect, frozen=True):
    """The table puts off naming the cards for sale."""

    quiet: ClassVar = True

    def apply(self, position: Lookups[B]) -> B:
        """Note that empty slots stay unnamed until somebody asks."""
        return replace(position.game, put_off=True)


class CardRevealed(Effect, frozen=True):
    """A card is face up in a slot of the shop."""

    to_dead: ClassVar = True
    slot: int
    card: CardId
    name: str

    def apply(self, position: Lookups[B]) -> B:
        """Put the card into its slot with an id, and take its name from the deck."""
        shop = list(position.game.in_play.shop)
        shop[self.slot] = CardInPlay(self.card, self.name)
        game = with_in_play(position.game, shop=tuple(shop))
        return _without_top(game, self.name, self.card)


class DeckEmpty(Effect, frozen=True):
    """The table reports that no card is left to turn up."""

    clause: ClassVar[Clause] = "NY-15.8"

    to_dead: ClassVar = True

    def apply(self, position: Lookups[B]) -> B:
        """Empty deck and discards, so that nobody is asked again until a card is discarded."""
        return replace(position.game, deck=(), discards=(), put_off=True)


class SweepShop(Effect, frozen=True):
    """All cards for sale are discarded."""

    clause: ClassVar[Clause] = ("NY-15.2", "TK-12.1")

    def apply(self, position: Lookups[B]) -> B:
        """Move the cards for sale to the discard pile."""
        names = [card.name for card in position.game.in_play.shop if card is not None]
        game = with_in_play(position.game, shop=(None,) * len(position.game.in_play.shop))
        return replace(game, discards=tuple(sorted((*game.discards, *names))), put_off=False)


class BuyCard(Effect, frozen=True):
    """A card becomes a Monster's; the price was paid before."""

    card: CardId
    name: str

    def apply(self, position: Lookups[B]) -> B:
        """Move the card from the shop to its buyer."""
        shop = tuple(
            None if each is not None and each.id == self.card else each
            for each in position.game.in_play.shop
        )
        if position.card(self.card) is not None:
            return position.game  # already in play: nothing to move
        mine = CardInPlay(self.card, self.name, self.seat)
        return with_in_play(position.game, cards=(*position.game.in_play.cards, mine), shop=shop)


class CardArrived(Effect, frozen=True):
    """A card begins to work for a Monster: bought, taken over or copied.

    `name` is what it counts as.
    """

    quiet: ClassVar = True
    card: CardId
    name: str
    how: str = "bought"


class CardLeft(Effect, frozen=True):
    """A card stopped working for a Monster. `name` is what it counted as."""

    to_dead: ClassVar = True
    quiet: ClassVar = True
    card: CardId
    name: str


class DropCard(Effect, frozen=True):
    """A Monster's card goes to the discard pile."""

    card: CardId
    name: str

    def apply(self, position: Lookups[B]) -> B:
        """Discard the card; one that has left already is no error."""
        there = any(each.id == self.card for each in position.game.in_play.cards)
        return without_card(position.game, self.card) if there else position.game


class CopyCard(Effect, frozen=True):
    """A card counts as another one from now on; `of` None: as itself only."""

    clause: ClassVar[Clause] = "TK-16.9"

    to_dead: ClassVar = True
    card: CardId
    of: CardId | None
    name: str = ""

    def apply(self, position: Lookups[B]) -> B:
        """Point the copy at its original and clear its counters."""
        return _with_changed(position, self.card, copies=self.of, counters=0)


class TakeCard(Effect, frozen=True):
    """A card of another Monster becomes this Monster's, with the tokens on it."""

    clause: ClassVar[Clause] = "TK-16.8"

    card: CardId
    name: str

    def apply(self, position: Lookups[B]) -> B:
        """Give the card, with its counters, to the new owner."""
        return _with_changed(position, self.card, owner=self.seat)


class TakeFromDiscards(Effect, frozen=True, tag="SalvageCard"):
    """A card comes out of the discard pile to a Monster."""

    card: CardId
    name: str

    def apply(self, position: Lookups[B]) -> B:
        """Move the card from the discard pile to its owner."""
        discards = list(position.game.discards)
        discards.remove(self.name)
        mine = CardInPlay(self.card, self.name, self.seat)
        game = with_in_play(position.game, cards=(*position.game.in_play.cards, mine))
        next_id = max(game.next_id, self.card + 1)
        return replace(game, discards=tuple(discards), next_id=next_id)


class DrawCard(Effect, frozen=True):
    """The top card of the deck goes straight to a Monster."""

    card: CardId
    name: str

    def apply(self, position: Lookups[B]) -> B:
        """Move the card from the deck to its owner."""
        mine = CardInPlay(self.card, self.name, self.seat)
        game = with_in_play(position.game, cards=(*position.game.in_play.cards, mine))
        return _without_top(game, self.name, self.card)


class TakeGoal(Effect, frozen=True):
    """A goal card changes hands."""

    clause: ClassVar[Clause] = ("NY-11.2", "NY-12.3")

    card: CardId
    name: str
    former: Seat = TABLE

    def apply(self, position: Lookups[B]) -> B:
        """Give the goal card to its new holder."""
        goal = next(card for card in position.game.in_play.cards if card.id == self.card)
        return with_card(position.game, replace(goal, owner=self.seat))


class AddCounters(Effect, frozen=True):
    """Tokens are put on a card."""

    counted: ClassVar = True
    amount: int
    card: CardId
    name: str

    def apply(self, position: Lookups[B]) -> B:
        """Add the tokens to the card."""
        card = position.card(self.card)
        if card is None:
            return position.game
        return with_card(position.game, replace(card, counters=card.counters + self.amount))


class SpendCounters(Effect, frozen=True):
    """Tokens are taken off a card."""

    counted: ClassVar = True
    amount: int
    card: CardId
    name: str

    def fitted(self, position: Lookups[Board]) -> Effect:
        """Limit the number to the tokens on the card."""
        card = position.card(self.card)
        return replace(self, amount=min(self.amount, card.counters if card else 0))

    def apply(self, position: Lookups[B]) -> B:
        """Take the tokens off the card."""
        card = position.card(self.card)
        if card is None:
            return position.game
        return with_card(position.game, replace(card, counters=card.counters - self.amount))


class EndCondition(Effect, frozen=True, tag="NoLonger"):
    """A condition of a Monster ends before its time."""

    quiet: ClassVar = True
    kind: str

    def apply(self, position: Lookups[B]) -> B:
        """Remove the condition."""
        conditions = position.game.in_play.conditions
        kept = tuple(c for c in conditions if (c.kind, c.seat) != (self.kind, self.seat))
        return with_in_play(position.game, conditions=kept)


class AddCondition(Effect, frozen=True, tag="Under"):
    """A condition holds for a Monster until turn `turn` ends."""

    kind: str
    turn: int

    def apply(self, position: Lookups[B]) -> B:
        """Add the condition."""
        return with_condition(position.game, Condition(self.kind, self.seat, self.turn))


class WinExtraTurn(Effect, frozen=True):
    """A Monster will take another turn after this one, under a condition ("" for a plain one)."""

    condition: str = ""

    def apply(self, position: Lookups[B]) -> B:
        """Append the turn to the queue of extra turns."""
        extra = (*position.game.extra, ExtraTurn(self.seat, self.condition))
        return replace(position.game, extra=extra)


CardEffect = (
    OpenShop
    | PutOffShop
    | CardRevealed
    | DeckEmpty
    | SweepShop
    | BuyCard
    | CardArrived
    | CardLeft
    | DropCard
    | CopyCard
    | TakeCard
    | TakeFromDiscards
    | DrawCard
    | TakeGoal
    | AddCounters
    | SpendCounters
    | EndCondition
    | AddCondition
    | WinExtraTurn
)
"""Every effect of this module."""
