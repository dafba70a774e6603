"""What differs from the rules, and what the table has left as it is."""

from __future__ import annotations

import threading
from typing import Annotated, Final

import msgspec
from msgspec import Meta

from companion.service import wire
from companion.service.forgotten.findings import Findings, find
from companion.service.requests import ForgottenAct, ForgottenRequest
from companion.service.wire import MendKind
from companion.table import RefusedError, Snapshot, Table
from companion.table.log import EventLog

KEY: Final = "forgotten"
"""Of the state."""
MOST_TABLES: Final = 50
"""Of how many games it is remembered what was left, the newest."""
MOST_LEFT: Final = 400

Id = Annotated[str, Meta(max_length=80)]


class Left(msgspec.Struct, frozen=True):
    """What one table has left as it is."""

    table: Annotated[str, Meta(max_length=80)]
    ids: Annotated[tuple[Id, ...], Meta(max_length=MOST_LEFT)]


_LEFT: Final = msgspec.json.Decoder(Annotated[tuple[Left, ...], Meta(max_length=MOST_TABLES)])


class ForgottenBook:
    """Findings of the game that is played.

    What was left is kept in the state of the log. Every method may be called from any thread.
    """

    def __init__(self, table: Table, log: EventLog) -> None:
        self._table, self._log = table, log
        self._finding = threading.Lock()
        self._leaving = threading.Lock()
        """Held while what was left changes."""
        self._found: tuple[str, Findings] | None = None
        self._left: tuple[Left, ...] = log.state(KEY, _LEFT) or ()

    def view(self) -> wire.ForgottenView:
        """Return what differs from the rules; RefusedError before a game."""
        snapshot = self._table.snapshot()
        found, left = self._findings(snapshot), self._left_of(snapshot.game_id)
        shown = tuple(one for one in found.differences if one.id not in left)
        return wire.ForgottenView(
            rev=found.rev,
            since=found.since,
            turns=found.turns,
            findings=shown,
            by_hand=found.by_hand,
            left=len(found.differences) - len(shown),
            cannot=found.cannot,
        )

    def act(self, form: ForgottenRequest) -> wire.ForgottenView:
        """Leave what is found as it is, or ask again; return what differs then.

        RefusedError if another game is played, or if the disk refuses.
        """
        snapshot = self._table.snapshot()
        if form.table not in {None, snapshot.game_id}:
            raise RefusedError("error.stale", outdated=True)
        match form.act:
            case ForgottenAct.LEAVE:
                found = self._findings(snapshot).differences
                ids = [one.id for one in found if one.mend is not MendKind.NAME]
                self._leave(snapshot.game_id, ids)
            case ForgottenAct.ASK:
                self._leave(snapshot.game_id, [])
        return self.view()

    def _findings(self, snapshot: Snapshot) -> Findings:
        """Return what differs at this revision, found once."""
        with self._finding:
            known = self._found
            if known is None or (known[0], known[1].rev) != (snapshot.game_id, snapshot.rev):
                found = find(snapshot)
                if found is None:
                    raise RefusedError("error.not_started", outdated=True)
                self._found = known = (snapshot.game_id, found)
        return known[1]

    def _left_of(self, table: str) -> frozenset[str]:
        return frozenset(i for one in self._left if one.table == table for i in one.ids)

    def _leave(self, table: str, ids: list[str]) -> None:
        """Remember what is left."""
        with self._leaving:
            before = [i for one in self._left if one.table == table for i in one.ids] if ids else []
            both = tuple(dict.fromkeys((*before, *ids)))[-MOST_LEFT:]
            others = tuple(one for one in self._left if one.table != table)
            self._left = (*others, Left(table, both))[-MOST_TABLES:]
            self._log.put_state(KEY, self._left)
