"""Results and standings of all tables, from the rows that the hub has."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from heapq import nlargest
from typing import Final

import msgspec

from companion.mqtt.hub.forms import ResultLine, ResultSeat, StandingLine
from companion.records import GameResult, result_of
from companion.table import replay_all
from companion.table.database import StoredRow

MOST_RESULTS: Final = 200
"""Results that the page shows, the newest; standings count all."""
MOST_STANDINGS: Final = 200


@dataclass(frozen=True, slots=True)
class EndedGame:
    """A game of one table that has ended."""

    table: str
    log: str
    result: GameResult


_RESULT: Final = msgspec.json.Decoder(GameResult)


def result(log: str, rows: Iterable[StoredRow]) -> GameResult | None:
    """Return the result of a game by the rules; None where it has not ended."""
    entries = replay_all(rows)
    found = result_of(log, entries)
    return None if found is None or found.reason is None else found


def decoded(encoded: bytes) -> GameResult:
    """Return a result as the store keeps it. Raises msgspec.MsgspecError."""
    return _RESULT.decode(encoded)


def newest(results: Iterable[EndedGame], titles: Mapping[str, str]) -> tuple[ResultLine, ...]:
    """Return the newest results, the last that ended first. `titles`: what tables are called; one
    that has none goes by its name.
    """
    order = nlargest(MOST_RESULTS, results, key=lambda one: (ended_at(one), one.table, one.log))
    return tuple(_line(one, titles.get(one.table, one.table)) for one in order)


def ended_at(one: EndedGame) -> str:
    """Return when it ended, as the page gets it."""
    at = one.result.ended
    return "" if at is None else at.isoformat(timespec="seconds")


def _line(one: EndedGame, title: str) -> ResultLine:
    result = one.result
    return ResultLine(
        table=one.table,
        title=title,
        log=one.log,
        game=result.game,
        reason=result.reason or "",
        turns=result.turns,
        ended=ended_at(one),
        seats=tuple(
            ResultSeat(
                player=seat.player,
                monster=seat.monster,
                rank=seat.rank,
                won=seat.won,
                stars=seat.stars,
            )
            for seat in sorted(result.players, key=lambda seat: seat.rank)
        ),
    )


def standings(results: Iterable[EndedGame]) -> tuple[StandingLine, ...]:
    """Return the named players, who won most first; equal ones by stars."""
    found: dict[str, StandingLine] = {}
    for one in results:
        for player in one.result.players:
            name = player.player.strip()
            if not name:
                continue
            key = name.casefold()
            old = found.get(key) or StandingLine(player=name, games=0, won=0, stars=0)
            found[key] = StandingLine(
                player=old.player,
                games=old.games + 1,
                won=old.won + player.won,
                stars=old.stars + player.stars,
            )
    order = sorted(found.values(), key=lambda one: (-one.won, -one.stars, one.games, one.player))
    return tuple(order[:MOST_STANDINGS])
