"""`Table`: the only writer of a log; it turns commands into rows and publishes snapshots."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from hashlib import blake2b
from itertools import groupby
from operator import itemgetter

import msgspec

from companion.engine import Choice, Chosen, Corrected, Seat
from companion.table.database import known_games
from companion.table.events import (
    BY_TAP,
    AheadSaid,
    AnsweredEarly,
    Input,
    Redone,
    TableSet,
    Undone,
    decode_event,
)
from companion.table.history import (
    FLEE,
    Entries,
    Entry,
    RefusedError,
    State,
    apply_event,
    forget_outcome,
    is_open,
    performed_by,
    replay_all,
    row_of,
)
from companion.table.log import EventLog
from companion.table.summaries import GameSummary, summarize

RETRY_S = 2.0
"""The interval between attempts to save what the disk refused, in seconds."""


@dataclass(frozen=True, slots=True)
class Submission:
    """A command with its sender: events that apply or fail as one."""

    command_id: str
    base_rev: int
    events: tuple[Input, ...]
    who: str = ""
    table: str | None = None
    """The table that it was made for, where the sender names one."""


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The table at one moment."""

    table: str
    rev: int
    state: State
    entries: Sequence[Entry]
    saved: bool


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
        if done.content != _content_of(events):
            raise RefusedError("error.other_command")
        return done.rev

    def note(self, command_id: str, rev: int, events: Iterable[Input]) -> None:
        """Remember a command that was carried out."""
        self._newest[command_id] = _Processed(rev, _content_of(events))

    def start_game(self, rows: Iterable[tuple[str, Input]] = ()) -> None:
        """Move on to another game; `rows`: the command ids and events that it has already."""
        found: dict[str, _Processed] = {}
        rev = 0
        for command_id, same in groupby(rows, key=itemgetter(0)):
            events = [event for _, event in same]
            rev += len(events)
            found[command_id] = _Processed(rev, _content_of(events))
        self._before, self._newest = self._newest, found


def _content_of(events: Iterable[Input]) -> bytes:
    return blake2b(msgspec.json.encode(tuple(events)), digest_size=8).digest()


