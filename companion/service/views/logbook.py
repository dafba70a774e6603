"""The log in words: a line for each row, the newest of what came of them, and conflicts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from itertools import groupby

from msgspec.structs import replace

from companion.engine import (
    UNNAMED,
    CardShown,
    Change,
    Choice,
    Chosen,
    Corrected,
    Correction,
    DiceRolled,
    Game,
    Number,
    OrderChosen,
    PowerUsed,
    PutOff,
    TileShown,
)
from companion.service import wire
from companion.service.views.news import sentences_for
from companion.service.views.questions import answer_words, power_label
from companion.service.wire import Args, Cause, NewsLine, Words
from companion.service.wire_pages import Conflict, Theirs
from companion.table import (
    HOME,
    TRAY,
    AheadSaid,
    AnsweredEarly,
    Entry,
    GameStarted,
    Input,
    PhoneFreeSet,
    Redone,
    Snapshot,
    State,
    TableSet,
    Undone,
)

SIGNS = {
    DiceRolled: "dice",
    OrderChosen: "order",
    Chosen: "tick",
    PowerUsed: "cards",
    CardShown: "cards",
    TileShown: "skyscraper",
    PutOff: "clock",
    Corrected: "hand",
    TableSet: "people",
    GameStarted: "paw",
    AheadSaid: "clock",
    AnsweredEarly: "tick",
    PhoneFreeSet: "camera",
    Undone: "undo",
    Redone: "redo",
}
NEVER_UNDONE = (Undone, Redone, PhoneFreeSet)
HOME_NAME = "Home Assistant"
"""What it is called in every language."""
_OWN = (
    "buys copies destroys discards draws enters flees flees_to leaves "
    "leaves_to moves salvages sends starts sweeps takes takes_from"
)
OWN = frozenset(f"happened.{verb}" for verb in _OWN.split())
"""Outcomes that are the answer itself: the row of the answer needs no other sentence."""
MOST_NEWS = 8
"""How many sentences a view has."""
MOST_THEIRS = MOST_ALSO = 2
"""How many changes of the others a conflict names."""
WEIGHT = ("crown", "skull", "attack", "lock", "pin", "destruction", "cards")
"""Signs of what matters most, first; of one command it is said first."""


def log_row(entry: Entry, setup: TableSet | None, entries: Sequence[Entry]) -> wire.LogRow:
    """Return the row in words, as one not undone; `setup` names the players."""
    before, after = entry.before.game, entry.after.game
    came = sentences_for((entry,), entries)
    words, why = row_words(entry, entries)
    sign = SIGNS[type(entry.event)]
    own = _own(entry, came)
    if own is not None:
        sign, words, why = own.sign, own.words, own.why
        came = tuple(one for one in came if one is not own)
    return wire.LogRow(
        seq=entry.seq,
        turn=before.turn.number if before is not None else 0,
        active=before.turn.active if before is not None else 0,
        seat=acting_seat(entry),
        sign=sign,
        words=words,
        changes=changes(before, after),
        at=entry.at,
        by=player_name(entry, setup),
        tray=entry.who == TRAY,
        corrected=isinstance(entry.event, Corrected),
        ahead=isinstance(entry.event, Chosen) and entry.event.ahead,
        why=why,
        happened=came,
        quiet=_is_quiet(entry, entries, own, came),
        joins=joins(entry, entries),
    )


def _own(entry: Entry, came: Sequence[NewsLine]) -> NewsLine | None:
    """Return the outcome that is the answer itself; None if the row is no such answer."""
    if not isinstance(entry.event, Chosen):
        return None
    seat = entry.event.seat
    return next((o for o in came if o.words.key in OWN and o.words.args["seat"] == seat), None)


def _is_quiet(
    entry: Entry, entries: Sequence[Entry], own: NewsLine | None, came: Sequence[NewsLine]
) -> bool:
    """Whether nobody chose the row for itself: it was sent with another answer."""
    if isinstance(entry.event, TableSet):
        return True
    if own is not None or not isinstance(entry.event, Chosen | OrderChosen):
        return False
    question = entry.before.question
    if came and question is not None and question.key == "group":
        return True  # what came of the group says which it was
    return main_row(command_of(entry, entries)) is not entry


def command_of(entry: Entry, entries: Sequence[Entry]) -> list[Entry]:
    """Return all rows of the entry's command, oldest first."""
    first = last = entry.seq
    while first > 1 and entries[first - 2].command_id == entry.command_id:
        first -= 1
    while last < len(entries) and entries[last].command_id == entry.command_id:
        last += 1
    return [entries[seq - 1] for seq in range(first, last + 1)]


