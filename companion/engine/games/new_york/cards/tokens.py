"""Web and Curse tokens, and the cards that give them."""

from __future__ import annotations

from companion.engine.abilities import Quantity, Query, Stage
from companion.engine.base_position import My
from companion.engine.effects.turn import ResolveFace
from companion.engine.questions import Answer
from companion.engine.shared.cards import keep, spend_on_tokens, wounded_get
from companion.engine.shared.decorators import instead_of, modifies
from companion.engine.values import Face, Token


@modifies(Quantity.ROLLS, mine=True, clause="NY-5.4")
def fewer_rerolls(my: My, query: Query, rolls: int) -> int:
    """One reroll less for each Web token (H29)."""
    return rolls - my.position.tokens(my.seat, Token.WEB)


@instead_of(ResolveFace, Stage.ADD, mine=True)
def tear_the_web(my: My, group: ResolveFace) -> Answer:
    """An ATTACK may take a Web token off instead."""
    return spend_on_tokens(my, group, Token.WEB) if group.face is Face.ATTACK else None


@modifies(Quantity.RETHROW_PRICE, mine=True)
def pay_for_ouches(my: My, query: Query, price: int) -> int:
    """Throwing dice that show OUCH again costs 1 energy for each Curse token (H28)."""
    cursed = Face.OUCH in query.faces
    return price + my.position.tokens(my.seat, Token.CURSE) if cursed else price


@instead_of(ResolveFace, Stage.ADD, mine=True, clause="NY-9.2")
def lift_the_curse(my: My, group: ResolveFace) -> Answer:
    """A HEAL may take a Curse token off instead, in Manhattan too."""
    return spend_on_tokens(my, group, Token.CURSE) if group.face is Face.HEAL else None


CARDS = (
    keep("curse", 4, wounded_get(Token.CURSE)),
    keep("webspinner", 6, wounded_get(Token.WEB)),
)
