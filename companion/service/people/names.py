"""Names: how players' are cleaned, that each player has one, and what printed cards are called."""

from __future__ import annotations

import threading
import unicodedata
from collections.abc import Iterable, Mapping
from typing import Final

import msgspec

from companion.engine import RULESETS
from companion.table import GameStarted, Input, RefusedError, SeatSetup, TableSet
from companion.table.log import EventLog

MAX_CLEAN_LENGTH = 24
JOINER = "\u200d"
"""Joins several emoji into one."""

KEY: Final = "card_names"
_CARD_NAMES: Final = msgspec.json.Decoder(dict[str, dict[str, str]])


class CardNames:
    """What the cards of a box in another language are called, by game; kept in the log's state.

    Thread-safe.
    """

    def __init__(self, log: EventLog) -> None:
        self._log, self._changing = log, threading.Lock()
        self._known = log.state(KEY, _CARD_NAMES) or {}

    def of(self, game: str) -> Mapping[str, str]:
        """Return the names by which cards of this game have been searched and found."""
        return self._known.get(game, {})

    def put(self, game: str, card: str, name: str) -> None:
        """Tie a printed name to a card. RefusedError if the game has no such card."""
        name = clean_name(name)
        if not name or card not in RULESETS[game].cards:
            raise RefusedError("error.cannot_turn_up", name=card)
        with self._changing:
            self._known = {**self._known, game: {**self.of(game), card: name}}
            self._log.put_state(KEY, self._known)


def clean_name(name: str) -> str:
    """Return the name in NFC, without controls, invisible marks of direction and stray blanks, at
    most `MAX_CLEAN_LENGTH` characters. Every form bounds what is sent: normalising a very long text
    may take very long.
    """
    text = unicodedata.normalize("NFC", name)
    shown = "".join(c for c in text if c.isspace() or c == JOINER or not _is_invisible(c))
    return " ".join(shown.split())[:MAX_CLEAN_LENGTH].strip(f"{JOINER} ")


def check_all_named(events: Iterable[Input], setup: TableSet | None) -> None:
    """Raise RefusedError if the events start a game with an unnamed player."""
    for event in events:
        if isinstance(event, TableSet):
            setup = event
        seats = setup.seats if isinstance(event, GameStarted) and setup is not None else ()
        if not all(seat.player for seat in seats):
            raise RefusedError("error.name_blank")


def with_clean_names(seat: SeatSetup) -> SeatSetup:
    """Return the seat with cleaned names; RefusedError if the player's is not blank but has no
    visible character. A blank name is allowed.
    """
    player = clean_name(seat.player)
    if seat.player.strip() and not player:
        raise RefusedError("error.name_blank")
    return SeatSetup(player, seat.monster, clean_name(seat.called))


def _is_invisible(character: str) -> bool:
    """Whether the character is in Unicode category C (control, format, private use, unassigned)."""
    return unicodedata.category(character).startswith("C")
