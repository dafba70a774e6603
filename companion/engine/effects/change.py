"""Functions that return a frozen board with one part changed; unchecked `replace` is called only
here and in the effects.
"""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from companion.engine.board import B
from companion.engine.values import (
    Borough,
    CardId,
    CardInPlay,
    Condition,
    Deed,
    Number,
    Seat,
    Tally,
    Token,
    TokenPile,
)


def with_monster(board: B, seat: Seat, **changes: Any) -> B:
    """Return the board with fields of one Monster changed."""
    monsters = list(board.monsters)
    monsters[seat] = replace(monsters[seat], **changes)
    return replace(board, monsters=tuple(monsters))


def with_stars(board: B, seat: Seat, stars: int, goal: int) -> B:
    """Return the board with a Monster's stars set; `reached` notes when it came to the goal
    (NY-17.7).
    """
    monster = board.monsters[seat]
    reached = monster.reached
    if stars < goal:
        reached = None
    elif reached is None:
        reached = board.clock
    return with_monster(board, seat, stars=stars, reached=reached)


def with_number(board: B, seat: Seat, what: Number, value: int, goal: int) -> B:
    """Return the board with any number of a Monster set; `goal` as for `with_stars`."""
    if what is Number.STARS:
        return with_stars(board, seat, value, goal)
    return with_monster(board, seat, **{what: value})


def with_turn(board: B, **changes: Any) -> B:
    """Return the board with fields of the turn changed."""
    return replace(board, turn=replace(board.turn, **changes))


def with_tally(board: B, deed: Deed, by: Seat, to: Seat, amount: int) -> B:
    """Return the board with an amount of a deed added to this turn's tally."""
    return with_turn(board, tally=(*board.turn.tally, Tally(deed, by, to, amount)))


def with_in_play(board: B, **changes: Any) -> B:
    """Return the board with cards, shop, tokens or conditions changed."""
    return replace(board, in_play=replace(board.in_play, **changes))


def with_card(board: B, card: CardInPlay) -> B:
    """Return the board with the owned card of that id replaced, at the same index."""
    cards = tuple(card if each.id == card.id else each for each in board.in_play.cards)
    return with_in_play(board, cards=cards)


def without_card(board: B, card: CardId) -> B:
    """Return the board without the owned card of that id, which goes to the discard pile."""
    gone = next(each for each in board.in_play.cards if each.id == card)
    cards = tuple(each for each in board.in_play.cards if each.id != card)
    board = with_in_play(board, cards=cards)
    return replace(board, discards=tuple(sorted((*board.discards, gone.name))))


def with_tokens(board: B, seat: Seat, token: Token, count: int) -> B:
    """Return the board with exactly `count` tokens of a kind on a Monster."""
    rest = tuple(p for p in board.in_play.tokens if (p.seat, p.token) != (seat, token))
    piles = (*rest, TokenPile(token, seat, count)) if count else rest
    return with_in_play(board, tokens=tuple(sorted(piles, key=lambda p: (p.seat, p.token))))


def with_condition(board: B, condition: Condition) -> B:
    """Return the board with a condition in force; the same one twice is one."""
    kept = tuple(c for c in board.in_play.conditions if c != condition)
    return with_in_play(board, conditions=(*kept, condition))


def with_borough(board: B, borough: Borough) -> B:
    """Return the board with the borough of that area replaced."""
    boroughs = tuple(borough if each.area == borough.area else each for each in board.boroughs)
    return replace(board, boroughs=boroughs)
