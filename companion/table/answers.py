"""Answers to the open question that nobody is asked for: set ahead, given early, or without an
alternative.
"""

from __future__ import annotations

from companion.engine import Choice, Chosen, Seat
from companion.table.events import AnsweredEarly, Input
from companion.table.history import FLEE, State, is_open


def answer_set_ahead(state: State) -> Chosen | None:
    """Return the answer that the asked seat has given early or set ahead for the open question;
    None where it has none.
    """
    position = state.position
    asked = position.question if position is not None else None
    if position is None or asked is None:
        return None
    given = next((one for one in state.early if one.seat == asked.seat), None)
    if given is not None and is_open(asked, given.option):
        return Chosen(asked.seat, given.option, ahead=True)
    prepared = next((one for one in state.ahead if one.seat == asked.seat), None)
    if prepared is None or prepared.ahead is None:
        return None
    return position.answer_ahead(Seat(prepared.seat), prepared.ahead)


def as_asked(state: State, event: Input) -> Input:
    """Return the answer itself for one given early where its seat is asked by now."""
    asked = state.position.question if state.position is not None else None
    if not isinstance(event, AnsweredEarly) or not isinstance(asked, Choice):
        return event
    is_asked = asked.seat == event.seat and asked.window == FLEE
    return Chosen(asked.seat, event.option) if is_asked else event


def only_answer(state: State) -> Chosen | None:
    """Return the answer to the open question that has no alternative; None where there is a choice.

    It is left to its owner where somebody could use a power first, or should be warned.
    """
    position = state.position
    asked = position.question if position is not None else None
    if position is None or not isinstance(asked, Choice):
        return None
    ways = asked.open()
    if len(ways) != 1 or ways[0].warning or position.offers():
        return None
    return Chosen(asked.seat, ways[0].key)
