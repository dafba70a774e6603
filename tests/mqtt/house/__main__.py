"""A table beside Home Assistant itself: a line for each thing seen, exit 1 if one is not so.

python -m tests.mqtt.house PYTHON     # the python of an environment with `homeassistant`
"""

from __future__ import annotations

import json
import os
import queue
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from companion.engine import MOST_SEATS, RULESETS
from companion.mqtt.messages import rgb
from companion.service.views.view import COLOURS
from companion.table import HOME
from tests.mqtt.broker import Broker
from tests.mqtt.table import Table, published
from tests.waiting import WITHIN_S

Json = dict[str, Any]
ROOT = Path(__file__).parent.parent.parent.parent
BLUEPRINT = ROOT / "packaging" / "blueprints" / "monster_table_speaks.yaml"
INSIDE = Path(__file__).parent / "inside.py"
LAMP = re.compile(r"```yaml automation.yaml\n(.*?)```", re.DOTALL)
GAME = max(RULESETS)
NUMBERS = ("health", "stars", "energy")


class House:
    """One running Home Assistant, and what it shows."""

    def __init__(self, python: str, folder: Path, broker: Broker) -> None:
        automation = folder.with_suffix(".yaml")
        found = LAMP.search((ROOT / "docs" / "home-assistant.md").read_text("utf-8"))
        assert found is not None
        automation.write_text(found[1])
        self.log = folder.with_suffix(".log")
        blueprints = folder / "blueprints" / "automation" / "monster_table"
        blueprints.mkdir(parents=True)
        shutil.copy(BLUEPRINT, blueprints)
        self.shown: Json = {"states": {}, "lamps": [], "spoken": []}
        self._lines: queue.Queue[str] = queue.Queue()
        with self.log.open("wb") as log:
            self.process = subprocess.Popen(
                [python, str(INSIDE), str(folder), str(broker.port), str(automation)],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log, text=True,
                cwd=folder.parent, env={"PATH": os.environ["PATH"]},
            )  # fmt: skip
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self._lines.put(line)

    def state(self, entity: str) -> str:
        return str(self.shown["states"].get(entity, {}).get("state", "missing"))

    def until(self, true: Callable[[House], bool]) -> None:
        """Wait until this is true of what Home Assistant shows."""
        while not true(self):
            self.shown = json.loads(self._lines.get(timeout=WITHIN_S))

    def press(self, entity: str) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(f"{entity}\n")
        self.process.stdin.flush()

    def stop(self) -> None:
        assert self.process.stdin is not None
        self.process.stdin.close()
        self.process.wait(WITHIN_S)


@contextmanager
def running(python: str, folder: Path, broker: Broker) -> Iterator[House]:
    house = House(python, folder, broker)
    try:
        yield house
    finally:
        house.stop()


def expected(table: Table) -> dict[str, str]:
    """What each entity must show of the table as it is."""
    view = table.phone.view()
    game, found = view.game, {"sensor.monster_table_camera": "none"}
    seats = () if game is None else game.seats
    for seat in range(MOST_SEATS):
        for what in NUMBERS:
            value = getattr(seats[seat], what) if seat < len(seats) else "unavailable"
            found[f"sensor.monster_table_seat_{seat + 1}_{what}"] = str(value)
    names = json.loads((ROOT / "webui" / "locales" / "en.json").read_text("utf-8"))
    playing = game is not None and game.ended is None and game.turn > 0
    active = None if game is None or not playing else game.seats[game.active]
    found["sensor.monster_table_turn"] = (
        "unknown" if active is None else names[f"monster.{active.monster}"]
    )
    rolled = () if game is None else game.last_roll
    found["sensor.monster_table_last_roll"] = (
        ", ".join(names[f"face.{face}"] for face in rolled) if rolled else "unknown"
    )
    won = None if game is None or game.ended is None else game.ended.winners
    found["sensor.monster_table_winner"] = (
        "unknown" if won is None else ", ".join(names[f"monster.{seats[n].monster}"] for n in won)
    )
    found["button.monster_table_read_again"] = "unavailable"  # there is no camera
    can_undo = view.undo is not None and not view.undo.host_only
    found["button.monster_table_undo"] = "unknown" if can_undo else "unavailable"
    return found


