"""`Table`: the only writer of a log; it turns commands into rows and publishes snapshots. Branches:
rows that were left and can be taken up again.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from itertools import groupby, islice, takewhile
from operator import itemgetter

from companion.engine import Choice, Chosen, Corrected, Seat
from companion.table.database import known_games
from companion.table.hidden import PublicRows
from companion.table.history import (
    BY_TAP,
    FLEE,
    ActiveRows,
    AheadSaid,
    AnsweredEarly,
    Entries,
    Entry,
    GameSummary,
    Input,
    Redone,
    RefusedError,
    State,
    TableSet,
    Undone,
    add_entry,
    apply_event,
    decode_event,
    is_open,
    latest_state,
    performed_by,
    replay_all,
    row_of,
    set_ahead,
    summarize,
)
from companion.table.log import EventLog


@dataclass(frozen=True, slots=True)
class Submission:
    """A command with its sender: events that apply or fail as one."""

    command_id: str
    base_rev: int
    events: tuple[Input, ...]
    who: str = ""
    game_id: str | None = None
    """The table that it was made for, if the sender names one."""


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The table at one moment."""

    game_id: str
    rev: int
    state: State
    entries: Sequence[Entry]
    saved: bool
    private_from: int | None = None
    """The first row that holds what one seat alone may know, if there is one."""


_Processed = tuple[int, tuple[Input, ...]]
"""The revision that a command led to, and its events."""


def _processed(rows: Iterable[tuple[str, Input]]) -> dict[str, _Processed]:
    """Return what the commands of a game led to, by the ids and events of its rows."""
    found: dict[str, _Processed] = {}
    rev = 0
    for command_id, same in groupby(rows, key=itemgetter(0)):
        events = tuple(event for _, event in same)
        rev += len(events)
        found[command_id] = (rev, events)
    return found