def joins(entry: Entry, entries: Sequence[Entry]) -> bool:
    """Whether the row continues the one before it: the same person turned the same dial on."""
    if entry.seq < 2 or entry.before.active.seq != entry.seq - 1:
        return False
    dial, before = _dial(entry), entries[entry.seq - 2]
    return dial is not None and dial == _dial(before) and entry.who == before.who


def _dial(entry: Entry) -> tuple[int, str] | None:
    """Return the dial that alone a row sets, by seat and number; None for any other row."""
    event = entry.event
    if not isinstance(event, Corrected) or event.places or len(event.numbers) != 1:
        return None
    return event.numbers[0].seat, event.numbers[0].what.value


def row_words(entry: Entry, entries: Sequence[Entry]) -> tuple[Words, tuple[Cause, ...]]:
    """Return the sentence of the row with its clauses; of an undo or redo also what it moved."""
    words = entry_words(entry)
    match entry.event:
        case Chosen() if words.key not in OWN:
            return Words(key="did.decides", args={"seat": entry.event.seat}), (Cause(words=words),)
        case Undone(seq=seq) if 0 < seq < entry.seq:
            return words, _named(seq, entries)
        case Redone(seq=seq) if 0 < seq < entry.seq:
            undone = entries[seq - 1].event
            if isinstance(undone, Undone) and 0 < undone.seq < seq:
                return words, _named(undone.seq, entries)
    return words, ()


def _named(seq: int, entries: Sequence[Entry]) -> tuple[Cause, ...]:
    """Return the command of this row, by name."""
    words, why = undo_words(entries[seq - 1], entries)
    return (Cause(words=words), *why)


def undo_words(entry: Entry, entries: Sequence[Entry]) -> tuple[Words, tuple[Cause, ...]]:
    """Return how a row's command is named for its undo, with a clause if the name lacks it."""
    entry = main_row(command_of(entry, entries))
    row = _own(entry, sentences_for((entry,), entries))
    if row is not None:
        return row.words, ()
    return row_words(entry, entries)


def acting_seat(entry: Entry) -> int | None:
    """Return the seat that acted; None for the table."""
    match entry.event:
        case OrderChosen(seat=seat) | Chosen(seat=seat) | PowerUsed(seat=seat):
            return seat
        case AheadSaid(seat=seat) | AnsweredEarly(seat=seat):
            return seat
        case Corrected(numbers=numbers, places=places):
            return numbers[0].seat if numbers else places[0].seat if places else None
        case GameStarted(first=first):
            return first
        case Undone() | Redone():
            return int(entry.who) if entry.who.isdecimal() else None
        case TableSet() | PhoneFreeSet():
            return None
    question = entry.before.question
    return question.seat if question is not None and question.seat >= 0 else None


def changes(before: Game | None, after: Game | None) -> tuple[Change, ...]:
    """Return every number of every Monster that changed."""
    if before is None or after is None or len(before.monsters) != len(after.monsters):
        return ()
    return tuple(
        Change(old.seat, what, getattr(old, what), getattr(new, what))
        for old, new in zip(before.monsters, after.monsters, strict=True)
        for what in Number
        if getattr(old, what) != getattr(new, what)
    )


def main_row(command: list[Entry]) -> Entry:
    """Return the row that stands for a whole command: its roll, else its last."""
    rolls = (entry for entry in command if isinstance(entry.event, DiceRolled))
    return next(rolls, command[-1])


