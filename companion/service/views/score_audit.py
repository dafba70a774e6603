"""What did we forget: the log compared with the rules, what mends it, what is left as it is."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Annotated, Final

import msgspec
from msgspec import Meta
from msgspec.structs import replace

from companion.engine import (
    Audit,
    Change,
    Corrected,
    Difference,
    Event,
    Game,
    IllegalEvent,
    Position,
)
from companion.service.requests import ForgottenAct, ForgottenRequest
from companion.service.views.logbook import changes
from companion.service.views.news import IdentityCache
from companion.service.views.reasons import may_be_same_game
from companion.service.views.words import difference_words, reason_words
from companion.service.wire import Args, Words
from companion.service.wire_pages import Finding, ForgottenView, MendKind
from companion.table import Entry, RefusedError, Snapshot, Table
from companion.table.log import EventLog

KEY: Final = "forgotten"
"""Of the state."""
MOST_TABLES: Final = 50
"""Of how many games it is remembered what was left, the newest."""
MOST_LEFT: Final = 400
MOST_FINDINGS: Final = 40
"""How many are shown, the newest."""
SIGNS = {"health": "heal", "stars": "victory_star", "energy": "energy"}

_LEFT: Final = msgspec.json.Decoder(
    Annotated[
        dict[str, Annotated[tuple[str, ...], Meta(max_length=MOST_LEFT)]],
        Meta(max_length=MOST_TABLES),
    ]
)


class ScoreAudit:
    """Findings of the game that is played; what was left is in the log's state. Thread-safe."""

    def __init__(self, table: Table, log: EventLog) -> None:
        self._table, self._log = table, log
        self._leaving = threading.Lock()
        """Held while what was left changes."""
        self._found = IdentityCache[Snapshot, ForgottenView](1)
        self._left: dict[str, tuple[str, ...]] = log.state(KEY, _LEFT) or {}
        """The ids of what each table has left as it is."""

    def view(self) -> ForgottenView:
        """Return what differs from the rules; RefusedError before a game."""
        snapshot = self._table.snapshot()
        found, left = self._findings(snapshot), self._left.get(snapshot.game_id, ())
        shown = tuple(one for one in found.findings if one.id not in left)
        return replace(found, findings=shown, left=len(found.findings) - len(shown))

    def act(self, form: ForgottenRequest) -> ForgottenView:
        """Leave what is found as it is, or ask again; return what differs then.

        RefusedError if another game is played, or if the disk refuses.
        """
        snapshot = self._table.snapshot()
        if form.table not in {None, snapshot.game_id}:
            raise RefusedError("error.stale", outdated=True)
        with self._leaving:
            others = {name: left for name, left in self._left.items() if name != snapshot.game_id}
            left: tuple[str, ...] = ()
            if form.act is not ForgottenAct.ASK:
                found = (one.id for one in self._findings(snapshot).findings)
                left = tuple(dict.fromkeys((*self._left.get(snapshot.game_id, ()), *found)))
            others[snapshot.game_id] = left[-MOST_LEFT:]
            self._left = dict(list(others.items())[-MOST_TABLES:])
            self._log.put_state(KEY, self._left)
        return self.view()

    def _findings(self, snapshot: Snapshot) -> ForgottenView:
        """Return what differs at this moment, found once."""
        return self._found.of((snapshot,), lambda: find(snapshot))


def find(snapshot: Snapshot) -> ForgottenView:
    """Play the log again and return all that differs; RefusedError before a game."""
    position = snapshot.state.position
    part = checked_part([snapshot.entries[seq - 1] for seq in snapshot.state.active])
    if position is None or part is None:
        raise RefusedError("error.not_started", outdated=True)
    start, rows = part
    view = ForgottenView(
        rev=snapshot.rev,
        since=start.turn.number,
        turns=position.game.turn.number,
        findings=(),
        by_hand=(),
        left=0,
    )
    events = [row.event for row in rows if isinstance(row.event, Event)]
    try:
        found = with_row_numbers(Position.of(start).audit(events), rows)
    except IllegalEvent as illegal:
        at = rows[int(illegal.params["event"]) - 1].before.game
        args: Args = {"turn": 0 if at is None else at.turn.number}
        return replace(view, cannot=Words(key="forgotten.cannot", args=args))
    all_ = [_finding(position, one) for one in (*found.differences, *found.uncaused)]
    open_ = [one for one in all_ if one.mend is not MendKind.NONE]
    closed = sorted((one for one in all_ if one.mend is MendKind.NONE), key=lambda one: one.turn)
    return replace(
        view,
        findings=tuple(open_[-MOST_FINDINGS:]),
        by_hand=tuple(closed[-MOST_FINDINGS:]),
    )


def checked_part(line: Sequence[Entry]) -> tuple[Game, list[Entry]] | None:
    """Return what of these rows, oldest first, the rules can play again, those with events of the
    rules, and the game that they start from: all since the start, or since the last gap or row on
    which the log and the rules disagree. None before a game.
    """
    start: Game | None = None
    begun, known = 0, None
    for n, entry in enumerate(line):
        before, after = entry.before.game, entry.after.game
        if after is not None and (entry.refused is not None or not may_be_same_game(before, after)):
            start, begun = after, n + 1
        elif before is not known and before is not None:
            start, begun = before, n
        known = after
    if start is None:
        return None
    return start, [one for one in line[begun:] if isinstance(one.event, Event)]


def with_row_numbers(found: Audit, rows: Sequence[Entry]) -> Audit:
    """Return the audit with numbers of rows in place of numbers of events."""

    def row(one: Difference) -> Difference:
        reason = one.reason and replace(one.reason, event=rows[one.reason.event - 1].seq)
        return replace(one, event=rows[one.event - 1].seq, reason=reason)

    return replace(
        found,
        differences=tuple(map(row, found.differences)),
        uncaused=tuple(map(row, found.uncaused)),
    )


def _finding(position: Position, one: Difference) -> Finding:
    reason, mend = one.reason, one.mend
    clause = reason.clause if reason is not None else ""
    kind, change = MendKind.NONE, tuple[Change, ...]()
    if mend is not None:
        change = changes(position.game, position.apply(mend).game)
        gives = not mend.places and all(each.after > each.before for each in change)
        kind = MendKind.GIVE if gives else MendKind.DO
        mend = Corrected(mend.numbers, mend.places, clause)
    asked = reason.event if reason is not None else 0
    return Finding(
        # a name that stays, whatever is played after it
        id=f"{one.seat}-{one.what or 'place'}-{one.event}-{asked}-{one.amount}",
        turn=one.turn,
        seat=one.seat,
        sign="pin" if one.what is None else SIGNS.get(one.what, "question"),
        words=difference_words(one),
        cause=None if reason is None else reason_words(position.rules, reason),
        clause=clause or None,
        mend=kind,
        fix=mend,
        changes=change,
        place=mend.places[0].place if mend is not None and mend.places else None,
    )
