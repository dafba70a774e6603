"""Previews of a roll, with keys as catalogues have them."""

from __future__ import annotations

from msgspec.structs import replace

from companion.engine import (
    Corrected,
    Correction,
    DiceRolled,
    Face,
    Game,
    IllegalEvent,
    Number,
    OrderChosen,
    Position,
    Preview,
    PreviewRow,
    Roll,
    Seat,
)
from companion.service import requests
from companion.service.views.questions import answers_that_end
from companion.service.wire import Words

MOST_DRASTIC = 30
"""How many values of a number are tried from each end."""


def preview_answer(
    position: Position,
    faces: tuple[Face, ...],
    order: tuple[Face, ...] = (),
    rethrown: tuple[int, ...] = (),
) -> requests.PreviewAnswer:
    """Return what Apply with these dice would do; fewer dice than expected: so far."""
    game, asked = position.game, position.question
    if isinstance(asked, Roll) and not asked.main:
        found = position.preview_throw(faces, rethrown)
    else:
        found = position.preview(faces, order, rethrown)
    whole = isinstance(asked, Roll) and asked.main and len(faces) == asked.dice
    return requests.PreviewAnswer(
        rows=tuple(_row(row, game) for row in found.rows),
        order=found.order,
        merges=found.merges,
        changes=found.changes,
        lacking=found.lacking,
        entering=found.entering,
        outcomes=_outcomes(found, game),
        ends=_ends_after(position, faces, found.order, rethrown) if whole else (),
    )


def _outcomes(found: Preview, game: Game) -> tuple[Words, ...]:
    """Return what must not be overlooked before Apply: who wins, who falls."""
    active = game.turn.active
    words: list[Words] = []
    if found.ended is not None:
        words += [Words(key="outcome.wins", args={"seat": seat}) for seat in found.ended.winners]
        words += [] if found.ended.winners else [Words(key="outcome.nobody")]
    elif found.reaches:
        words.append(Words(key="outcome.reaches", args={"seat": active}))
    words += [Words(key="outcome.falls", args={"seat": seat}) for seat in found.falls]
    words += [Words(key="outcome.may_fall", args={"seat": seat}) for seat in found.endangered]
    return tuple(words)


def drastic_values(position: Position, seat: Seat, what: Number) -> tuple[requests.Drastic, ...]:
    """Return the values of a number which, set by hand, take somebody out of the game, or lead to
    its end: the smallest and the largest.
    """
    most = position.number_max(seat, what)
    low = _run_of_drastic(position, seat, what, range(most + 1))
    high = _run_of_drastic(position, seat, what, range(most, len(low) - 1, -1))
    return (*low, *reversed(high))


def _run_of_drastic(
    position: Position, seat: Seat, what: Number, values: range
) -> list[requests.Drastic]:
    """Return the first of these values up to one that is not drastic; what the number is now is
    none.
    """
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
    """Return who falls and who wins by a correction; nothing where it cannot be made."""
    try:
        after = position.apply(event).game
    except IllegalEvent:
        return ()
    pairs = tuple(zip(position.game.monsters, after.monsters, strict=True))
    falls = tuple(old.seat for old, new in pairs if old.alive and not new.alive)
    dying = tuple(old.seat for old, new in pairs if old.health and not new.health and new.alive)
    words: list[Words] = []
    if after.ended is not None and position.game.ended is None:
        words += [Words(key="outcome.wins", args={"seat": seat}) for seat in after.ended.winners]
        words += [] if after.ended.winners else [Words(key="outcome.nobody")]
    words += [Words(key="outcome.falls", args={"seat": seat}) for seat in falls]
    words += [Words(key="outcome.may_fall", args={"seat": seat}) for seat in dying]
    words += [
        Words(key="outcome.reaches", args={"seat": old.seat})
        for old, new in pairs
        if new.alive and old.reached is None and new.reached is not None and after.ended is None
    ]
    return tuple(words)


def _row(row: PreviewRow, game: Game) -> PreviewRow:
    args = {**row.args, "seat": game.turn.active, "face": row.face.value}
    return replace(row, key=f"preview.{row.key}", args=args)


def _ends_after(
    position: Position,
    faces: tuple[Face, ...],
    order: tuple[Face, ...] = (),
    rethrown: tuple[int, ...] = (),
) -> tuple[str, ...]:
    """Return the answers that end the turn once these dice are applied in this order; none where
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
