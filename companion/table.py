"""One table, the only writer of its log: every input is a row, what counts a fold over the rows."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime

import msgspec

from companion import engine
from companion.engine import IllegalEvent, Setup
from companion.engine.ahead import answer_ahead
from companion.engine.effects import Effect
from companion.engine.events import (
    AnyEvent,
    CardShown,
    Chosen,
    Corrected,
    DiceRolled,
    OrderChosen,
    PowerUsed,
    TileShown,
)
from companion.engine.game import Game
from companion.engine.questions import Question, Roll
from companion.engine.values import Face, Seat
from companion.eventlog import EventLog, Row
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

RULES_VERSION = "2"
Args = dict[str, str | int]


__all__ = [
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
]


class RefusedError(Exception):
    """Why a command was refused, as a catalogue key; nothing has changed.

    `outdated`: it was true once: the sender should look at the fresh view (409).
    """

    def __init__(self, key: str, *, outdated: bool = False, **params: str | int) -> None:
        super().__init__(key)
        self.key, self.outdated, self.params = key, outdated, params


@dataclass(frozen=True, slots=True)
class Submission:
    """A command with its sender: events that apply or fail as one."""

    command_id: str
    base_rev: int
    events: tuple[Input, ...]
    who: str = ""
    proposal_id: str | None = None


@dataclass(frozen=True, slots=True)
class State:
    """What counts after a row. `line`: the rows that made it; `redo`: what Redo may take back."""

    setup: TableSet | None = None
    game: Game | None = None
    question: Question | None = None
    question_id: str = ""
    rolled: int = 0
    """The row of the last roll: what happened from there on is what hands have to do."""
    last_roll: tuple[Face, ...] = ()
    last_roll_seat: int | None = None
    line: tuple[int, ...] = ()
    redo: tuple[int, ...] = ()
    ahead: tuple[AheadSaid, ...] = ()
    """What seats set ahead, at most one of each."""
    pinned: bool = False
    """Replay disagreed with the log; a stored position was trusted instead."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A row of the log with what it did. `performed`: the effects of this row alone; `refused`: how
    the rules of today disagree with it.
    """

    seq: int
    at: str
    who: str
    command_id: str
    event: Input
    before: State
    after: State
    performed: tuple[Effect, ...] = ()
    refused: RefusedError | None = None


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
            self._log.append(self._table, [_row(entry) for entry in entries])
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

    def withdraw(self) -> None:
        """Nothing is proposed any more."""
        with self._lock:
            self._proposal = None
        self._tell()

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
            after, performed = _after(before, event, seq, entries)
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
            event = _set_ahead(state)
            if event is None:
                break
            came_from, seq = state.question_id, len(known) + len(said) + len(found) + 1
            after, performed = _after(state, event, seq, [*known, *said, *found])
            of = said[-1]
            found.append(
                Entry(seq, of.at, "", f"{of.command_id}#{seq}", event, state, after, performed)
            )
        return found

    def _keep_proposal(self) -> None:
        """A proposal lives as long as its question."""
        if self._proposal is None or self._proposal.question_id != self._state.question_id:
            self._proposal, self._rolls = None, 0


def replay(rows: Iterable[Row]) -> Iterator[Entry]:
    """What each row did; where the rules disagree, a stored position wins.

    A row without a digest, in a log written by hand, claims nothing.
    """
    known: list[Entry] = []
    state = State()
    for seq, row in enumerate(rows, start=1):
        event, before = _understood(row), state
        refused: RefusedError | None = None
        try:
            state, performed = _after(before, event, seq, known)
        except RefusedError as refusal:
            refused, performed = refusal, ()
            state = replace(before, line=(*before.line, seq), pinned=True)
        if row.digest and (led := _digest(state)) != row.digest:
            refused = refused or RefusedError("error.diverged", digest=led)
            state = _pinned(state, row)
        who = (row.at, row.who, row.command_id)
        known.append(Entry(seq, *who, event, before, state, performed, refused))
        yield known[-1]


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


def _after(
    state: State, event: Input, seq: int, known: list[Entry]
) -> tuple[State, tuple[Effect, ...]]:
    """What counts after the event, and the effects it had; RefusedError where it may not be."""
    match event:
        case TableSet():
            if state.game is not None:
                raise RefusedError("error.already_started", outdated=True)
            check_setup(event)
            return State(setup=event, line=(*state.line, seq)), ()
        case GameStarted(first):
            return _started(state, first, seq)
        case Undone(undone):
            if undone not in state.line or isinstance(known[undone - 1].event, TableSet):
                raise RefusedError("error.cannot_undo", outdated=True)
            return replace(known[undone - 1].before, redo=(*state.redo, seq)), ()
        case AheadSaid():
            return _with_ahead(state, event, seq), ()
        case Redone(redone):
            if not 0 < redone < seq or not isinstance(known[redone - 1].event, Undone):
                raise RefusedError("error.cannot_redo", outdated=True)
            return known[redone - 1].before, ()
    return _ruled(state, event, seq)


def _set_ahead(state: State) -> Chosen | None:
    """What the seat that is asked has set ahead for this question."""
    if state.game is None or state.question is None:
        return None
    mine = (one for one in state.ahead if one.seat == state.question.seat)
    said = next(mine, None)
    if said is None or said.ahead is None:
        return None
    return answer_ahead(state.game, state.question, Seat(said.seat), said.ahead)


def _with_ahead(state: State, event: AheadSaid, seq: int) -> State:
    """What the seat set ahead before is replaced, or taken back."""
    game, ahead = state.game, event.ahead
    if game is None or game.ended is not None:
        raise RefusedError("error.not_started", outdated=True)
    if not 0 <= event.seat < len(game.monsters):
        raise RefusedError("error.no_such_seat", seat=event.seat)
    if not game.monsters[event.seat].alive:
        raise RefusedError("error.out_of_the_game", outdated=True, seat=event.seat)
    if ahead is not None and ahead.contradicts_itself:
        raise RefusedError("error.ahead_contradicts")
    places = engine.rules_of(game).start_places
    strange = next((p for p in ahead.to if p not in places), None) if ahead is not None else None
    if strange is not None:
        raise RefusedError("error.no_such_place", place=strange)
    others = tuple(one for one in state.ahead if one.seat != event.seat)
    said = (*others, event) if ahead is not None else others
    return replace(state, ahead=said, line=(*state.line, seq), redo=())


def check_setup(setup: TableSet) -> None:
    """The box exists, the seats fit in it, and no two are alike; else RefusedError."""
    rules = engine.RULESETS.get(setup.game)
    if rules is None:
        raise RefusedError("error.unknown_game", game=setup.game)
    if setup.edition not in rules.editions:
        raise RefusedError("error.unknown_edition", edition=setup.edition)
    unknown = [switch for switch in setup.house if switch not in rules.house]
    if unknown:
        raise RefusedError("error.unknown_house_rule", house=unknown[0])
    if len(setup.seats) > rules.players_max:
        raise RefusedError("error.too_many_seats", most=rules.players_max)
    names = [seat.player.casefold() for seat in setup.seats if seat.player]
    if len(set(names)) != len(names):
        raise RefusedError("error.name_taken")
    monsters = [seat.monster for seat in setup.seats]
    if len(set(monsters)) != len(monsters):
        raise RefusedError("error.monster_taken")


def _started(state: State, first: int, seq: int) -> tuple[State, tuple[Effect, ...]]:
    if state.setup is None or state.game is not None:
        raise RefusedError("error.cannot_start", outdated=True)
    rules = engine.RULESETS[state.setup.game]
    players = len(state.setup.seats)
    if players < rules.players_min:
        raise RefusedError("error.too_few_seats", least=rules.players_min)
    if not 0 <= first < players:
        raise RefusedError("error.no_such_seat", seat=first)
    outcome = engine.new_game(
        Setup(
            game=state.setup.game,
            players=players,
            first=Seat(first),
            edition=state.setup.edition,
            house=state.setup.house,
        )
    )
    line = (*state.line, seq)
    return (
        replace(
            state, game=outcome.game, question=outcome.question, question_id=str(seq), line=line
        ),
        outcome.performed,
    )


def _ruled(state: State, event: AnyEvent, seq: int) -> tuple[State, tuple[Effect, ...]]:
    """The rules have taken the event in."""
    game = state.game
    if game is None:
        raise RefusedError("error.not_started", outdated=True)
    try:
        outcome = engine.apply(game, event, state.question)
    except IllegalEvent as illegal:
        raise RefusedError(f"error.{illegal.key}", outdated=True, **illegal.params) from illegal
    same = _is_aside(event) and _asked(state.question) == _asked(outcome.question)
    rolled = isinstance(event, DiceRolled)
    return (
        replace(
            state,
            game=outcome.game,
            question=outcome.question,
            question_id=state.question_id if same else str(seq),
            rolled=seq if rolled else state.rolled,
            last_roll=event.faces if isinstance(event, DiceRolled) else state.last_roll,
            last_roll_seat=game.turn.active if rolled else state.last_roll_seat,
            line=(*state.line, seq),
            redo=(),
        ),
        outcome.performed,
    )


def _is_aside(event: AnyEvent) -> bool:
    """Whether it was said beside the open question, not in answer to it."""
    match event:
        case Corrected() | OrderChosen() | PowerUsed():
            return True
        case CardShown(slot=int()) | TileShown(stack=int()):
            return True
    return False


def _asked(question: Question | None) -> tuple[object, ...]:
    """What makes it this question; its options may say other numbers."""
    dice = question.dice if isinstance(question, Roll) else 0
    return () if question is None else (type(question), question.key, question.seat, dice)


def _row(entry: Entry) -> Row:
    return Row(
        at=entry.at,
        who=entry.who,
        command_id=entry.command_id,
        event=msgspec.json.encode(entry.event).decode(),
        rules_version=RULES_VERSION,
        digest=_digest(entry.after),
        position=_position(entry.before.game, entry.after.game),
    )


def _understood(row: Row) -> Input:
    """The row's event; one that only newer rules know is nothing, and a position mends it later."""
    try:
        event: Input = msgspec.json.decode(row.event, type=Input)
    except msgspec.MsgspecError:
        return Corrected()
    return event


def _digest(state: State) -> str:
    return engine.digest(state.game) if state.game is not None else ""


def _position(before: Game | None, after: Game | None) -> str | None:
    """The position's JSON where a turn has ended, or the game has begun or ended; else None."""
    if after is None or before is after:
        return None
    if before is not None and (before.turn.number, before.ended) == (
        after.turn.number,
        after.ended,
    ):
        return None
    return msgspec.json.encode(after).decode()


def _pinned(state: State, row: Row) -> State:
    """The state with the position the log holds, where it holds one; marked either way."""
    if row.position is None:
        return replace(state, pinned=True)
    try:
        game = msgspec.json.decode(row.position, type=Game)
    except msgspec.MsgspecError:
        return replace(state, pinned=True)
    return replace(state, game=game, question=engine.question(game), pinned=True)
