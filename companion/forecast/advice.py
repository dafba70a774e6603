"""Advice for the open decision: the win chance that each answer leaves its seat.

All chances are the network's; `Advice.compares` names what is compared. What chance or the table
decides (a card that turns up, the first throw) gets no advice.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Final

import msgspec
import numpy as np
from msgspec.structs import replace

from companion.engine import (
    AnyEvent,
    Choice,
    Chosen,
    DiceRolled,
    Face,
    IllegalEvent,
    OrderChosen,
    Position,
    PowerUsed,
    Roll,
)
from companion.forecast.messages import Advice, Answer, Compared
from companion.forecast.network import Forecaster
from companion.forecast.throws import Counts, Doubles, Throws, throws

MOST_ANSWERS: Final = 24
"""The most answers that are judged, and the most ways to keep dice that are listed."""

DRAWS: Final = 3
"""How large the sample of final throws is (`throws`): 70 throws of six dice, about."""


def advise(forecaster: Forecaster, position: Position) -> Advice | None:
    """Return advice for the open decision; None if nobody decides anything now."""
    asked = position.question
    match asked:
        case Choice():
            return _advise_answers(forecaster, position, asked)
        case Roll(main=True) if asked.showing and asked.free:
            values = values_of_throws(forecaster, position)
            return None if values is None else advise_dice(forecaster, position, values)
        case _:
            return None


def _advise_answers(forecaster: Forecaster, position: Position, asked: Choice) -> Advice:
    events: list[AnyEvent] = [Chosen(asked.seat, option.key) for option in asked.open()]
    powers = (power for power in position.offers() if power.seat == asked.seat)
    events += [PowerUsed(power.seat, power.ref) for power in powers]
    judged = events[:MOST_ANSWERS]
    after = [position.apply(event).position for event in judged]
    now, *found = (one[asked.seat] for one in forecaster.chances([position, *after]))
    answers = [Answer(chance, event) for chance, event in zip(found, judged, strict=True)]
    return Advice(
        asked.seat, Compared.ANSWERS, now, _best_first(answers), len(events) - len(judged)
    )


def _best_first(answers: list[Answer]) -> tuple[Answer, ...]:
    return tuple(sorted(answers, key=lambda one: -one.chance))


# -- dice -----------------------------------------------------------------------------------------


class ThrowValues(msgspec.Struct, frozen=True):
    """The roller's win chance for every throw of a roll, were it final, in the order of `known`."""

    known: Throws
    final: Doubles


def values_of_throws(
    forecaster: Forecaster, position: Position, draws: int = DRAWS
) -> ThrowValues | None:
    """Return what each throw of the turn's own roll is worth; None if no such roll is open.

    They stay as they are from throw to throw of a turn, unless a power is used meanwhile.
    The sample is carried out up to the next question, groups in the ruleset's order, as if no die
    had been thrown before.
    """
    asked = position.question
    if not isinstance(asked, Roll) or not asked.main or not asked.dice:
        return None
    faces = position.rules.faces
    known = throws(asked.dice, len(faces), draws)
    turn = replace(position.game.turn, faces=(), rolls_left=1)
    first = position.moved_on(replace(position.game, turn=turn))
    ordered = first.apply(OrderChosen(asked.seat, position.rules.sensible)).position
    shown = [_shown(faces, counts) for counts in known.sample]
    after = [ordered.apply(DiceRolled(one, final=True)).position for one in shown]
    chances = forecaster.chances(after)
    return ThrowValues(known, known.estimate(np.array([one[asked.seat] for one in chances])))


def _shown(faces: tuple[Face, ...], counts: Counts) -> tuple[Face, ...]:
    return tuple([f for face, count in zip(faces, counts, strict=True) for f in (face,) * count])


def _thrown(position: Position, faces: tuple[Face, ...]) -> Position | None:
    try:
        return position.apply(DiceRolled(faces, final=True)).position
    except IllegalEvent:
        return None


def advise_dice(forecaster: Forecaster, position: Position, values: ThrowValues) -> Advice | None:
    """Return advice on which dice to keep, given `values_of_throws` of this turn; None if no die
    may be thrown again.
    """
    asked = position.question
    if not isinstance(asked, Roll) or not asked.main or not asked.showing or not asked.free:
        return None
    ordered = position.apply(OrderChosen(asked.seat, position.rules.sensible)).position
    stopped = _thrown(ordered, asked.showing)
    now, *stop = (
        one[asked.seat]
        for one in forecaster.chances([position] if stopped is None else [position, stopped])
    )
    answers = list(_kept(position, asked, values))
    if stop:
        event = DiceRolled(asked.showing, final=True)
        answers.append(Answer(stop[0], event, tuple(range(asked.dice))))
    if not answers:
        return None
    best = _best_first(answers)
    return Advice(asked.seat, Compared.DICE, now, best[:MOST_ANSWERS], len(best[MOST_ANSWERS:]))


def _kept(position: Position, asked: Roll, values: ThrowValues) -> Iterator[Answer]:
    """Yield each way to throw dice again that can be paid, dice of a face being alike."""
    known, faces = values.known, position.rules.faces
    worth = known.worth_of_keeping(values.final, max(1, asked.left))
    purse = position.purse(asked.seat)
    free = [[i for i in asked.free if asked.showing[i] is face] for face in faces]
    for again in product(*(range(len(dice) + 1) for dice in free)):
        if not any(again):
            continue
        gone = {i for dice, count in zip(free, again, strict=True) for i in dice[:count]}
        price = position.rethrow_price(asked.seat, tuple(asked.showing[i] for i in sorted(gone)))
        if price > purse:
            continue
        keep = tuple(i for i in range(asked.dice) if i not in gone)
        shown = [asked.showing[i] for i in keep]
        counts = tuple(shown.count(face) for face in faces)
        yield Answer(float(worth[len(keep)][known.index(counts)]), None, keep)