def entry_words(entry: Entry) -> Words:
    """Return the sentence of the row."""
    seat = acting_seat(entry)
    who: Args = {} if seat is None else {"seat": seat}
    match entry.event:
        case DiceRolled(faces=faces):
            groups = Counter(faces)
            args = who
            for n, (face, count) in enumerate(groups.items(), start=1):
                args |= {f"count_{n}": count, f"face_{n}": face.value}
            return Words(key=f"did.rolled.{len(groups)}", args=args)
        case Chosen(option=option):
            return _answer_words(entry, option, who)
        case AnsweredEarly(option=option):
            return _answer_words(entry, option, who, early=True)
        case PowerUsed(ref=ref):
            label = power_label(entry.before.game, ref)
            card = label.args.get("card")
            return Words(key="did.uses", args={**who, "card": card}) if card else label
        case CardShown(name=name) if name == UNNAMED:
            return Words(key="did.looked", args=who)
        case CardShown(name=name):
            return _shown_words("card", name, who)
        case TileShown(name=name):
            return _shown_words("tile", name, who)
        case Corrected():
            return _correction_words(entry.event, entry.before.game)
        case Undone() | Redone():
            gone = len(entry.before.active) - len(entry.after.active)
            undone = isinstance(entry.event, Undone)
            key = "did.undone" if undone else "did.redone"
            if who:
                key = "did.undone_by" if undone else "did.redone_by"
            return Words(key=key, args={**who, "count": abs(gone)})
        case OrderChosen():
            return Words(key="did.order", args=who)
        case PutOff():
            return Words(key="did.put_off")
        case TableSet(seats=seats):
            return Words(key="did.table_set", args={"count": len(seats)})
        case GameStarted():
            return Words(key="did.game_started", args=who)
        case PhoneFreeSet(fuse=fuse, tray_ends=ends):
            chosen = [name for name, on in (("fuse", fuse), ("ends", ends)) if on]
            return Words(key=f"did.phone_free.{'_'.join(chosen) or 'none'}")
        case AheadSaid(ahead=ahead):
            return Words(key="did.ahead.none" if ahead is None else "did.ahead.set", args=who)


def _answer_words(entry: Entry, wanted: str, who: Args, *, early: bool = False) -> Words:
    """Return the answer in the words that the phone showed."""
    position = entry.before.position
    question = position.question if position is not None else None
    if early and position is not None and question is not None and question.seat != who["seat"]:
        question = position.asked_next()
    if position is None or not isinstance(question, Choice):
        return Words(key="did.chosen", args=who)
    return answer_words(position, question, wanted) or Words(key="did.chosen", args=who)


def _shown_words(kind: str, name: str | None, who: Args) -> Words:
    if name is None:
        return Words(key=f"did.no_{kind}", args=who)
    return Words(key=f"did.{kind}_shown", args={**who, kind: name})


def _correction_words(event: Corrected, before: Game | None) -> Words:
    if len(event.numbers) == 1 and not event.places:
        (one,) = event.numbers
        was = one.value if before is None else before.monsters[one.seat].number(one.what)
        args: Args = {"seat": one.seat, "before": was, "value": one.value}
        return Words(key=f"did.corrected.{one.what.value}", args=args)
    if len(event.places) == 1 and not event.numbers:
        (moved,) = event.places
        return Words(key="did.moved", args={"seat": moved.seat, "place": moved.place})
    seats = {one.seat for one in event.numbers} | {one.seat for one in event.places}
    if len(seats) == 1:
        return Words(key="did.corrected_of", args={"seat": seats.pop()})
    return Words(key="did.corrected_many", args={"count": len(event.numbers) + len(event.places)})


def player_name(entry: Entry, setup: TableSet | None) -> str:
    """Return the name of the player whose phone sent it, or of the program that did."""
    if entry.who == HOME:
        return HOME_NAME
    if setup is None or not entry.who.isdecimal() or int(entry.who) >= len(setup.seats):
        return ""
    return setup.seats[int(entry.who)].player


class LogRows:
    """Rows of one game as phones get them, each put in words once: of a row, only `undone` and
    players' names ever change. Every method may be called from any thread.
    """

    def __init__(self) -> None:
        self._worded: tuple[object, dict[int, tuple[Entry, wire.LogRow]]] = (None, {})

    def newest(self, snapshot: Snapshot, most: int) -> tuple[wire.LogRow, ...]:
        """Return the newest `most` rows, oldest first."""
        return self._rows(snapshot, snapshot.entries[-most:])

    def all(self, snapshot: Snapshot) -> tuple[wire.LogRow, ...]:
        """Return all rows, oldest first."""
        return self._rows(snapshot, snapshot.entries)

    def _rows(self, snapshot: Snapshot, entries: Sequence[Entry]) -> tuple[wire.LogRow, ...]:
        setup = snapshot.state.setup
        kept = self._worded  # read once: another thread may put another table's rows there
        if kept[0] != (snapshot.game_id, setup):
            kept = self._worded = ((snapshot.game_id, setup), {})
        active = snapshot.state.active
        counting = frozenset(active.since(entries[0].seq)) if entries else frozenset()
        found = []
        for entry in entries:
            known = kept[1].get(entry.seq)
            if known is None or known[0] is not entry:
                known = kept[1][entry.seq] = entry, log_row(entry, setup, snapshot.entries)
            undone = entry.seq not in counting and not isinstance(entry.event, NEVER_UNDONE)
            found.append(replace(known[1], undone=True) if undone else known[1])
        return tuple(found)


