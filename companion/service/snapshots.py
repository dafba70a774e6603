"""Copies of the log, made in the background at the end of each game."""

from __future__ import annotations

import threading

from companion.memory import return_freed
from companion.service.workers import Workers
from companion.storage.copies.backups import take_snapshot as copy_log
from companion.table import Snapshot
from companion.table.log import EventLog


class Snapshots:
    """Copies the log once a game has ended, on a thread of its own.

    At most one copy waits, since a later copy holds all that an earlier one would. So an end that
    is undone and redone many times makes few copies.
    """

    def __init__(self, log: EventLog) -> None:
        self._log = log
        self._workers = Workers("snapshots", 1)
        self._lock = threading.Lock()
        self._ended: tuple[str, bool] | None = None
        self._waiting: str | None = None
        """The table for which a copy waits to be made."""

    def follow(self, now: Snapshot) -> None:
        """Start a copy when a game has ended. Called after every change of the table."""
        game = now.state.game
        ended = (now.table, game is not None and game.ended is not None)
        if ended[1] and ended != self._ended:
            self._ask(now.table)
        self._ended = ended

    def close(self) -> None:
        """Stop without waiting for a copy that is being made."""
        self._workers.shutdown()

    def _ask(self, table: str) -> None:
        with self._lock:
            waits, self._waiting = self._waiting is not None, table
        if not waits:
            self._workers.submit(self._copy)

    def _copy(self) -> None:
        with self._lock:
            table, self._waiting = self._waiting, None
        if table is not None:
            copy_log(self._log.path, table)
            return_freed()  # the copy grows with the log, and so would what is kept for the next
