"""Cards that reward what the dice of a turn score."""

from __future__ import annotations

from collections.abc import Callable

from companion.engine.abilities import Quantity, Query, Whenever
from companion.engine.base_position import My
from companion.engine.effects.cards import WinExtraTurn
from companion.engine.effects.numbers import Damage, GainStars
from companion.engine.effects.sources import Mark, Ref
from companion.engine.effects.turn import EndPhase, MarkUsed, ResolveFace, ResolvePhase
from companion.engine.game import Step, Together
from companion.engine.questions import Answer, Choice, Option
from companion.engine.shared.cards import all_faces, gain, keep
from companion.engine.shared.decorators import modifies, whenever
from companion.engine.shared.moving import targets
from companion.engine.values import Face


def scores(face: Face, *steps: Callable[[My], tuple[Step, ...]]) -> Whenever:
    """Make an ability that adds these steps when the owner scores three or more of a number."""

    @whenever(ResolveFace, mine=True)
    def score_more(my: My, group: ResolveFace) -> Answer:
        if group.face is not face or group.amount < 3:
            return None
        return tuple(step for make in steps for step in make(my))

    return score_more


def quills(my: My) -> tuple[Step, ...]:
    """Deal 2 damage to those the owner could attack, not as an attack."""
    return (Together(tuple(Damage(s, 2, my.seat) for s in targets(my.position, my.seat))),)


def _another_turn(my: My, window: str) -> Answer:
    """Ask whether the owner takes another turn, once a turn for each card."""
    asked = Mark(Ref.of_card(my.card_id, "stop_the_clock"))
    if my.has_used(asked):
        return None
    note = MarkUsed(my.seat, str(asked))
    options = (
        Option("use", (note, WinExtraTurn(my.seat, "freeze_time"))),
        Option("pass", (note,)),
    )
    return Choice(my.seat, "stop_the_clock", options, window=window)


@whenever(ResolveFace, mine=True)
def stop_the_clock(my: My, group: ResolveFace) -> Answer:
    """Scoring three ONE you may take another turn with one die fewer."""
    scored = group.face is Face.ONE and group.amount >= 3
    return _another_turn(my, "group") if scored else None


@whenever(EndPhase, mine=True)
def stop_the_clock_late(my: My, phase: EndPhase) -> Answer:
    """Where you scored three ONE before the card was yours, you are asked at the end of the turn
    (H31).
    """
    scored = Face.ONE in my.game.turn.resolved and my.position.count(Face.ONE) >= 3
    return _another_turn(my, "end") if scored else None


@modifies(Quantity.DICE, mine=True)
def one_die_fewer(my: My, query: Query, dice: int) -> int:
    """This turn has one die fewer."""
    return dice - 1


@whenever(ResolvePhase, mine=True, active_last=True)
def destroy_completely(my: My, phase: ResolvePhase) -> Answer:
    """All six faces, symbols added by cards included: 9 stars beside what the groups do (H18)."""
    return GainStars(my.seat, 9) if all_faces(my) else None


@whenever(ResolvePhase, mine=True)
def eat_anything(my: My, phase: ResolvePhase) -> Answer:
    """ONE, TWO and THREE in the result: 2 stars, once."""
    has_all = all(my.position.count(face) for face in (Face.ONE, Face.TWO, Face.THREE))
    return GainStars(my.seat, 2) if has_all else None


CARDS = (
    keep("complete_destruction", 3, destroy_completely),
    keep("freeze_time", 5, stop_the_clock, stop_the_clock_late),
    keep("gourmet", 4, scores(Face.ONE, gain(stars=2))),
    keep("omnivore", 4, eat_anything),
    keep("poison_quills", 3, scores(Face.TWO, quills)),
)
