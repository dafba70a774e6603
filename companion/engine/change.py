"""The few ways in which a frozen game is rewritten, so that unchecked `replace` stays in one
place.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from companion.engine.values import (
    CardId,
    CardInPlay,
    Condition,
    Deed,
    Seat,
    Tally,
    Token,
    TokenPile,
)

if TYPE_CHECKING:
    from companion.engine.game import Game
    from companion.engine.values import Borough


def with_monster(game: Game, seat: Seat, **changes: Any) -> Game:
    """The game with fields of one Monster changed; `reached` follows the stars."""
    monsters = list(game.monsters)
    monsters[seat] = replace(monsters[seat], **changes)
    return replace(game, monsters=tuple(monsters))


def with_stars(game: Game, seat: Seat, stars: int, goal: int) -> Game:
    """The game with a Monster's stars set; notes when it came to the goal (NY-17.7)."""
    monster = game.monsters[seat]
    reached = monster.reached
    if stars < goal:
        reached = None
    elif reached is None:
        reached = game.clock
    return with_monster(game, seat, stars=stars, reached=reached)


def with_turn(game: Game, **changes: Any) -> Game:
    """The game with fields of the turn changed."""
    return replace(game, turn=replace(game.turn, **changes))


def with_tally(game: Game, deed: Deed, by: Seat, to: Seat, amount: int) -> Game:
    """The game whose turn remembers so much more of a deed."""
    return with_turn(game, tally=(*game.turn.tally, Tally(deed, by, to, amount)))


def with_in_play(game: Game, **changes: Any) -> Game:
    """The game with cards, shop, tokens or conditions changed."""
    return replace(game, in_play=replace(game.in_play, **changes))


def with_card(game: Game, card: CardInPlay) -> Game:
    """The game with the card of that id replaced where it lies among the owned cards."""
    cards = tuple(card if each.id == card.id else each for each in game.in_play.cards)
    return with_in_play(game, cards=cards)


def without_card(game: Game, card: CardId) -> Game:
    """The game without the owned card of that id, which goes to the discard pile."""
    gone = next(each for each in game.in_play.cards if each.id == card)
    cards = tuple(each for each in game.in_play.cards if each.id != card)
    game = with_in_play(game, cards=cards)
    return replace(game, discards=tuple(sorted((*game.discards, gone.name))))


def with_tokens(game: Game, seat: Seat, token: Token, count: int) -> Game:
    """The game with exactly `count` tokens of a kind on a Monster."""
    rest = tuple(p for p in game.in_play.tokens if (p.seat, p.token) != (seat, token))
    piles = (*rest, TokenPile(token, seat, count)) if count else rest
    return with_in_play(game, tokens=tuple(sorted(piles, key=lambda p: (p.seat, p.token))))


def with_condition(game: Game, condition: Condition) -> Game:
    """The game with a condition in force; the same one twice is one."""
    kept = tuple(c for c in game.in_play.conditions if c != condition)
    return with_in_play(game, conditions=(*kept, condition))


def with_borough(game: Game, borough: Borough) -> Game:
    """The game with the borough of that area replaced."""
    boroughs = tuple(borough if each.area == borough.area else each for each in game.boroughs)
    return replace(game, boroughs=boroughs)
