"""The table of King of New York's cards, and the abilities of its tokens and conditions."""

from __future__ import annotations

from companion.engine.abilities import Ability
from companion.engine.games.new_york.cards import (
    bought,
    claws,
    dice,
    energy,
    goals,
    health,
    moving,
    symbols,
    tiles,
    tokens,
    trade,
)
from companion.engine.games.new_york.cards.moving import ride, where_to
from companion.engine.games.new_york.cards.symbols import units_only
from companion.engine.games.new_york.cards.tokens import (
    fewer_rerolls,
    lift_the_curse,
    pay_for_ouches,
    tear_the_web,
)
from companion.engine.games.new_york.cards.trade import enrol
from companion.engine.shared.cards import card_table
from companion.engine.values import Token

CARDS = card_table(
    *bought.CARDS,
    *claws.CARDS,
    *dice.CARDS,
    *energy.CARDS,
    *goals.CARDS,
    *health.CARDS,
    *moving.CARDS,
    *symbols.CARDS,
    *tiles.CARDS,
    *tokens.CARDS,
    *trade.CARDS,
)

TOKENS = {
    Token.CURSE: (pay_for_ouches, lift_the_curse),
    Token.WEB: (fewer_rerolls, tear_the_web),
}

CONDITIONS: dict[str, tuple[Ability, ...]] = {
    "columbia_university": (enrol,),
    "hailing_cabs": (units_only,),
    "subway": (ride, where_to),
}
