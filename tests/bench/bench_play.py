"""Random legal play beside python-chess doing the same: processes of their own, taking turns.

Every process starts with cold caches; what it imports is not counted, processor time is.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import msgspec

from companion.engine import RULESETS
from tests.bench import Figure

ROUNDS = 7
SECONDS = 1.5
WITH_CARDS = 4
CHESS = "python_chess.random_play"
HERE = Path(__file__).parent
ROOT = HERE.parent.parent


class Ran(msgspec.Struct, frozen=True):
    """The result of one process."""

    events: int
    games: int
    cpu_s: float


def figures() -> Iterator[Figure]:
    """Return medians over the rounds; ratios are medians of the ratios within each round."""
    chess = os.environ.get("CHESS_PYTHON", "")
    programs = {
        f"{game}.random_play.{cards}_cards": [
            *(sys.executable, "-m", "tests.bench.random_games", game, str(cards))
        ]
        for cards in (0, WITH_CARDS)
        for game in RULESETS
    }
    if chess:
        programs[CHESS] = [chess, str(HERE / "random_chess.py")]
    ran: dict[str, list[Ran]] = {name: [] for name in programs}
    for _ in range(ROUNDS):
        for name, program in programs.items():
            ran[name].append(_run(program))
    for name, runs in ran.items():
        rates = [run.events / run.cpu_s for run in runs]
        against = [run.events / run.cpu_s for run in ran[CHESS]] if chess else []
        ratio = round(_median_ratio(rates, against), 2) if chess and name != CHESS else None
        value = round(statistics.median(rates))
        yield Figure(name, value, "events/s", CHESS if ratio is not None else None, ratio)
        if name != CHESS:
            games = statistics.median(run.games / run.cpu_s for run in runs)
            yield Figure(f"{name}.games", round(games, 1), "games/s")
    for cards in (0, WITH_CARDS):
        yield from _both(ran, cards, bool(chess))


def _both(ran: dict[str, list[Ran]], cards: int, chess: bool) -> Iterator[Figure]:
    """Run both games, with equal processor time each."""
    rounds = [
        [ran[f"{game}.random_play.{cards}_cards"][n] for game in RULESETS] for n in range(ROUNDS)
    ]
    rates = [statistics.mean(run.events / run.cpu_s for run in each) for each in rounds]
    against = [run.events / run.cpu_s for run in ran[CHESS]] if chess else []
    ratio = round(_median_ratio(rates, against), 2) if chess else None
    name = f"both_games.random_play.{cards}_cards"
    value = round(statistics.median(rates))
    yield Figure(name, value, "events/s", CHESS if chess else None, ratio)


def _run(program: list[str]) -> Ran:
    done = subprocess.run(
        [*program, str(SECONDS)], cwd=ROOT, check=True, capture_output=True, text=True
    )
    return msgspec.convert(json.loads(done.stdout), Ran)


def _median_ratio(ours: list[float], theirs: list[float]) -> float:
    return statistics.median(a / b for a, b in zip(ours, theirs, strict=True))
