"""What Apply would do, and what an answer would do, before anybody taps: numbers, never
sentences.
"""

from __future__ import annotations

from enum import StrEnum

import msgspec

from companion.engine.values import Face, Seat


class Number(StrEnum):
    """A number of a Monster that may change."""

    HEALTH = "health"
    STARS = "stars"
    ENERGY = "energy"


class Change(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One number of one Monster, before and after."""

    seat: Seat
    what: Number
    before: int
    after: int


class PreviewRow(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What one group of dice does. `provisional`: an answer still to come may change it."""

    face: Face
    count: int
    key: str
    args: dict[str, str | int]
    changes: tuple[Change, ...] = ()
    provisional: bool = False
