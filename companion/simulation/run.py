"""Running a plan: its games in order, whoever plays them, and their totals."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterator
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Final

from companion.simulation.folder import RowsFolder
from companion.simulation.plan import Plan, SimulatedGame, play_batch
from companion.simulation.workforce import Workforce

BATCH: Final = 25
"""How many games a process is given at once: about a second's work."""


@dataclass(slots=True)
class Totals:
    """What the games came to so far. `resumed`: how many of them an earlier run had played."""

    games: int = 0
    events: int = 0
    powers: int = 0
    turns: int = 0
    resumed: int = 0
    events_resumed: int = 0
    ended: Counter[str] = field(default_factory=Counter)
    broken: tuple[str, ...] = ()

    def add(self, row: SimulatedGame) -> None:
        """Add one game."""
        self.games += 1
        self.events += row.events
        self.powers += row.powers
        self.turns += row.turns
        self.ended[row.ended] += 1
        self.broken = tuple(f"game {row.number}, event {row.events}: {b}" for b in row.broken)

    def resume(self, rows: tuple[SimulatedGame, ...]) -> None:
        """Add games that an earlier run had played."""
        games, events = self.games, self.events
        for row in rows:
            self.add(row)
        self.resumed += self.games - games
        self.events_resumed += self.events - events


def run(
    plan: Plan, games: int, totals: Totals, workforce: Workforce, rows: RowsFolder | None
) -> None:
    """Play the first `games` games of the plan and add them to `totals`, in order; stop after the
    first broken one.

    With `rows`, each part is written as soon as it is whole; one that an earlier run has written is
    read instead.
    """
    part: list[SimulatedGame] = []
    for batch in _in_order(plan, _steps(games, rows), workforce):
        if isinstance(batch, Kept):
            totals.resume(batch.rows())
            if totals.broken:
                return
            continue
        for row in batch:
            totals.add(row)
            part.append(row)
            if rows is None:
                part.clear()
            elif row.broken or row.number + 1 in {games, part[0].number + rows.size}:
                rows.write(part)
                part.clear()
            if totals.broken:
                return


@dataclass(frozen=True, slots=True)
class Kept:
    """A part that an earlier run has written."""

    folder: RowsFolder
    start: int
    stop: int

    def rows(self) -> tuple[SimulatedGame, ...]:
        """Read its games once more: the steps ahead keep none in memory."""
        return self.folder.read(self.start, self.stop) or ()


def _steps(games: int, rows: RowsFolder | None) -> Iterator[Kept | range]:
    """Yield what is read and what is played, in order."""
    size = rows.size if rows is not None else games
    for start in range(0, games, size):
        stop = min(start + size, games)
        if rows is not None and rows.read(start, stop) is not None:
            yield Kept(rows, start, stop)
            continue
        for first in range(start, stop, BATCH):
            yield range(first, min(first + BATCH, stop))


Batch = tuple[SimulatedGame, ...]


def _in_order(
    plan: Plan, steps: Iterator[Kept | range], workforce: Workforce
) -> Iterator[Kept | Batch]:
    """Yield the games of each step in the order of the steps, with few of them in memory."""
    waiting: deque[Kept | Future[Batch]] = deque()
    try:
        for step in steps:
            if isinstance(step, Kept):
                waiting.append(step)
            else:
                submit = workforce.executor.submit
                waiting.append(submit(play_batch, plan, step.start, step.stop))
            if len(waiting) >= workforce.ahead:
                yield _result(waiting.popleft())
        while waiting:
            yield _result(waiting.popleft())
    finally:
        for each in waiting:
            if isinstance(each, Future):
                each.cancel()


def _result(step: Kept | Future[Batch]) -> Kept | Batch:
    return step if isinstance(step, Kept) else step.result()
