"""Poison and Shrink tokens, and the cards that give them."""

from __future__ import annotations

from companion.engine.abilities import Instead, Quantity, Query, Stage
from companion.engine.base_position import My
from companion.engine.effects.numbers import Damage
from companion.engine.effects.turn import EndPhase, ResolveFace
from companion.engine.questions import Answer
from companion.engine.shared.cards import keep, spend_on_tokens, wounded_get
from companion.engine.shared.decorators import instead_of, modifies, whenever
from companion.engine.values import Face, Token


@whenever(EndPhase, mine=True)
def poison_works(my: My, phase: EndPhase) -> Answer:
    """1 damage for each Poison token at the end of your turn, as one source (H11)."""
    return Damage(my.seat, my.position.tokens(my.seat, Token.POISON))


@modifies(Quantity.DICE, mine=True)
def fewer_dice(my: My, query: Query, dice: int) -> int:
    """One die less for each Shrink token (H30)."""
    return dice - my.position.tokens(my.seat, Token.SHRINK)


def cured_by_hearts(token: Token) -> Instead:
    """Make an ability: a heart may take a token off instead of healing, outside Tokyo only (TK-8.3,
    TK-16.10).
    """

    @instead_of(ResolveFace, Stage.ADD, mine=True)
    def cure(my: My, group: ResolveFace) -> Answer:
        works = group.face is Face.HEAL and not my.position.is_inside(my.seat)
        return spend_on_tokens(my, group, token) if works else None

    return cure


CARDS = (
    keep("poison_spit", 4, wounded_get(Token.POISON)),
    keep("shrink_ray", 6, wounded_get(Token.SHRINK)),
)
