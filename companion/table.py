"""One table, the only writer of its log: every input is a row, what counts a fold over the rows."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime

from companion.counting import (
    RULES_VERSION,
    Entry,
    RefusedError,
    State,
    check_setup,
    counted,
    replay,
    row_of,
    set_ahead,
)
from companion.engine.effects import Effect
from companion.engine.events import (
    Chosen,
    Corrected,
)
from companion.engine.questions import Roll
from companion.engine.values import Face
from companion.eventlog import EventLog
from companion.said import (
    AheadSaid,
    AnyTableEvent,
    GameStarted,
    Input,
    Redone,
    SeatSetup,
    TableEvent,
    TableSet,
    Undone,
)

Args = dict[str, str | int]


__all__ = [
    "RULES_VERSION",
    "AheadSaid",
    "AnyTableEvent",
    "Args",
    "Entry",
    "GameStarted",
    "Input",
    "Proposal",
    "Redone",
    "RefusedError",
    "SeatSetup",
    "Snapshot",
    "State",
    "Submission",
    "Table",
    "TableEvent",
    "TableSet",
    "Undone",
    "check_setup",
    "redoable",
    "replay",
    "since_roll",
    "undoable",
]


@dataclass(frozen=True, slots=True)
class Submission:
    """A command with its sender: events that apply or fail as one."""

    command_id: str
    base_rev: int
    events: tuple[Input, ...]
    who: str = ""
    proposal_id: str | None = None


@dataclass(frozen=True, slots=True)
class Proposal:
    """Dice as something read them, waiting for a tap; a face is None where it could not be said."""

    id: str
    question_id: str
    faces: tuple[Face | None, ...]
    roll: int
    """Which rest of this roll."""


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The table at one moment."""

    table: str
    rev: int
    state: State
    entries: tuple[Entry, ...]
    proposal: Proposal | None
    rolls: int
    saved: bool


