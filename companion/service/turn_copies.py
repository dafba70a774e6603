"""Copies of the log, made in the background at the end of each turn and of each game."""

from __future__ import annotations

import threading
from concurrent.futures import Future

from companion.memory import return_freed
from companion.service.workers import Workers
from companion.table import Snapshot
from companion.table.backup import copy_log
from companion.table.log import EventLog


class TurnCopies:
    """Copies the log once a turn or a game has ended, on a thread of its own.

    At most one copy waits, since a later copy holds all that an earlier one would. So an end that
    is undone and redone many times makes few copies.
    """

    def __init__(self, log: EventLog) -> None:
        self._log = log
        self._workers = Workers("copies", 1)
        self._lock = threading.Lock()
        self._copying: Future[None] | None = None
        self._turn: tuple[str, int, bool] | None = None
        self._waiting: tuple[str, int, bool] | None = None
        """The turn after which a copy waits to be made."""

    def follow(self, now: Snapshot) -> None:
        """Start a copy if a turn has ended. Called after every change of the table."""
        game = now.state.game
        if game is None:
            return
        turn = (now.game_id, game.turn.number, game.ended is not None)
        if turn != self._turn:
            self._turn = turn
            with self._lock:
                waits, self._waiting = self._waiting is not None, turn
            if not waits:
                self._copying = self._workers.submit(self._copy)

    def close(self) -> None:
        """Stop once the copy that is being made is done, and its connection to the log closed."""
        self._workers.shutdown()
        if self._copying is not None:
            self._copying.result()

    def _copy(self) -> None:
        with self._lock:
            turn, self._waiting = self._waiting, None
        if turn is not None:
            game, _, ended = turn
            copy_log(self._log.path, game, ended=ended)
            return_freed()  # the copy grows with the log, and so would what is kept for the next
