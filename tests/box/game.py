"""Players of a machine's table, inside its network namespace: `python -m tests.box.game PLAY`.

PLAY is a file: commands are played and noted in it, or what was acknowledged before is looked for.
"""

from __future__ import annotations

import json
import random
import sys
from pathlib import Path

from tests.player import Play

PORT = 8080
MOVES = 30


def play(path: Path, token: str) -> int:
    """Play on, and note the cookie and what was acknowledged; return how many commands were."""
    game = known(path)
    game.join(token)
    for _ in range(MOVES):
        game.step()
    note = {"cookie": game.cookie, "acknowledged": game.acknowledged, "sent": game.sent}
    path.write_text(json.dumps(note), "utf-8")
    return len(game.acknowledged)


def known(path: Path) -> Play:
    """Return the player as the file notes it, a new one if there is no file."""
    game = Play(PORT, random.Random(7))
    if path.is_file():
        note = json.loads(path.read_text("utf-8"))
        game.cookie, game.sent = note["cookie"], note["sent"]
        game.acknowledged = {
            key: (table, rev) for key, (table, rev) in note["acknowledged"].items()
        }
    return game


if __name__ == "__main__":
    print(play(Path(sys.argv[1]), sys.argv[2]))
