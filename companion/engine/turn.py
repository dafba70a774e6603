"""The turn as abilities of the game itself: what both games share.

Each function is an ability: None means "nothing (more) to do", a question waits, steps happen.
"""

from __future__ import annotations

from companion.engine.abilities import Asked, Quantity
from companion.engine.decorators import whenever
from companion.engine.effects import (
    BeginTurn,
    ChooseGroup,
    DiceFinal,
    DiceKept,
    DiceThrown,
    DieChanged,
    EndGame,
    GainEnergy,
    GainStars,
    NextTurn,
    Noted,
    ResolveFace,
    ResolvePhase,
    RethrowDie,
    RollPhase,
    SpendEnergy,
    TurnOver,
    TurnStarted,
)
from companion.engine.game import Step
from companion.engine.questions import Again, Answer, Choice, Option, Roll
from companion.engine.standing import My, Standing
from companion.engine.values import Face, Seat


@whenever(BeginTurn, clause=("NY-4.1", "TK-3.1"))
def begin_turn(my: My, turn: BeginTurn) -> Answer:
    """A turn is its phases in order, strictly."""
    phases = [phase(turn.seat) for phase in my.rules.phases]
    return (TurnStarted(turn.seat), *phases, TurnOver(turn.seat))


@whenever(TurnStarted, clause=("NY-13.4", "TK-9.3"))
def income(my: My, turn: TurnStarted) -> Answer:
    """Starting a turn in the city pays what its space says."""
    place = my.now.place(turn.seat)
    if place is None or not (place.stars or place.energy):
        return None
    return (GainStars(turn.seat, place.stars), GainEnergy(turn.seat, place.energy))


@whenever(RollPhase, clause=("NY-5.1", "NY-5.2", "TK-4.1"))
def roll(my: My, phase: RollPhase) -> Answer:
    """The first roll, then rerolls of any dice while rolls are left."""
    turn, seat = my.game.turn, phase.seat
    if turn.final:
        return None
    now, showing = my.now, turn.faces
    free = throwable(now, seat)
    if showing and not free and seat not in now.waiting("roll"):
        return Again((DiceKept(seat),))

    def thrown(faces: tuple[Face, ...], rethrown: tuple[int, ...], final: bool) -> tuple[Step, ...]:
        if showing and not rethrown:
            return (DiceKept(seat),)
        again = Asked(seat, faces=tuple([showing[i] for i in rethrown]) if showing else ())
        price = now.fold(Quantity.RETHROW_PRICE, again, 0)
        cost = now.fold(Quantity.ROLL_COST, again, 1) if showing else 1
        return (SpendEnergy(seat, price), DiceThrown(seat, faces, final, cost))

    return Roll(
        seat,
        "roll",
        dice=turn.dice,
        then=thrown,
        showing=showing,
        free=free,
        main=True,
        counted=is_counted(now, seat),
        prices=prices(now, seat, showing),
        left=turn.rolls_left,
        more=may_go_on(now, seat),
        owed=owed(now, seat, free),
        again=True,
    )


def throwable(now: Standing, seat: Seat) -> tuple[int, ...]:
    """Dice that may be thrown (again): all at first;
    then while rolls are left or throwing them uses none.
    """
    turn = now.game.turn
    if not turn.faces:
        return tuple(range(turn.dice))
    if turn.rolls_left and not now.is_modified(Quantity.MAY_RETHROW):
        return tuple(range(len(turn.faces)))
    if not turn.rolls_left and not now.is_modified(Quantity.ROLL_COST):
        return ()
    return tuple(
        i
        for i, face in enumerate(turn.faces)
        if now.may_rethrow(seat, face) and (turn.rolls_left or not now.roll_cost(seat, face))
    )


def may_go_on(now: Standing, seat: Seat) -> bool:
    """Whether another throw may follow the next: rolls are left, a power may add one, or dice may
    be thrown that use none.
    """
    return (
        now.game.turn.rolls_left > 1
        or now.has_waiting("roll", seat)
        or (
            now.is_modified(Quantity.ROLL_COST)
            and any(not now.roll_cost(seat, face) for face in now.rules.faces)
        )
    )


def prices(now: Standing, seat: Seat, faces: tuple[Face, ...]) -> tuple[int, ...]:
    """What throwing each of these dice again costs."""
    if not now.is_modified(Quantity.RETHROW_PRICE):
        return (0,) * len(faces)
    return tuple(now.rethrow_price(seat, (face,)) for face in faces)


