"""Who plays: this process, processes of this machine, or the workers of a cluster."""

from __future__ import annotations

import asyncio
import os
import re
import signal
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError, Executor, Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.metadata import version
from multiprocessing import get_context, parent_process
from multiprocessing.connection import wait
from threading import Thread
from typing import Any, Final, ParamSpec, TypeVar

from companion.games import load_games
from companion.simulation.errors import SimulationError
from companion.table import RULES_VERSION

P = ParamSpec("P")
T = TypeVar("T")
AHEAD: Final = 3
"""How many batches are given out for each process: one is played, others wait or are done."""
REACHED_S: Final = 15
"""How long a cluster may take to answer, in seconds."""
ADDRESS: Final = re.compile(
    r"(?:tcp|tls)://(?P<host>[\w.-]{1,253}|\[[0-9a-fA-F:.]{2,45}\]):(?P<port>\d{1,5})"
)
_NO_SCHEDULER: Final = (OSError, ValueError, TypeError, RuntimeError, MemoryError)
"""What reading the answer of a program that is no scheduler may raise."""


@dataclass(frozen=True, slots=True)
class Workforce:
    """Who plays, and how many batches may be given out at once."""

    executor: Executor
    ahead: int


class _ThisProcess(Executor):
    """Plays at once, in this process."""

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        done: Future[T] = Future()
        done.set_result(fn(*args, **kwargs))
        return done


@contextmanager
def processes(count: int) -> Iterator[Workforce]:
    """So many processes of this machine; with 1 this process plays.

    SimulationError where one of them dies, such as for lack of memory.
    """
    if count == 1:
        yield Workforce(_ThisProcess(), 1)
        return
    pool = ProcessPoolExecutor(count, get_context("spawn"), _end_with_parent)
    try:
        _start(pool, count)
        yield Workforce(pool, AHEAD * count)
    except BrokenProcessPool as died:
        raise SimulationError("error.simulate.process_died") from died
    finally:
        pool.shutdown(cancel_futures=True)


def _start(pool: Executor, count: int) -> None:
    """Start the processes; whoever interrupts this one meanwhile waits until they have got what
    they begin with.
    """
    asked: list[int] = []
    signals = (signal.SIGINT, signal.SIGTERM)
    before = [signal.signal(each, lambda number, _: asked.append(number)) for each in signals]
    try:
        for _ in range(count):
            pool.submit(load_games)
    finally:
        for each, handler in zip(signals, before, strict=True):
            signal.signal(each, handler)
    if asked:
        raise KeyboardInterrupt


def _end_with_parent() -> None:
    """Let the parent alone answer Ctrl-C, and end when it is gone, killed or not."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = parent_process()
    if parent is not None:
        Thread(target=_exit_after, args=(parent.sentinel,), daemon=True).start()


def _exit_after(sentinel: int) -> None:
    wait([sentinel])
    os._exit(1)


@contextmanager
def cluster(address: str) -> Iterator[Workforce]:
    """The workers of a Dask cluster. SimulationError where it cannot be used.

    Each worker must have this very version of the rules: else the same game would leave other rows.
    """
    try:
        import distributed
    except ImportError as missing:
        raise SimulationError("error.simulate.no_dask") from missing
    _check_listens(address)
    try:
        client = distributed.Client(address, timeout=REACHED_S, set_as_default=False)
    except (OSError, ValueError, TimeoutError) as failed:
        raise SimulationError("error.simulate.no_cluster", address=address) from failed
    try:
        threads = sum(client.nthreads().values())
        if not threads:
            raise SimulationError("error.simulate.no_workers", address=address)
        _check_versions(client, address)
        with client.get_executor(pure=False) as executor:
            yield Workforce(executor, AHEAD * threads)
    except (CancelledError, distributed.KilledWorker) as lost:
        raise SimulationError("error.simulate.cluster_lost", address=address) from lost
    finally:
        client.close()


def _check_listens(address: str) -> None:
    """Raise SimulationError where no Dask scheduler answers: a client would wait for ever for one
    that is another program, and fail with a traceback where nothing listens.
    """
    found = ADDRESS.fullmatch(address)
    if found is None or not 0 < int(found["port"]) < 65_536:
        raise SimulationError("error.simulate.no_address")
    try:
        asyncio.run(asyncio.wait_for(_greet(address), REACHED_S))
    except _NO_SCHEDULER as failed:
        raise SimulationError("error.simulate.no_cluster", address=address) from failed


async def _greet(address: str) -> None:
    from distributed.core import rpc

    async with rpc(address, timeout=REACHED_S) as scheduler:
        await scheduler.identity()


def _check_versions(client: Any, address: str) -> None:
    """Raise SimulationError where a worker has other rules, or none."""
    mine = installed()
    try:
        found = client.run(installed)
    except (ImportError, AttributeError) as failed:  # as the worker raised it
        raise SimulationError("error.simulate.worker_without", address=address) from failed
    for worker, theirs in sorted(found.items()):
        if theirs != mine:
            raise SimulationError(
                "error.simulate.worker_differs", worker=worker, theirs=theirs, mine=mine
            )


def installed() -> str:
    """Return what is installed here, as far as it decides how a game goes."""
    load_games()
    return f"{version('monster-table')}, rules {RULES_VERSION}"
