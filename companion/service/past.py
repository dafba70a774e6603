"""The games of the log: a line of each, and an earlier one to look at."""

from __future__ import annotations

from msgspec.structs import replace

from companion.service import exchange
from companion.service.view import Views, game_view
from companion.table import GameSummary, Snapshot, Table

MOST_GAMES = 100
"""The list names so many, the newest."""


def games_answer(table: Table) -> exchange.GamesAnswer:
    """The games that have started, the one that is played first, then the newest."""
    newest = reversed(table.games())
    started = [one for one in newest if one.started and one.setup is not None]
    ordered = sorted(started, key=lambda one: (one.current, one.at), reverse=True)
    return exchange.GamesAnswer(games=tuple(_line(one) for one in ordered[:MOST_GAMES]))


def _line(one: GameSummary) -> exchange.GameLine:
    assert one.setup is not None
    return exchange.GameLine(
        id=one.id,
        game=one.setup.game,
        players=tuple(seat.player for seat in one.setup.seats),
        monsters=tuple(seat.monster for seat in one.setup.seats),
        ended=one.ended,
        winners=one.winners,
        at=one.at,
        current=one.current,
    )


class Past:
    """Earlier games as phones look at them; keeps the one that was looked at last."""

    def __init__(self, table: Table) -> None:
        self._table = table
        self._kept: exchange.PastGame | None = None

    def look_at(self, game: str) -> exchange.PastGame:
        """The game as it stands in the log; RefusedError where there is none of that name.

        An earlier game does not change, so it is played over once for all who look.
        """
        current = self._table.snapshot().table
        kept = self._kept
        if kept is None or kept.id != game or game == current:
            kept = past_game(self._table.look_at(game))
            self._kept = None if game == current else kept
        return kept


def past_game(snapshot: Snapshot) -> exchange.PastGame:
    """Numbers and log of a game to look at: nothing is asked, offered or to be done in it."""
    state = snapshot.state
    game = None
    if state.game is not None and state.setup is not None:
        shown = game_view(state, (), anyone=False)
        game = replace(shown, question=None, offers=(), hands=(), reminders=())
    return exchange.PastGame(
        id=snapshot.table,
        game=game,
        rows=Views("", anyone=False).rows(snapshot),
        playable=state.aside is None,
    )
