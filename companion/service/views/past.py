"""The games of the log: a line of each, and an earlier one to look at."""

from __future__ import annotations

import zlib

import msgspec
from msgspec.structs import replace

from companion.service import requests
from companion.service.views.view import Views, game_view
from companion.table import GameSummary, Snapshot, Table
from companion.table.log import EventLog

MOST_GAMES = 100
"""How many games the list has, the newest."""
KEPT_BYTES = 400_000
"""Most bytes of earlier games that are cached, compressed (to about a ninth): some twenty of them.
Replaying a long one takes seconds.
"""


def games_answer(table: Table) -> requests.GamesAnswer:
    """Return the games that have started: the current one first, then those played last."""
    newest = reversed(table.games())
    started = [one for one in newest if one.started and one.setup is not None]
    ordered = sorted(started, key=lambda one: one.current, reverse=True)
    return requests.GamesAnswer(games=tuple(_line(one) for one in ordered[:MOST_GAMES]))


def _line(one: GameSummary) -> requests.GameLine:
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

    def __init__(self, table: Table, log: EventLog, views: Views) -> None:
        self._table, self._log, self._views = table, log, views
        self._kept: dict[str, tuple[int, bytes]] = {}

    def look_at(self, game: str) -> bytes:
        """Return the game, a `PastGame` in JSON; RefusedError where the log has none of that name.

        It is replayed only where rows were added since it was cached.
        """
        now = self._table.snapshot()
        rows = now.rev if game == now.game_id else self._log.count(game)
        kept = self._kept.pop(game, None)
        if kept is not None and kept[0] == rows:
            encoded = zlib.decompress(kept[1])
        else:
            shown = self._table.snapshot_of(game)
            views = self._views if game == now.game_id else Views("", anyone=False)
            encoded = past_game(shown, views)
            kept = (shown.rev, zlib.compress(encoded, 1))
        self._kept[game] = kept  # the last, so that the others go before it
        while len(self._kept) > 1 and sum(len(one) for _, one in self._kept.values()) > KEPT_BYTES:
            del self._kept[next(iter(self._kept))]
        return encoded


def past_game(snapshot: Snapshot, views: Views) -> bytes:
    """Return numbers and log of a game, a `PastGame` in JSON, without questions, offers or tasks.
    `views` may have rows of the game cached.
    """
    state = snapshot.state
    game = None
    if state.game is not None and state.setup is not None:
        shown = game_view(state, (), anyone=False)
        game = replace(shown, question=None, offers=(), hands=(), reminders=())
    return msgspec.json.encode(
        {
            "id": snapshot.game_id,
            "game": game,
            "rows": msgspec.Raw(views.all_rows(snapshot)),
            "playable": state.unplayable is None,
        }
    )
