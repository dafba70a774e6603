"""Commands that were carried out, so that one sent twice counts once."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import blake2b
from itertools import groupby
from operator import itemgetter

import msgspec

from companion.table.events import Record
from companion.table.history import RefusedError


@dataclass(frozen=True, slots=True)
class _Done:
    """The revision that a command led to, and what tells its events from others."""

    rev: int
    content: bytes


class Answered:
    """The commands of the game being played and of the one before.

    Nobody repeats a command of an older game, and a service that runs for weeks must not grow.
    """

    def __init__(self) -> None:
        self._newest: dict[str, _Done] = {}
        self._before: dict[str, _Done] = {}

    def rev_of(self, command_id: str, events: Iterable[Record]) -> int | None:
        """Return the revision that the same command led to; None where it is a new one.

        RefusedError where another command has used its name.
        """
        done = self._newest.get(command_id) or self._before.get(command_id)
        if done is None:
            return None
        if done.content != _content(events):
            raise RefusedError("error.other_command")
        return done.rev

    def note(self, command_id: str, rev: int, events: Iterable[Record]) -> None:
        """Note a command that was carried out."""
        self._newest[command_id] = _Done(rev, _content(events))

    def begin(self, rows: Iterable[tuple[str, Record]] = ()) -> None:
        """Go on with another game; `rows`: the commands and events that it holds already."""
        found: dict[str, _Done] = {}
        rev = 0
        for command_id, same in groupby(rows, key=itemgetter(0)):
            events = [event for _, event in same]
            rev += len(events)
            found[command_id] = _Done(rev, _content(events))
        self._before, self._newest = self._newest, found


def _content(events: Iterable[Record]) -> bytes:
    return blake2b(msgspec.json.encode(tuple(events)), digest_size=8).digest()
