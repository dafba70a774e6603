"""The turn as both games play it: phases, dice, groups and their order, the end.

An ability returns None if nothing more is to do, a question to ask, or steps to carry out; the
functions without a decorator help them.
"""

from __future__ import annotations

from companion.engine.abilities import Quantity, Query
from companion.engine.base_position import BasePosition, My
from companion.engine.effects.numbers import GainEnergy, GainStars, SpendEnergy
from companion.engine.effects.sources import Mark
from companion.engine.effects.turn import (
    BeginTurn,
    ChooseGroup,
    DiceFinal,
    DiceKept,
    DiceThrown,
    DieChanged,
    EndGame,
    MarkUsed,
    NextTurn,
    ResolveFace,
    ResolvePhase,
    RethrowDie,
    RollPhase,
    TurnOver,
    TurnStarted,
)
from companion.engine.game import Step
from companion.engine.questions import Again, Answer, Choice, Option, Roll
from companion.engine.shared.abilities import whenever
from companion.engine.values import Face, Seat


def default_order(position: BasePosition) -> tuple[Face, ...]:
    """Return all faces of the result in the ruleset's own order."""
    shown = position.game.turn.faces
    return tuple([face for face in position.rules.sensible if face in shown])


def best_order(position: BasePosition) -> tuple[Face, ...]:
    """Return all faces of the result, in the best order that the ruleset knows (NY-6.2)."""
    return (position.rules.order or default_order)(position)


# -- the turn as abilities of the game itself: what both games share -------------------------------


@whenever(BeginTurn, clause=("NY-4.1", "TK-3.1"))
def begin_turn(my: My, turn: BeginTurn) -> Answer:
    """Return the steps of a turn in order: its start, every phase of the ruleset, its end."""
    phases = [phase(turn.seat) for phase in my.rules.phases]
    return (TurnStarted(turn.seat), *phases, TurnOver(turn.seat))


@whenever(TurnStarted, clause=("NY-13.4", "TK-9.3"))
def income(my: My, turn: TurnStarted) -> Answer:
    """Give the stars and energy that a Monster's space pays when its turn starts there."""
    place = my.position.place(turn.seat)
    if place is None or not (place.stars or place.energy):
        return None
    return (GainStars(turn.seat, place.stars), GainEnergy(turn.seat, place.energy))


@whenever(RollPhase, clause=("NY-5.1", "NY-5.2", "TK-4.1"))
def roll(my: My, phase: RollPhase) -> Answer:
    """Ask for the first roll, then for rerolls of any dice while rolls are left."""
    turn, seat = my.game.turn, phase.seat
    if turn.final:
        return None
    position, showing = my.position, turn.faces
    free = throwable(position, seat)
    if showing and not free and seat not in position.waiting("roll"):
        return Again((DiceKept(seat),))

    def thrown(faces: tuple[Face, ...], rethrown: tuple[int, ...], final: bool) -> tuple[Step, ...]:
        if showing and not rethrown:
            return (DiceKept(seat),)
        again = Query(seat, faces=tuple([showing[i] for i in rethrown]) if showing else ())
        price = position.fold(Quantity.RETHROW_PRICE, again, 0)
        cost = position.fold(Quantity.ROLL_COST, again, 1) if showing else 1
        return (SpendEnergy(seat, price), DiceThrown(seat, faces, final, cost))

    return Roll(
        seat,
        "roll",
        dice=turn.dice,
        then=thrown,
        showing=showing,
        free=free,
        main=True,
        counted=must_enter_every_throw(position, seat),
        prices=prices(position, seat, showing),
        left=turn.rolls_left,
        more=may_roll_after_next(position, seat),
        owed=compulsory_rolls(position, seat, free),
        again=True,
    )


def throwable(position: BasePosition, seat: Seat) -> tuple[int, ...]:
    """Return the indices of dice that may be thrown now: all in the first roll; later while rolls
    are left, or if a die costs no roll.
    """
    turn = position.game.turn
    if not turn.faces:
        return tuple(range(turn.dice))
    if turn.rolls_left and not position.is_modified(Quantity.MAY_RETHROW):
        return tuple(range(len(turn.faces)))
    if not turn.rolls_left and not position.is_modified(Quantity.ROLL_COST):
        return ()
    return tuple(
        i
        for i, face in enumerate(turn.faces)
        if position.may_rethrow(seat, face)
        and (turn.rolls_left or not position.roll_cost(seat, face))
    )


def may_roll_after_next(position: BasePosition, seat: Seat) -> bool:
    """Whether the roll after the coming one is possible: more than one roll is left, a power may
    add one, or some faces may be thrown again without using one.
    """
    return (
        position.game.turn.rolls_left > 1
        or position.has_waiting("roll", seat)
        or (
            position.is_modified(Quantity.ROLL_COST)
            and any(not position.roll_cost(seat, face) for face in position.rules.faces)
        )
    )


def prices(position: BasePosition, seat: Seat, faces: tuple[Face, ...]) -> tuple[int, ...]:
    """Return what throwing each of these dice again costs; 0 if no card sets a price."""
    if not position.is_modified(Quantity.RETHROW_PRICE):
        return (0,) * len(faces)
    return tuple(position.rethrow_price(seat, (face,)) for face in faces)


