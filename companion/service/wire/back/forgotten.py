"""What did we forget: where the table's numbers differ from the rules, and what mends it."""

from __future__ import annotations

from enum import StrEnum

from companion.engine import Change, Corrected
from companion.service.wire.words import Wire, Words


class MendKind(StrEnum):
    """How a finding is mended."""

    GIVE = "give"
    """It only gives."""
    DO = "do"
    """It costs somebody, or moves a Monster."""
    NAME = "name"
    """A building has no name: name it."""
    NONE = "none"
    """There is nothing to mend."""


class Finding(Wire, frozen=True):
    """One thing that differs from the rules, or a number set by hand that no rule explains."""

    id: str
    turn: int
    seat: int | None
    sign: str
    words: Words
    cause: Words | None = None
    clause: str | None = None
    mend: MendKind = MendKind.NONE
    fix: Corrected | None = None
    """The event that mends it."""
    changes: tuple[Change, ...] = ()
    """What the mending changes now."""
    place: str | None = None
    """Where it puts the Monster."""


class ForgottenView(Wire, frozen=True):
    """The log compared with the rules; turns from `since` to `turns` were played again."""

    rev: int
    since: int
    turns: int
    findings: tuple[Finding, ...]
    by_hand: tuple[Finding, ...]
    """Set by hand, and nothing is to mend: no rule speaks for it or against it, or the rules have
    moved on since.
    """
    left: int
    """How many the table has left as they are."""
    cannot: Words | None = None
    """Why the rules could not play it again."""
