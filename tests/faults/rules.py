"""Changed rules, and random play that must never reach a position without a legal event."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

from companion.engine import RULESETS, Position, Setup
from companion.virtual import SimulationOptions, play_random
from tests.faults import Effort, Fault, Outcome
from tools import golden

LOGS = sorted(golden.FOLDER.glob("*/*.jsonl"))


def faults(effort: Effort) -> Iterator[Fault]:
    """Return every fault of this module."""
    yield Fault(
        f"{len(LOGS)} old games by today's rules",
        "same digest, or pinned and playable",
        lambda: _old_games(LOGS),
    )
    events = effort.choose(3_000, 1_000_000)
    yield Fault(
        f"{events} random events of the rules",
        "no position without a legal event, invariants hold",
        lambda: _random_play(events),
    )


def _old_games(logs: list[Path]) -> Outcome:
    """Replay every golden log."""
    same = pinned = wrong = 0
    for path in logs:
        last, written = golden.replayed(path)[-1].after, golden.read(path)[-1]
        same_digest = last.game is not None and Position.of(last.game).digest() == written.digest
        same += same_digest
        held = last.pinned and last.game == written.position
        pinned += held and not same_digest
        wrong += not (same_digest or held)
    seen = f"{same} the same, {pinned} go on from a stored position, {wrong} neither"
    return Outcome(seen, wrong == 0)


def _random_play(events: int) -> Outcome:
    """Play games of random legal events, checking each position."""
    played = games = 0
    broken: list[str] = []
    while played < events and not broken:
        chance = random.Random(games)
        setup = Setup(chance.choice(sorted(RULESETS)), chance.randint(2, 6))
        game = play_random(setup, chance, SimulationOptions(cards=games % 3))
        played, games, broken = played + game.events, games + 1, [*game.broken]
    return Outcome(f"{played} events in {games} games, {broken or 'none'} broken", not broken)