class Table:
    """The table being played; all games in its log.

    What one seat alone may know is in no snapshot that is handed out. One is an immutable value,
    swapped once a row is written: reading it waits for nobody. Commands wait for each other.
    """

    def __init__(
        self, log: EventLog, now: Callable[[], datetime] = lambda: datetime.now(UTC)
    ) -> None:
        self._log, self._now = log, now
        self._writing = threading.RLock()
        """Held while the log is changed, and while the disk is waited for."""
        self._closed = False
        self._listeners: tuple[Callable[[], None], ...] = ()
        self._summaries: dict[str, GameSummary] = {}
        self.set_aside: tuple[tuple[str, RefusedError], ...] = ()
        """Tables that could not be continued at the start, each with the reason."""
        self._entries, game_id = self._open_entries(log.current)
        log.remembered = lambda: (self._snapshot.game_id, [*map(row_of, self._entries)])
        self._rows = PublicRows(self._entries)
        self._show(game_id)
        self._done: dict[str, _Processed] = {}
        """The commands of the game being played and of the one before it: nobody repeats those of
        an older one, and a service that runs for weeks must not grow."""
        for other in [name for name in log.by_use if name != game_id][-1:]:
            self._done = _processed((row.command_id, decode_event(row)) for row in log.read(other))
        self._done |= self._commands()
        self._reopened = log.reopened

    def subscribe(self, listener: Callable[[], None]) -> None:
        """Have `listener` called after every change, by the thread that made it."""
        self._listeners = (*self._listeners, listener)

    def snapshot(self) -> Snapshot:
        """Return the table's present snapshot, as everybody may know it."""
        return self._public

    def whole(self, snapshot: Snapshot) -> Snapshot:
        """Return this snapshot with what seats alone may know, while it is the present one."""
        now = self._snapshot
        is_present = (now.game_id, now.rev) == (snapshot.game_id, snapshot.rev)
        return now if is_present else snapshot

    def games(self) -> tuple[GameSummary, ...]:
        """Return a summary of every game of the log, the one played last at the end; only those
        that changed since the last call are read.
        """
        return tuple(self._summary(game_id) for game_id in self._log.by_use)

    def snapshot_of(self, game_id: str) -> Snapshot:
        """Return the snapshot of any game of the log; RefusedError if there is none of that id."""
        shown = self._public
        if game_id == shown.game_id:
            return shown
        return _public(game_id, PublicRows(self._read_entries(game_id)), saved=shown.saved)

    def resume(self, game_id: str) -> None:
        """Continue another game; the present one stays in the log. Raises RefusedError if there is
        none of that id, or the rules cannot continue it.
        """
        with self._writing:
            if game_id == self._snapshot.game_id:
                return
            entries = self._read_entries(game_id)
            if (reason := latest_state(entries).unplayable) is not None:
                raise reason
            self._log.make_current(game_id)
            self._play_on(entries)
            self._show(self._sync_with_log(game_id))
        self._notify()

    def _play_on(self, entries: list[Entry]) -> None:
        """Go on with a game that has these entries."""
        before, self._entries = self._commands(), entries
        self._done = before | self._commands()

    def _commands(self) -> dict[str, _Processed]:
        return _processed((entry.command_id, entry.event) for entry in self._entries)

    def submit(self, command: Submission) -> int:
        """Apply all events of the command and return the new revision; RefusedError and no change
        if one is refused.

        The same command again, by its `command_id`, gets the same answer, and nothing happens;
        another one with its id is refused.
        """
        with self._writing:
            known = self.rev_of(command.command_id, command.events)
            if known is not None:
                return known
            before = self._snapshot
            self._check_current(command, before)
            started = before.state.game is not None
            fresh = started and isinstance(command.events[0], TableSet)
            entries = [] if fresh else self._entries
            game_id = self._log.next_id() if fresh else before.game_id
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
            self._log.append(game_id, [row_of(entry) for entry in entries[count:]])
            if fresh:
                self._play_on(entries)
            self._done[command.command_id] = (rev, command.events)
            self._show(self._sync_with_log(game_id))
        self._notify()
        return rev

    def rev_of(self, command_id: str, events: Iterable[Input]) -> int | None:
        """Return the revision that this command led to; None if it is new. RefusedError if a
        command with other events had its id.
        """
        rev, others = self._done.get(command_id, (None, ()))
        # A row of an answer given early says only that it is an answer, once its seat was asked.
        if rev is not None and [*map(_late, others)] != [*map(_late, events)]:
            raise RefusedError("error.other_command")
        return rev

    @property
    def saved(self) -> bool:
        """Whether everything is on the disk, as far as people are to know."""
        return self._log.rows_saved and self._log.state_saved

    def probe(self) -> None:
        """Return once the table could take a command, and its database has answered."""
        with self._writing:
            self._log.probe()

    @property
    def needs_saving(self) -> bool:
        """Whether something waits to be saved, or the file is gone: `save` is to be called."""
        return not (self._log.saved and self._log.is_in_place())

    def save(self) -> bool:
        """Try again to write what the disk refused, unless the table was closed meanwhile; return
        whether all is saved.
        """
        with self._writing:
            if self._closed:
                return self._log.saved
            before = self._snapshot
            now = self._log.save()
            game_id = self._sync_with_log(before.game_id)
            found = (game_id, len(self._entries), self._log.rows_saved)
            if found != (before.game_id, before.rev, before.saved):
                self._show(game_id)
        if self._snapshot is not before:
            self._notify()
        return now

    def _sync_with_log(self, game_id: str) -> str:
        """Return the game being played; read it again if the log was reopened and has others."""
        if self._log.reopened == self._reopened:
            return game_id
        self._reopened = self._log.reopened
        current = self._log.current
        if self._log.count(current) != len(self._entries):
            entries, current = self._open_entries(current)
            self._play_on(entries)
        return current

    def close(self) -> None:
        """Close the log; the table must not be used any more."""
        with self._writing:
            self._closed = True
            self._log.close()

    def mark_seen(self, notice: str) -> None:
        """Mark a notice as seen, so that it is no longer shown."""
        with self._writing:
            self._log.mark_seen(notice)
        self._notify()

    def _notify(self) -> None:
        for listener in self._listeners:
            listener()

    def _open_entries(self, game_id: str) -> tuple[list[Entry], str]:
        """Return the entries and id of the game to be played: a new one if it is unplayable."""
        entries = replay_all(self._log.read(game_id))
        reason = latest_state(entries).unplayable
        if len(entries) < self._log.count(game_id):
            reason = RefusedError("error.log_unreadable", table=game_id)
        if reason is None:
            return entries, game_id
        self.set_aside = ((game_id, reason),)
        key, params = _aside_notice(reason)
        self._log.note(key, f"aside-{game_id}-{len(entries)}", table=game_id, **params)
        return [], self._log.next_id()

    def _show(self, game_id: str) -> None:
        """Make the entries of this game the present snapshot."""
        if self._rows.entries is not self._entries:
            self._rows = PublicRows(self._entries)
        entries, saved = self._entries, self._log.rows_saved
        rows, state = Entries(entries), latest_state(entries)
        self._snapshot = Snapshot(game_id, len(entries), state, rows, saved)
        self._public = _public(game_id, self._rows, saved=saved)

    def _read_entries(self, game_id: str) -> list[Entry]:
        """Read the entries of a table; RefusedError if the log has none of that name."""
        games = self._log.games
        if game_id not in games:
            key = "error.no_such_table" if games else "games.none"
            unknown = {"table": game_id, **known_games(games)}
            raise RefusedError(key, outdated=False, **unknown)
        count = self._log.count(game_id)  # it may grow meanwhile
        entries = replay_all(self._log.read(game_id))
        if len(entries) < count:
            raise RefusedError("error.log_unreadable", table=game_id)
        return entries

    def _summary(self, game_id: str) -> GameSummary:
        """Return the summary of a table, read again only if it has grown."""
        known = self._summaries.get(game_id)
        if known is None or known.rows != self._log.count(game_id):
            known = self._summaries[game_id] = summarize(game_id, self._log.read(game_id))
        return replace(known, current=game_id == self._snapshot.game_id)

    def _check_current(self, command: Submission, snapshot: Snapshot) -> None:
        """Raise RefusedError for a stale command, unless it commutes with what came since."""
        if any(isinstance(event, Chosen) and event.ahead for event in command.events):
            raise RefusedError("error.only_the_table")
        is_other = command.game_id not in {None, snapshot.game_id}
        is_stale = command.base_rev != snapshot.rev and not self._commutes(command, snapshot)
        if is_other or is_stale:
            raise RefusedError("error.stale", outdated=True)

    def _commutes(self, command: Submission, snapshot: Snapshot) -> bool:
        """Return whether the command only corrects numbers that have not changed since, sets
        answers ahead if none has changed, or answers while only another seat has answered the
        same attack.
        """
        if not 0 < command.base_rev <= snapshot.rev:
            return False
        then = snapshot.entries[command.base_rev - 1].after
        seen, game = then.game, snapshot.state.game
        if seen is None or game is None or not snapshot.state.active.grew_from(then.active):
            return False
        since = snapshot.entries[command.base_rev :]
        if all(isinstance(event, AheadSaid) for event in command.events):
            return not any(isinstance(entry.event, AheadSaid) for entry in since)
        if all(isinstance(event, AnsweredEarly) for event in command.events):
            return seen.turn.number == game.turn.number
        if all(isinstance(event, Chosen) for event in command.events):
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
        """Append the command's entries and those of answers that nobody is asked for, all or none;
        return the revision of the former.
        """
        count, at = len(entries), self._now().isoformat(timespec="seconds")
        came_from, played = latest_state(entries).question_id, False
        try:
            for given in command.events:
                event = as_asked(latest_state(entries), given)
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


