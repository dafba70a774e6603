"""Checks of cards, tokens and conditions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from functools import lru_cache

from companion.engine.base_position import BasePosition
from companion.engine.checks.fields import MOST_TOKENS, check_range, coming_effects
from companion.engine.effects.cards import BuyCard, DropCard
from companion.engine.ruleset import Ruleset
from companion.engine.setup import full_deck
from companion.engine.values import LASTING, TABLE, CardInPlay, CardKind, InPlay

SLOTS = len(InPlay().shop)
"""How many cards are for sale (NY-2.1, TK-2.3)."""


def cards(position: BasePosition) -> Iterator[str]:
    """Yield the faults of the deck against the box, of the shop, and of each card in play."""
    game = position.game
    for field in ("deck", "discards"):
        names = getattr(game, field)
        if names != tuple(sorted(names)):
            yield f"{field}: its cards are not sorted"
    yield from _in_the_box(position)
    yield from _shop(position)
    yield from _goals(position)
    for card in game.in_play.cards:
        yield from _owned(position, card)


def _in_the_box(position: BasePosition) -> Iterator[str]:
    """Check that deck, discards, shop and cards together are those of the box."""
    game, box = position.game, _box(position.rules)
    there = Counter(game.deck)
    there.update(game.discards)
    there.update(c.name for c in game.in_play.shop if c is not None)
    there.update(c.name for c in game.in_play.cards if c.name not in position.rules.goals)
    if dict(there) == box:
        return
    short = game.put_off and not game.deck  # the table reported that the deck is empty
    for name in dict.fromkeys((*there, *box)):
        right = box.get(name, 0)
        if there[name] > right or (there[name] < right and not short):
            yield (
                f"{name}: {there[name]} cards of this name in deck, discards, shop and cards, "
                f"not {right}"
            )


@lru_cache(maxsize=64)
def _box(rules: Ruleset) -> Mapping[str, int]:
    return dict(Counter(full_deck(rules)))


def _shop(position: BasePosition) -> Iterator[str]:
    """Check the slots of the shop and the cards in them."""
    shop = position.game.in_play.shop
    if len(shop) != SLOTS:
        yield f"in_play: shop has {len(shop)} slots, not {SLOTS}"
    for card in shop:
        if card is None:
            continue
        where = f"shop, {card.name}"
        if card.owner != TABLE:
            yield f"{where}: owner is {card.owner}, not {TABLE} while it is for sale"
        if card.counters:
            yield f"{where}: counters is {card.counters}, not 0 while it is for sale"
        if card.copies is not None:
            yield f"{where}: copies is {card.copies}, not null while it is for sale"


def _goals(position: BasePosition) -> Iterator[str]:
    """Check that goal cards are in front of a Monster or beside the deck (NY-2.1)."""
    names = Counter(card.name for card in position.game.in_play.cards)
    for goal in position.rules.goals:
        if names[goal] != 1:
            yield f"in_play: cards hold the goal {goal} {names[goal]} times, not once"


def _owned(position: BasePosition, card: CardInPlay) -> Iterator[str]:
    row, where = position.rules.cards[card.name], f"{card.name} (id {card.id})"
    if card.owner == TABLE and row.kind is not CardKind.GOAL:
        most = len(position.game.monsters) - 1
        yield f"{where}: owner is {TABLE}, not a seat from 0 to {most}: nobody owns it"
    if row.kind is CardKind.DISCARD and not _works_now(position, card):
        yield f"{where}: owner is {card.owner}, but a Discard card stays in front of nobody"
    yield from _copies(position, card, where)
    original = position.card(card.copies) if card.copies is not None else None
    most = max(row.tokens, position.rules.cards[original.name].tokens if original else 0)
    yield from check_range(where, "counters", card.counters, 0, most)


def _works_now(position: BasePosition, card: CardInPlay) -> bool:
    """Whether a Discard card has just been bought and is on its way to the discards."""
    return any(
        isinstance(effect, BuyCard | DropCard) and effect.card == card.id
        for effect in coming_effects(position.game)
    )


def _copies(position: BasePosition, card: CardInPlay, where: str) -> Iterator[str]:
    """Check that a copy points at another Keep card in front of a Monster (TK-16.9)."""
    if card.copies is None:
        return
    original = position.card(card.copies)
    if not position.rules.cards[card.name].copier:
        yield f"{where}: copies is {card.copies}, not null: it copies nothing"
    elif original is None:
        yield f"{where}: copies is {card.copies}, not the id of a card in play"
    elif original.id == card.id or position.rules.cards[original.name].kind is not CardKind.KEEP:
        yield f"{where}: copies is {card.copies}, not the id of another Keep card"


def tokens_and_conditions(position: BasePosition) -> Iterator[str]:
    """Yield the faults of token piles and conditions, each of a kind and seat once, and of turns to
    come.
    """
    in_play, number = position.game.in_play, position.game.turn.number
    piles = [(pile.seat, pile.token) for pile in in_play.tokens]
    for pile in in_play.tokens:
        where = f"seat {pile.seat}, {pile.token} tokens"
        yield from check_range(where, "count", pile.count, 1, MOST_TOKENS)
        if piles.count((pile.seat, pile.token)) > 1:
            yield f"{where}: {piles.count((pile.seat, pile.token))} piles, not one with their count"
    kinds = [(condition.seat, condition.kind) for condition in in_play.conditions]
    for condition in in_play.conditions:
        where = f"seat {condition.seat}, condition {condition.kind}"
        if condition.turn not in (number, LASTING):
            yield f"{where}: turn is {condition.turn}, not {number} (or {LASTING}: until used)"
        if kinds.count((condition.seat, condition.kind)) > 1:
            yield f"{where}: it is there twice, not once"
