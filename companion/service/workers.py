"""Work in the background that must not keep the service from stopping: pools of daemon threads, and
the copies of the log at the end of each turn and of each game.
"""

from __future__ import annotations

import logging
import threading
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future
from typing import ParamSpec, TypeVar

from companion.errors import KeyedError
from companion.memory import return_freed
from companion.table import Snapshot
from companion.table.backup import copy_after_turn
from companion.table.log import EventLog

P = ParamSpec("P")
T = TypeVar("T")


class Workers:
    """At most `count` threads, started when they are needed, that end when they are not: once there
    is nothing to do for `idle_s`. Who starts one waits for it, so requests find them waiting.

    They are daemons, so the process can end while one of them computes or waits. (Python waits for
    the threads of `ThreadPoolExecutor`.)
    """

    def __init__(self, name: str, count: int, idle_s: float = 0.0) -> None:
        self._name, self._count, self._idle_s = name, count, idle_s
        self._waiting: deque[Callable[[], None]] = deque()
        self._more = threading.Condition()
        self._threads = self._idle = 0

    def submit(self, call: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        """Return a future for the call's result; a thread will run it. RuntimeError if that cannot
        be started: nothing has changed then.
        """
        future: Future[T] = Future()

        def run() -> None:
            if future.set_running_or_notify_cancel():
                try:
                    future.set_result(call(*args, **kwargs))
                except BaseException as failure:
                    future.set_exception(failure)

        with self._more:
            if len(self._waiting) >= self._idle and self._threads < self._count:
                name = f"{self._name}-{self._threads + 1}"
                threading.Thread(target=self._work, name=name, daemon=True).start()
                self._threads += 1
            self._waiting.append(run)
            self._more.notify()
        return future

    def do_if_idle(self, call: Callable[P, object], /, *args: P.args, **kwargs: P.kwargs) -> None:
        """Have a thread run the call unless one runs, or waits to; what fails is logged."""
        if self._threads == self._idle and not self._waiting:
            self.submit(call, *args, **kwargs).add_done_callback(_log_failure)

    def _work(self) -> None:
        while True:
            with self._more:
                self._idle += 1
                is_wanted = self._more.wait_for(lambda: self._waiting, self._idle_s)
                self._idle -= 1
                if not is_wanted:
                    self._threads -= 1
                    return
                run = self._waiting.popleft()
            run()
            del run  # the answer must not live until the next request


def _log_failure(done: Future[T]) -> None:
    failure = done.exception()
    if failure is not None and not isinstance(failure, KeyedError):
        logging.getLogger(__name__).error("work in the background failed", exc_info=failure)


class TurnCopies:
    """Copies the log once a turn or a game has ended, on a thread of its own.

    Of the ends that come while a copy is made, the last alone is copied: that holds all of them. So
    an end that is undone and redone many times makes few copies.
    """

    def __init__(self, log: EventLog) -> None:
        self._log = log
        self._workers = Workers("copies", 1)
        self._turn: tuple[str, int, bool] | None = None
        """The last turn, or end of a game, that was noticed."""
        self._copying: Future[None] | None = None

    def follow(self, now: Snapshot) -> None:
        """Start a copy if a turn has ended. Called after every change of the table."""
        game = now.state.game
        if game is None:
            return
        turn = (now.game_id, game.turn.number, game.ended is not None)
        if turn != self._turn:
            self._turn = turn
            self._copying = self._workers.submit(self._copy, turn)

    def close(self) -> None:
        """Wait until the copies are made, and their connection to the log is closed."""
        if self._copying is not None:
            self._copying.result()

    def _copy(self, turn: tuple[str, int, bool]) -> None:
        if turn is self._turn:
            game, _, ended = turn
            copy_after_turn(self._log.path, game, ended=ended)
            return_freed()  # the copy grows with the log, and so would what is kept for the next