def _public(game_id: str, rows: PublicRows, *, saved: bool) -> Snapshot:
    """Return the snapshot of these rows as everybody may know it."""
    entries = rows.follow()
    state = latest_state(entries)
    return Snapshot(game_id, len(entries), state, entries, saved, rows.private_from)


def _append_event(entries: list[Entry], event: Input, at: str, who: str, command_id: str) -> None:
    before, seq = latest_state(entries), len(entries) + 1
    after, outcome = apply_event(before, event, seq, Entries(entries))
    effects = performed_by(outcome)
    row = Entry(seq, at, who, command_id, event, before, after, effects, outcome=outcome)
    add_entry(entries, row)


def _append_unasked_answers(entries: list[Entry], came_from: str) -> None:
    """Append answers that were set ahead or have no alternative, from the newest question on. Each
    is a command of its own, so that it can be undone alone and answered otherwise.
    """
    newest = entries[-1]
    while (state := latest_state(entries)).question_id != came_from:
        event = answer_set_ahead(state, entries) or only_answer(state)
        if event is None:
            return
        came_from = state.question_id
        _append_event(entries, event, newest.at, "", f"{newest.command_id}#{len(entries) + 1}")


def undoable(snapshot: Snapshot) -> Entry | None:
    """Return the first row of the last command that counts, which Undo takes back, if any."""
    first: Entry | None = None
    for seq in reversed(snapshot.state.active):
        entry = snapshot.entries[seq - 1]
        if isinstance(entry.event, TableSet):
            break
        if first is not None and entry.command_id != first.command_id:
            break
        first = entry
    return first


def redoable(snapshot: Snapshot) -> Entry | None:
    """Return the undo that Redo takes back; None if there is none."""
    undoings = snapshot.state.redo
    return snapshot.entries[undoings.seq - 1] if undoings else None


# -- answers that nobody is asked for ---------------------------------------------------------


def answer_set_ahead(state: State, entries: Sequence[Entry]) -> Chosen | None:
    """Return the answer that the asked seat has given early or set ahead; None if it has none."""
    position = state.position
    asked = position.question if position is not None else None
    if position is None or not isinstance(asked, Choice) or asked.window != FLEE:
        return None
    given = next((one for one in state.early if one.seat == asked.seat), None)
    if given is not None and is_open(asked, given.option):
        return Chosen(asked.seat, given.option, ahead=True)
    prepared = set_ahead(entries).get(asked.seat)
    return None if prepared is None else position.answer_ahead(Seat(asked.seat), prepared)


