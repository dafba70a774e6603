"""Many random games: the rows that they leave, played on one core, several, or a cluster.

Game `number` of a plan depends on the plan and its number alone, so any process of any machine may
play it. The folder of `companion simulate --rows` holds parts of 250 games, each written whole or
not. A run that was interrupted, or is to be longer, goes on where parts are missing, and its files
are the same as those of a run in one go.
"""

from __future__ import annotations

import re
import signal
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import CancelledError
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from itertools import chain, islice
from multiprocessing import resource_tracker
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Annotated, Final, Literal

import msgspec
from msgspec import Meta, Struct

from companion.engine import RULESETS, Position, Seat, Setup
from companion.errors import KeyedError
from companion.files import write_atomically
from companion.games import load_games
from companion.table import RULES_VERSION
from companion.virtual import GameResult, SimulationOptions, play_random

if TYPE_CHECKING:
    from joblib import Parallel

FORM: Final = 1
"""The version of the rows; a change of their columns raises it."""
MOST_SEED: Final = 2**63 - 1
PART: Final = 250
"""Games in a part: ten seconds of one core, or a minute of a Pi: the most that stopping costs."""
PLAN: Final = "plan.json"
ADDRESS: Final = re.compile(
    r"(?:tcp|tls)://(?P<host>[\w.-]{1,253}|\[[0-9a-fA-F:.]{2,45}\]):(?P<port>\d{1,5})"
)
REACHED_S: Final = 15
"""How long a cluster may take to answer, in seconds."""


class SimulationError(KeyedError):
    """A simulation cannot begin or go on."""


class Plan(Struct, frozen=True):
    """Which games are played, and how. `cards` to `explain`: as in `SimulationOptions`."""

    game: str
    players: int
    seed: int
    edition: str = "first"
    house: tuple[str, ...] = ()
    cards: int = 0
    offers: float = 0.2
    checks: bool = True
    explain: bool = False


Count = Annotated[int, Meta(ge=0, le=2**31 - 1)]
Names = tuple[str, ...]


class SimulatedSeat(Struct, frozen=True, forbid_unknown_fields=True):
    """One seat of a simulated game, with its numbers at the end.

    `dealt`: the Keep cards that it began with; `bought`: every card that it bought, in order;
    `held`: the cards before it at the end.
    """

    seat: Count
    won: bool
    died_turn: Count | None
    stars: Count
    health: Count
    energy: Count
    dealt: Names
    bought: Names
    held: Names


class SimulatedGame(Struct, frozen=True, forbid_unknown_fields=True):
    """One simulated game: a row of `companion simulate --rows`.

    `number`: the game's number among those of its seed, from 0; `first`: the seat that began;
    `cards` and `offers`: as the options of the command; `rules`: the version of the rules;
    `ended`: how it ended, or `broken`, if `broken` names invariants; `digest`: of the last
    position.
    """

    form: Literal[1]
    rules: str
    game: str
    edition: str
    house: Names
    players: Count
    seed: Annotated[int, Meta(ge=-MOST_SEED, le=MOST_SEED)]
    number: Count
    first: Count
    cards: Count
    offers: float
    events: Count
    powers: Count
    turns: Count
    ended: str
    broken: Names
    digest: str
    seats: tuple[SimulatedSeat, ...]


def play_game(plan: Plan, number: int) -> SimulatedGame:
    """Play one game of the plan, in a process that may be a fresh one."""
    if plan.game not in RULESETS:
        load_games()
    first = number % plan.players
    setup = Setup(plan.game, plan.players, Seat(first), plan.edition, plan.house)
    options = SimulationOptions(plan.cards, plan.offers, plan.checks, plan.explain)
    played = play_random(setup, Random(f"{plan.seed}/{number}"), options)
    return SimulatedGame(
        form=FORM,
        rules=RULES_VERSION,
        game=plan.game,
        edition=plan.edition,
        house=plan.house,
        players=plan.players,
        seed=plan.seed,
        number=number,
        first=first,
        cards=plan.cards,
        offers=plan.offers,
        events=played.events,
        powers=played.powers,
        turns=played.turns,
        ended=played.reason,
        broken=played.broken,
        digest=Position.of(played.final).digest(),
        seats=tuple(_seat(played, seat) for seat in range(plan.players)),
    )


def _seat(played: GameResult, seat: int) -> SimulatedSeat:
    game = played.final
    monster = game.monsters[seat]
    return SimulatedSeat(
        seat=seat,
        won=game.ended is not None and seat in game.ended.winners,
        died_turn=monster.died_turn,
        stars=monster.stars,
        health=monster.health,
        energy=monster.energy,
        dealt=played.dealt[seat],
        bought=played.bought[seat],
        held=tuple(card.name for card in game.in_play.cards if card.owner == seat),
    )


# -- the folder -----------------------------------------------------------------------------------


class _Kept(Struct, frozen=True, forbid_unknown_fields=True):
    """`plan.json`: what all rows of the folder have in common."""

    form: int
    rules: str
    part: int
    plan: Plan


_KEPT: Final = msgspec.json.Decoder(_Kept)
_ROW: Final = msgspec.json.Decoder(SimulatedGame)


