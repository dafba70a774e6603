"""Cards of Tokyo that throw, turn or add dice, or reward what they score."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from companion.engine.abilities import Modifies, Quantity, Query, Whenever
from companion.engine.base_position import My
from companion.engine.effects.cards import AddCounters, DropCard, SpendCounters, WinExtraTurn
from companion.engine.effects.numbers import Damage, GainStars, SpendEnergy
from companion.engine.effects.sources import Mark, Ref
from companion.engine.effects.turn import (
    Ask,
    DieChanged,
    EndPhase,
    MarkUsed,
    MoreRolls,
    ResolveFace,
    ResolvePhase,
    RethrowDie,
)
from companion.engine.game import Step, Together
from companion.engine.questions import Answer, Choice, Option
from companion.engine.shared.abilities import (
    all_faces,
    asks_die,
    asks_face,
    can_pay,
    drop_me,
    gain,
    keep,
    modifier,
    modifies,
    my_final_dice,
    new,
    offers,
    open_dice,
    whenever,
)
from companion.engine.shared.moving import targets
from companion.engine.values import Face

# -- cards that throw dice again, turn them, or add dice and rolls ---------------------------------


def _can_probe(my: My) -> bool:
    turn = my.game.turn
    return (
        not my.is_active
        and turn.final
        and bool(turn.faces)
        and not turn.resolved
        and not my.has_used()
    )


@offers(_can_probe, window="dice_final", waits=True, clause="TK-16.20")
def make_it_reroll(my: My) -> Answer:
    """Once in another's turn: one die of your choice is thrown again (H16)."""
    return (MarkUsed(my.seat, my.ref), Ask(my.seat, "probe", my.card_id))


@whenever(Ask, clause="TK-16.20")
def which_die(my: My, ask: Ask) -> Answer:
    """The card's owner chooses the die."""
    if ask.topic != "probe" or ask.card != my.card_id:
        return None
    active, faces = my.game.turn.active, my.game.turn.faces
    options = tuple(
        Option("die", (RethrowDie(active, i, my.seat, my.card_id),), die=i, face=face)
        for i, face in enumerate(faces)
    )
    return Choice(my.seat, "probe", options, window="dice", clause="TK-16.20")


@whenever(DieChanged)
def a_heart_ends_it(my: My, changed: DieChanged) -> Answer:
    """If the new face is a heart the card is discarded: this one, if it is a copy (H10)."""
    mine = changed.card == my.card_id and changed.face is Face.HEAL
    return DropCard(my.seat, my.card_id, my.card.name) if mine else None


@modifies(Quantity.ROLL_COST, mine=True, clause="TK-16.16")
def threes_are_free(my: My, query: Query, cost: int) -> int:
    """Throwing only dice that show THREE again uses up no roll."""
    return 0 if all(face is Face.THREE for face in query.faces) else cost


def _rolling(my: My) -> bool:
    turn = my.game.turn
    return my.is_active and bool(turn.faces) and not turn.final


def _can_read_minds(my: My) -> bool:
    return _rolling(my) and can_pay(my, 1)


@offers(_can_read_minds, window="roll", waits=True, clause="TK-12.6")
def roll_by_thought(my: My) -> Answer:
    """Pay 1 energy for one more reroll, as often as you like."""
    return (SpendEnergy(my.seat, 1), MoreRolls(my.seat, 1))


def _has_smoke(my: My) -> bool:
    return _rolling(my) and my.card.counters > 0


@offers(_has_smoke, window="roll", waits=True)
def blow_smoke(my: My) -> Answer:
    """Spend a Smoke token for one more reroll; the card goes with the last one."""
    spend = SpendCounters(my.seat, 1, my.card_id, my.card.name)
    last = (DropCard(my.seat, my.card_id, my.card.name),) if my.card.counters == 1 else ()
    return (spend, MoreRolls(my.seat, 1), *last)


def smoke(my: My) -> tuple[Step, ...]:
    """Put three Smoke tokens on the card."""
    return (AddCounters(my.seat, 3, my.card_id, my.card.name),)


