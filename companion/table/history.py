"""Table events (setup, undo, answers in advance), the state after each row of the log, and replay.

Also summaries of games without replay. No lock, no clock, no file.
"""

from __future__ import annotations

import gc
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile
from typing import Annotated, Final, overload

import msgspec
from msgspec import Meta

from companion.engine import (
    BROKEN,
    RULESETS,
    Ahead,
    AnyEvent,
    CardShown,
    Choice,
    Chosen,
    Corrected,
    DiceRolled,
    Effect,
    Ended,
    Face,
    Game,
    IllegalEvent,
    Key,
    OrderChosen,
    Outcome,
    Position,
    PowerUsed,
    Question,
    Roll,
    RowNumber,
    Seat,
    SeatIndex,
    Setup,
    TileShown,
    new_game,
    rules_for,
    rules_of,
    uncomputable,
)
from companion.errors import KeyedError
from companion.table.database import StoredRow, decoded

RULES_VERSION = "6"
KEPT_OUTCOMES = 100
"""Number of newest entries that keep their `Outcome`. One command with its automatic answers always
adds fewer rows."""
KEPT_POSITIONS = 1000
"""Number of newest entries that keep their position, with its question."""
REASON_LENGTH = 200
"""The longest reason, in characters, why something in a log cannot be used."""

# -- events -----------------------------------------------------------------------------------

LONGEST_NAME = 400
"""Code points of a name as sent: 24 characters, each with up to eleven combining marks, and some
blanks.
"""
TRAY: Final = "tray"
"""The sender of commands that no phone sent: the dice tray's, if the table is phone-free."""
HOME: Final = "home"
"""The sender of commands that a button in Home Assistant sent."""


class TableEvent(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="type"):
    """Base of the events in the log that do not concern the rules."""