class RowsFolder:
    """The rows of one plan, in files of `size` games each, a row a line."""

    def __init__(self, folder: Path, plan: Plan, size: int = PART) -> None:
        self.size = size
        self._folder, self._kept = folder, _Kept(FORM, RULES_VERSION, size, plan)

    def prepare(self) -> None:
        """Make the folder, or check that it holds rows of this plan.

        SimulationError if it holds something else; OSError if it cannot be made or read.
        """
        self._folder.mkdir(parents=True, exist_ok=True)
        path = self._folder / PLAN
        if path.exists():
            try:
                kept = _KEPT.decode(path.read_bytes())
            except msgspec.MsgspecError:
                kept = None
            if kept != self._kept:
                raise SimulationError("error.simulate.other_rows", path=str(self._folder))
        elif any(self._folder.iterdir()):
            raise SimulationError("error.simulate.not_empty", path=str(self._folder))
        else:
            text = msgspec.json.format(msgspec.json.encode(self._kept))
            write_atomically(path, text + b"\n")

    def read(self, numbers: range) -> list[SimulatedGame]:
        """Return these games of the part that begins with the first, or none if they are not there
        whole; a longer run may have left more. Raises OSError if the file cannot be read.
        """
        try:
            rows = _ROW.decode_lines(self._path(numbers[0]).read_bytes())[: len(numbers)]
        except (FileNotFoundError, ValueError):  # missing or damaged: it is played again
            return []
        return rows if [row.number for row in rows] == [*numbers] else []

    def write(self, rows: list[SimulatedGame]) -> None:
        """Write a part, all of it or nothing. Raises OSError."""
        content = msgspec.json.Encoder().encode_lines(rows)
        write_atomically(self._path(rows[0].number), content)

    def _path(self, start: int) -> Path:
        return self._folder / f"games-{start:010}.jsonl"


# -- a run ----------------------------------------------------------------------------------------

Play = Callable[[Plan, Iterable[int]], Iterator[SimulatedGame]]
"""Plays the games of these numbers, and yields them in order."""


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

    def add(self, row: SimulatedGame, *, resumed: bool = False) -> None:
        """Add one game."""
        self.games += 1
        self.events += row.events
        self.powers += row.powers
        self.turns += row.turns
        self.ended[row.ended] += 1
        self.broken += tuple(f"game {row.number}, event {row.events}: {b}" for b in row.broken)
        if resumed:
            self.resumed += 1
            self.events_resumed += row.events


def run(plan: Plan, games: int, totals: Totals, play: Play, rows: RowsFolder | None) -> None:
    """Play the first `games` games of the plan and add them to `totals`; stop after the first
    broken one.

    With `rows`, each part is written as soon as it is whole; one that an earlier run has written is
    read instead.
    """
    size = rows.size if rows is not None else games
    missing: list[range] = []
    for start in range(0, games, size):
        part = range(start, min(start + size, games))
        found = rows.read(part) if rows is not None else []
        for row in found:
            totals.add(row, resumed=True)
        if not found:
            missing.append(part)
    played = play(plan, chain.from_iterable(missing))
    for part in missing:
        kept: list[SimulatedGame] = []
        for row in islice(played, len(part)):
            totals.add(row)
            if rows is not None:
                kept.append(row)
            if totals.broken:
                break
        if rows is not None:
            rows.write(kept)
        if totals.broken:
            return


@contextmanager
def processes(count: int) -> Iterator[Play]:
    """Play on `count` processes of this machine; with 1, on this one.

    SimulationError if one of them dies, such as for lack of memory.
    """
    if count == 1:
        yield lambda plan, numbers: (play_game(plan, number) for number in numbers)
        return
    # Until all have started, none is interrupted: threads and processes inherit the mask. Later the
    # processes leave Ctrl-C to this one. Python 3.11's tracker lifts the mask, so it comes first.
    resource_tracker.ensure_running()
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGTERM})
    try:
        from joblib import Parallel, delayed

        with Parallel(count, return_as="generator") as parallel:
            list(parallel(delayed(load_games)() for _ in range(count)))
            signal.pthread_sigmask(signal.SIG_SETMASK, before)
            yield partial(_play, parallel)
    except BrokenProcessPool as died:
        raise SimulationError("error.simulate.process_died") from died
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


@contextmanager
def cluster(address: str) -> Iterator[Play]:
    """Play on the workers of a Dask cluster. SimulationError if it cannot be used.

    Each worker must have this version of the rules: else the same game would leave other rows.
    """
    try:
        import distributed
    except ImportError as missing:
        raise SimulationError("error.simulate.no_dask") from missing
    from joblib import Parallel, parallel_config

    found = ADDRESS.fullmatch(address)
    if found is None or not 0 < int(found["port"]) < 65_536:
        raise SimulationError("error.simulate.no_address")
    try:
        client = distributed.Client(address, timeout=REACHED_S, set_as_default=False)
    except (OSError, ValueError) as failed:
        raise SimulationError("error.simulate.no_cluster", address=address) from failed
    try:
        with client, parallel_config("dask", client=client):
            if not client.nthreads():
                raise SimulationError("error.simulate.no_workers", address=address)
            with Parallel(return_as="generator") as parallel:
                yield partial(_play, parallel)
    except (CancelledError, distributed.KilledWorker, OSError) as lost:
        raise SimulationError("error.simulate.cluster_lost", address=address) from lost
    except (ImportError, AttributeError) as failed:  # as the worker raised it
        raise SimulationError("error.simulate.worker_without", address=address) from failed


def _play(parallel: Parallel, plan: Plan, numbers: Iterable[int]) -> Iterator[SimulatedGame]:
    from joblib import delayed

    for row in parallel(delayed(play_game)(plan, number) for number in numbers):
        if row.rules != RULES_VERSION:
            raise SimulationError(
                "error.simulate.worker_differs", theirs=row.rules, mine=RULES_VERSION
            )
        yield row
