"""One table, the only writer of its log: every input is a row, what counts a fold over the rows."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from companion.engine import Chosen, Corrected, Effect, Face, Roll
from companion.storage.rows import table_names
from companion.table.answered import Answered
from companion.table.events import (
    AheadSaid,
    Input,
    Redone,
    TableSet,
    Undone,
    understood,
)
from companion.table.history import (
    Entries,
    Entry,
    RefusedError,
    State,
    counted,
    replayed,
    row_of,
    set_ahead,
)
from companion.table.log import EventLog
from companion.table.summaries import GameSummary, summed_up

RETRY_S = 2.0
"""How often it is tried to save what the disk refused."""


@dataclass(frozen=True, slots=True)
class Submission:
    """A command with its sender: events that apply or fail as one."""

    command_id: str
    base_rev: int
    events: tuple[Input, ...]
    who: str = ""
    proposal_id: str | None = None
    table: str | None = None
    """The table it was made for, where the sender says so."""


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
    entries: Sequence[Entry]
    proposal: Proposal | None
    rolls: int
    saved: bool


class Table:
    """One table of a log, played on.

    What it shows is one immutable value that is swapped once a row is written: looking at it waits
    for nobody. Commands wait for each other.
    """

    def __init__(
        self, log: EventLog, now: Callable[[], datetime] = lambda: datetime.now(UTC)
    ) -> None:
        self._log, self._now = log, now
        self._writing = threading.RLock()
        """Held by whoever changes the log, over the wait for the disk."""
        self._swapping = threading.Lock()
        """Held for the moment in which what is shown changes."""
        self._closed = threading.Event()
        self._retrying: threading.Thread | None = None
        self._listeners: tuple[Callable[[], None], ...] = ()
        self._summaries: dict[str, GameSummary] = {}
        self._proposed = 0
        self.set_aside: tuple[tuple[str, RefusedError], ...] = ()
        """Tables that were to be played on and cannot be, each with the reason."""
        self._entries, table = self._opened(log.current)
        self._snapshot = self._fresh(table)
        self._answered = Answered()
        for other in [name for name in log.by_use if name != table][-1:]:
            self._answered.begin((row.command_id, understood(row)) for row in log.read(other))
        self._answered.begin((entry.command_id, entry.event) for entry in self._entries)
        self._reopened = log.reopened
        if not log.saved:
            self._try_again_soon()

    def subscribe(self, listener: Callable[[], None]) -> None:
        """`listener` is called after every change, by the thread that made it."""
        self._listeners = (*self._listeners, listener)

    def snapshot(self) -> Snapshot:
        """The table now."""
        return self._snapshot

    def games(self) -> tuple[GameSummary, ...]:
        """Every game of the log, the one played last at the end; reads those that changed since it
        was last asked.
        """
        return tuple(self._summary(table) for table in self._log.by_use)

    def look_at(self, table: str) -> Snapshot:
        """A game of the log as it stands, to look at; RefusedError where there is none."""
        shown = self._snapshot
        if table == shown.table:
            return shown
        entries = self._replayed(table)
        return Snapshot(
            table, len(entries), _newest(entries), Entries(entries), None, 0, shown.saved
        )

    def take_up(self, table: str) -> None:
        """The game is played on; the one before stays in the log. RefusedError where there is none
        of that name, it can only be looked at, or the rules cannot go on from it.

        Commands are taken while the game is replayed, which takes seconds where it is long.
        """
        if table in self._log.read_only:
            raise RefusedError("error.read_only_table")
        while table != self._snapshot.table:
            found, entries = self._rows_now(table), self._replayed(table)
            if (reason := _newest(entries).aside) is not None:
                raise reason
            if self._took_up(table, entries, found):
                self._tell()
                return

    def _took_up(self, table: str, entries: list[Entry], found: tuple[int, int]) -> bool:
        """Whether the table is played from these entries on; False where its rows are others by
        now than those that were `found`.
        """
        with self._writing:
            if self._rows_now(table) != found or table == self._snapshot.table:
                return False
            self._entries = entries
            self._answered.begin((entry.command_id, entry.event) for entry in self._entries)
            if not self._log.take_up(table):
                self._try_again_soon()
            table = self._caught_up(table)
            with self._swapping:
                self._snapshot = self._fresh(table)
            return True

    def _rows_now(self, table: str) -> tuple[int, int]:
        """How many rows the table has, in the how manieth file that was opened."""
        return self._log.count(table), self._log.reopened

    def submit(self, command: Submission) -> int:
        """All events of the command count, or RefusedError and none; the revision it led to.

        The same command again, by its `command_id`, gets the same answer, and nothing happens;
        another one by the same name is refused.
        """
        with self._writing:
            known = self._answered.rev_of(command.command_id, command.events)
            if known is not None:
                return known
            before = self._snapshot
            self._admit(command, before)
            fresh = self._begins_anew(command, before)
            entries = [] if fresh else self._entries
            table = self._log.next_name() if fresh else before.table
            count = len(entries)
            rev = self._play(command, entries)
            if not self._log.append(table, [row_of(entry) for entry in entries[count:]]):
                self._try_again_soon()
            self._entries = entries
            if fresh:
                self._answered.begin()
            self._answered.note(command.command_id, rev, command.events)
            table = self._caught_up(table)
            with self._swapping:
                self._snapshot = self._swapped(table)
        self._tell()
        return rev

    def rev_of(self, command_id: str, events: Iterable[Input]) -> int | None:
        """The revision that this command led to where it was carried out before, in this game or in
        the one before it; None: it is a new one. RefusedError where another one has used its name.
        """
        return self._answered.rev_of(command_id, events)

    def propose(self, faces: tuple[Face | None, ...]) -> Proposal | None:
        """The dice are proposed, and nothing else any more; None where no roll is awaited."""
        with self._swapping:
            now = self._snapshot
            if not isinstance(now.state.question, Roll):
                return None
            self._proposed += 1
            name, rolls = f"{now.table}-{self._proposed}", now.rolls + 1
            proposal = Proposal(name, now.state.question_id, faces, rolls)
            self._snapshot = replace(now, proposal=proposal, rolls=rolls)
        self._tell()
        return proposal

    @property
    def saved(self) -> bool:
        """Whether every row is on the disk."""
        return self._log.saved

    def save(self) -> bool:
        """What the disk refused has been tried again; whether all is saved."""
        with self._writing:
            before = self._snapshot
            now = self._log.save()
            table = self._caught_up(before.table)
            with self._swapping:
                if (table, len(self._entries)) != (before.table, before.rev):
                    self._snapshot = self._fresh(table)
                elif now != before.saved:
                    self._snapshot = replace(self._snapshot, saved=now)
        if self._snapshot is not before:
            self._tell()
        return now

    def _caught_up(self, table: str) -> str:
        """The name of the table that is played, after the log may have found another file on the
        disk than was supposed; its entries are read again where they are others.
        """
        if self._log.reopened == self._reopened:
            return table
        self._reopened = self._log.reopened
        current = self._log.current
        if self._log.count(current) != len(self._entries):
            self._entries, current = self._opened(current)
            self._answered.begin((entry.command_id, entry.event) for entry in self._entries)
        return current

    def close(self) -> None:
        """The log is closed; the table must not be used any more."""
        self._closed.set()
        with self._writing:
            self._log.close()

    def _try_again_soon(self) -> None:
        """A thread tries to save every few seconds until all is saved. Whoever asks for it is the
        one who changes the log.
        """
        if self._retrying is None:
            self._retrying = threading.Thread(target=self._retry, name="save", daemon=True)
            self._retrying.start()

    def _retry(self) -> None:
        try:
            while not self._closed.wait(RETRY_S):
                self.save()
                if self._log.saved:
                    return
        finally:  # a listener may have failed, or a command that came just now
            with self._writing:
                self._retrying = None
                if not self._log.saved and not self._closed.is_set():
                    self._try_again_soon()

    def mark_seen(self, notice: str) -> None:
        """What happened to the log has been seen, and is said no more."""
        with self._writing:
            self._log.mark_seen(notice)
        self._tell()

    def _tell(self) -> None:
        for listener in self._listeners:
            listener()

    def _begins_anew(self, command: Submission, snapshot: Snapshot) -> bool:
        """Whether the command sets up another table; RefusedError where this one is only for
        looking at.
        """
        sets = isinstance(command.events[0], TableSet)
        read_only = snapshot.table in self._log.read_only
        if read_only and not sets:
            raise RefusedError("error.read_only_table", outdated=True)
        return sets and (read_only or snapshot.state.game is not None)

    def _opened(self, table: str) -> tuple[list[Entry], str]:
        """The entries of the table that is played and its name; a new one where it cannot be."""
        entries = replayed(self._log.read(table))
        reason = _newest(entries).aside
        if len(entries) < self._log.count(table):
            reason = RefusedError("error.log_unreadable", table=table)
        if reason is None:
            return entries, table
        self.set_aside = ((table, reason),)
        key, said = _why_aside(reason)
        self._log.note(key, f"aside-{table}-{len(entries)}", table=table, **said)
        return [], self._log.next_name()

    def _fresh(self, table: str) -> Snapshot:
        """What is shown of a table that was just opened."""
        entries = Entries(self._entries)
        return Snapshot(table, len(entries), _newest(entries), entries, None, 0, self._log.saved)

    def _swapped(self, table: str) -> Snapshot:
        """What is shown after a command; a proposal lives as long as its question."""
        fresh, old = self._fresh(table), self._snapshot.proposal
        if old is None or old.question_id != fresh.state.question_id:
            return fresh
        return replace(fresh, proposal=old, rolls=self._snapshot.rolls)

    def _replayed(self, table: str) -> list[Entry]:
        """The entries of a table; RefusedError where the log has none of that name."""
        tables = self._log.tables
        if table not in tables:
            unknown = {"table": table, **table_names(tables)}
            raise RefusedError("error.no_such_table", outdated=False, **unknown)
        count = self._log.count(table)  # it may grow meanwhile
        entries = replayed(self._log.read(table))
        if len(entries) < count:
            raise RefusedError("error.log_unreadable", table=table)
        return entries

    def _summary(self, table: str) -> GameSummary:
        """The table in a line, read again only where it has grown."""
        shown, known = self._snapshot, self._summaries.get(table)
        if table == shown.table and shown.state.game is not None:
            return _now(shown)
        if known is None or known.rows != self._log.count(table):
            known = self._summaries[table] = summed_up(table, self._log.read(table))
        return replace(known, current=table == shown.table)

    def _admit(self, command: Submission, snapshot: Snapshot) -> None:
        """Refuse a stale command unless it commutes with what came since."""
        if any(isinstance(event, Chosen) and event.ahead for event in command.events):
            raise RefusedError("error.only_the_table")
        if command.table not in {None, snapshot.table}:
            raise RefusedError("error.stale", outdated=True)
        if command.base_rev != snapshot.rev and not self._commutes(command, snapshot):
            raise RefusedError("error.stale", outdated=True)
        wanted = command.proposal_id
        if wanted is not None and (snapshot.proposal is None or snapshot.proposal.id != wanted):
            raise RefusedError("error.outdated_proposal", outdated=True)

    def _commutes(self, command: Submission, snapshot: Snapshot) -> bool:
        """Only numbers are corrected, of which none has changed since the sender looked; or only
        answers are set ahead.
        """
        if not 0 < command.base_rev <= snapshot.rev:
            return False
        then = snapshot.entries[command.base_rev - 1].after
        seen, game = then.game, snapshot.state.game
        if seen is None or game is None or not snapshot.state.line.grew_from(then.line):
            return False
        if all(isinstance(event, AheadSaid) for event in command.events):
            return then.ahead == snapshot.state.ahead
        return all(
            isinstance(event, Corrected)
            and not event.places
            and all(
                0 <= c.seat < len(game.monsters)
                and getattr(seen.monsters[c.seat], c.what) == getattr(game.monsters[c.seat], c.what)
                for c in event.numbers
            )
            for event in command.events
        )

    def _play(self, command: Submission, entries: list[Entry]) -> int:
        """The rows of the command and of what was set ahead are added to the entries; the revision
        of the former. RefusedError where one of them may not be: then none is.
        """
        count, at = len(entries), self._now().isoformat(timespec="seconds")
        came_from, played = _newest(entries).question_id, False
        try:
            for event in command.events:
                _add(entries, event, at, command.who, command.command_id)
            rev = len(entries)
            if not any(isinstance(event, Undone | Redone) for event in command.events):
                _answer_ahead(entries, came_from)
            played = True
        finally:
            if not played:
                del entries[count:]
        return rev


def _why_aside(reason: RefusedError) -> tuple[str, dict[str, str]]:
    """The notice of a table that is set aside, and what fills its gaps."""
    match reason.key:
        case "error.newer_position":
            return "log_notice.newer_table", {}
        case "error.unknown_game":
            return "log_notice.game_missing", {"game": str(reason.params["game"])}
    return "log_notice.table_aside", {"reason": str(reason.params.get("reason", reason.key))}


def _newest(entries: Sequence[Entry]) -> State:
    """What counts after all of them."""
    return entries[-1].after if entries else State()


def _add(entries: list[Entry], event: Input, at: str, who: str, command_id: str) -> None:
    """The event is the newest entry; RefusedError where it may not be."""
    before, seq = _newest(entries), len(entries) + 1
    after, performed = counted(before, event, seq, Entries(entries))
    entries.append(Entry(seq, at, who, command_id, event, before, after, performed))


def _answer_ahead(entries: list[Entry], came_from: str) -> None:
    """Answers set ahead to the question that the newest entries have led to, and to those that come
    of them, are added.

    Each is an act of its own, so that it can be undone alone and answered otherwise.
    """
    said = entries[-1]
    while (state := _newest(entries)).question_id != came_from:
        event = set_ahead(state)
        if event is None:
            return
        came_from = state.question_id
        _add(entries, event, said.at, "", f"{said.command_id}#{len(entries) + 1}")


def _now(shown: Snapshot) -> GameSummary:
    """The game that is played in a line: it grows with every command, and is not read again."""
    assert shown.state.game is not None
    ended = shown.state.game.ended
    return GameSummary(
        shown.table,
        shown.state.setup,
        shown.rev,
        started=True,
        ended=ended is not None,
        winners=() if ended is None else ended.winners,
        at=shown.entries[-1].at,
        current=True,
    )


def undoable(snapshot: Snapshot) -> Entry | None:
    """The first row of the last command that counts, which Undo takes back; None before a start."""
    first: Entry | None = None
    for seq in reversed(snapshot.state.line):
        entry = snapshot.entries[seq - 1]
        if isinstance(entry.event, TableSet):
            break
        if first is not None and entry.command_id != first.command_id:
            break
        first = entry
    return first


def effects_since_roll(snapshot: Snapshot) -> tuple[Effect, ...]:
    """The effects of all that counts from the last roll on, in order."""
    rows = (snapshot.entries[seq - 1] for seq in snapshot.state.since_roll)
    return tuple(effect for row in rows for effect in row.performed)


def redoable(snapshot: Snapshot) -> Entry | None:
    """The undoing that Redo takes back."""
    undoings = snapshot.state.redo
    return snapshot.entries[undoings.seq - 1] if undoings else None