def happened(snapshot: Snapshot) -> tuple[NewsLine, ...]:
    """Return what came of the commands since the last roll, the newest command first."""
    entries = snapshot.entries
    found = [*_by_hand(snapshot)]
    rows = (entries[seq - 1] for seq in reversed(snapshot.state.since_roll))
    for _, rows_of in groupby(rows, lambda row: row.command_id):
        command = tuple(rows_of)[::-1]
        first = command_of(command[0], entries)[0].seq
        numbered = enumerate(sentences_for(command, entries))
        fresh = [replace(one, act=first, step=step) for step, one in numbered]
        fresh.reverse()
        found += sorted(fresh, key=weight)
        if len(found) >= MOST_NEWS:
            break
    return tuple(found[:MOST_NEWS])


def by_weight(news: Iterable[NewsLine]) -> list[NewsLine]:
    """Return these sentences, what matters most first, each sentence once."""
    once = {(one.words.key, *one.words.args.items()): one for one in news}
    return sorted(once.values(), key=weight)


def weight(one: NewsLine) -> int:
    """Return a number that is lower if it matters more."""
    return WEIGHT.index(one.sign) if one.sign in WEIGHT else len(WEIGHT)


def _by_hand(snapshot: Snapshot) -> Iterator[NewsLine]:
    """Yield what the newest row took or brought back, or set by hand."""
    newest = snapshot.entries[-1] if snapshot.entries else None
    if newest is None or not isinstance(newest.event, Undone | Redone | Corrected):
        return
    words, why = row_words(newest, snapshot.entries)
    sign = SIGNS[type(newest.event)]
    yield NewsLine(sign=sign, words=words, why=why, act=newest.seq)


def conflict_of(events: tuple[Input, ...], base_rev: int, snapshot: Snapshot) -> Conflict | None:
    """Return what a phone gets with the refusal of a number that another has set meanwhile."""
    match events:
        case (Corrected(numbers=(number,), places=()),) if 0 < base_rev < snapshot.rev:
            pass
        case _:
            return None
    known = snapshot.entries[base_rev - 1]
    knew, now = _value(known.after, number), _value(snapshot.state, number)
    position = snapshot.state.position
    if knew is None or now is None or knew == now or position is None:
        return None
    since, changed = snapshot.entries[base_rev:], (number.seat, number.what)
    theirs = [
        (row, one)
        for row in since
        for one in changes(row.before.game, row.after.game)
        if (one.seat, one.what) == changed
    ]
    most = position.number_max(number.seat, number.what)
    return Conflict(
        seat=number.seat,
        what=number.what,
        knew=knew,
        knew_at=known.at,
        theirs=tuple(_theirs(row, one, snapshot) for row, one in theirs[-MOST_THEIRS:]),
        mine=number.value,
        step=number.value - knew,
        same=now,
        both=min(max(0, now + number.value - knew), most),
        most=most,
        also=_also(since, {row.command_id for row, _ in theirs}, snapshot),
    )


def _value(state: State, number: Correction) -> int | None:
    """Return the number of a Monster that plays; None if there is none."""
    monsters = state.game.monsters if state.game is not None else ()
    if not 0 <= number.seat < len(monsters) or not monsters[number.seat].alive:
        return None
    return monsters[number.seat].number(number.what)


def _theirs(row: Entry, change: Change, snapshot: Snapshot) -> Theirs:
    setup = snapshot.state.setup
    seats = len(setup.seats) if setup is not None else 0
    seat = int(row.who) if row.who.isdecimal() and int(row.who) < seats else None
    words, _ = undo_words(row, snapshot.entries)
    if isinstance(row.event, Corrected) and seat is not None:
        step = change.after - change.before
        key = "conflict.theirs.more" if step > 0 else "conflict.theirs.less"
        words = Words(key=key, args={"seat": seat, "count": abs(step)})
    ago = datetime.now(UTC) - datetime.fromisoformat(row.at)
    return Theirs(seat=seat, words=words, change=change, ago_s=max(0, int(ago.total_seconds())))


def _also(since: Sequence[Entry], theirs: set[str], snapshot: Snapshot) -> tuple[Words, ...]:
    """Return the other commands since, by name."""
    others = dict.fromkeys(row.command_id for row in since if row.command_id not in theirs)
    newest = tuple(others)[-MOST_ALSO:]
    rows = {row.command_id: row for row in since}
    return tuple(undo_words(rows[one], snapshot.entries)[0] for one in newest)
