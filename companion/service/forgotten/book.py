"""What is open about what was forgotten: the votes, and what the table has left as it is."""

from __future__ import annotations

import secrets
import threading
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Annotated, Final, Protocol

import msgspec
from msgspec import Meta
from msgspec.structs import replace

from companion.service import wire
from companion.service.forgotten.findings import Findings, find
from companion.service.requests import ForgottenAct, ForgottenRequest
from companion.service.wire import Finding, MendKind, Role, VoteView, Words, You
from companion.table import RefusedError, Snapshot, Submission, Table
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


class Phones(Protocol):
    """Who has a phone."""

    def phones(self) -> dict[int, int]:
        """Return how many browsers listen for each seat."""
        ...


@dataclass(frozen=True, slots=True)
class _Vote:
    """A vote that is open: who has said yes to a finding."""

    table: str
    finding: Finding
    seats: frozenset[int]


class ForgottenBook:
    """Findings of the game that is played, with votes on those that cost somebody.

    Votes are kept in memory: after a restart they are asked for again. What was left is kept in
    the state of the log. Every method may be called from any
    thread.
    """

    def __init__(self, table: Table, browsers: Phones, log: EventLog) -> None:
        self._table, self._browsers, self._log = table, browsers, log
        self._lock = threading.Lock()
        self._finding = threading.Lock()
        self._voting = threading.Lock()
        """Held from a vote to the row that it leads to: of two last votes one mends."""
        self._leaving = threading.Lock()
        """Held while what was left changes."""
        self._found: tuple[str, Findings] | None = None
        self._votes: dict[str, _Vote] = {}
        self._left: tuple[Left, ...] = log.state(KEY, _LEFT) or ()

    def view(self, you: You) -> wire.ForgottenView:
        """Return what differs from the rules, as one phone sees it; RefusedError before a game."""
        snapshot = self._table.snapshot()
        return self._view(you, snapshot, self._findings(snapshot))

    def act(self, you: You, form: ForgottenRequest) -> wire.ForgottenView:
        """Vote, or leave what is found; return what differs then.

        RefusedError where another game is played, the finding is gone, or the seat has no vote.
        """
        snapshot = self._table.snapshot()
        if form.table not in {None, snapshot.table}:
            raise RefusedError("error.stale", outdated=True)
        match form.act:
            case ForgottenAct.LEAVE | ForgottenAct.ASK:
                found = self._findings(snapshot)
                ids = [one.id for one in found.differences if one.mend is not MendKind.NAME]
                self._leave(snapshot.table, ids if form.act is ForgottenAct.LEAVE else [])
            case ForgottenAct.YES | ForgottenAct.NO:
                with self._voting:
                    snapshot = self._table.snapshot()
                    self._vote(you, snapshot, form.finding, yes=form.act is ForgottenAct.YES)
        return self.view(you)

    def reminders(self, snapshot: Snapshot) -> tuple[wire.Reminder, ...]:
        """Return the votes that are open, to remind everybody of them; not those whose numbers have
        changed since.
        """
        with self._lock:
            votes = tuple(self._votes.values())
        open_ = [
            vote
            for vote in votes
            if vote.table == snapshot.table and _is_as_found(vote.finding, snapshot)
        ]
        return tuple(
            wire.Reminder(
                id=f"vote-{vote.finding.id}-{len(vote.seats)}",
                sign="question",
                words=Words(
                    key="reminder.vote",
                    args={"seat": vote.finding.seat or 0, "count": len(vote.seats)},
                ),
                clause=vote.finding.clause,
            )
            for vote in open_
        )

    def _findings(self, snapshot: Snapshot) -> Findings:
        """Return what differs at this revision, found once."""
        with self._finding:
            known = self._found
            if known is None or (known[0], known[1].rev) != (snapshot.table, snapshot.rev):
                found = find(snapshot)
                if found is None:
                    raise RefusedError("error.not_started", outdated=True)
                self._found = known = (snapshot.table, found)
        return known[1]

    def _view(self, you: You, snapshot: Snapshot, found: Findings) -> wire.ForgottenView:
        left = self._left_of(snapshot.table)
        shown = [one for one in found.differences if one.id not in left]
        return wire.ForgottenView(
            rev=found.rev,
            since=found.since,
            turns=found.turns,
            findings=tuple(self._with_votes(one, you, snapshot) for one in shown),
            by_hand=found.by_hand,
            left=len(found.differences) - len(shown),
            cannot=found.cannot,
        )

    def _with_votes(self, one: Finding, you: You, snapshot: Snapshot) -> Finding:
        """Return the finding with its votes, where it takes any."""
        if one.mend is not MendKind.VOTE:
            return one
        voters, yes = _voters(one, snapshot), self._yes(snapshot.table, one)
        return replace(
            one,
            votes=tuple(VoteView(seat=seat, yes=seat in yes) for seat in voters),
            needs=_majority(voters),
            may=bool(self._speaks_for(you, voters) - yes),
            mine=you.seat in yes,
        )

    def _yes(self, table: str, one: Finding) -> frozenset[int]:
        with self._lock:
            vote = self._votes.get(one.id)
        return vote.seats if vote is not None and vote.table == table else frozenset()

    def _speaks_for(self, you: You, voters: Iterable[int]) -> frozenset[int]:
        """Return the seats whose vote this phone gives: its own; the host's also for seats that no
        phone listens for.
        """
        own = frozenset(seat for seat in voters if seat == you.seat)
        if you.role is not Role.HOST:
            return own
        phones = self._browsers.phones()
        return own | {seat for seat in voters if not phones.get(seat, 0)}

    def _vote(self, you: You, snapshot: Snapshot, name: str, *, yes: bool) -> None:
        """Count the phone's votes; mend where that makes a majority."""
        found = next((o for o in self._findings(snapshot).differences if o.id == name), None)
        if found is None or found.mend is not MendKind.VOTE or found.fix is None:
            raise RefusedError("error.no_such_finding", outdated=True)
        voters = _voters(found, snapshot)
        speaks = self._speaks_for(you, voters)
        if not speaks:
            raise RefusedError("error.no_vote")
        yes_now = self._yes(snapshot.table, found)
        said = yes_now | speaks if yes else yes_now - speaks
        if len(said) >= _majority(voters):
            # The votes stay where the row is refused: another phone's came between.
            who = "" if you.seat is None else str(you.seat)
            row = f"forgotten-{secrets.token_hex(8)}"
            self._table.submit(Submission(row, snapshot.rev, (found.fix,), who=who))
            said = frozenset()
        with self._lock:
            self._votes = {
                each: vote
                for each, vote in self._votes.items()
                if vote.table == snapshot.table and each != name
            }
            if said:
                self._votes[name] = _Vote(snapshot.table, found, said)

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


def _is_as_found(one: Finding, snapshot: Snapshot) -> bool:
    """Whether what the finding would mend is as it was when it was voted on."""
    game = snapshot.state.game
    if game is None or one.seat is None or one.seat >= len(game.monsters):
        return False
    return game.monsters[one.seat].place != one.place and all(
        game.monsters[change.seat].number(change.what) == change.before for change in one.changes
    )


def _voters(one: Finding, snapshot: Snapshot) -> tuple[int, ...]:
    """Return the seats that decide: all but the one it is about."""
    game = snapshot.state.game
    seats = range(len(game.monsters)) if game is not None else range(0)
    return tuple(seat for seat in seats if seat != one.seat)


def _majority(voters: tuple[int, ...]) -> int:
    return len(voters) // 2 + 1
