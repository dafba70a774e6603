"""The win chances of a game turn by turn, and the turn that changed them most."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise

import msgspec

from companion.engine import Position, Seat
from companion.forecast.network import Chances, Forecaster


class TurnChances(msgspec.Struct, frozen=True):
    """The chances when a turn began, or when the game ended. `row`: the row of the log after which
    they hold; `seat`: whose turn it was.
    """

    turn: int
    row: int
    seat: Seat
    chances: Chances
    ended: bool = False


def by_turn(
    forecaster: Forecaster, positions: Iterable[tuple[int, Position]]
) -> tuple[TurnChances, ...]:
    """Return the chances at the beginning of each turn, and at the end of the game.

    `positions`: those after each row of one game, oldest first, with the rows' numbers. What comes
    before the first turn is left out.
    """
    found: list[tuple[int, Position]] = []
    for row, position in positions:
        ended, number = position.game.ended is not None, position.game.turn.number
        last = found[-1][1].game if found else None
        if ended and last is not None and last.ended is not None:
            continue
        if number and (ended or last is None or last.turn.number != number):
            found.append((row, position))
    if not found:
        return ()
    chances = forecaster.chances([position for _, position in found])
    return tuple(
        TurnChances(
            turn=position.game.turn.number,
            row=row,
            seat=position.game.turn.active,
            chances=one,
            ended=position.game.ended is not None,
        )
        for (row, position), one in zip(found, chances, strict=True)
    )


def swing(before: TurnChances, after: TurnChances) -> float:
    """Return how much of all chances changed hands, 0 to 1."""
    pairs = zip(before.chances, after.chances, strict=True)
    return sum(abs(one - other) for one, other in pairs) / 2


def turning_point(turns: Sequence[TurnChances]) -> TurnChances | None:
    """Return the turn in which most of the chances changed hands, the earliest of several; None
    where no turn has been played.
    """
    swings = [(swing(before, after), before) for before, after in pairwise(turns)]
    return max(swings, key=lambda one: one[0])[1] if swings else None
