"""A pool of daemon threads, for work that must not keep the service from stopping."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Executor, Future
from dataclasses import dataclass
from queue import SimpleQueue
from typing import Any, ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class _ForwardErrors:
    """Context manager that sets what its block raises as the future's exception."""

    future: Future[Any]

    def __enter__(self) -> None:
        return

    def __exit__(self, _: object, failure: BaseException | None, __: object) -> bool:
        if failure is not None:
            self.future.set_exception(failure)
        return True


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
                with _ForwardErrors(future):
                    future.set_result(call(*args, **kwargs))

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
