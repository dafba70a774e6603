"""Cards that turn dice, add dice or restrict rerolls."""

from __future__ import annotations

from companion.engine.abilities import Quantity, Query
from companion.engine.base_position import My
from companion.engine.effects.turn import Ask, DieSpent
from companion.engine.game import Step
from companion.engine.questions import Answer
from companion.engine.shared.cards import (
    asks_die,
    asks_face,
    keep,
    modifier,
    my_final_dice,
    open_dice,
    turnable_dice,
)
from companion.engine.shared.decorators import modifies, offers
from companion.engine.values import Face


def _fame_beside(my: My, die: int) -> list[int]:
    """Return the open dice that show CELEBRITY, without this one."""
    faces = my.game.turn.faces
    return [i for i in open_dice(my) if i != die and faces[i] is Face.CELEBRITY]


def _may_turn(my: My, die: int) -> bool:
    """Whether another open die shows CELEBRITY, which turning this one costs."""
    return bool(_fame_beside(my, die))


def _can_give_up_fame(my: My) -> bool:
    fame = Face.CELEBRITY in my.game.turn.faces
    return fame and my_final_dice(my) and any(_may_turn(my, die) for die in turnable_dice(my))


@offers(_can_give_up_fame, waits=True)
def give_up_fame(my: My) -> Answer:
    """Give up a CELEBRITY to turn another die that is not resolved yet."""
    return Ask(my.seat, "turn_die", my.card_id)


def give_one_up(my: My, die: int) -> tuple[Step, ...]:
    """Give up the first other CELEBRITY: it no longer counts."""
    return (DieSpent(my.seat, _fame_beside(my, die)[0]),)


@modifies(Quantity.MUST_ROLL)
def jinxed(my: My, query: Query, must: int) -> int:
    """All others must use every reroll they have (A9)."""
    return 1 if query.seat != my.seat else must


CARDS = (
    keep(
        "chameleon",
        4,
        give_up_fame,
        asks_die("turn_die", "turn_to", _may_turn),
        asks_face("turn_to", give_one_up, _may_turn),
    ),
    keep("extra_head", 7, modifier(Quantity.DICE, 1)),
    keep("jinx_aura", 4, jinxed),
)
