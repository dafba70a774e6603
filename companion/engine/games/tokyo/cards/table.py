"""The table of King of Tokyo's cards (first edition), and the abilities of its tokens and
conditions.
"""

from __future__ import annotations

from companion.engine.abilities import Ability
from companion.engine.games.tokyo.cards import (
    bought,
    claws,
    copying,
    damage,
    dice,
    energy,
    healing,
    scores,
    tokens,
    trade,
)
from companion.engine.games.tokyo.cards.claws import tunnel
from companion.engine.games.tokyo.cards.damage import nothing_hurts
from companion.engine.games.tokyo.cards.scores import one_die_fewer
from companion.engine.games.tokyo.cards.tokens import cured_by_hearts, fewer_dice, poison_works
from companion.engine.shared.cards import card_table
from companion.engine.values import Token

CARDS = card_table(
    *bought.CARDS,
    *claws.CARDS,
    *copying.CARDS,
    *damage.CARDS,
    *dice.CARDS,
    *energy.CARDS,
    *healing.CARDS,
    *scores.CARDS,
    *tokens.CARDS,
    *trade.CARDS,
)

TOKENS: dict[Token, tuple[Ability, ...]] = {
    Token.POISON: (poison_works, cured_by_hearts(Token.POISON)),
    Token.SHRINK: (fewer_dice, cured_by_hearts(Token.SHRINK)),
}

CONDITIONS: dict[str, tuple[Ability, ...]] = {
    "freeze_time": (one_die_fewer,),
    "tunnel_tokyo_bay": (tunnel("tokyo_bay"),),
    "tunnel_tokyo_city": (tunnel("tokyo_city"),),
    "wings": (nothing_hurts,),
}
