"""Cards about Superstar."""

from __future__ import annotations

from companion.engine.abilities import Quantity, Query, Whenever
from companion.engine.base_position import My
from companion.engine.effects.cards import TakeGoal
from companion.engine.effects.numbers import Damage
from companion.engine.effects.turn import TurnStarted
from companion.engine.questions import Answer
from companion.engine.shared.cards import gain, goal, keep
from companion.engine.shared.decorators import modifies, whenever


def _shines(my: My) -> bool:
    return any(c.name == "superstar" and c.owner == my.seat for c in my.game.in_play.cards)


def stardom(**won: int) -> tuple[Whenever, Whenever]:
    """Make two abilities that pay the owner on taking Superstar, and at the start of its turns
    while it holds Superstar.
    """

    @whenever(TakeGoal)
    def on_becoming_a_star(my: My, taken: TakeGoal) -> Answer:
        mine = taken.seat == my.seat and taken.name == "superstar"
        return gain(**won)(my) if mine else None

    @whenever(TurnStarted, mine=True)
    def while_a_star(my: My, started: TurnStarted) -> Answer:
        return gain(**won)(my) if _shines(my) else None

    return on_becoming_a_star, while_a_star


@modifies(Quantity.GOAL_FACES)
def hard_to_outshine(my: My, query: Query, faces: int) -> int:
    """While you hold Superstar others need 4 CELEBRITY for it (F9)."""
    return 4 if query.seat != my.seat and query.card == "superstar" and _shines(my) else faces


@whenever(TakeGoal)
def star_wars(my: My, taken: TakeGoal) -> Answer:
    """Taking Superstar deals 2 damage to its former owner; losing it, 1 to the new one (F9)."""
    if taken.name != "superstar" or taken.former < 0:
        return None
    if taken.seat == my.seat:
        return Damage(taken.former, 2, my.seat)
    return Damage(taken.seat, 1, my.seat) if taken.former == my.seat else None


CARDS = (
    keep("broadway_star", 5, *stardom(stars=1)),
    keep("diva", 5, hard_to_outshine),
    keep("ego_trip", 3, *stardom(energy=1)),
    goal("statue_of_liberty"),
    goal("superstar"),
    keep("violent_star", 3, star_wars),
)
