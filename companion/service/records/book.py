"""Tallies of all finished games: counted in the background, kept in the state of the log."""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping
from typing import Annotated, Final

import msgspec
from msgspec import Meta

from companion.engine import BROKEN
from companion.records import GameTally, tally_of
from companion.service.workers import Workers
from companion.table import RULES_VERSION, RefusedError, Table
from companion.table.log import EventLog

KEY: Final = "tallies"
"""Of the state."""
FORMAT: Final = 1
"""Raised whenever a tally means or holds something else."""
MOST_GAMES: Final = 500
"""How many finished games count, the newest tables of the log."""
SAVED_AFTER: Final = 25
"""So many games are counted between two writes."""
MOST_REST_S: Final = 2.0


class _Kept(msgspec.Struct, frozen=True):
    """A game's tally, and the rows that it was counted from. None: its rows hold no game."""

    tip: str
    tally: GameTally | None


class _Tallies(msgspec.Struct, frozen=True):
    """All tallies, as they are kept."""

    format: int
    rules: str
    games: Annotated[dict[str, _Kept], Meta(max_length=MOST_GAMES)]


_TALLIES: Final = msgspec.json.Decoder(_Tallies)


class Counted(msgspec.Struct, frozen=True):
    """The tallies of finished games that are counted, oldest table first, and how many are not."""

    tallies: tuple[GameTally, ...]
    left: int


class TallyBook:
    """Tallies of finished games, each counted once for as long as its rows stay the same.

    Replaying a long game takes seconds, so no request waits for it: a thread counts one game after
    the other, and rests after each for as long as that took.
    """

    def __init__(self, table: Table, log: EventLog) -> None:
        self._table, self._log = table, log
        self._workers = Workers("tallies", 1)
        self._lock = threading.Lock()
        self._counting = False
        self._closed = threading.Event()
        self._kept = _read(log)

    def counted(self) -> Counted:
        """Return the tallies there are now; those that are missing are being counted from then
        on."""
        wanted = self._wanted()
        kept = self._kept
        found = [kept[name] for name, tip in wanted.items() if _fits(kept, name, tip)]
        left = len(wanted) - len(found)
        if left:
            self._start()
        return Counted(tuple(one.tally for one in found if one.tally is not None), left)

    def tally(self, game: str) -> GameTally | None:
        """Return the tally of one game as it stands, counted now where it is not known; None where
        no game has started. RefusedError where the log has none of that name."""
        kept, tip = self._kept.get(game), self._log.last_hash(game)
        if kept is not None and kept.tip == tip:
            return kept.tally
        return tally_of(game, self._table.snapshot_of(game).entries)

    def follow(self) -> None:
        """Count a game that has just ended. Called after every change of the table."""
        state = self._table.snapshot().state
        if state.game is not None and state.game.ended is not None:
            self._start()

    def close(self) -> None:
        """Stop counting, without waiting."""
        self._closed.set()
        self._workers.shutdown()

    def _wanted(self) -> dict[str, str]:
        """Return what names the rows of each finished game, oldest table first."""
        ended = {one.id for one in self._table.games() if one.ended}
        names = [name for name in self._log.games if name in ended][-MOST_GAMES:]
        return {name: self._log.last_hash(name) for name in names}

    def _start(self) -> None:
        with self._lock:
            starts, self._counting = not self._counting, True
        if starts:
            self._workers.submit(self._count)

    def _count(self) -> None:
        """Count until nothing is missing."""
        changed = 0
        try:
            while not self._closed.is_set():
                missing = self._missing()
                if missing is None:
                    break
                self._count_one(*missing)
                changed += 1
                if changed % SAVED_AFTER == 0:
                    self._write()
        finally:
            with self._lock:
                self._counting = False
            if changed:
                self._write()

    def _missing(self) -> tuple[str, str] | None:
        """Return the newest game that is not counted, and what names its rows."""
        wanted = self._wanted()
        lacking = [(name, tip) for name, tip in wanted.items() if not _fits(self._kept, name, tip)]
        return lacking[-1] if lacking else None

    def _count_one(self, name: str, tip: str) -> None:
        began = time.monotonic()
        try:
            tally = tally_of(name, self._table.snapshot_of(name).entries)
        except RefusedError:  # the log was opened anew, and has it no more
            tally = None
        except BROKEN:  # a game that cannot be counted must not hold up the others
            tally = None
        if self._log.last_hash(name) == tip:
            self._kept = {**self._kept, name: _Kept(tip, tally)}
        self._closed.wait(min(time.monotonic() - began, MOST_REST_S))

    def _write(self) -> None:
        wanted = self._wanted()
        games = {name: one for name, one in self._kept.items() if name in wanted}
        self._kept = games
        self._log.put_state(KEY, _Tallies(FORMAT, RULES_VERSION, games))


def _fits(kept: Mapping[str, _Kept], name: str, tip: str) -> bool:
    return name in kept and kept[name].tip == tip


def _read(log: EventLog) -> dict[str, _Kept]:
    """Return the tallies that are kept; none of another version."""
    found = log.state(KEY, _TALLIES)
    if found is None or (found.format, found.rules) != (FORMAT, RULES_VERSION):
        return {}
    return dict(found.games)
