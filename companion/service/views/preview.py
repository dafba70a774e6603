"""Of a roll: what Apply would do, why in this order, what to keep, and what a network says."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise
from typing import Final

from msgspec.structs import replace

from companion.engine import (
    Change,
    Choice,
    Chosen,
    Corrected,
    Correction,
    DiceRolled,
    Ended,
    Face,
    IllegalEvent,
    Number,
    OrderChosen,
    Position,
    PowerUsed,
    Roll,
    Seat,
)
from companion.forecast.messages import AdviceFound, Answer
from companion.service import requests
from companion.service.requests import CoachAnswer, CoachLine, KeepsAnswer, KeepView, OddsColumnView
from companion.service.views.questions import answer_words, answers_that_end, power_label, totals
from companion.service.views.words import measured_words
from companion.service.wire import OrderReason, PreviewAnswer, Words
from companion.table import RefusedError, State

MOST_LINES: Final = 6
"""Answers of the coach that a phone shows."""
MOST_DRASTIC = 30
"""How many values of a number are tried from each end."""


def preview_answer(
    position: Position,
    faces: tuple[Face, ...],
    order: tuple[Face, ...] = (),
    rethrown: tuple[int, ...] = (),
) -> PreviewAnswer:
    """Return what Apply with these dice would do; fewer dice than expected: so far."""
    game, asked = position.game, position.question
    if isinstance(asked, Roll) and not asked.main:
        found = position.preview_throw(faces, rethrown)
    else:
        found = position.preview(faces, order, rethrown)
    reaches = (game.turn.active,) if found.reaches else ()
    whole = isinstance(asked, Roll) and asked.main and len(faces) == asked.dice
    return PreviewAnswer(
        rows=tuple(
            replace(
                row,
                key=f"preview.{row.key}",
                args={**row.args, "seat": game.turn.active, "face": row.face.value},
            )
            for row in found.rows
        ),
        order=found.order,
        merges=found.merges,
        changes=found.changes,
        lacking=found.lacking,
        entering=found.entering,
        outcomes=_outcome_words(found.ended, reaches, found.falls, found.endangered),
        ends=_ends_after(position, faces, found.order, rethrown) if whole else (),
    )


def _outcome_words(
    ended: Ended | None, reaches: Iterable[Seat], falls: Iterable[Seat], dying: Iterable[Seat]
) -> tuple[Words, ...]:
    """Return what must not be overlooked before a tap: who wins, who falls."""
    words: list[Words] = []
    if ended is not None:
        words += [Words(key="outcome.wins", args={"seat": seat}) for seat in ended.winners]
        words += [] if ended.winners else [Words(key="outcome.nobody")]
    else:
        words += [Words(key="outcome.reaches", args={"seat": seat}) for seat in reaches]
    words += [Words(key="outcome.falls", args={"seat": seat}) for seat in falls]
    words += [Words(key="outcome.may_fall", args={"seat": seat}) for seat in dying]
    return tuple(words)


def drastic_values(position: Position, seat: Seat, what: Number) -> tuple[requests.Drastic, ...]:
    """Return the values that, set by hand, take somebody out or lead to the game's end."""
    most = position.number_max(seat, what)
    low = _run_of_drastic(position, seat, what, range(most + 1))
    high = _run_of_drastic(position, seat, what, range(most, len(low) - 1, -1))
    return (*low, *reversed(high))


def _run_of_drastic(
    position: Position, seat: Seat, what: Number, values: range
) -> list[requests.Drastic]:
    """Return the first of these values, up to one that is not drastic or is the present one."""
    found: list[requests.Drastic] = []
    for value in values[:MOST_DRASTIC]:
        if value == position.game.monsters[seat].number(what):
            break
        outcomes = _outcomes_by_hand(position, Corrected((Correction(seat, what, value),)))
        if not outcomes:
            break
        found.append(requests.Drastic(value=value, outcomes=outcomes))
    return found


def _outcomes_by_hand(position: Position, event: Corrected) -> tuple[Words, ...]:
    """Return who falls and who wins by a correction; nothing if it cannot be made."""
    try:
        after = position.apply(event).game
    except IllegalEvent:
        return ()
    pairs = tuple(zip(position.game.monsters, after.monsters, strict=True))
    return _outcome_words(
        after.ended if position.game.ended is None else None,
        (
            old.seat
            for old, new in pairs
            if new.alive and old.reached is None and new.reached is not None and not after.ended
        ),
        (old.seat for old, new in pairs if old.alive and not new.alive),
        (old.seat for old, new in pairs if old.health and not new.health and new.alive),
    )


