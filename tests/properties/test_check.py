"""`check` finds planted errors; a sound position has none."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from msgspec.structs import replace

from companion.engine import CardId, CardInPlay, Ended, ExtraTurn, Game, Seat, Stack, Token, check
from companion.engine.authoring import Condition, with_in_play, with_monster, with_tokens
from tests.engine.tables import Scene

FIRST = Seat(0)


def sound() -> Game:
    return (
        Scene(
            players=5,
            at=("brooklyn", "lower_2_4", "midtown_5_6", "bronx", "bronx"),
            cards={0: ("carapace",)},
            tokens={0: {Token.WEB: 1}},
            tops={"brooklyn": ("skyscraper_1",)},
        )
        .begin()
        .game
    )


def dead(game: Game, **more: object) -> Game:
    changes = {"alive": False, "health": 0, "place": None} | more
    return with_monster(game, Seat(3), **changes)


def owned(game: Game, card: CardInPlay) -> Game:
    return with_in_play(game, cards=(*game.in_play.cards, card))


def stacked(game: Game, stack: Stack) -> Game:
    first = game.boroughs[0]
    stacks = (stack, *first.stacks[1:])
    return replace(game, boroughs=(replace(first, stacks=stacks), *game.boroughs[1:]))


DAMAGE: dict[str, Callable[[Game], Game]] = {
    "health above the maximum": lambda g: with_monster(g, Seat(1), health=11),
    "health below 0": lambda g: with_monster(g, FIRST, health=-1),
    "alive at 0 health": lambda g: with_monster(g, Seat(1), health=0),
    "more stars than the dial": lambda g: with_monster(g, FIRST, stars=21, reached=1),
    "fewer stars than none": lambda g: with_monster(g, FIRST, stars=-1),
    "energy below 0": lambda g: with_monster(g, FIRST, energy=-1),
    "at the goal without knowing when": lambda g: with_monster(g, FIRST, stars=20),
    "knows when, but is not there": lambda g: with_monster(g, FIRST, reached=3),
    "dead with energy": lambda g: dead(g, energy=1),
    "dead with a place": lambda g: dead(g, place="bronx"),
    "dead with a card": lambda g: owned(
        dead(g), CardInPlay(CardId(g.next_id - 1), "diva", Seat(3))
    ),
    "dead with a token": lambda g: with_tokens(dead(g), Seat(3), Token.WEB, 1),
    "dead with a condition": lambda g: with_in_play(
        dead(g), conditions=(Condition("subway", Seat(3), 4),)
    ),
    "dead with a turn to come": lambda g: replace(dead(g), extra=(ExtraTurn(Seat(3)),)),
    "three in a borough": lambda g: with_monster(g, FIRST, place="bronx"),
    "two on one space": lambda g: with_monster(g, FIRST, place="lower_2_4"),
    "two on one track": lambda g: with_monster(g, FIRST, place="upper_2_4"),
    "a space that left the game": dead,
    "nowhere": lambda g: with_monster(g, FIRST, place="atlantis"),
    "a card lost": lambda g: replace(g, deck=g.deck[1:]),
    "a card twice": lambda g: replace(g, discards=("diva",)),
    "a deck out of order": lambda g: replace(g, deck=tuple(reversed(g.deck))),
    "a card nobody made": lambda g: replace(g, discards=("nonsense",)),
    "two cards of one id": lambda g: owned(
        replace(g, deck=tuple(n for n in g.deck if n != "diva")),
        CardInPlay(CardId(1), "diva", FIRST),
    ),
    "an id still to be given": lambda g: replace(g, next_id=1),
    "a card nobody owns": lambda g: with_in_play(
        g, cards=tuple(replace(c, owner=Seat(-1)) for c in g.in_play.cards)
    ),
    "a copy of what is gone": lambda g: with_in_play(
        g, cards=tuple(replace(c, copies=CardId(99)) for c in g.in_play.cards)
    ),
    "a tile too many": lambda g: replace(g, tile_pool=(*g.tile_pool, *("hospital_2",) * 3)),
    "a tile nobody made": lambda g: replace(g, tile_pool=("castle",)),
    "a top on an empty stack": lambda g: stacked(g, Stack(0, "skyscraper_2", 0)),
    "a stack below nothing": lambda g: stacked(g, Stack(0, None, -1)),
    "an open game that asks nothing": lambda g: replace(g, agenda=()),
    "an ended game that asks": lambda g: replace(g, ended=Ended("stars", (FIRST,))),
    "a question to the dead": lambda g: with_monster(g, FIRST, alive=False, health=0, place=None),
    "a turn of nobody": lambda g: replace(g, turn=replace(g.turn, active=Seat(9))),
    "seats not in order": lambda g: replace(g, monsters=tuple(reversed(g.monsters))),
    "a condition nobody made": lambda g: with_in_play(
        g, conditions=(Condition("nonsense", FIRST, 9),)
    ),
    "a token of the other game": lambda g: with_tokens(g, FIRST, Token.POISON, 1),
}


def test_a_sound_position_has_nothing_to_say() -> None:
    assert check(sound()) == ()


@pytest.mark.parametrize("damage", DAMAGE)
def test_planted_damage_is_found(damage: str) -> None:
    assert check(DAMAGE[damage](sound())) != ()