def compulsory_rolls(position: BasePosition, seat: Seat, free: tuple[int, ...]) -> int:
    """Return how many rolls the player must still make; 0 if rolling is voluntary, or no die of
    `free` (those that may be thrown) is affordable.
    """
    if not position.must_roll(seat):
        return 0
    turn, energy = position.game.turn, position.purse(seat)
    costs = [position.rethrow_price(seat, (turn.faces[i],)) if turn.faces else 0 for i in free]
    can_pay = any(cost <= energy for cost in costs)
    return turn.rolls_left if can_pay else 0


def must_enter_every_throw(position: BasePosition, seat: Seat) -> bool:
    """Whether every throw must be entered, not only the final dice: a reroll has a price, is
    forbidden or compulsory, or a power may add rolls.
    """
    faces = position.rules.faces
    return (
        position.rethrow_price(seat, faces) > 0
        or position.has_waiting("roll", seat)
        or position.must_roll(seat)
        or (
            position.is_modified(Quantity.MAY_RETHROW)
            and not all(position.may_rethrow(seat, face) for face in faces)
        )
    )


@whenever(DiceFinal)
def last_word(my: My, phase: DiceFinal) -> Answer:
    """Offer each player with a power for this moment one last chance before the dice resolve:
    others first, the active one last (H16).
    """
    eager = my.position.waiting("dice_final")
    order = my.position.clockwise(phase.seat) if eager else ()
    for seat in (*order[1:], *order[:1]):
        mark = Mark("last_word", seat=seat)
        if seat in eager and not my.has_used(mark):
            go = Option("go", (MarkUsed(seat, str(mark)),), again=True)
            return Choice(seat, "last_word", (go,), window="dice_final")
    return None


def groups(position: BasePosition) -> dict[Face, int]:
    """Return how often each face still to be resolved is in the result, in the ruleset's order."""
    result, resolved = position.result(), position.game.turn.resolved
    return {
        face: dice
        for face in position.rules.faces
        if (dice := result.count(face)) and face not in resolved
    }


@whenever(ResolvePhase, clause=("NY-6.1", "NY-6.2"))
def resolve(my: My, phase: ResolvePhase) -> Answer:
    """Ask which face to resolve next; follow an order already chosen, and take the only one left
    without asking.
    """
    left, seat = groups(my.position), phase.seat
    if not left:
        return None

    def take(face: Face) -> tuple[Step, ...]:
        return (ChooseGroup(seat, face), ResolveFace(seat, left[face], face))

    chosen = [face for face in my.game.turn.order if face in left]
    if chosen or len(left) == 1:
        return Again(take((*chosen, *left)[0]))
    options = tuple([Option("", take(face), again=True, face=face) for face in left])
    return Choice(seat, "group", options, "group", my.position.rules.clause("group"))


@whenever(ResolveFace)
def score(my: My, group: ResolveFace) -> Answer:
    """Carry out what the ruleset says for one face, for all its dice."""
    return my.rules.scoring[group.face](my.position, group.seat, group.amount)


@whenever(RethrowDie)
def rethrow(my: My, die: RethrowDie) -> Answer:
    """Ask the seat that forces it (`die.by`) what one die of the active Monster shows when thrown
    again (H16).
    """
    if not my.position.is_alive(die.by):
        return None

    def thrown(faces: tuple[Face, ...], _: tuple[int, ...], __: bool) -> tuple[Step, ...]:
        return (DieChanged(die.seat, die.die, faces[0], die.card),)

    shows = my.game.turn.faces[die.die]
    about = (("seat", die.seat), ("die", die.die), ("face", shows.value))
    return Roll(die.by, "rethrow", dice=1, then=thrown, free=(0,), about=about, owner=die.seat)


@whenever(TurnOver, clause=("NY-17", "TK-14"))
def turn_over(my: My, turn: TurnOver) -> Answer:
    """End the game if somebody has won; else begin the next turn, extra turns first."""
    alive = my.position.alive()
    if not alive:
        return EndGame(turn.seat, "all_dead", ())
    if len(alive) == 1:
        return EndGame(turn.seat, "survival", alive)
    winners = first_to_goal(my.position)
    if winners:
        return EndGame(turn.seat, "stars", winners)
    if my.game.extra:
        extra = my.game.extra[0]
        return (
            NextTurn(extra.seat, extra.condition),
            BeginTurn(extra.seat, extra.condition, extra=True),
        )
    follows = my.game.turn.follows
    return BeginTurn(my.position.after(turn.seat if follows is None else follows))


def first_to_goal(position: BasePosition) -> tuple[Seat, ...]:
    """Return the living Monster that reached the goal in stars first; several if at the same moment
    (NY-17.7).
    """
    there = [
        (m.reached, m.seat) for m in position.game.monsters if m.alive and m.reached is not None
    ]
    if not there:
        return ()
    first = min(reached for reached, _ in there)
    return tuple(seat for reached, seat in there if reached == first)


TURN = (begin_turn, income, roll, last_word, resolve, score, rethrow, turn_over)
