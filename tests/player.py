"""A phone that plays on whatever happens to the service, and what of its commands the log has."""

from __future__ import annotations

import http.client
import json
import random
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

import msgspec

from companion.engine import RULESETS
from companion.service import wire
from companion.table.log import EventLog
from tests.service.phone import START, Json, next_event, table_set
from tests.waiting import WITHIN_S


@dataclass
class Play:
    """A phone that plays on after every kill. `acknowledged`: game and revision by command."""

    port: int
    chance: random.Random
    cookie: str = ""
    acknowledged: dict[str, tuple[str, int]] = field(default_factory=dict)
    sent: dict[str, int] = field(default_factory=dict)

    def ask(self, method: str, path: str, body: object = None) -> tuple[int, bytes, str]:
        """Send a request; return status, body and cookie of the answer."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=WITHIN_S)
        headers = {
            "Cookie": self.cookie,
            "Origin": f"http://127.0.0.1:{self.port}",
            "X-Monster-Table": "1",
            "Content-Type": "application/json",
        }
        with closing(connection):
            connection.request(method, path, json.dumps(body) if body else None, headers)
            answer = connection.getresponse()
            return answer.status, answer.read(), answer.getheader("Set-Cookie") or ""

    def join(self, token: str) -> None:
        """Join unless it has joined before."""
        if not self.cookie:
            _, _, cookie = self.ask("POST", "/api/join", {"token": token})
            self.cookie = cookie.split(";")[0]

    def step(self) -> None:
        """Send one command of the game; remember it if it is acknowledged."""
        status, body, _ = self.ask("GET", "/api/state")
        assert status == 200, body
        view = msgspec.json.decode(body, type=wire.Update).view
        events = self._events(view)
        command = f"command-{len(self.sent)}"
        self.sent[command] = len(events)
        form = {"command_id": command, "base_rev": view.rev, "events": events}
        status, body, _ = self.ask("POST", "/api/commands", form)
        if status == 409:  # the same faces again: nobody has thrown
            return
        assert status == 200, body
        game = view.table
        if events[0]["type"] == "TableSet" and view.rev:
            game = f"g{int(game[1:]) + 1}"
        self.acknowledged[command] = (game, json.loads(body)["rev"])

    def _events(self, view: wire.View) -> list[Json]:
        event = next_event(view.game, self.chance) if view.game is not None else None
        if event is None:
            return self._new_game()
        if event["type"] != "DiceRolled" or view.game is None:
            return [event]
        faces = list(dict.fromkeys(event["faces"]))
        roll_seat = view.game.question.seat if view.game.question is not None else None
        if len(faces) < 2 or roll_seat != view.game.active:
            return [event]
        return [{"type": "OrderChosen", "seat": view.game.active, "faces": faces}, event]

    def _new_game(self) -> list[Json]:
        return [table_set("P0", "P1", "P2", game=self.chance.choice(sorted(RULESETS))), START]


def compared(play: Play, data: Path) -> tuple[int, int, int]:
    """Return how many acknowledged commands are lost, how many are there in part, and how many
    notices there are.
    """
    found: dict[str, tuple[str, int]] = {}
    rows: dict[str, int] = {}
    with closing(EventLog(data)) as log:
        for game in log.games:
            for seq, row in enumerate(log.read(game), start=1):
                found[row.command_id] = (game, seq)
                rows[row.command_id] = rows.get(row.command_id, 0) + 1
        noticed = len(log.notices)
    lost = sum(found.get(command) != place for command, place in play.acknowledged.items())
    # Answers without an alternative have ids of their own, made of the command's (`Table`).
    sent = {command: count for command, count in rows.items() if "#" not in command}
    return lost, sum(count != play.sent[one] for one, count in sent.items()), noticed