def owed(now: Standing, seat: Seat, free: tuple[int, ...]) -> int:
    """How many throws must still be made; none where no die can be paid for."""
    if not now.must_roll(seat):
        return 0
    turn, purse = now.game.turn, now.purse(seat)
    dear = [now.rethrow_price(seat, (turn.faces[i],)) if turn.faces else 0 for i in free]
    payable = any(price <= purse for price in dear)
    return turn.rolls_left if payable else 0


def is_counted(now: Standing, seat: Seat) -> bool:
    """Whether every throw must be told: one has a price, is forbidden or is owed, or a power adds
    more.
    """
    faces = now.rules.faces
    return (
        now.rethrow_price(seat, faces) > 0
        or now.has_waiting("roll", seat)
        or now.must_roll(seat)
        or (
            now.is_modified(Quantity.MAY_RETHROW)
            and not all(now.may_rethrow(seat, face) for face in faces)
        )
    )


@whenever(DiceFinal)
def last_word(my: My, phase: DiceFinal) -> Answer:
    """Powers that wait are asked for once before the dice resolve: others first, the owner last
    (H16).
    """
    eager = my.now.waiting("dice_final")
    order = my.now.clockwise(phase.seat) if eager else ()
    for seat in (*order[1:], *order[:1]):
        mark = f"last_word@{seat}"
        if mark not in my.game.turn.used and seat in eager:
            go = Option("go", (Noted(seat, mark),), again=True)
            return Choice(seat, "last_word", (go,), window="dice_final")
    return None


def groups(now: Standing) -> dict[Face, int]:
    """How often each face still to be resolved stands in the result, in the ruleset's order."""
    result, resolved = now.result(), now.game.turn.resolved
    return {
        face: result.count(face)
        for face in now.rules.faces
        if face in result and face not in resolved
    }


@whenever(ResolvePhase, clause=("NY-6.1", "NY-6.2"))
def resolve(my: My, phase: ResolvePhase) -> Answer:
    """Groups in the order chosen; one that is left resolves itself."""
    left, seat = groups(my.now), phase.seat
    if not left:
        return None

    def take(face: Face) -> tuple[Step, ...]:
        return (ChooseGroup(seat, face), ResolveFace(seat, left[face], face))

    chosen = [face for face in my.game.turn.order if face in left]
    if chosen or len(left) == 1:
        return Again(take((*chosen, *left)[0]))
    options = tuple([Option(str(face), take(face), again=True, face=face) for face in left])
    return Choice(seat, "group", options, "group", my.now.rules.clause("group"))


@whenever(ResolveFace)
def score(my: My, group: ResolveFace) -> Answer:
    """A group does what the ruleset says for its face."""
    return my.rules.scoring[group.face](my.now, group.seat, group.amount)


@whenever(RethrowDie)
def rethrow(my: My, die: RethrowDie) -> Answer:
    """The table throws that one die again (H16)."""
    if not my.now.is_alive(die.by):
        return None

    def thrown(faces: tuple[Face, ...], _: tuple[int, ...], __: bool) -> tuple[Step, ...]:
        return (DieChanged(die.seat, die.die, faces[0], die.card),)

    shows = my.game.turn.faces[die.die]
    about = (("seat", die.seat), ("die", die.die), ("face", shows.value))
    return Roll(die.by, "rethrow", dice=1, then=thrown, free=(0,), about=about, owner=die.seat)


@whenever(TurnOver, clause=("NY-17", "TK-14"))
def turn_over(my: My, turn: TurnOver) -> Answer:
    """The check for a winner, then the next turn."""
    alive = my.now.alive()
    if not alive:
        return EndGame(turn.seat, "all_dead", ())
    if len(alive) == 1:
        return EndGame(turn.seat, "survival", alive)
    winners = first_to_goal(my.now)
    if winners:
        return EndGame(turn.seat, "stars", winners)
    if my.game.extra:
        extra = my.game.extra[0]
        return (
            NextTurn(extra.seat, extra.condition),
            BeginTurn(extra.seat, extra.condition, extra=True),
        )
    follows = my.game.turn.follows
    return BeginTurn(my.now.after(turn.seat if follows is None else follows))


def first_to_goal(now: Standing) -> tuple[Seat, ...]:
    """Living Monsters at the goal that came to it first;
    several if at the same moment (NY-17.7).
    """
    there = [(m.reached, m.seat) for m in now.game.monsters if m.alive and m.reached is not None]
    if not there:
        return ()
    first = min(reached for reached, _ in there)
    return tuple(seat for reached, seat in there if reached == first)


TURN = (begin_turn, income, roll, last_word, resolve, score, rethrow, turn_over)
