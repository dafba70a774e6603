"""The result of one game, a fold over the rows of its log that count."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Final

import msgspec

from companion.engine import Game
from companion.table import Entry, GameStarted, State, TableSet

LONGEST: Final = 24 * 60
"""Minutes; a game that took longer was interrupted, or its clock was set meanwhile."""


class PlayerResult(msgspec.Struct, frozen=True):
    """How one seat ended. `player`: its name, "" without one; `monster`: its picture; `rank` counts
    from 1, and several may share one."""

    seat: int
    player: str
    monster: str
    rank: int
    won: bool
    first: bool
    """Whether it took the first turn."""
    health: int
    stars: int
    energy: int
    died_turn: int | None = None


class GameResult(msgspec.Struct, frozen=True):
    """A game as it stands at its newest row. `reason`: how it ended, None where it has not."""

    table: str
    game: str
    edition: str
    house: tuple[str, ...]
    turns: int
    players: tuple[PlayerResult, ...]
    reason: str | None = None
    began: datetime | None = None
    """When its first row was written, by the clock of that time; None where unknown."""
    ended: datetime | None = None
    """When the row that ended it was written, or its newest."""

    @property
    def is_demo(self) -> bool:
        """Whether no seat has a name, as in games with demo dice."""
        return not any(one.player for one in self.players)

    @property
    def minutes(self) -> int | None:
        """How long it took; None where the clock does not say, or says more than LONGEST."""
        if self.began is None or self.ended is None:
            return None
        minutes = round((self.ended - self.began).total_seconds() / 60)
        return minutes if 0 <= minutes <= LONGEST else None


def result_of(table: str, entries: Sequence[Entry]) -> GameResult | None:
    """Return the result of a table's game; None where none has started."""
    state = entries[-1].after if entries else State()
    if state.game is None or state.setup is None:
        return None
    counted = [entries[seq - 1] for seq in state.line]
    started = next((row for row in counted if isinstance(row.event, GameStarted)), None)
    last = _last_row(counted, state.game)
    return GameResult(
        table=table,
        game=state.game.rules,
        edition=state.game.edition,
        house=state.game.house,
        turns=state.game.turn.number,
        players=_players(state.game, state.setup, started),
        reason=None if state.game.ended is None else state.game.ended.reason,
        began=None if started is None else moment(started.at),
        ended=None if last is None else moment(last.at),
    )


def _last_row(counted: Sequence[Entry], game: Game) -> Entry | None:
    """Return the row that ended the game, or its newest."""
    if game.ended is None:
        return counted[-1] if counted else None
    ends = (row for row in reversed(counted) if not _has_ended(row.before))
    return next(ends, None)


def _has_ended(state: State) -> bool:
    return state.game is not None and state.game.ended is not None


def moment(written: str) -> datetime | None:
    """Return an ISO 8601 time in UTC; None where it is none. Without an offset it counts as UTC."""
    try:
        read = datetime.fromisoformat(written)
        return (read if read.tzinfo is not None else read.replace(tzinfo=UTC)).astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def _players(game: Game, setup: TableSet, started: Entry | None) -> tuple[PlayerResult, ...]:
    first = started.event.first if started and isinstance(started.event, GameStarted) else None
    standings = _standings(game)
    return tuple(
        PlayerResult(
            seat=seat,
            player=setup.seats[seat].player,
            monster=setup.seats[seat].monster,
            rank=1 + sum(other > standings[seat] for other in standings),
            won=standings[seat][0],
            first=seat == first,
            health=monster.health,
            stars=monster.stars,
            energy=monster.energy,
            died_turn=monster.died_turn,
        )
        for seat, monster in enumerate(game.monsters)
    )


def _standings(game: Game) -> list[tuple[bool, bool, int, int]]:
    """Return what ranks each seat: winners, the living, the last to die, then stars."""
    winners = game.ended.winners if game.ended is not None else ()
    return [
        (seat in winners, monster.alive, monster.died_turn or 0, monster.stars)
        for seat, monster in enumerate(game.monsters)
    ]


def last_place(game: Game) -> int | None:
    """Return the seat that came last; None where several did."""
    standings = _standings(game)
    least = min(standings)
    return standings.index(least) if standings.count(least) == 1 else None
