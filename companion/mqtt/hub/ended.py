"""The results of ended games that the hub has in memory, within a bound, and what the page shows
of them.
"""

from __future__ import annotations

from heapq import nsmallest
from typing import Final

from companion.mqtt.hub.forms import ResultLine, StandingLine
from companion.mqtt.hub.results import EndedGame, ended_at, newest, standings

MOST_ENDED: Final = 30_000
"""Results that are kept: about 3 KB each."""
DROPPED_AT_ONCE: Final = 1000
"""How many of them, the oldest, give way to further ones."""
MOST_TITLES: Final = 1000
"""Tables whose titles are known, gone ones included; the oldest go by their names again."""
Key = tuple[str, str]
"""Table and game."""


class EndedGames:
    """Results by table and game; used under one lock."""

    def __init__(self, most: int = MOST_ENDED, at_once: int = DROPPED_AT_ONCE) -> None:
        self._most, self._at_once = most, at_once
        self._games: dict[Key, EndedGame] = {}
        self._titles: dict[str, str] = {}
        self._shown: tuple[tuple[ResultLine, ...], tuple[StandingLine, ...]] | None = None
        """What the page shows, until something changes: many pages ask for the same."""

    def call(self, table: str, title: str) -> bool:
        """Note what a table is called; return whether it was called otherwise."""
        if self._titles.get(table, table) == title:
            return False
        self._titles.pop(table, None)
        self._titles[table] = title
        if len(self._titles) > MOST_TITLES:
            del self._titles[next(iter(self._titles))]
        self._shown = None
        return True

    def __contains__(self, key: Key) -> bool:
        return key in self._games

    def put(self, one: EndedGame) -> list[Key]:
        """Keep a result; return the oldest ones that were dropped for it."""
        self._shown = None
        self._games[one.table, one.log] = one
        if len(self._games) <= self._most:
            return []
        oldest = nsmallest(
            self._at_once, self._games, key=lambda key: (ended_at(self._games[key]), key)
        )
        for key in oldest:
            del self._games[key]
        return oldest

    def drop(self, key: Key) -> bool:
        """Drop a result; return whether there was one."""
        self._shown = None
        return self._games.pop(key, None) is not None

    def shown(self) -> tuple[tuple[ResultLine, ...], tuple[StandingLine, ...]]:
        """Return the results and standings that the page shows."""
        if self._shown is None:
            games = self._games.values()
            self._shown = newest(games, self._titles), standings(games)
        return self._shown

    def after(self, key: Key | None, count: int) -> list[EndedGame]:
        """Return so many results behind this key, by table and game; the first ones for None."""
        behind = self._games if key is None else (one for one in self._games if one > key)
        return [self._games[one] for one in nsmallest(count, behind)]
