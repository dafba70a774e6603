"""Rows of the log in words: who did what, and which numbers it changed."""

from __future__ import annotations

from collections import Counter

from companion.engine import (
    Ahead,
    CardShown,
    Change,
    Choice,
    Chosen,
    Corrected,
    DiceRolled,
    Game,
    Number,
    OrderChosen,
    PowerUsed,
    PutOff,
    TileShown,
)
from companion.service import wire
from companion.service.views.offers import power_label
from companion.service.views.questions import option_args
from companion.service.wire import Args, Words
from companion.service.words.phrases import label
from companion.table import AheadSaid, Entry, GameStarted, Redone, RowLost, TableSet, Undone

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
    Undone: "undo",
    Redone: "redo",
    RowLost: "warning",
}


def log_row(entry: Entry, setup: TableSet | None) -> wire.LogRow:
    """Return the row in words, as one that is not undone; `setup` names the players."""
    before, after = entry.before.game, entry.after.game
    return wire.LogRow(
        seq=entry.seq,
        turn=before.turn.number if before is not None else 0,
        active=before.turn.active if before is not None else 0,
        seat=acting_seat(entry),
        sign=SIGNS[type(entry.event)],
        words=entry_words(entry),
        changes=changes(before, after),
        at=entry.at,
        by=_player_name(entry, setup),
        corrected=isinstance(entry.event, Corrected),
        ahead=isinstance(entry.event, Chosen) and entry.event.ahead,
    )


def acting_seat(entry: Entry) -> int | None:
    """Return the seat that acted; None for the table."""
    match entry.event:
        case OrderChosen(seat=seat) | Chosen(seat=seat) | PowerUsed(seat=seat):
            return seat
        case AheadSaid(seat=seat):
            return seat
        case Corrected(numbers=numbers, places=places):
            return numbers[0].seat if numbers else places[0].seat if places else None
        case GameStarted(first=first):
            return first
        case TableSet() | Undone() | Redone() | RowLost():
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
        case Chosen():
            return _answer_words(entry, who)
        case PowerUsed(ref=ref):
            return power_label(entry.before.game, ref)
        case CardShown(name=name):
            return _shown_words("card", name, who)
        case TileShown(name=name):
            return _shown_words("tile", name, who)
        case Corrected():
            return _correction_words(entry.event)
        case Undone() | Redone():
            gone = len(entry.before.line) - len(entry.after.line)
            key = "did.undone" if isinstance(entry.event, Undone) else "did.redone"
            return Words(key=key, args={"count": abs(gone)})
        case OrderChosen():
            return Words(key="did.order", args=who)
        case PutOff():
            return Words(key="did.put_off")
        case TableSet(seats=seats):
            return Words(key="did.table_set", args={"count": len(seats)})
        case GameStarted():
            return Words(key="did.game_started", args=who)
        case AheadSaid(ahead=ahead):
            return _ahead_words(ahead, who)
        case RowLost():
            return Words(key="did.lost")


def _answer_words(entry: Entry, who: Args) -> Words:
    """Return the answer in the words that the phone showed."""
    position = entry.before.position
    question = position.question if position is not None else None
    assert isinstance(entry.event, Chosen)
    if position is None or not isinstance(question, Choice):
        return Words(key="did.chosen", args=who)
    wanted = entry.event.option
    option = next((each for each in question.options if each.key == wanted), None)
    if option is None:
        return Words(key="did.chosen", args=who)
    return label(question, option, option_args(position, option))


def _ahead_words(ahead: Ahead | None, who: Args) -> Words:
    """Return the limits that the seat set ahead for fleeing and staying."""
    flee = ahead.flee_below if ahead is not None else None
    stay = ahead.stay_above if ahead is not None else None
    parts = [name for name, at in (("flee", flee), ("stay", stay)) if at is not None]
    args = {**who, "flee": flee or 0, "keep": stay or 0}
    return Words(key=f"did.ahead.{'_'.join(parts) or 'none'}", args=args)


def _shown_words(kind: str, name: str | None, who: Args) -> Words:
    if name is None:
        return Words(key=f"did.no_{kind}", args=who)
    return Words(key=f"did.{kind}_shown", args={**who, kind: name})


def _correction_words(event: Corrected) -> Words:
    if len(event.numbers) == 1 and not event.places:
        (one,) = event.numbers
        args: Args = {"seat": one.seat, "what": one.what.value, "value": one.value}
        return Words(key="did.corrected", args=args)
    if len(event.places) == 1 and not event.numbers:
        (moved,) = event.places
        return Words(key="did.moved", args={"seat": moved.seat, "place": moved.place})
    return Words(key="did.corrected_many", args={"count": len(event.numbers) + len(event.places)})


def _player_name(entry: Entry, setup: TableSet | None) -> str:
    """Return the name of the player whose phone sent it."""
    if setup is None or not entry.who.isdecimal() or int(entry.who) >= len(setup.seats):
        return ""
    return setup.seats[int(entry.who)].player
