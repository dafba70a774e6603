"""Work in the background that must not keep the service from stopping: pools of daemon threads, and
the copies of the log at the end of each turn and of each game.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Executor, Future
from queue import SimpleQueue
from typing import ParamSpec, TypeVar

from companion.memory import return_freed
from companion.table import Snapshot
from companion.table.backup import copy_after_turn
from companion.table.log import EventLog

P = ParamSpec("P")
T = TypeVar("T")


class Workers(Executor):
    """At most `count` threads, started when they are needed.

    They are daemons, so the process can end while one of them computes or waits. (Python waits for
    the threads of `ThreadPoolExecutor`.)
    """

    def __init__(self, name: str, count: int) -> None:
        self._name, self._count = name, count
        self._waiting: SimpleQueue[Callable[[], None] | None] = SimpleQueue()
        self._lock = threading.Lock()
        self._threads = self._busy = 0

    def submit(self, call: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        """Return a future for the call's result; a thread will run it."""
        future: Future[T] = Future()

        def run() -> None:
            if future.set_running_or_notify_cancel():
                try:
                    future.set_result(call(*args, **kwargs))
                except BaseException as failure:
                    future.set_exception(failure)

        with self._lock:
            self._busy += 1
            more = self._busy > self._threads < self._count
            self._threads += more
            number = self._threads
        self._waiting.put(run)
        if more:
            name = f"{self._name}-{number}"
            threading.Thread(target=self._work, name=name, daemon=True).start()
        return future

    def do_if_idle(self, call: Callable[P, object], /, *args: P.args, **kwargs: P.kwargs) -> None:
        """Have a thread run the call unless one runs, or waits to."""
        if not self._busy:
            self.submit(call, *args, **kwargs)

    def shutdown(self, wait: bool = False, *, cancel_futures: bool = False) -> None:
        """Let the threads end once they have done what was submitted, without waiting."""
        for _ in range(self._threads):
            self._waiting.put(None)

    def _work(self) -> None:
        while True:
            run = self._waiting.get()
            if run is None:
                return
            run()
            del run  # the answer must not live until the next request
            with self._lock:
                self._busy -= 1


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
            copy_after_turn(self._log.path, game, ended=ended)
            return_freed()  # the copy grows with the log, and so would what is kept for the next
