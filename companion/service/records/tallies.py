"""What is made of games once and kept in the state of the log; tallies of all finished games."""

from __future__ import annotations

import threading
import time
from typing import Final, Generic, TypeVar

import msgspec

from companion.engine import BROKEN
from companion.records import GameTally, tally_of
from companion.service.workers import Workers
from companion.table import RULES_VERSION, RefusedError, Table
from companion.table.log import EventLog

FORMAT: Final = 1
"""Raised whenever something that is kept means or holds something else."""
MOST_GAMES: Final = 500
"""How many finished games count, the newest tables of the log."""
SAVED_AFTER: Final = 25
"""So many games are counted between two writes."""
MOST_REST_S: Final = 2.0
T = TypeVar("T")


class _Kept(msgspec.Struct, Generic[T], frozen=True):
    """What was made of a game, and the hash of the last of its rows."""

    last_hash: str
    made: T


class _All(msgspec.Struct, Generic[T], frozen=True):
    """All that is kept of one kind; `version`: what it was made with."""

    version: str
    games: dict[str, _Kept[T]]


class KeptByRows(Generic[T]):
    """What was made of games, each for as long as its rows stay the same. Thread-safe."""

    def __init__(self, log: EventLog, key: str, kind: object, version: str, most: int) -> None:
        """`kind`: the type T; `key`: of the state."""
        self._log, self._key, self._most = log, key, most
        self._version = f"{FORMAT} {RULES_VERSION} {version}"
        found = log.state(key, msgspec.json.Decoder(_All[kind]))  # type: ignore[valid-type]
        fits = found is not None and found.version == self._version
        self._games: dict[str, _Kept[T]] = dict(found.games) if found is not None and fits else {}

    def of(self, game: str) -> tuple[T] | None:
        """Return what was made of the game's present rows, alone in a tuple; None if not kept."""
        kept = self._games.get(game)
        is_present = kept is not None and kept.last_hash == self._log.last_hash(game)
        return (kept.made,) if kept is not None and is_present else None

    def keep(self, game: str, last_hash: str, made: T) -> None:
        """Keep what was made of the rows up to that hash, unless the game has others by now."""
        if self._log.last_hash(game) == last_hash:
            others = {name: one for name, one in self._games.items() if name != game}
            self._games = dict([*others.items(), (game, _Kept(last_hash, made))][-self._most :])

    def save(self) -> None:
        """Write all that is kept; RefusedError if the disk refuses."""
        self._log.put_state(self._key, _All(self._version, self._games))


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
        self._closed = threading.Event()
        # What was kept first is dropped first, which may be the newest game of those that count.
        most = 2 * MOST_GAMES
        self._kept = KeptByRows[GameTally | None](log, "tallies", GameTally | None, "", most)
        """None: a game's rows hold none that can be counted."""

    def counted(self) -> Counted:
        """Return the tallies there are now; those that are missing are then being counted."""
        wanted = self._wanted()
        found = [one for name in wanted if (one := self._kept.of(name)) is not None]
        left = len(wanted) - len(found)
        if left:
            self._workers.do_if_idle(self._count)
        return Counted(tuple(tally for (tally,) in found if tally is not None), left)

    def tally(self, game: str) -> GameTally | None:
        """Return the tally of one game as it stands, counted now if it is not known; None if no
        game has started. RefusedError if the log has none of that name."""
        kept = self._kept.of(game)
        if kept is not None:
            return kept[0]
        return tally_of(game, self._table.snapshot_of(game).entries)

    def follow(self) -> None:
        """Count a game that has just ended. Called after every change of the table."""
        state = self._table.snapshot().state
        if state.game is not None and state.game.ended is not None:
            self._workers.do_if_idle(self._count)

    def close(self) -> None:
        """Stop counting, without waiting."""
        self._closed.set()

    def _wanted(self) -> list[str]:
        """Return the finished games, oldest table first."""
        ended = {one.id for one in self._table.games() if one.ended}
        return [name for name in self._log.games if name in ended][-MOST_GAMES:]

    def _count(self) -> None:
        """Count until nothing is missing, the newest game first."""
        changed, unread = 0, set[str]()
        try:
            while not self._closed.is_set():
                missing = [name for name in self._wanted() if self._kept.of(name) is None]
                if not (missing := [name for name in missing if name not in unread]):
                    break
                if not self._count_one(missing[-1]):
                    unread.add(missing[-1])
                    continue
                changed += 1
                if changed % SAVED_AFTER == 0:
                    self._kept.save()
        finally:
            if changed:
                self._kept.save()

    def _count_one(self, name: str) -> bool:
        """Count a game; False if the disk refuses to read it now."""
        began, last_hash = time.monotonic(), self._log.last_hash(name)
        try:
            tally = tally_of(name, self._table.snapshot_of(name).entries)
        # The log was opened again, without this game; or one that cannot be counted, which must not
        # hold up the others.
        except (RefusedError, *BROKEN) as refusal:
            if getattr(refusal, "key", "") == "error.log_unreadable":
                return False
            tally = None
        self._kept.keep(name, last_hash, tally)
        self._closed.wait(min(time.monotonic() - began, MOST_REST_S))
        return True
