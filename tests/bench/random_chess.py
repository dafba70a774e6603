"""Random legal play of python-chess, for comparison: `PYTHON random_chess.py SECONDS`.

python-chess is under the GPL: it has an environment of its own (`make bench` installs it) and runs
as a process of its own. Nothing else here imports it.
"""

from __future__ import annotations

import json
import random
import sys
import time

import chess


def main(seconds: float) -> None:
    """Play whole games for about so much processor time; print moves, games and seconds."""
    chance = random.Random(1)
    moves = games = 0
    began = time.process_time()
    while (took := time.process_time() - began) < seconds:
        board = chess.Board()
        while not board.is_game_over():
            board.push(chance.choice(list(board.legal_moves)))
            moves += 1
        games += 1
    print(json.dumps({"events": moves, "games": games, "cpu_s": took}))


if __name__ == "__main__":
    main(float(sys.argv[1]))
