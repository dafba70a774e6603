"""Random games a second: two processes, and two workers of a Dask cluster, beside one process.

Their start is not counted: it takes the same for three games as for three million.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import AbstractContextManager

from companion.simulation import Plan, Play, Totals, cluster, processes, run
from tests.bench import Figure
from tests.dask_cluster import two_workers

PLAN = Plan(game="tokyo", players=4, seed=1, checks=False)
GAMES = 150
ONE = "simulate.one_process"


def figures() -> Iterator[Figure]:
    """Return games a second, each beside those of one process."""
    one = _games_per_s(processes(1))
    yield Figure(ONE, one, "games/s")
    two = _games_per_s(processes(2))
    yield Figure("simulate.two_processes", two, "games/s", ONE, round(two / one, 2))
    with two_workers() as scheduler:
        dask = _games_per_s(cluster(scheduler))
    yield Figure("simulate.two_dask_workers", dask, "games/s", ONE, round(dask / one, 2))


def _games_per_s(players: AbstractContextManager[Play]) -> float:
    with players as play:
        run(PLAN, 75, Totals(), play, None)  # caches are filled
        began = time.perf_counter()
        run(PLAN, GAMES, Totals(), play, None)
        return round(GAMES / (time.perf_counter() - began), 1)
