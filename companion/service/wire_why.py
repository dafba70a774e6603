"""Why a number is what it is, as a phone gets it: on the wire like all of `wire.py`."""

from __future__ import annotations

from companion.service.wire import Wire, Words


class Why(Wire, frozen=True):
    """One change of a number, or one part of a number that the rules look up."""

    seq: int
    """The row of the log it came with; 0: before the first."""
    turn: int
    words: Words
    delta: int
    total: int
    """The number after it."""
    clause: str | None = None
    notes: tuple[Words, ...] = ()
    """What became of the amount before it happened, and what led there."""


class WhyAnswer(Wire, frozen=True):
    """The chain of a number, oldest first: its deltas add up to `value`."""

    seat: int
    what: str
    value: int
    rows: tuple[Why, ...]