class Table:
    """The table being played; all games in its log.

    A snapshot is one immutable value that is swapped once a row is written: reading it waits for
    nobody. Commands wait for each other.
    """

    def __init__(
        self, log: EventLog, now: Callable[[], datetime] = lambda: datetime.now(UTC)
    ) -> None:
        self._log, self._now = log, now
        self._writing = threading.RLock()
        """Held while the log is changed, and while the disk is waited for."""
        self._swapping = threading.Lock()
        """Held while the snapshot is swapped."""
        self._closed = threading.Event()
        self._retrying: threading.Thread | None = None
        self._listeners: tuple[Callable[[], None], ...] = ()
        self._summaries: dict[str, GameSummary] = {}
        self.set_aside: tuple[tuple[str, RefusedError], ...] = ()
        """Tables that could not be continued at the start, each with the reason."""
        self._entries, table = self._open_entries(log.current)
        self._snapshot = self._make_snapshot(table)
        self._processed = ProcessedCommands()
        for other in [name for name in log.by_use if name != table][-1:]:
            self._processed.start_game(
                (row.command_id, decode_event(row)) for row in log.read(other)
            )
        self._processed.start_game((entry.command_id, entry.event) for entry in self._entries)
        self._reopened = log.reopened
        if not log.saved:
            self._retry_soon()

    def subscribe(self, listener: Callable[[], None]) -> None:
        """Have `listener` called after every change, by the thread that made it."""
        self._listeners = (*self._listeners, listener)

    def snapshot(self) -> Snapshot:
        """Return the table's present snapshot."""
        return self._snapshot

    def games(self) -> tuple[GameSummary, ...]:
        """Return a summary of every game of the log, the one played last at the end; only those
        that changed since the last call are read.
        """
        return tuple(self._summary(table) for table in self._log.by_use)

    def snapshot_of(self, table: str) -> Snapshot:
        """Return the snapshot of any game of the log; RefusedError where there is none of that
        name.
        """
        shown = self._snapshot
        if table == shown.table:
            return shown
        entries = self._read_entries(table)
        return Snapshot(table, len(entries), _latest_state(entries), Entries(entries), shown.saved)

    def resume(self, table: str) -> None:
        """Continue another game; the present one stays in the log.

        Raises RefusedError if there is none of that id, or the rules cannot continue it. Commands
        are accepted while the game is replayed, which takes seconds if it is long.
        """
        while table != self._snapshot.table:
            found, entries = self._row_counts(table), self._read_entries(table)
            if (reason := _latest_state(entries).unplayable) is not None:
                raise reason
            if self._switch_to(table, entries, found):
                self._notify()
                return

    def _switch_to(self, table: str, entries: list[Entry], found: tuple[int, int]) -> bool:
        """Continue the table with these entries; return False where its rows have changed since
        they were `found`.
        """
        with self._writing:
            if self._row_counts(table) != found or table == self._snapshot.table:
                return False
            self._entries = entries
            self._processed.start_game((entry.command_id, entry.event) for entry in self._entries)
            if not self._log.make_current(table):
                self._retry_soon()
            table = self._sync_with_log(table)
            with self._swapping:
                self._snapshot = self._make_snapshot(table)
            return True

    def _row_counts(self, table: str) -> tuple[int, int]:
        """Return how many rows the table has, and how often the log was reopened."""
        return self._log.count(table), self._log.reopened

    def submit(self, command: Submission) -> int:
        """Apply all events of the command and return the new revision; RefusedError and no change
        where one is refused.

        The same command again, by its `command_id`, gets the same answer, and nothing happens;
        another one with its id is refused.
        """
        with self._writing:
            known = self._processed.rev_of(command.command_id, command.events)
            if known is not None:
                return known
            before = self._snapshot
            self._check_current(command, before)
            fresh = self._starts_new_game(command, before)
            entries = [] if fresh else self._entries
            table = self._log.next_id() if fresh else before.table
            count = len(entries)
            rev = self._play(command, entries)
            if fresh and before.state.phone_free != BY_TAP:
                _append_event(
                    entries,
                    before.state.phone_free,
                    entries[-1].at,
                    command.who,
                    f"{command.command_id}#{len(entries) + 1}",
                )
            if not self._log.append(table, [row_of(entry) for entry in entries[count:]]):
                self._retry_soon()
            self._entries = entries
            if fresh:
                self._processed.start_game()
            self._processed.note(command.command_id, rev, command.events)
            table = self._sync_with_log(table)
            with self._swapping:
                self._snapshot = self._make_snapshot(table)
        self._notify()
        return rev

    def rev_of(self, command_id: str, events: Iterable[Input]) -> int | None:
        """Return the revision that this command led to, in this game or the one before it; None
        where it is new. RefusedError where another one had its id.
        """
        return self._processed.rev_of(command_id, events)

    @property
    def saved(self) -> bool:
        """Whether everything is on the disk, as far as people are to know."""
        return self._log.rows_saved and self._log.state_saved

    def probe(self) -> None:
        """Return once the table could take a command, and its database has answered."""
        with self._writing:
            self._log.probe()

    def save(self) -> bool:
        """Try again to write what the disk refused; return whether all is saved."""
        with self._writing:
            before = self._snapshot
            now = self._log.save()
            table = self._sync_with_log(before.table)
            with self._swapping:
                if (table, len(self._entries)) != (before.table, before.rev):
                    self._snapshot = self._make_snapshot(table)
                elif self._log.rows_saved != before.saved:
                    self._snapshot = replace(self._snapshot, saved=self._log.rows_saved)
        if self._snapshot is not before:
            self._notify()
        return now

    def _sync_with_log(self, table: str) -> str:
        """Return the name of the table being played; read its entries again where the log was
        reopened and has others.
        """
        if self._log.reopened == self._reopened:
            return table
        self._reopened = self._log.reopened
        current = self._log.current
        if self._log.count(current) != len(self._entries):
            self._entries, current = self._open_entries(current)
            self._processed.start_game((entry.command_id, entry.event) for entry in self._entries)
        return current

    def close(self) -> None:
        """Close the log; the table must not be used any more."""
        self._closed.set()
        with self._writing:
            self._log.close()

    def check(self) -> None:
        """Notice within moments that the file is gone, or that something waits to be saved. Called
        every second; waits for nobody.
        """
        if self._log.saved and self._log.is_in_place():
            return
        if self._writing.acquire(blocking=False):  # else a command finds out
            try:
                self._retry_soon()
            finally:
                self._writing.release()

    def _retry_soon(self) -> None:
        """Start a thread that tries to save now, and every few seconds until all is saved; the
        caller holds `_writing`.
        """
        if self._retrying is None and not self._closed.is_set():
            self._retrying = threading.Thread(target=self._retry, name="save", daemon=True)
            self._retrying.start()

    def _retry(self) -> None:
        try:
            while not self.save() and not self._closed.wait(RETRY_S):
                pass
        finally:  # a listener may have failed, or a command that came just now
            with self._writing:
                self._retrying = None
                if not self._log.saved:
                    self._retry_soon()

    def mark_seen(self, notice: str) -> None:
        """Mark a notice as seen, so that it is no longer shown."""
        with self._writing:
            self._log.mark_seen(notice)
        self._notify()

    def _notify(self) -> None:
        for listener in self._listeners:
            listener()

    def _starts_new_game(self, command: Submission, snapshot: Snapshot) -> bool:
        """Return whether the command sets up another game."""
        return isinstance(command.events[0], TableSet) and snapshot.state.game is not None

    def _open_entries(self, table: str) -> tuple[list[Entry], str]:
        """Return the entries and name of the table to be played; no entries and a new name where it
        is unplayable.
        """
        entries = replay_all(self._log.read(table))
        reason = _latest_state(entries).unplayable
        if len(entries) < self._log.count(table):
            reason = RefusedError("error.log_unreadable", table=table)
        if reason is None:
            return entries, table
        self.set_aside = ((table, reason),)
        key, params = _aside_notice(reason)
        self._log.note(key, f"aside-{table}-{len(entries)}", table=table, **params)
        return [], self._log.next_id()

    def _make_snapshot(self, table: str) -> Snapshot:
        """Make the snapshot of the table as it is now."""
        entries = Entries(self._entries)
        return Snapshot(table, len(entries), _latest_state(entries), entries, self._log.rows_saved)

    def _read_entries(self, table: str) -> list[Entry]:
        """Read the entries of a table; RefusedError where the log has none of that name."""
        games = self._log.games
        if table not in games:
            unknown = {"table": table, **known_games(games)}
            raise RefusedError("error.no_such_table", outdated=False, **unknown)
        count = self._log.count(table)  # it may grow meanwhile
        entries = replay_all(self._log.read(table))
        if len(entries) < count:
            raise RefusedError("error.log_unreadable", table=table)
        return entries

    def _summary(self, table: str) -> GameSummary:
        """Return the summary of a table, read again only where it has grown."""
        shown, known = self._snapshot, self._summaries.get(table)
        if table == shown.table and shown.state.game is not None:
            return _current_summary(shown)
        if known is None or known.rows != self._log.count(table):
            known = self._summaries[table] = summarize(table, self._log.read(table))
        return replace(known, current=table == shown.table)

    def _check_current(self, command: Submission, snapshot: Snapshot) -> None:
        """Raise RefusedError for a stale command, unless it commutes with what came since."""
        if any(isinstance(event, Chosen) and event.ahead for event in command.events):
            raise RefusedError("error.only_the_table")
        if command.table not in {None, snapshot.table}:
            raise RefusedError("error.stale", outdated=True)
        if command.base_rev != snapshot.rev and not self._commutes(command, snapshot):
            raise RefusedError("error.stale", outdated=True)

    def _commutes(self, command: Submission, snapshot: Snapshot) -> bool:
        """Return whether the command only corrects numbers that have not changed since, sets
        answers ahead where none has changed, or answers while only another seat has answered the
        same attack.
        """
        if not 0 < command.base_rev <= snapshot.rev:
            return False
        then = snapshot.entries[command.base_rev - 1].after
        seen, game = then.game, snapshot.state.game
        if seen is None or game is None or not snapshot.state.line.grew_from(then.line):
            return False
        if all(isinstance(event, AheadSaid) for event in command.events):
            return then.ahead == snapshot.state.ahead
        if all(isinstance(event, AnsweredEarly) for event in command.events):
            return seen.turn.number == game.turn.number
        if all(isinstance(event, Chosen) for event in command.events):
            since = snapshot.entries[command.base_rev :]
            return all(isinstance(entry.event, AnsweredEarly) for entry in since)
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
        """Append the command's entries and those of answers that nobody is asked for; return the
        revision of the former.

        Where RefusedError is raised, none is appended.
        """
        count, at = len(entries), self._now().isoformat(timespec="seconds")
        came_from, played = _latest_state(entries).question_id, False
        try:
            for given in command.events:
                event = as_asked(_latest_state(entries), given)
                _append_event(entries, event, at, command.who, command.command_id)
            rev = len(entries)
            if not any(isinstance(event, Undone | Redone) for event in command.events):
                _append_unasked_answers(entries, came_from)
            played = True
        finally:
            if not played:
                del entries[count:]
        return rev


