"""Looking back: earlier games of the log, and the moments and branches of the one on the table."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import pairwise

import msgspec
from msgspec.structs import replace

from companion.service import requests, wire, wire_pages
from companion.service.views.logbook import LogRows, happened, player_name, undo_words, weight
from companion.service.views.view import game_view, seat_views
from companion.table import (
    Branch,
    Entry,
    GameSummary,
    Snapshot,
    Table,
    Undone,
    branches,
    snapshot_at,
    way_to,
)
from companion.table.log import EventLog

MOST_GAMES = 100
"""How many games the list has, the newest."""
MOST_CACHED = 8
"""How many earlier games are cached; replaying a long one takes seconds."""


def games_answer(table: Table) -> requests.GamesAnswer:
    """Return the games that have started: the current one first, then those played last."""
    newest = reversed(table.games())
    started = [one for one in newest if one.started and one.setup is not None]
    ordered = sorted(started, key=lambda one: one.current, reverse=True)
    return requests.GamesAnswer(games=tuple(_game_line(one) for one in ordered[:MOST_GAMES]))


def _game_line(one: GameSummary) -> requests.GameLine:
    assert one.setup is not None
    return requests.GameLine(
        id=one.id,
        game=one.setup.game,
        players=tuple(seat.player for seat in one.setup.seats),
        monsters=tuple(seat.monster for seat in one.setup.seats),
        ended=one.ended,
        winners=one.winners,
        at=one.at,
        current=one.current,
    )


class PastGames:
    """Earlier games in JSON, as phones show them; caches those that were opened last."""

    def __init__(self, table: Table, log: EventLog) -> None:
        self._table, self._log = table, log
        self._made = lru_cache(MOST_CACHED)(self._make)

    def look_at(self, game: str) -> bytes:
        """Return the game, a `PastGame` in JSON; RefusedError if the log has none of that name.

        It is replayed only if rows were added since it was cached.
        """
        now = self._table.snapshot()
        return self._made(game, now.rev if game == now.game_id else self._log.count(game))

    def _make(self, game: str, _rows: int) -> bytes:
        return msgspec.json.encode(past_game(self._table.snapshot_of(game)))


def past_game(snapshot: Snapshot) -> requests.PastGame:
    """Return a game to look at: no questions, no tasks."""
    state = snapshot.state
    game = None
    if state.game is not None and state.setup is not None:
        shown = game_view(state, ())
        game = replace(shown, question=None, offers=(), hands=(), reminders=())
    return requests.PastGame(
        id=snapshot.game_id,
        game=game,
        rows=LogRows().all(snapshot),
        playable=state.unplayable is None,
    )


MOST_NEWS = 2
"""How many sentences of a turn are shown."""


def time_view(snapshot: Snapshot) -> wire_pages.TimeView:
    """Return the moments of the game; RefusedError before one."""
    state = snapshot.state
    position = state.game_position()
    return wire_pages.TimeView(
        table=snapshot.game_id,
        rev=snapshot.rev,
        line=_line(state.active, snapshot.entries),
        branches=tuple(_branch(one, snapshot) for one in branches(snapshot)),
        seats=seat_views(position, state),
    )


def time_moment(snapshot: Snapshot, row: int) -> wire_pages.TimeMoment:
    """Return the table as it was after a row; RefusedError if there is no such moment."""
    then = snapshot_at(snapshot, row)
    way = way_to(snapshot, then.rev)
    position = then.state.position
    assert position is not None
    entry = then.entries[-1]
    turn, seat = _turn_of(entry)
    words, why = undo_words(entry, then.entries)
    left = _left(way, snapshot)
    turns = [_turn_of(one)[0] for one in left]
    return wire_pages.TimeMoment(
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


def _news(then: Snapshot, turn: int) -> tuple[wire.NewsLine, ...]:
    """Return what came of the turn, what matters most first; nothing of the next turn."""
    found = [one for one in happened(then) if one.turn == turn]
    return tuple(sorted(found, key=weight)[:MOST_NEWS])


def _left(way: Sequence[object], snapshot: Snapshot) -> list[Entry]:
    """Return the rows that count now and would not after these events."""
    if not way or not isinstance(way[0], Undone):
        return []
    return [snapshot.entries[seq - 1] for seq in snapshot.state.active.since(way[0].seq)]


def _line(rows: Iterable[int], entries: Sequence[Entry]) -> wire_pages.TimeLine:
    """Return where to stop among these rows; those before the game are left out."""
    found = [one for row in rows if (one := entries[row - 1]).after.game is not None]
    ends = {_turn_of(one): one for one in found}
    return wire_pages.TimeLine(
        turns=tuple(
            wire_pages.TimeTurn(turn=turn, seat=seat, row=one.seq)
            for (turn, seat), one in ends.items()
        ),
        steps=tuple(
            one.seq
            for one, after in pairwise([*found, None])
            if one is not None and (after is None or after.command_id != one.command_id)
        ),
    )


def _turn_of(entry: Entry) -> tuple[int, int]:
    """Return the turn that the row belongs to, and whose it was: 0 for the set-up."""
    game = entry.before.game or entry.after.game
    return (0, 0) if game is None else (game.turn.number, int(game.turn.active))


def _branch(one: Branch, snapshot: Snapshot) -> wire_pages.BranchView:
    entries = snapshot.entries
    first, undo = entries[one.rows[0] - 1], entries[one.undo - 1]
    words, why = undo_words(first, entries)
    return wire_pages.BranchView(
        row=one.rows[-1],
        fork=one.fork,
        line=_line(one.rows, entries),
        words=words,
        why=why,
        at=undo.at,
        by=player_name(undo, undo.after.setup),
    )
