"""Numbers before and after: what previews, answers and the log show."""

from __future__ import annotations

from enum import StrEnum

from companion.engine.values import Face, Seat, Value


class Number(StrEnum):
    """A number of a Monster that may change."""

    HEALTH = "health"
    STARS = "stars"
    ENERGY = "energy"


class Change(Value, frozen=True):
    """One number of one Monster, before and after."""

    seat: Seat
    what: Number
    before: int
    after: int


class PreviewRow(Value, frozen=True):
    """What one group of dice does. `provisional`: an answer still to come may change it.

    `key` is the face, with ".nothing" behind it where the group does nothing.
    """

    face: Face
    count: int
    key: str
    args: dict[str, str | int]
    changes: tuple[Change, ...] = ()
    provisional: bool = False
