"""A Dask cluster of this machine that ends in silence."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from distributed import LocalCluster

from tests.waiting import wait_until


@contextmanager
def two_workers() -> Iterator[str]:
    """Start two workers, each a process; yield the scheduler's address.

    The workers end first: one that lives longer than its scheduler prints the trace of a heartbeat
    that nobody answers.
    """
    with LocalCluster(
        n_workers=2, threads_per_worker=1, host="127.0.0.1", dashboard_address=None
    ) as found:
        try:
            yield found.scheduler_address
        finally:
            found.scale(0)
            wait_until(lambda: not found.workers and not found.scheduler.workers)