def _aside_notice(reason: RefusedError) -> tuple[str, dict[str, str]]:
    """Return the key and parameters of the notice about a table that was set aside."""
    match reason.key:
        case "error.newer_position":
            return "log_notice.newer_table", {}
        case "error.unknown_game":
            return "log_notice.game_missing", {"game": str(reason.params["game"])}
    return "log_notice.table_aside", {"reason": str(reason.params.get("reason", reason.key))}


def _latest_state(entries: Sequence[Entry]) -> State:
    """Return the state after the last entry."""
    return entries[-1].after if entries else State()


def _append_event(entries: list[Entry], event: Input, at: str, who: str, command_id: str) -> None:
    """Append the event's entry; RefusedError where it is not allowed."""
    before, seq = _latest_state(entries), len(entries) + 1
    after, outcome = apply_event(before, event, seq, Entries(entries))
    effects = performed_by(outcome)
    row = Entry(seq, at, who, command_id, event, before, after, effects, outcome=outcome)
    entries.append(row)
    forget_outcome(entries)


def _append_unasked_answers(entries: list[Entry], came_from: str) -> None:
    """Append answers that were set ahead or have no alternative to the question that the newest
    entries have led to, and to those that follow.

    Each is a command of its own, so that it can be undone alone and answered otherwise.
    """
    newest = entries[-1]
    while (state := _latest_state(entries)).question_id != came_from:
        event = answer_set_ahead(state) or only_answer(state)
        if event is None:
            return
        came_from = state.question_id
        _append_event(entries, event, newest.at, "", f"{newest.command_id}#{len(entries) + 1}")