def _can_cull(my: My) -> bool:
    turn = my.game.turn
    ready = my_final_dice(my) and not my.has_used() and Face.ONE not in turn.resolved
    return ready and any(turn.faces[i] is not Face.ONE for i in open_dice(my))


@offers(_can_cull, waits=True)
def cull_the_herd(my: My) -> Answer:
    """Once a turn one of your dice becomes a ONE (H16)."""
    return (MarkUsed(my.seat, my.ref), Ask(my.seat, "cull", my.card_id))


@whenever(Ask)
def which_to_cull(my: My, ask: Ask) -> Answer:
    """You choose any unresolved die that shows another face."""
    if ask.topic != "cull" or ask.card != my.card_id or Face.ONE in my.game.turn.resolved:
        return None
    faces = my.game.turn.faces
    options = tuple(
        Option("die", (DieChanged(my.seat, i, Face.ONE, my.card_id),), die=i, face=faces[i])
        for i in open_dice(my)
        if faces[i] is not Face.ONE
    )
    return Choice(my.seat, "turn_die", options, window="dice") if options else None


@offers(my_final_dice, waits=True)
def twist(my: My) -> Answer:
    """Turn one die to any face; then the card is discarded (H16)."""
    return Ask(my.seat, "twist", my.card_id)


def _can_stretch(my: My) -> bool:
    return my_final_dice(my) and can_pay(my, 2)


@offers(_can_stretch, waits=True, clause="TK-12.6")
def stretch(my: My) -> Answer:
    """Pay 2 energy to turn a die to any face, as often as you like."""
    return (SpendEnergy(my.seat, 2), Ask(my.seat, "stretch", my.card_id))


# -- cards that reward what the dice of a turn score -----------------------------------------------


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


FROZEN: Final = ("freeze_time", *(f"freeze_time_{n}" for n in range(2, 8)))
"""The condition of the first, second, … turn in a row that Freeze Time gives: as many dice fewer. A
result of three ONE takes three dice, so the eighth turn cannot be earned.
"""


def _another_turn(my: My, window: str) -> Answer:
    """Ask whether the owner takes another turn, once a turn for each card: one die fewer than the
    turn that earns it (H37).
    """
    mine = (c.kind for c in my.game.in_play.conditions if c.seat == my.seat)
    frozen = next((n for kind in mine for n, one in enumerate(FROZEN, 1) if kind == one), 0)
    asked = Mark(Ref.of_card(my.card_id, "stop_the_clock"))
    if my.has_used(asked):
        return None
    note = MarkUsed(my.seat, str(asked))
    options = (
        Option("use", (note, WinExtraTurn(my.seat, FROZEN[frozen]))),
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


def fewer_dice(number: int) -> Modifies:
    """Make a modifier: this turn has so many dice fewer than the first of the row, which had no
    more than the box has (H37).
    """

    @modifies(Quantity.DICE, mine=True, clause="TK-16.25")
    def frozen_dice(my: My, query: Query, dice: int) -> int:
        return min(dice, my.rules.dice_max) - number

    return frozen_dice


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
    keep("background_dweller", 4, threes_are_free),
    keep("extra_head", 7, modifier(Quantity.DICE, 1), copies=2),
    keep("giant_brain", 5, modifier(Quantity.ROLLS, 1)),
    keep("herd_culler", 3, cull_the_herd, which_to_cull),
    keep(
        "plot_twist",
        3,
        twist,
        asks_die("twist", "twist_to"),
        asks_face("twist_to", lambda my, die: drop_me(my)),
    ),
    keep("psychic_probe", 3, make_it_reroll, which_die, a_heart_ends_it),
    keep("smoke_cloud", 4, new(smoke), blow_smoke, most=3),
    keep("stretchy", 3, stretch, asks_die("stretch", "stretch_to"), asks_face("stretch_to")),
    keep("telepath", 4, roll_by_thought),
    keep("complete_destruction", 3, destroy_completely),
    keep("freeze_time", 5, stop_the_clock, stop_the_clock_late),
    keep("gourmet", 4, scores(Face.ONE, gain(stars=2))),
    keep("omnivore", 4, eat_anything),
    keep("poison_quills", 3, scores(Face.TWO, quills)),
)