class Table:
    """The newest table of a log, played on. One lock around apply, append and swap."""

    def __init__(
        self, log: EventLog, now: Callable[[], datetime] = lambda: datetime.now(UTC)
    ) -> None:
        self._log, self._now = log, now
        self._lock = threading.RLock()
        self._listeners: tuple[Callable[[], None], ...] = ()
        self._proposal: Proposal | None = None
        self._rolls = 0
        self._proposed = 0
        self._table = log.tables[-1] if log.tables else "g1"
        self._entries = list(replay(log.rows(self._table)))
        self._state = self._entries[-1].after if self._entries else State()
        self._done = {
            row.command_id: seq
            for table in log.tables[-2:]  # nobody repeats a command of an older game
            for seq, row in enumerate(log.rows(table), start=1)
        }

    def subscribe(self, listener: Callable[[], None]) -> None:
        """`listener` is called after every change, by the thread that made it."""
        self._listeners = (*self._listeners, listener)

    def snapshot(self) -> Snapshot:
        """The table now."""
        with self._lock:
            return Snapshot(
                self._table,
                len(self._entries),
                self._state,
                tuple(self._entries),
                self._proposal,
                self._rolls,
                self._log.saved,
            )

    def submit(self, command: Submission) -> int:
        """All events of the command count, or RefusedError and none; the revision it led to.

        The same `command_id` again gets the same answer, and nothing happens.
        """
        with self._lock:
            if command.command_id in self._done:
                return self._done[command.command_id]
            self._admit(command)
            fresh = self._state.game is not None and isinstance(command.events[0], TableSet)
            known = [] if fresh else self._entries
            entries = self._played(command, known)
            rev = len(known) + len(entries)
            entries += self._answered_ahead(known, entries)
            if fresh:
                self._table, self._entries = f"g{len(self._log.tables) + 1}", []
            self._log.append(self._table, [row_of(entry) for entry in entries])
            self._entries.extend(entries)
            self._state = entries[-1].after
            self._done[command.command_id] = rev
            self._keep_proposal()
        self._tell()
        return rev

    def propose(self, faces: tuple[Face | None, ...]) -> Proposal | None:
        """The dice are proposed, and nothing else any more; None where no roll is awaited."""
        with self._lock:
            if not isinstance(self._state.question, Roll):
                return None
            self._rolls += 1
            self._proposed += 1
            proposal = Proposal(
                f"{self._table}-{self._proposed}", self._state.question_id, faces, self._rolls
            )
            self._proposal = proposal
        self._tell()
        return proposal

    @property
    def saved(self) -> bool:
        """Whether every row is on the disk."""
        return self._log.saved

    def save(self) -> bool:
        """What the disk refused has been tried again; whether all is saved."""
        with self._lock:
            before, now = self._log.saved, self._log.save()
        if now != before:
            self._tell()
        return now

    def close(self) -> None:
        """The log is closed; the table must not be used any more."""
        with self._lock:
            self._log.close()

    def _tell(self) -> None:
        for listener in self._listeners:
            listener()

    def _admit(self, command: Submission) -> None:
        """The command speaks of the table as it is, or of something nobody has touched since."""
        if any(isinstance(event, Chosen) and event.ahead for event in command.events):
            raise RefusedError("error.only_the_table")
        if command.base_rev != len(self._entries) and not self._commutes(command):
            raise RefusedError("error.stale", outdated=True)
        wanted = command.proposal_id
        if wanted is not None and (self._proposal is None or self._proposal.id != wanted):
            raise RefusedError("error.outdated_proposal", outdated=True)

    def _commutes(self, command: Submission) -> bool:
        """Only numbers are corrected, of which none has changed since the sender looked; or only
        answers are set ahead.
        """
        if not 0 < command.base_rev <= len(self._entries):
            return False
        seen = self._entries[command.base_rev - 1].after.game
        now = self._state.game
        if seen is None or now is None or not self._descends(command.base_rev):
            return False
        then = self._entries[command.base_rev - 1].after
        if all(isinstance(event, AheadSaid) for event in command.events):
            return then.ahead == self._state.ahead
        return all(
            isinstance(event, Corrected)
            and not event.places
            and all(
                0 <= c.seat < len(now.monsters)
                and getattr(seen.monsters[c.seat], c.what) == getattr(now.monsters[c.seat], c.what)
                for c in event.numbers
            )
            for event in command.events
        )

    def _descends(self, rev: int) -> bool:
        """Whether what counts now grew out of what counted at `rev`."""
        then = self._entries[rev - 1].after.line
        return self._state.line[: len(then)] == then

    def _played(self, command: Submission, known: list[Entry]) -> list[Entry]:
        """The rows the command adds to `known`; RefusedError where one of them may not be."""
        at = self._now().isoformat(timespec="seconds")
        entries = list(known)
        for event in command.events:
            before = entries[-1].after if entries else State()
            seq = len(entries) + 1
            after, performed = counted(before, event, seq, entries)
            entries.append(
                Entry(seq, at, command.who, command.command_id, event, before, after, performed)
            )
        return entries[len(known) :]

    def _answered_ahead(self, known: list[Entry], said: list[Entry]) -> list[Entry]:
        """The rows of answers set ahead to the question that what was `said` has led to, and to
        those that come of them; none where a question came back by undoing.

        Each is an act of its own, so that it can be undone alone and answered otherwise.
        """
        came_from = known[-1].after.question_id if known else ""
        if any(isinstance(entry.event, Undone | Redone) for entry in said):
            return []
        found: list[Entry] = []
        while (state := (found or said)[-1].after).question_id != came_from:
            event = set_ahead(state)
            if event is None:
                break
            came_from, seq = state.question_id, len(known) + len(said) + len(found) + 1
            after, performed = counted(state, event, seq, [*known, *said, *found])
            of = said[-1]
            found.append(
                Entry(seq, of.at, "", f"{of.command_id}#{seq}", event, state, after, performed)
            )
        return found

    def _keep_proposal(self) -> None:
        """A proposal lives as long as its question."""
        if self._proposal is None or self._proposal.question_id != self._state.question_id:
            self._proposal, self._rolls = None, 0


def undoable(snapshot: Snapshot) -> Entry | None:
    """The first row of the last command that counts, which Undo takes back; None before a start."""
    counting = [snapshot.entries[seq - 1] for seq in snapshot.state.line]
    played = [entry for entry in counting if not isinstance(entry.event, TableSet)]
    if not played:
        return None
    return next(entry for entry in played if entry.command_id == played[-1].command_id)


def since_roll(snapshot: Snapshot) -> tuple[Effect, ...]:
    """The effects of all that counts from the last roll on, in order."""
    state = snapshot.state
    rows = (snapshot.entries[seq - 1] for seq in state.line if seq >= state.rolled)
    return tuple(effect for row in rows for effect in row.performed)


def redoable(snapshot: Snapshot) -> Entry | None:
    """The undoing that Redo takes back."""
    return snapshot.entries[snapshot.state.redo[-1] - 1] if snapshot.state.redo else None