def _late(event: Input) -> Input:
    return Chosen(Seat(event.seat), event.option) if isinstance(event, AnsweredEarly) else event


def as_asked(state: State, event: Input) -> Input:
    """Return the answer itself for one given early if its seat is asked by now."""
    asked = state.position.question if state.position is not None else None
    if not isinstance(event, AnsweredEarly) or not isinstance(asked, Choice):
        return event
    is_asked = asked.seat == event.seat and asked.window == FLEE
    return Chosen(asked.seat, event.option) if is_asked else event


def only_answer(state: State) -> Chosen | None:
    """Return the answer to the open question that has no alternative; None if there is a choice, or
    if somebody could use a power first or should be warned.
    """
    position = state.position
    asked = position.question if position is not None else None
    if position is None or not isinstance(asked, Choice):
        return None
    ways = asked.open()
    if len(ways) != 1 or ways[0].warning or position.offers():
        return None
    return Chosen(asked.seat, ways[0].key)


# -- branches ---------------------------------------------------------------------------------
# Nothing in a log is deleted: an undo leaves rows, and its own row remembers which. Going back to
# any row, or on to one that was undone, takes no more than undos and redos.

MOST_BRANCHES = 12
"""How many branches are listed, the newest."""
MOST_UNDOS = 120
"""Among how many of the newest undos branches are looked for."""


@dataclass(frozen=True, slots=True)
class Branch:
    """A line that was left: `undo` is the row that left it, `rows` those that only it has, oldest
    first, and `fork` the last row that it shares with the line that counts.
    """

    undo: int
    fork: int
    rows: tuple[int, ...]


def branches(snapshot: Snapshot) -> tuple[Branch, ...]:
    """Return the lines that were left, newest first; none is the beginning of another."""
    counting = frozenset(snapshot.state.active)
    found: dict[int, Branch] = {}
    inner: set[int] = set()
    for undo in islice(_undos(snapshot), MOST_UNDOS):
        left = undo.before.active
        rows = tuple(_until(left, counting))[::-1]
        if not rows or rows[-1] in inner or rows[-1] in found:
            continue
        for earlier in rows[:-1]:
            found.pop(earlier, None)
        inner.update(rows[:-1])
        found[rows[-1]] = Branch(undo.seq, left.before_row(rows[0]).seq, rows)
    newest = sorted(found.values(), key=lambda one: one.undo, reverse=True)
    return tuple(newest[:MOST_BRANCHES])


def _undos(snapshot: Snapshot) -> Iterator[Entry]:
    """Yield the undos, newest first."""
    for entry in reversed(snapshot.entries):
        if isinstance(entry.event, Undone) and entry.refused is None:
            yield entry


def _until(line: ActiveRows, counting: frozenset[int]) -> Iterator[int]:
    """Return the rows of a line, newest first, up to one that counts, as all before it do."""
    return takewhile(lambda seq: seq not in counting, reversed(line))


def snapshot_at(snapshot: Snapshot, row: int) -> Snapshot:
    """Return the table as it was after a row, undone or not; RefusedError if there is none, or no
    game had begun. An undo, redo or setting stands for the newest row that counted then.
    """
    if not 0 < row <= snapshot.rev:
        raise RefusedError("error.no_such_row", row=row, most=snapshot.rev)
    entry = snapshot.entries[row - 1]
    counted = entry.after.active.seq
    if counted and counted != row:
        entry = snapshot.entries[counted - 1]
    if entry.after.game is None:
        raise RefusedError("error.not_started")
    return Snapshot(
        snapshot.game_id,
        entry.seq,
        replace(entry.after, kept=entry.after.position),
        snapshot.entries[: entry.seq],
        snapshot.saved,
    )


def way_to(snapshot: Snapshot, row: int) -> tuple[Undone | Redone, ...]:
    """Return the undos and redos after which this row is the newest that counts; none if it is.

    What counted until then becomes a branch. RefusedError if no undo left the row's line, and
    if the way leads back to before the game.
    """
    now = snapshot.state.active
    if row in now:
        after = now.since(row)[1:]
        return (Undone(after[0]),) if after else ()
    left = [undo for undo in _undos(snapshot) if row in undo.before.active]
    if not left:
        raise RefusedError("error.no_such_row", row=row, most=snapshot.rev)
    nearest = min(left, key=lambda undo: undo.before.active.length)
    way: list[Undone | Redone] = []
    counting = frozenset(nearest.before.active)
    leaves = tuple(_until(now, counting))
    if leaves:
        way.append(Undone(leaves[-1]))
    way.append(Redone(nearest.seq))
    beyond = nearest.before.active.since(row)[1:]
    if beyond:
        way.append(Undone(beyond[0]))
    return tuple(way)
