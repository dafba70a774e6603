"""A number set by hand on one phone while another phone had just changed it."""

from __future__ import annotations

from companion.engine import Change, Number
from companion.service.wire.words import Wire, Words


class Theirs(Wire, frozen=True):
    """A change that the sender had not seen."""

    seat: int | None
    """The seat of the phone that made it; None for the tray, and where nobody sits there."""
    words: Words
    change: Change
    ago_s: int
    """Seconds since, by the service's clock; 0 where that went back."""


class Conflict(Wire, frozen=True):
    """One number as two phones have it. Nothing of the sender's was applied."""

    seat: int
    what: Number
    knew: int
    """The number that the sender had seen."""
    knew_at: str
    """When that was up to date: ISO 8601 wall time, for reading only."""
    theirs: tuple[Theirs, ...]
    """What changed it since, oldest first; of many the newest."""
    mine: int
    """The number that the sender asked for, and what it would take off or add."""
    step: int
    same: int
    """The number where both meant one thing: what it is now."""
    both: int
    """The number where both count, within its limits."""
    most: int
    also: tuple[Words, ...] = ()
    """What else happened since; of many the newest."""
