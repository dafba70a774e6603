"""`python -m tests.kill9 [TIMES]`: kill the service with -9 again and again during a game.

After each kill it is started again on the same data: every acknowledged event must be there, every
command whole or not at all, and the log's chain of hashes intact. Prints one JSON object; exit
status 1 where something was lost.
"""

from __future__ import annotations

import http.client
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec

from companion.engine import RULESETS
from companion.service import wire
from companion.service.views.view import MONSTERS
from companion.table.log import EventLog
from tests.service.phone import Json, next_event
from tests.waiting import WITHIN_S

SERVE = "from companion.cli import main; main()"
ROOT = Path(__file__).parent.parent


@dataclass
class Play:
    """A phone that continues through every kill. `acknowledged`: (table, rev) by command."""

    port: int
    chance: random.Random
    cookie: str = ""
    acknowledged: dict[str, tuple[str, int]] = field(default_factory=dict)
    sent: dict[str, int] = field(default_factory=dict)

    def ask(self, method: str, path: str, body: object = None) -> tuple[int, bytes, str]:
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
        """Joined, unless it had been before."""
        if not self.cookie:
            _, _, cookie = self.ask("POST", "/api/join", {"token": token})
            self.cookie = cookie.split(";")[0]

    def step(self) -> None:
        """One command of the game, remembered where it is acknowledged."""
        status, body, _ = self.ask("GET", "/api/state")
        assert status == 200, body
        view = msgspec.json.decode(body, type=wire.Update).view
        events = self._events(view)
        command = f"command-{len(self.sent)}"
        self.sent[command] = len(events)
        status, body, _ = self.ask(
            "POST",
            "/api/commands",
            {"command_id": command, "base_rev": view.rev, "events": events},
        )
        if status == 409:  # the same faces again: nobody has thrown
            return
        assert status == 200, body
        table = view.table
        if events[0]["type"] == "TableSet" and view.rev:
            table = f"g{int(table[1:]) + 1}"
        self.acknowledged[command] = (table, json.loads(body)["rev"])

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
        seats = [{"player": f"P{n}", "monster": MONSTERS[n]} for n in range(3)]
        game = self.chance.choice(sorted(RULESETS))
        table = {"type": "TableSet", "game": game, "edition": "first", "seats": seats}
        return [table, {"type": "GameStarted", "first": 0}]


@dataclass
class Verdict:
    """The results of the kills."""

    kills: int = 0
    acknowledged: int = 0
    lost: int = 0
    half: int = 0
    broken_chains: int = 0
    slowest_start_s: float = 0.0


def started(data: Path, port: int) -> tuple[subprocess.Popen[str], Json, float]:
    """Start the service; return it, its first line, and the seconds until it responded."""
    began = time.monotonic()
    command = [sys.executable, "-c", SERVE, "serve", "--host", "127.0.0.1"]
    service = subprocess.Popen(
        [*command, "--port", str(port), "--data", str(data)],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    assert service.stdout is not None
    info: dict[str, Any] = json.loads(service.stdout.readline())
    return service, info, time.monotonic() - began


def killed(times: int, data: Path, seed: int = 1) -> Verdict:
    """Kill so many times at random moments and return the verdict."""
    chance, verdict = random.Random(seed), Verdict()
    service, info, _ = started(data, 0)
    play = Play(int(info["url"].rpartition(":")[2]), chance)
    while True:
        play.join(info["join"].partition("#")[2])
        play_until_killed(play, service, chance.uniform(0.02, 0.5))
        verdict.kills += 1
        judge(play, data, verdict)
        if verdict.kills == times:
            return verdict
        service, info, took_s = started(data, play.port)
        verdict.slowest_start_s = max(verdict.slowest_start_s, round(took_s, 2))


def play_until_killed(play: Play, service: subprocess.Popen[str], after_s: float) -> None:
    """Play one command, then on until the service dies of signal 9 at any point."""
    play.step()
    killer = threading.Timer(after_s, service.send_signal, [signal.SIGKILL])
    killer.start()
    try:
        while True:
            play.step()
    except (OSError, http.client.HTTPException):
        killer.join()
    assert service.wait(WITHIN_S) == -signal.SIGKILL
    assert service.stdout is not None
    service.stdout.close()


def judge(play: Play, data: Path, verdict: Verdict) -> None:
    """Compare what is on the disk with what was acknowledged."""
    log = EventLog(data)
    verdict.broken_chains += len(log.losses)
    found: dict[str, tuple[str, int]] = {}
    rows: dict[str, int] = {}
    for table in log.tables:
        for seq, row in enumerate(log.rows(table), start=1):
            found[row.command_id] = (table, seq)
            rows[row.command_id] = rows.get(row.command_id, 0) + 1
    log.close()
    verdict.acknowledged = len(play.acknowledged)
    verdict.lost = sum(found.get(c) != place for c, place in play.acknowledged.items())
    # Answers without an alternative have ids of their own, made of the command's (`Table`).
    sent = {command: count for command, count in rows.items() if "#" not in command}
    verdict.half = sum(count != play.sent[command] for command, count in sent.items())


def main(arguments: list[str]) -> int:
    """Print the verdict; return the exit status."""
    with tempfile.TemporaryDirectory() as folder:
        verdict = killed(int(arguments[0]) if arguments else 50, Path(folder))
    print(msgspec.json.encode(verdict).decode())
    return 1 if verdict.lost or verdict.half or verdict.broken_chains else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