class SeatSetup(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A seat: the player's name and the monster's picture."""

    player: Annotated[str, Meta(max_length=LONGEST_NAME)]
    monster: Key
    called: Annotated[str, Meta(max_length=LONGEST_NAME)] = ""
    """The Monster's name as on the players' box; empty: that of the picture."""


class TableSet(TableEvent, frozen=True):
    """The seats, clockwise, and the box; sent again at every change until the start."""

    game: Key
    edition: Key
    seats: Annotated[tuple[SeatSetup, ...], Meta(max_length=12)]
    house: Annotated[tuple[Key, ...], Meta(max_length=16)] = ()
    """House rules the table plays by."""


class GameStarted(TableEvent, frozen=True):
    """The game begins with the seat `first`."""

    first: SeatIndex


class Undone(TableEvent, frozen=True):
    """The event in row `seq` and all after it no longer count. Nothing is deleted."""

    seq: RowNumber


class Redone(TableEvent, frozen=True):
    """The undo in row `seq` no longer counts."""

    seq: RowNumber


class AheadSaid(TableEvent, frozen=True):
    """A seat sets ahead what it will answer when it is hit in the city; None withdraws it."""

    seat: SeatIndex
    ahead: Ahead | None = None


class AnsweredEarly(TableEvent, frozen=True):
    """A seat hit by the same attack as the one that is asked answers before its turn to be asked.

    It applies when the rules ask this seat, or at once if they already do.
    """

    seat: SeatIndex
    option: Key


class PhoneFreeSet(TableEvent, frozen=True):
    """What the dice tray does without a tap; undoing what came before does not change it.

    `fuse`: a sure reading of the last roll applies itself; `tray_ends`: clearing the tray ends the
    turn.
    """

    fuse: bool = False
    tray_ends: bool = False


BY_TAP: Final = PhoneFreeSet()
"""Nothing happens without a tap: how a table begins."""


AnyTableEvent = TableSet | GameStarted | Undone | Redone | AheadSaid | AnsweredEarly | PhoneFreeSet
Input = AnyEvent | AnyTableEvent
"""Any event that a command, or a row of the log, may hold."""
_RECORD: msgspec.json.Decoder[Input] = msgspec.json.Decoder(Input)


def decode_event(row: StoredRow) -> Input:
    """Return the row's event.

    An event that only newer rules know becomes an empty correction; the next stored position makes
    up for it.
    """
    return decoded(_RECORD, row.event) or Corrected()


def setup_for(
    setup: TableSet | None, game: str, edition: str, house: tuple[str, ...], seats: int
) -> TableSet:
    """Return the setup if it matches a position with this many seats; else one with empty names
    for the seats that the log has lost.
    """
    if setup is not None and (setup.game, len(setup.seats)) == (game, seats):
        return setup
    known = setup.seats if setup is not None else ()
    padded = (*known, *(SeatSetup("", "") for _ in range(seats)))[:seats]
    return TableSet(game, edition, padded, house)


# -- states -----------------------------------------------------------------------------------


class RefusedError(KeyedError):
    """A refused command or event; nothing has changed.

    `outdated`: it was legal before; the sender should read the fresh view (409).
    """

    def __init__(self, key: str, *, outdated: bool = False, **params: str | int) -> None:
        super().__init__(key, **params)
        self.outdated = outdated


FLEE: Final = "flee"
"""The window of an attack, in which several seats may answer."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ActiveRows:
    """The rows that count, by number: a linked list that shares its older part.

    `seq`: the newest row; `before`: the list without it; `length`: 0 for the empty list alone.
    """

    seq: int = 0
    before: ActiveRows | None = None
    length: int = 0

    def plus(self, seq: int) -> ActiveRows:
        """Return the list with one more row."""
        return ActiveRows(seq, self, self.length + 1)

    def since(self, seq: int) -> tuple[int, ...]:
        """Return the rows from `seq` on, oldest first, in time proportional to their number."""
        return tuple(takewhile(lambda row: row >= seq, reversed(self)))[::-1]

    def before_row(self, seq: int) -> ActiveRows:
        """Return the list without the rows from `seq` on; nothing is copied."""
        rows = self
        while rows.before is not None and rows.seq >= seq:
            rows = rows.before
        return rows

    def grew_from(self, other: ActiveRows) -> bool:
        """Return whether this list begins with the other one."""
        rows = self
        while rows.before is not None and rows.length > other.length:
            rows = rows.before
        return rows is other or rows == other

    def __reversed__(self) -> Iterator[int]:
        rows = self
        while rows.before is not None:
            yield rows.seq
            rows = rows.before

    def __iter__(self) -> Iterator[int]:
        return iter(tuple(reversed(self))[::-1])

    def __len__(self) -> int:
        return self.length

    def __contains__(self, seq: object) -> bool:
        newest = self.since(seq) if isinstance(seq, int) else ()
        return newest[:1] == (seq,)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ActiveRows) and tuple(self) == tuple(other)

    def __hash__(self) -> int:
        return hash((self.seq, self.length))


NO_ROWS = ActiveRows()


@dataclass(frozen=True, slots=True)
class State:
    """The state after a row. `active`: rows that count; `redo`: undos to redo, newest first."""

    setup: TableSet | None = None
    game: Game | None = None
    kept: Position | None = None
    """The game's position, with its open question, if the row is among the newest."""
    question_id: str = ""
    rolled: int = 0
    """The row of the last roll."""
    since_roll: ActiveRows = NO_ROWS
    """The rows since the last roll that had effects: for tasks and news."""
    last_roll: tuple[Face, ...] = ()
    last_roll_seat: int | None = None
    active: ActiveRows = NO_ROWS
    redo: ActiveRows = NO_ROWS
    early: tuple[AnsweredEarly, ...] = ()
    """The answers to this attack of seats that are not asked yet."""
    phone_free: PhoneFreeSet = BY_TAP
    pinned: bool = False
    """The rules of today disagreed with the log, and what the log stores was used."""
    unplayable: RefusedError | None = None
    """Why the game cannot be continued from here; None if it can."""

    @property
    def position(self) -> Position | None:
        """The game's position, computed if it is not kept; None before the game."""
        if self.kept is None and self.game is not None:
            return Position.of(self.game)
        return self.kept

    def game_position(self) -> Position:
        """Return the game's position; RefusedError before the game."""
        position = self.position
        if position is None:
            raise RefusedError("error.not_started", outdated=True)
        return position

    @property
    def question(self) -> Question | None:
        """The open question; None if there is none."""
        position = self.position
        return position.question if position is not None else None


