"""Random legal play of one game from cold caches: `python -m … GAME CARDS SECONDS`."""

from __future__ import annotations

import json
import sys
import time
from random import Random

from companion.engine import Seat, Setup
from companion.virtual import SimulationOptions, play_random

PLAYERS = 4


def main(game: str, cards: int, seconds: float) -> None:
    """Play whole games for about so much processor time; print events, games and seconds."""
    options = SimulationOptions(cards=cards, checks=False)
    events = games = 0
    began = time.process_time()
    while (took := time.process_time() - began) < seconds:
        setup = Setup(game, PLAYERS, Seat(0), "first")
        events += play_random(setup, Random(f"bench/{games}"), options).events
        games += 1
    print(json.dumps({"events": events, "games": games, "cpu_s": took}))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), float(sys.argv[3]))
