"""Moments of a game in their wire form: the line of turns, the branches, one moment."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise

from companion.service import wire
from companion.service.views.logbook import command_of, main_row, player_name, undo_words
from companion.service.views.news.happened import happened, weight
from companion.service.views.view import seat_views
from companion.table import (
    Branch,
    Entry,
    RefusedError,
    Snapshot,
    Undone,
    branches,
    snapshot_at,
    way_to,
)

MOST_NEWS = 2
"""How many sentences of a turn are shown."""


def time_view(snapshot: Snapshot, *, may: bool) -> wire.TimeView:
    """Return the moments of the game that is played; RefusedError before it has begun.

    `may`: the phone that looks may play on from another one.
    """
    state = snapshot.state
    position = state.position
    if position is None:
        raise RefusedError("error.not_started", outdated=True)
    return wire.TimeView(
        table=snapshot.game_id,
        rev=snapshot.rev,
        line=_line(state.line, snapshot.entries),
        branches=tuple(_branch(one, snapshot) for one in branches(snapshot)),
        seats=seat_views(position, state),
        may=may,
    )


def time_moment(snapshot: Snapshot, row: int) -> wire.TimeMoment:
    """Return the table as it was after a row; RefusedError where there is no such moment."""
    then = snapshot_at(snapshot, row)
    way = way_to(snapshot, then.rev)
    position = then.state.position
    assert position is not None
    entry = then.entries[-1]
    turn, seat = _turn(entry)
    words, why = undo_words(main_row(command_of(entry, then.entries)), then.entries)
    left = _left(way, snapshot)
    turns = [_turn(one)[0] for one in left]
    return wire.TimeMoment(
        row=then.rev,
        turn=turn,
        seat=seat,
        at=entry.at,
        seats=seat_views(position, then.state),
        act=words,
        why=why,
        happened=_news(then, turn),
        way=way,
        leaves=len({one.command_id for one in left}),
        turns=(turns[0], turns[-1]) if turns else None,
    )


def _news(then: Snapshot, turn: int) -> tuple[wire.Happened, ...]:
    """Return what came of the turn, what matters most first, without what the next one began
    with.
    """
    found = [one for one in happened(then) if one.turn == turn]
    return tuple(sorted(found, key=weight)[:MOST_NEWS])


def _left(way: Sequence[object], snapshot: Snapshot) -> list[Entry]:
    """Return the rows that count now and would not after these events."""
    if not way or not isinstance(way[0], Undone):
        return []
    return [snapshot.entries[seq - 1] for seq in snapshot.state.line.since(way[0].seq)]


def _line(rows: Iterable[int], entries: Sequence[Entry]) -> wire.TimeLine:
    """Return where to stop among these rows; those before the game are left out."""
    found = [one for row in rows if (one := entries[row - 1]).after.game is not None]
    ends = {_turn(one): one for one in found}
    return wire.TimeLine(
        turns=tuple(
            wire.TimeTurn(turn=turn, seat=seat, row=one.seq, at=one.at)
            for (turn, seat), one in ends.items()
        ),
        steps=tuple(
            one.seq
            for one, after in pairwise([*found, None])
            if one is not None and (after is None or after.command_id != one.command_id)
        ),
    )


def _turn(entry: Entry) -> tuple[int, int]:
    """Return the turn that the row belongs to, and whose it was: 0 for the set-up."""
    game = entry.before.game or entry.after.game
    return (0, 0) if game is None else (game.turn.number, int(game.turn.active))


def _branch(one: Branch, snapshot: Snapshot) -> wire.BranchView:
    entries = snapshot.entries
    first, undo = entries[one.rows[0] - 1], entries[one.undo - 1]
    words, why = undo_words(main_row(command_of(first, entries)), entries)
    return wire.BranchView(
        row=one.rows[-1],
        fork=one.fork,
        line=_line(one.rows, entries),
        words=words,
        why=why,
        at=undo.at,
        by=player_name(undo, undo.after.setup),
    )
