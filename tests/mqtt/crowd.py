"""Some tables that play at random and publish themselves, in one process: `tests.bench hub`.

    python -m tests.mqtt.crowd FOLDER BROKER_PORT FIRST COUNT SECONDS PAUSE

Prints a line for each move: the table, its revision after it, and the monotonic clock before it.
"""

from __future__ import annotations

import random
import sys
import time
from itertools import count
from pathlib import Path

import msgspec

from companion.engine import RULESETS
from companion.mqtt.publisher import Publisher
from companion.mqtt.settings import read_settings
from companion.service.app_state import AppState
from companion.service.settings import Settings
from companion.service.views.view import MONSTERS
from companion.table import Input, Submission
from tests.service.phone import Json, next_event

_EVENTS = msgspec.json.Decoder(tuple[Input, ...])
_ids = count()


class Player:
    """One published table, and who plays on it."""

    def __init__(self, folder: Path, port: int, number: int) -> None:
        self.name, self.chance = f"t{number:03}", random.Random(number)
        data = folder / self.name
        data.mkdir(parents=True)
        path = data / "mqtt.toml"
        path.write_text(
            f'broker = "mqtt://127.0.0.1:{port}"\ntable = "{self.name}"\n'
            'hub = true\nhome_assistant = true\nnames = ["*"]\n'
        )
        self.app_state = AppState(Settings(data=data))
        settings = read_settings(path, data)
        self.publisher = Publisher(self.app_state, settings, lambda *_, **__: None)

    def move(self) -> None:
        """Make one move, or start the next game."""
        view = self.app_state.hub.newest.numbered.view
        event = None if view.game is None else next_event(view.game, self.chance)
        if event is None:
            seats = [{"player": f"P{n}", "monster": MONSTERS[n]} for n in range(4)]
            game = self.chance.choice(sorted(RULESETS))
            table = {"type": "TableSet", "game": game, "edition": "first", "seats": seats}
            self.submit(table, {"type": "GameStarted", "first": 0})
        else:
            self.submit(event)

    def submit(self, *events: Json) -> None:
        at = time.monotonic()
        snapshot = self.app_state.table.snapshot()
        decoded = _EVENTS.decode(msgspec.json.encode(events))
        command = Submission(f"crowd-{next(_ids):06}", snapshot.rev, decoded, "")
        rev = self.app_state.table.submit(command)
        table = self.app_state.table.snapshot().table
        print(msgspec.json.encode((self.name, table, rev, at)).decode(), flush=True)

    def close(self) -> None:
        self.publisher.close()
        self.app_state.close()


def main(folder: Path, port: int, first: int, tables: int, seconds: float, pause: float) -> None:
    players = [Player(folder, port, first + n) for n in range(tables)]
    for player in players:
        player.move()
    sys.stdin.readline()  # everybody is here
    order = random.Random(first)
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        time.sleep(order.expovariate(tables / pause))
        order.choice(players).move()
    print(msgspec.json.encode(("", "", 0, 0.0)).decode(), flush=True)  # the last move is made
    sys.stdin.readline()  # everything has been seen
    for player in players:
        player.close()


if __name__ == "__main__":
    folder, port, first, tables, seconds, pause = sys.argv[1:]
    main(Path(folder), int(port), int(first), int(tables), float(seconds), float(pause))