def _ends_after(
    position: Position,
    faces: tuple[Face, ...],
    order: tuple[Face, ...],
    rethrown: tuple[int, ...],
) -> tuple[str, ...]:
    """Return the answers that end the turn once these dice are applied in this order; none if
    they cannot be applied yet, something is asked before, or the turn is over anyway.
    """
    seat, number = position.game.turn.active, position.game.turn.number
    try:
        if len(order) > 1:
            position = position.apply(OrderChosen(seat, order)).position
        applied = position.apply(DiceRolled(faces, rethrown, final=True)).position
    except IllegalEvent:
        return ()
    return answers_that_end(applied) if applied.game.turn.number == number else ()


def with_reasons(
    answer: PreviewAnswer,
    position: Position,
    faces: tuple[Face, ...],
    order: tuple[Face, ...],
    rethrown: tuple[int, ...],
) -> PreviewAnswer:
    """Add what of the order matters: of an order that was asked for, all of it beside the suggested
    one; of the suggested one, each two neighbours that lead elsewhere the other way round.
    """

    def leads_to(other: tuple[Face, ...]) -> dict[tuple[Seat, Number], Change]:
        return totals(position.preview(faces, other, rethrown).rows)

    here = totals(answer.rows)
    if order:
        found = [_reason(None, None, here, leads_to(()))]
    else:
        found = [
            _reason(first, then, here, leads_to(_swapped(answer.order, first, then)))
            for first, then in pairwise(answer.order)
        ]
    return replace(answer, reasons=tuple(one for one in found if one is not None))


def _swapped(order: tuple[Face, ...], first: Face, then: Face) -> tuple[Face, ...]:
    change = {first: then, then: first}
    return tuple(change.get(face, face) for face in order)


def _reason(
    first: Face | None,
    then: Face | None,
    here: dict[tuple[Seat, Number], Change],
    there: dict[tuple[Seat, Number], Change],
) -> OrderReason | None:
    """Return the numbers in which the two differ; None if there are none."""
    ours = {**{key: replace(one, after=one.before) for key, one in there.items()}, **here}
    theirs = {**{key: replace(one, after=one.before) for key, one in here.items()}, **there}
    keys = [key for key in sorted(ours) if ours[key] != theirs[key]]
    if not keys:
        return None
    return OrderReason(
        first=first,
        then=then,
        changes=tuple(ours[key] for key in keys),
        instead=tuple(theirs[key] for key in keys),
    )


def with_dice(
    state: State, seat: int | None, faces: tuple[Face, ...], rethrown: tuple[int, ...]
) -> Position:
    """Return the position with these dice, none: as entered; RefusedError if not this seat's."""
    position = state.game_position()
    asked = position.question
    if asked is None or seat is None or asked.seat != seat:
        raise RefusedError("error.coach.not_asked", outdated=True)
    if not faces or not isinstance(asked, Roll) or faces == asked.showing:
        return position
    try:
        return position.apply(DiceRolled(faces, rethrown)).position
    except IllegalEvent as illegal:
        raise RefusedError(f"error.{illegal.key}", outdated=False, **illegal.params) from illegal


def keeps_answer(position: Position) -> KeepsAnswer:
    """Return the ways to keep dice, with their chances."""
    found, shown = position.keeps(), position.game.turn.faces
    return KeepsAnswer(
        rolls=found.rolls,
        columns=tuple(
            OddsColumnView(
                face=one.face,
                words=Words(
                    key="odds.at_least" if one.count else "odds.mean",
                    args={"count": one.count, "face": one.face.value},
                ),
                mean=not one.count,
            )
            for one in found.columns
        ),
        keeps=tuple(
            KeepView(
                dice=one.dice,
                faces=tuple(shown[die] for die in one.dice),
                values=tuple(round(value, 4) for value in one.values),
            )
            for one in found.keeps
        ),
    )


def coach_answer(position: Position, found: AdviceFound) -> CoachAnswer:
    """Return the advice in words."""
    advice, measured = found.advice, measured_words(found.measured)
    if advice is None:
        nothing = Words(key="coach.nothing")
        return CoachAnswer(lines=(), now=0.0, compares=nothing, measured=measured, left_out=0)
    lines = tuple(_coach_line(position, one) for one in advice.answers)
    return CoachAnswer(
        lines=lines[:MOST_LINES],
        now=round(advice.now, 4),
        compares=Words(key=f"coach.{advice.compares}"),
        measured=measured,
        left_out=advice.left_out + len(lines[MOST_LINES:]),
    )


def _coach_line(position: Position, one: Answer) -> CoachLine:
    return CoachLine(
        chance=round(one.chance, 4),
        words=_coach_words(position, one),
        faces=tuple(position.game.turn.faces[die] for die in one.keep),
    )


def _coach_words(position: Position, one: Answer) -> Words:
    match one.event:
        case Chosen(option=option) if isinstance(position.question, Choice):
            known = answer_words(position, position.question, option)
            return known or Words(key="coach.other")
        case PowerUsed(ref=ref):
            return power_label(position.game, ref)
        case DiceRolled():
            return Words(key="coach.stop")
    return Words(key="coach.keep" if one.keep else "coach.all_again")
