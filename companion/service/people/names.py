"""Players' names: how they are cleaned, and that each player has one."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable

from companion.table import GameStarted, Input, RefusedError, SeatSetup, TableSet
from companion.table.history import LONGEST_NAME

MAX_CLEAN_LENGTH = 24
JOINER = "\u200d"
"""Joins several emoji into one."""


def clean_name(name: str) -> str:
    """Return the name in NFC, without controls, invisible marks of direction and stray blanks, at
    most `MAX_CLEAN_LENGTH` characters.

    It is cut to `LONGEST_NAME` first: normalising a longer text may take very long.
    """
    text = unicodedata.normalize("NFC", name[:LONGEST_NAME])
    shown = "".join(c for c in text if c.isspace() or c == JOINER or not _is_invisible(c))
    return " ".join(shown.split())[:MAX_CLEAN_LENGTH].strip(f"{JOINER} ")


def check_all_named(events: Iterable[Input], setup: TableSet | None) -> None:
    """Raise RefusedError if the events start a game with an unnamed player."""
    for event in events:
        if isinstance(event, TableSet):
            setup = event
        seats = setup.seats if isinstance(event, GameStarted) and setup is not None else ()
        if not all(clean_name(seat.player) for seat in seats):
            raise RefusedError("error.name_blank")


def with_clean_names(seats: tuple[SeatSetup, ...]) -> tuple[SeatSetup, ...]:
    """Return the seats with cleaned names; RefusedError if a name is not blank but has no visible
    character. Blank names are allowed.
    """
    cleaned = tuple(
        SeatSetup(clean_name(seat.player), seat.monster, clean_name(seat.called)) for seat in seats
    )
    both = zip(seats, cleaned, strict=True)
    if any(given.player.strip() and not seat.player for given, seat in both):
        raise RefusedError("error.name_blank")
    return cleaned


def _is_invisible(character: str) -> bool:
    """Whether the character is in Unicode category C (control, format, private use, unassigned)."""
    return unicodedata.category(character).startswith("C")
