"""What a phone gets with the refusal of a number that another phone had changed meanwhile."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

from companion.engine import Change, Corrected, Correction
from companion.service import wire, wire_pages
from companion.service.views.logbook import (
    changes,
    command_of,
    main_row,
    undo_words,
)
from companion.table import Entry, Input, Snapshot, State

MOST_THEIRS = 2
MOST_ALSO = 2


def conflict_of(
    events: tuple[Input, ...], base_rev: int, snapshot: Snapshot
) -> wire_pages.Conflict | None:
    """Return the conflict that a correction of one number ran into; None for other commands, and
    where the number is the one that its sender had seen, or nobody's any more.
    """
    number = _single(events)
    if number is None or not 0 < base_rev < snapshot.rev:
        return None
    known = snapshot.entries[base_rev - 1]
    knew, now = _value(known.after, number), _value(snapshot.state, number)
    position = snapshot.state.position
    if knew is None or now is None or knew == now or position is None:
        return None
    since = snapshot.entries[base_rev:]
    theirs = [(row, one) for row in since for one in _changes(row, number)]
    most = position.number_max(number.seat, number.what)
    return wire_pages.Conflict(
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


def _single(events: tuple[Input, ...]) -> Correction | None:
    """Return the number where the command sets one and nothing else."""
    match events:
        case (Corrected(numbers=(number,), places=()),):
            return number
    return None


def _value(state: State, number: Correction) -> int | None:
    """Return the number of a Monster that plays; None if there is none."""
    monsters = state.game.monsters if state.game is not None else ()
    if not 0 <= number.seat < len(monsters) or not monsters[number.seat].alive:
        return None
    return monsters[number.seat].number(number.what)


def _changes(row: Entry, number: Correction) -> list[Change]:
    """Return the change that this row made to the number, if it did."""
    return [
        one
        for one in changes(row.before.game, row.after.game)
        if (one.seat, one.what) == (number.seat, number.what)
    ]


def _theirs(row: Entry, change: Change, snapshot: Snapshot) -> wire_pages.Theirs:
    setup = snapshot.state.setup
    seats = len(setup.seats) if setup is not None else 0
    seat = int(row.who) if row.who.isdecimal() and int(row.who) < seats else None
    words, _ = undo_words(main_row(command_of(row, snapshot.entries)), snapshot.entries)
    if isinstance(row.event, Corrected) and seat is not None:
        step = change.after - change.before
        key = "conflict.theirs.more" if step > 0 else "conflict.theirs.less"
        words = wire.Words(key=key, args={"seat": seat, "count": abs(step)})
    return wire_pages.Theirs(seat=seat, words=words, change=change, ago_s=_seconds_since(row.at))


def _seconds_since(at: str) -> int:
    """Return the seconds since this time of a row; 0 if it is later, or no time."""
    try:
        gone = datetime.now(UTC) - datetime.fromisoformat(at)
    except (ValueError, TypeError):
        return 0
    return max(0, int(gone.total_seconds()))


def _also(since: Sequence[Entry], theirs: set[str], snapshot: Snapshot) -> tuple[wire.Words, ...]:
    """Return the other commands since, by name."""
    others = dict.fromkeys(row.command_id for row in since if row.command_id not in theirs)
    newest = tuple(others)[-MOST_ALSO:]
    rows = {row.command_id: row for row in since}
    return tuple(
        undo_words(main_row(command_of(rows[one], snapshot.entries)), snapshot.entries)[0]
        for one in newest
    )
