"""The most that ever happened, and on how many evenings people played."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import timedelta
from enum import StrEnum
from typing import Final

import msgspec

from companion.records.tallies import GameTally, SeatTally

NIGHT: Final = timedelta(hours=6)
"""A game that begins so long after the end of the one before belongs to another evening."""


class FeatKind(StrEnum):
    """What was the most."""

    TURN_STARS = "turn_stars"
    """Stars that a Monster gained in one turn of its own."""
    HIT = "hit"
    """Damage that a Monster dealt to another at once."""
    MINUTES = "minutes"
    """The time of a game."""


class Feat(msgspec.Struct, frozen=True):
    """A record: who holds it, and in how many games. `turns`: those of the longest game."""

    kind: FeatKind
    value: int
    names: tuple[str, ...] = ()
    times: int = 1
    turns: int = 0


def feats_of(ended: Sequence[GameTally]) -> tuple[Feat, ...]:
    """Return the records of these games; one that nobody holds yet is left out."""
    found = (
        _best(ended, FeatKind.TURN_STARS),
        _best(ended, FeatKind.HIT),
        _longest(ended),
    )
    return tuple(feat for feat in found if feat is not None)


def _best(ended: Iterable[GameTally], kind: FeatKind) -> Feat | None:
    reached = [
        (_value(seat, kind), one.result.players[seat.seat].player)
        for one in ended
        for seat in one.seats
    ]
    most = max((value for value, _ in reached), default=0)
    if most <= 0:
        return None
    holders = [name for value, name in reached if value == most]
    names = {name.casefold(): name for name in holders if name}
    return Feat(kind, most, tuple(names.values()), times=len(holders))


def _value(seat: SeatTally, kind: FeatKind) -> int:
    return seat.best_turn if kind is FeatKind.TURN_STARS else seat.best_hit


def _longest(ended: Iterable[GameTally]) -> Feat | None:
    timed = [(one.result.minutes or 0, one.result.turns) for one in ended]
    minutes, turns = max(timed, default=(0, 0))
    return Feat(FeatKind.MINUTES, minutes, turns=turns) if minutes else None


def evenings(ended: Iterable[GameTally]) -> int:
    """Return on how many evenings these games were played. Games without a time are left out: a
    table's clock may have been wrong."""
    times = sorted(
        (one.result.began, one.result.ended)
        for one in ended
        if one.result.began is not None and one.result.ended is not None
    )
    count, until = 0, None
    for began, end in times:
        count += until is None or began - until >= NIGHT
        until = end if until is None else max(until, end)
    return count
