"""Odds and coach: what to keep of a roll by exact chances, and what a network says."""

from __future__ import annotations

from typing import Final

from companion.engine import (
    Choice,
    Chosen,
    DiceRolled,
    Face,
    IllegalEvent,
    Position,
    PowerUsed,
    Roll,
)
from companion.forecast.messages import AdviceFound, Answer
from companion.service.requests import CoachAnswer, CoachLine, KeepsAnswer, KeepView, OddsColumnView
from companion.service.views.questions import power_label, question_view
from companion.service.views.words import measured_words
from companion.service.wire import Words
from companion.table import RefusedError, State

MOST_LINES: Final = 6
"""Answers that a phone shows."""


def with_dice(
    state: State, seat: int | None, faces: tuple[Face, ...], rethrown: tuple[int, ...]
) -> Position:
    """Return the position with these dice, none: as entered; RefusedError if not this seat's."""
    position = state.position
    if position is None:
        raise RefusedError("error.not_started", outdated=True)
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


def coach_answer(position: Position, state: State, found: AdviceFound) -> CoachAnswer:
    """Return the advice in words."""
    advice, measured = found.advice, measured_words(found.measured)
    if advice is None:
        nothing = Words(key="coach.nothing")
        return CoachAnswer(lines=(), now=0.0, compares=nothing, measured=measured, left_out=0)
    lines = tuple(_line(position, state, one) for one in advice.answers)
    return CoachAnswer(
        lines=lines[:MOST_LINES],
        now=round(advice.now, 4),
        compares=Words(key=f"coach.{advice.compares}"),
        measured=measured,
        left_out=advice.left_out + len(lines[MOST_LINES:]),
    )


def _line(position: Position, state: State, one: Answer) -> CoachLine:
    return CoachLine(
        chance=round(one.chance, 4),
        words=_words(position, state, one),
        faces=tuple(position.game.turn.faces[die] for die in one.keep),
    )


def _words(position: Position, state: State, one: Answer) -> Words:
    match one.event:
        case Chosen(option=option) if isinstance(position.question, Choice):
            view = question_view(position, state, anyone=True)
            options = () if view is None else view.options
            known = (each.label for each in options if each.key == option)
            return next(known, Words(key="coach.other"))
        case PowerUsed(ref=ref):
            return power_label(position.game, ref)
        case DiceRolled():
            return Words(key="coach.stop")
    return Words(key="coach.keep" if one.keep else "coach.all_again")