def differing(house: House, table: Table) -> dict[str, tuple[str, str]]:
    """Entities that show something else, with what they should show; pressed buttons show when."""
    return {
        entity: (house.state(entity), value)
        for entity, value in expected(table).items()
        if house.state(entity) != value
        and not (
            entity.startswith("button.") and value == "unknown" and house.state(entity)[:2] == "20"
        )
    }


def all_gone(house: House) -> bool:
    ours = [one for one in house.shown["states"] if "monster_table" in one]
    return bool(ours) and all(house.state(one) == "unavailable" for one in ours)


def say(what: str, seen: object) -> None:
    print(json.dumps({"what": what, "seen": seen}), flush=True)


def play_to_the_end(table: Table) -> None:
    """End the game: one seat gets the stars that win."""
    goal = RULESETS[table.phone.game().game].goal_stars
    seat = table.phone.game().active
    table.phone.say(
        {"type": "Corrected", "numbers": [{"seat": seat, "what": "stars", "value": goal}]}
    )
    dice = ["heal"] * table.phone.dice()
    table.phone.say({"type": "DiceRolled", "faces": dice, "final": True})
    while (game := table.phone.game()).ended is None:
        question = game.question
        assert question is not None
        option = next(one.key for one in reversed(question.options) if one.enabled)
        table.phone.say({"type": "Chosen", "seat": question.seat, "option": option})


def main(python: str) -> None:
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        broker = Broker(folder / "broker")
        with broker.running(), published(folder, broker) as table:
            with running(python, folder / "first", broker) as house:
                house.until(lambda seen: not differing(seen, table))
                say("entities without a game", len(expected(table)))
                table.phone.set_up(GAME, players=3)
                table.phone.say({"type": "PutOff"})
                house.until(lambda seen: not differing(seen, table))
                dice = ["energy"] * table.phone.dice()
                table.phone.say({"type": "DiceRolled", "faces": dice, "final": False})
                house.until(lambda seen: not differing(seen, table))
                say("entities of a game", len(expected(table)))
                game = table.phone.game()
                colour = list(rgb(COLOURS[game.seats[game.active].monster]))
                house.until(
                    lambda seen: any(one["rgb_color"] == colour for one in seen.shown["lamps"])
                )
                say("the lamp's colour", colour)
                before = table.app_state.table.snapshot().rev
                house.press("button.monster_table_undo")
                house.until(
                    lambda seen: (
                        table.app_state.table.snapshot().rev > before and not differing(seen, table)
                    )
                )
                sender = table.app_state.table.snapshot().entries[-1].who
                assert sender == HOME
                say("undone by the button", sender)
                broker.kill()
                house.until(all_gone)
                say("the broker is killed", "all unavailable")
                table.phone.say({"type": "DiceRolled", "faces": dice, "final": False})
                broker.start()
                house.until(lambda seen: not differing(seen, table))
                say("the broker is back", "all right")
                sock = table.publisher.link.client.socket()
                assert isinstance(sock, socket.socket)
                sock.shutdown(socket.SHUT_RDWR)
                house.until(all_gone)
                say("the table loses its connection, the will", "all unavailable")
                house.until(lambda seen: not differing(seen, table))
                say("it is back", "all right")
                play_to_the_end(table)
                house.until(lambda seen: not differing(seen, table))
                say("the winner", house.state("sensor.monster_table_winner"))
                house.until(
                    lambda seen: any(
                        " wins with " in one["message"] for one in seen.shown["spoken"]
                    )
                )
                say("read aloud", [one["message"] for one in house.shown["spoken"]])
                house.until(
                    lambda seen: any(one["brightness_pct"] == 100 for one in seen.shown["lamps"])
                )
                say("the lamp flashes", house.shown["lamps"][-1])
            with running(python, folder / "second", broker) as later:
                later.until(lambda seen: not differing(seen, table))
                say("Home Assistant starts again", "all right")
        complaints = [
            line
            for name in ("first", "second")
            for line in (folder / f"{name}.log").read_text().splitlines()
            if re.search("monster|template|discovery|invalid", line.lower())
        ]
        say("complaints of Home Assistant", complaints)
        sys.exit(bool(complaints))


if __name__ == "__main__":
    main(str(Path(sys.argv[1]).absolute()))
