"""Checks of how a game ended."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from companion.engine.base_position import BasePosition
from companion.engine.checks.fields import check_one_of
from companion.engine.shared.turn import first_to_goal
from companion.engine.values import Seat

REASONS: Final = ("stars", "survival", "all_dead", "card")
"""How a game may end (NY-17, TK-14): `card` by a card that says so."""


def result(position: BasePosition) -> Iterator[str]:
    """Check that the game is over for a reason that its Monsters show."""
    ended, alive = position.game.ended, position.alive()
    if ended is None:
        return
    if position.game.agenda:
        yield f"agenda: {len(position.game.agenda)} steps, not none in a game that has ended"
    unknown = tuple(check_one_of("ended", "reason", ended.reason, REASONS))
    if unknown:
        yield from unknown
        return
    right = _winners(position, ended.reason)
    if right is None:
        yield f"ended: reason is {ended.reason}, which {len(alive)} living Monsters do not show"
    elif ended.reason == "card":
        if len(ended.winners) != 1 or ended.winners[0] not in right:
            yield f"ended: winners are {_seats(ended.winners)}, not one of {_seats(right)}"
    elif ended.winners != right:
        yield f"ended: winners are {_seats(ended.winners)}, not {_seats(right)}"


def _winners(position: BasePosition, reason: str) -> tuple[Seat, ...] | None:
    """Return who wins for this reason (with `card`: who may have); None where it cannot be the
    reason.
    """
    alive = position.alive()
    if reason == "card":
        return alive or None
    if reason == "all_dead":
        return () if not alive else None
    if reason == "survival":
        return alive if len(alive) == 1 else None
    return (first_to_goal(position) or None) if len(alive) > 1 else None


def _seats(seats: tuple[Seat, ...]) -> str:
    return ", ".join(map(str, seats)) or "nobody"