def _current_summary(shown: Snapshot) -> GameSummary:
    """Return the summary of the game being played, which grows with every command, without reading
    it again.
    """
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
    """Return the first row of the last command that counts, which Undo takes back; None before a
    start.
    """
    first: Entry | None = None
    for seq in reversed(snapshot.state.line):
        entry = snapshot.entries[seq - 1]
        if isinstance(entry.event, TableSet):
            break
        if first is not None and entry.command_id != first.command_id:
            break
        first = entry
    return first


def redoable(snapshot: Snapshot) -> Entry | None:
    """Return the undo that Redo takes back; None where there is none."""
    undoings = snapshot.state.redo
    return snapshot.entries[undoings.seq - 1] if undoings else None


# -- answers that nobody is asked for ---------------------------------------------------------


def answer_set_ahead(state: State) -> Chosen | None:
    """Return the answer that the asked seat has given early or set ahead for the open question;
    None where it has none.
    """
    position = state.position
    asked = position.question if position is not None else None
    if position is None or asked is None:
        return None
    given = next((one for one in state.early if one.seat == asked.seat), None)
    if given is not None and is_open(asked, given.option):
        return Chosen(asked.seat, given.option, ahead=True)
    prepared = next((one for one in state.ahead if one.seat == asked.seat), None)
    if prepared is None or prepared.ahead is None:
        return None
    return position.answer_ahead(Seat(prepared.seat), prepared.ahead)


def as_asked(state: State, event: Input) -> Input:
    """Return the answer itself for one given early where its seat is asked by now."""
    asked = state.position.question if state.position is not None else None
    if not isinstance(event, AnsweredEarly) or not isinstance(asked, Choice):
        return event
    is_asked = asked.seat == event.seat and asked.window == FLEE
    return Chosen(asked.seat, event.option) if is_asked else event


def only_answer(state: State) -> Chosen | None:
    """Return the answer to the open question that has no alternative; None where there is a choice.

    It is left to its owner where somebody could use a power first, or should be warned.
    """
    position = state.position
    asked = position.question if position is not None else None
    if position is None or not isinstance(asked, Choice):
        return None
    ways = asked.open()
    if len(ways) != 1 or ways[0].warning or position.offers():
        return None
    return Chosen(asked.seat, ways[0].key)
