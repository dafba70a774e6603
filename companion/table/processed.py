"""Commands already carried out, so that one sent twice counts once."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import blake2b
from itertools import groupby
from operator import itemgetter

import msgspec

from companion.table.events import Input
from companion.table.history import RefusedError


@dataclass(frozen=True, slots=True)
class _Processed:
    """The revision that a command led to, and a hash of its events."""

    rev: int
    content: bytes


class ProcessedCommands:
    """The commands of the game being played and of the one before it.

    Nobody repeats a command of an older game, and a service that runs for weeks must not grow.
    """

    def __init__(self) -> None:
        self._newest: dict[str, _Processed] = {}
        self._before: dict[str, _Processed] = {}

    def rev_of(self, command_id: str, events: Iterable[Input]) -> int | None:
        """Return the revision that this command led to; None where it is new.

        Raises RefusedError where a command with other events had its id.
        """
        done = self._newest.get(command_id) or self._before.get(command_id)
        if done is None:
            return None
        if done.content != _content(events):
            raise RefusedError("error.other_command")
        return done.rev

    def note(self, command_id: str, rev: int, events: Iterable[Input]) -> None:
        """Remember a command that was carried out."""
        self._newest[command_id] = _Processed(rev, _content(events))

    def start_game(self, rows: Iterable[tuple[str, Input]] = ()) -> None:
        """Move on to another game; `rows`: the command ids and events that it has already."""
        found: dict[str, _Processed] = {}
        rev = 0
        for command_id, same in groupby(rows, key=itemgetter(0)):
            events = [event for _, event in same]
            rev += len(events)
            found[command_id] = _Processed(rev, _content(events))
        self._before, self._newest = self._newest, found


def _content(events: Iterable[Input]) -> bytes:
    return blake2b(msgspec.json.encode(tuple(events)), digest_size=8).digest()