Applied = Outcome[Position] | None
"""What the rules did for a row; None if it is no event of theirs."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A row of the log and its outcome. `performed`: the effects of this row alone; `refused`: how
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
    outcome: Applied = None
    """What the rules did, of the newest rows alone."""


class Entries(Sequence[Entry]):
    """A view of the present entries of a list that only grows, without a copy; `covered` stand for
    those of their numbers, and are never changed.
    """

    __slots__ = ("_all", "_count", "_covered")

    def __init__(self, entries: list[Entry], covered: Mapping[int, Entry] | None = None) -> None:
        self._all, self._count, self._covered = entries, len(entries), covered or {}

    def __len__(self) -> int:
        return self._count

    def __iter__(self) -> Iterator[Entry]:
        return map(self._at, range(self._count))

    @overload
    def __getitem__(self, at: int) -> Entry: ...
    @overload
    def __getitem__(self, at: slice) -> tuple[Entry, ...]: ...
    def __getitem__(self, at: int | slice) -> Entry | tuple[Entry, ...]:
        places = range(self._count)[at]
        if isinstance(places, int):
            return self._at(places)
        return tuple(map(self._at, places))

    def _at(self, place: int) -> Entry:
        return self._covered.get(place + 1) or self._all[place]


def latest_state(entries: Sequence[Entry]) -> State:
    """Return the state after the last entry."""
    return entries[-1].after if entries else State()


def set_ahead(entries: Sequence[Entry]) -> dict[int, Ahead]:
    """Return what seats have set ahead, by the rows that count."""
    found: dict[int, Ahead | None] = {}
    for seq in reversed(latest_state(entries).active):
        event = entries[seq - 1].event
        if isinstance(event, AheadSaid):
            found.setdefault(event.seat, event.ahead)
    return {seat: ahead for seat, ahead in found.items() if ahead is not None}


def performed_by(outcome: Applied) -> tuple[Effect, ...]:
    """Return the effects of a row."""
    return () if outcome is None else outcome.performed


def add_entry(entries: list[Entry], entry: Entry) -> None:
    """Append an entry. Drop the outcome of the one that leaves the KEPT_OUTCOMES newest, and the
    position of the one that leaves the KEPT_POSITIONS newest.

    A position takes as much memory as its game. This mutates frozen values, so callers must expect
    None in both fields.
    """
    entries.append(entry)
    if len(entries) > KEPT_OUTCOMES:
        object.__setattr__(entries[-KEPT_OUTCOMES - 1], "outcome", None)
    if len(entries) > KEPT_POSITIONS:
        object.__setattr__(entries[-KEPT_POSITIONS - 1].after, "kept", None)


def apply_event(
    state: State, event: Input, seq: int, known: Sequence[Entry]
) -> tuple[State, Applied]:
    """Return the state after the event, and what the rules did; RefusedError if not allowed."""
    match event:
        case TableSet():
            if state.game is not None:
                raise RefusedError("error.already_started", outdated=True)
            check_setup(event)
            active = state.active.plus(seq)
            return State(setup=event, active=active, phone_free=state.phone_free), None
        case GameStarted(first):
            return _start_game(state, first, seq)
        case Undone(undone):
            if undone not in state.active or isinstance(known[undone - 1].event, TableSet):
                raise RefusedError("error.cannot_undo", outdated=True)
            back = _rewound(state, known[undone - 1].before)
            return replace(back, redo=state.redo.plus(seq)), None
        case PhoneFreeSet():
            if state.setup is None:
                raise RefusedError("error.not_started", outdated=True)
            return replace(state, phone_free=event), None
        case AheadSaid():
            _check_ahead(state, event)
            return replace(state, active=state.active.plus(seq), redo=NO_ROWS), None
        case AnsweredEarly():
            return _answer_early(state, event, seq)
        case Redone(redone):
            if not 0 < redone < seq or not isinstance(known[redone - 1].event, Undone):
                raise RefusedError("error.cannot_redo", outdated=True)
            then = known[redone - 1].before
            # Otherwise redoing would drop rows added since the undo.
            if not then.active.grew_from(state.active):
                raise RefusedError("error.cannot_redo", outdated=True)
            return _rewound(state, then), None
    return _apply_to_game(state, event, seq)


def _rewound(state: State, to: State) -> State:
    return replace(to, unplayable=None, phone_free=state.phone_free)


def is_open(question: Question | None, option: str) -> bool:
    """Return whether the question may be answered with this option."""
    return isinstance(question, Choice) and any(one.key == option for one in question.open())


def _answer_early(state: State, event: AnsweredEarly, seq: int) -> tuple[State, Applied]:
    position = state.position
    if position is None or position.question is None:
        raise RefusedError("error.not_started", outdated=True)
    follows = position.asked_next()
    if follows is None or follows.seat != event.seat:
        raise RefusedError("error.not_asked", outdated=True, seat=event.seat)
    if not is_open(follows, event.option):
        raise RefusedError("error.no_such_option", outdated=True)
    return replace(state, early=(event,), active=state.active.plus(seq), redo=NO_ROWS), None


def _check_ahead(state: State, event: AheadSaid) -> None:
    """Raise RefusedError if the seat cannot set this ahead."""
    game, ahead = state.game, event.ahead
    if game is None or game.ended is not None:
        raise RefusedError("error.not_started", outdated=True)
    if not 0 <= event.seat < len(game.monsters):
        raise RefusedError("error.no_such_seat", seat=event.seat)
    if not game.monsters[event.seat].alive:
        raise RefusedError("error.out_of_the_game", outdated=True, seat=event.seat)
    if ahead is not None and ahead.contradicts_itself:
        raise RefusedError("error.ahead_contradicts")
    places = rules_of(game).start_places
    strange = next((p for p in ahead.to if p not in places), None) if ahead is not None else None
    if strange is not None:
        raise RefusedError("error.no_such_place", place=strange)


def check_setup(setup: TableSet) -> None:
    """Raise RefusedError unless the box exists, the seats fit in it, and no two are alike."""
    try:
        rules = rules_for(setup.game, setup.edition, setup.house)
    except IllegalEvent as unknown:
        raise RefusedError(f"error.{unknown.key}", outdated=False, **unknown.params) from unknown
    if len(setup.seats) > rules.players_max:
        raise RefusedError("error.too_many_seats", most=rules.players_max)
    names = [seat.player.casefold() for seat in setup.seats if seat.player]
    if len(set(names)) != len(names):
        raise RefusedError("error.name_taken")
    monsters = [seat.monster for seat in setup.seats]
    if len(set(monsters)) != len(monsters):
        raise RefusedError("error.monster_taken")


def _start_game(state: State, first: int, seq: int) -> tuple[State, Applied]:
    if state.setup is None or state.game is not None:
        raise RefusedError("error.cannot_start", outdated=True)
    rules = rules_for(state.setup.game, state.setup.edition, state.setup.house)
    players = len(state.setup.seats)
    if players < rules.players_min:
        raise RefusedError("error.too_few_seats", least=rules.players_min)
    if not 0 <= first < players:
        raise RefusedError("error.no_such_seat", seat=first)
    outcome = new_game(
        Setup(
            game=state.setup.game,
            players=players,
            first=Seat(first),
            edition=state.setup.edition,
            house=state.setup.house,
            monsters=tuple(seat.monster for seat in state.setup.seats),
        )
    )
    return (
        replace(
            state,
            game=outcome.game,
            kept=outcome.position,
            question_id=str(seq),
            since_roll=NO_ROWS.plus(seq) if outcome.performed else NO_ROWS,
            active=state.active.plus(seq),
        ),
        outcome,
    )


def _apply_to_game(state: State, event: AnyEvent, seq: int) -> tuple[State, Applied]:
    position = state.game_position()
    try:
        outcome = position.apply(event)
    except IllegalEvent as illegal:
        raise RefusedError(f"error.{illegal.key}", outdated=True, **illegal.params) from illegal
    asked, asks = map(_question_identity, (position.question, outcome.question))
    same = _is_unprompted(event) and asked == asks
    rolled = isinstance(event, DiceRolled)
    earlier = NO_ROWS if rolled else state.since_roll
    return (
        replace(
            state,
            game=outcome.game,
            kept=outcome.position,
            question_id=state.question_id if same else str(seq),
            rolled=seq if rolled else state.rolled,
            since_roll=earlier.plus(seq) if outcome.performed else earlier,
            last_roll=event.faces if isinstance(event, DiceRolled) else state.last_roll,
            last_roll_seat=position.game.turn.active if rolled else state.last_roll_seat,
            early=_still_early(state, event, outcome.question),
            active=state.active.plus(seq),
            redo=NO_ROWS,
        ),
        outcome,
    )


def _still_early(
    state: State, event: AnyEvent, question: Question | None
) -> tuple[AnsweredEarly, ...]:
    """Return the early answers to the same attack of seats that have not answered."""
    if not isinstance(question, Choice) or question.window != FLEE:
        return ()
    answered = event.seat if isinstance(event, Chosen) else None
    return tuple(one for one in state.early if one.seat != answered)


def _is_unprompted(event: AnyEvent) -> bool:
    """Return whether the event does not answer the open question."""
    match event:
        case Corrected() | OrderChosen() | PowerUsed():
            return True
        case CardShown(slot=int()) | TileShown(stack=int()):
            return True
    return False


def _question_identity(question: Question | None) -> tuple[object, ...]:
    """Return what identifies a question; numbers in its options may change."""
    dice = question.dice if isinstance(question, Roll) else 0
    return () if question is None else (type(question), question.key, question.seat, dice)


def row_of(entry: Entry) -> StoredRow:
    """Return the entry as a row of the log."""
    return StoredRow(
        at=entry.at,
        who=entry.who,
        command_id=entry.command_id,
        event=msgspec.json.encode(entry.event).decode(),
        rules_version=RULES_VERSION,
        digest=_digest(entry.after),
        position=_stored_position(entry.before.game, entry.after.game),
    )


_GAME = msgspec.json.Decoder(Game)


def _digest(state: State) -> str:
    position = state.position
    return position.digest() if position is not None else ""


def _stored_position(before: Game | None, after: Game | None) -> str | None:
    """Return the position as JSON if a turn has ended or the game begun or ended; else None."""
    if after is None or before is after:
        return None
    if before is not None and (before.turn.number, before.ended) == (
        after.turn.number,
        after.ended,
    ):
        return None
    return msgspec.json.encode(after).decode()


def _with_stored_position(state: State, row: StoredRow) -> State:
    """Return the state pinned, with the row's stored position if it has one: one that the rules
    cannot compute with makes the table unplayable.
    """
    if row.position is None:
        return replace(state, pinned=True)
    try:
        game = _GAME.decode(row.position)
    except (msgspec.MsgspecError, RecursionError) as wrong:
        return _mark_unplayable(state, row, str(wrong))
    reason = uncomputable(game)
    if reason is not None:
        return _mark_unplayable(state, row, reason, game.rules)
    position, seats = Position.of(game), len(game.monsters)
    setup = setup_for(state.setup, game.rules, game.edition, game.house, seats)
    return replace(state, setup=setup, game=game, kept=position, pinned=True, unplayable=None)


def _mark_unplayable(state: State, row: StoredRow, reason: str, game: str = "") -> State:
    newer = row.rules_version.isdecimal() and int(row.rules_version) > int(RULES_VERSION)
    if game and game not in RULESETS and not newer:
        reason_unplayable = RefusedError("error.unknown_game", game=game, known=", ".join(RULESETS))
    else:
        key = "error.newer_position" if newer else "error.unusable_position"
        reason_unplayable = RefusedError(key, reason=reason[:REASON_LENGTH])
    return replace(state, pinned=True, unplayable=reason_unplayable)


def _apply_logged(
    state: State, event: Input, seq: int, known: Sequence[Entry]
) -> tuple[State, Applied, RefusedError | None]:
    """Apply an event of the log, accepting what the rules of today refuse."""
    try:
        return *apply_event(state, event, seq, known), None
    except RefusedError as refusal:
        refused = refusal
    except BROKEN as broken:
        refused = RefusedError("error.cannot_compute", reason=repr(broken)[:REASON_LENGTH])
    begins = isinstance(event, TableSet | GameStarted) and state.game is None
    unplayable = state.unplayable or refused if begins else state.unplayable
    active = state.active.plus(seq)
    return replace(state, active=active, pinned=True, unplayable=unplayable), None, refused


def replay_all(rows: Iterable[StoredRow]) -> list[Entry]:
    """Return the entries of all rows; if the rules disagree, a stored position wins. A row without
    a digest, in a log written by hand, is not compared.

    The garbage collector is off meanwhile: entries form no cycles, and scanning them again and
    again costs more than the rows of a long log.
    """
    known: list[Entry] = []
    collecting = gc.isenabled()
    gc.disable()
    try:
        for row in rows:
            add_entry(known, _replayed(known, row))
    finally:
        if collecting:
            gc.enable()
    return known


def _replayed(known: list[Entry], row: StoredRow) -> Entry:
    seq, event, before = len(known) + 1, decode_event(row), latest_state(known)
    state, outcome, refused = _apply_logged(before, event, seq, Entries(known))
    if row.digest and (digest := _digest(state)) != row.digest:
        refused = refused or RefusedError("error.diverged", digest=digest)
        state = _with_stored_position(state, row)
    sent = (row.at, row.who, row.command_id)
    return Entry(seq, *sent, event, before, state, performed_by(outcome), refused)


# -- summaries --------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class GameSummary:
    """A game of the log. `at`: when its newest row was written; `current`: it is being played."""

    id: str
    setup: TableSet | None
    rows: int
    started: bool
    ended: bool
    winners: tuple[int, ...]
    at: str
    current: bool


class _PositionSummary(msgspec.Struct, frozen=True):
    rules: str
    edition: str
    monsters: tuple[msgspec.Raw, ...]
    house: tuple[str, ...] = ()
    ended: Ended | None = None


def summarize(game_id: str, rows: Iterable[StoredRow]) -> GameSummary:
    """Summarize a game without replaying it: a row has a digest once the game has started, and a
    position if the game has ended or goes on again.
    """
    setup: TableSet | None = None
    started, written, count, last = False, "", 0, None
    for count, last in enumerate(rows, start=1):  # noqa: B007
        if last.digest:
            started, written = True, last.position or written
        else:
            started, written = False, ""
            setup = decoded(_TABLE_SET, last.event) or setup
    position = decoded(_POSITION, written)
    if position is not None:
        seats = len(position.monsters)
        setup = setup_for(setup, position.rules, position.edition, position.house, seats)
    ended = None if position is None else position.ended
    return GameSummary(
        game_id,
        setup,
        count,
        started,
        ended is not None,
        () if ended is None else ended.winners,
        "" if last is None else last.at,
        current=False,
    )


_POSITION = msgspec.json.Decoder(_PositionSummary)
_TABLE_SET = msgspec.json.Decoder(TableSet)
