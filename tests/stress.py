"""`make stress`: what happens to an evening: kills, torn journals, damaged files, a full disk.

`python -m tests.stress [--kills N] [--torn N] [--damages N] [--disk]`: without options, all of it.
Prints one JSON object for each; exit status 1 if something was lost that must not be.
"""

from __future__ import annotations

import argparse
import http.client
import json
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec

from companion.engine import RULESETS, Corrected, Correction, Number, Position, Seat
from companion.service import wire
from companion.service.views.view import MONSTERS
from companion.table import GameStarted, Input, SeatSetup, Submission, Table, TableSet
from companion.table.backup import copy_log
from companion.table.database import FILE_NAME, StoredRow
from companion.table.log import EventLog
from companion.virtual import random_event
from tests.service.phone import Json, next_event
from tests.waiting import WITHIN_S

ROOT = Path(__file__).parent.parent
SERVE = "from companion.cli import main; main()"
TIMES = 500
ROWS = 110
"""Of each of the two games of an evening."""
WAL = f"{FILE_NAME}-wal"
SMALL = "1500k"
Rows = dict[str, tuple[StoredRow, ...]]


class Verdict(msgspec.Struct):
    """What one kind of trouble came to. `ok`: nothing happened that must not."""

    what: str
    count: int
    ok: bool
    seen: dict[str, Any]


# -- kills ------------------------------------------------------------------------------------


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
        seats = [{"player": f"P{n}", "monster": MONSTERS[n]} for n in range(3)]
        game = self.chance.choice(sorted(RULESETS))
        table = {"type": "TableSet", "game": game, "edition": "first", "seats": seats}
        return [table, {"type": "GameStarted", "first": 0}]


def kills(times: int, seed: int = 1) -> Verdict:
    """Kill the service with -9 at random moments of play, and start it again on the same data.

    Every acknowledged command must be there, and every command whole or not at all.
    """
    chance, slowest_s, noticed = random.Random(seed), 0.0, 0
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder)
        service, info, _ = _started(data, 0)
        play = Play(int(info["url"].rpartition(":")[2]), chance)
        for number in range(1, times + 1):
            play.join(info["join"].partition("#")[2])
            _play_until_killed(play, service, chance.uniform(0.02, 0.5))
            if number < times:
                service, info, took_s = _started(data, play.port)
                slowest_s = max(slowest_s, took_s)
        lost, half, noticed = compared(play, data)
    seen: dict[str, Any] = {
        "acknowledged": len(play.acknowledged),
        "lost": lost,
        "half": half,
        "notices": noticed,
    }
    seen["slowest_start_s"] = round(slowest_s, 2)
    return Verdict("kills", times, bool(play.acknowledged) and not lost and not half, seen)


def _started(data: Path, port: int) -> tuple[subprocess.Popen[str], Json, float]:
    """Start the service; return it, its first line, and the seconds until it answered."""
    began = time.monotonic()
    command = [sys.executable, "-c", SERVE, "serve", "--host", "127.0.0.1"]
    service = subprocess.Popen(
        [*command, "--port", str(port), "--data", str(data), "--camera", "none"],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    assert service.stdout is not None
    info: Json = json.loads(service.stdout.readline())
    return service, info, time.monotonic() - began


def _play_until_killed(play: Play, service: subprocess.Popen[str], after_s: float) -> None:
    """Play one command, then on until the service dies at any point."""
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


def compared(play: Play, data: Path) -> tuple[int, int, int]:
    """Return how many acknowledged commands are lost, how many are there in part, and how many
    notices there are.
    """
    found: dict[str, tuple[str, int]] = {}
    rows: dict[str, int] = {}
    with closing(EventLog(data)) as log:
        for game in log.games:
            for seq, row in enumerate(log.rows(game), start=1):
                found[row.command_id] = (game, seq)
                rows[row.command_id] = rows.get(row.command_id, 0) + 1
        noticed = len(log.notices)
    lost = sum(found.get(command) != place for command, place in play.acknowledged.items())
    # Answers without an alternative have ids of their own, made of the command's (`Table`).
    sent = {command: count for command, count in rows.items() if "#" not in command}
    return lost, sum(count != play.sent[one] for one, count in sent.items()), noticed


# -- torn journals and damaged files ----------------------------------------------------------


@dataclass
class Tally:
    """Counts over all damages. `lost`: how many rows each of them cost."""

    damages: int = 0
    refused: int = 0
    wrong: int = 0
    unsaid: int = 0
    lost: list[int] = field(default_factory=list)
    worst: list[str] = field(default_factory=list)

    def judge(self, place: Path, rows: Rows, name: str) -> None:
        """Open the log and a table on it; compare each game with what was written: rows may be
        missing at its end, if that is said.
        """
        self.damages += 1
        try:
            with closing(log := EventLog(place)):
                Table(log)
                served = {game: log.rows(game) for game in log.games}
                said = bool(log.notices)
        except Exception as refusal:
            self.refused += 1
            self.worst.append(f"{name}: {refusal!r}"[:120])
            return
        for game, found in served.items():
            self.wrong += found != rows.get(game, ())[: len(found)]
        self.lost.append(sum(map(len, rows.values())) - sum(map(len, served.values())))
        if self.lost[-1] and not said:
            self.unsaid += 1
            self.worst.append(f"{name}: {self.lost[-1]} unsaid")

    def verdict(self, what: str, *, unsaid_counts: bool = True) -> Verdict:
        """Return what was seen, and whether it may be."""
        lossy = sorted(lost for lost in self.lost if lost > 0)
        seen: dict[str, Any] = {
            "refused": self.refused,
            "wrong": self.wrong,
            "unsaid": self.unsaid,
            "lossy": len(lossy),
            "rows_lost": sum(lossy),
            "most_lost": max(lossy, default=0),
            "worst": self.worst[:3],
        }
        bad = self.refused + self.wrong + (self.unsaid if unsaid_counts else 0)
        return Verdict(what, self.damages, self.damages > 0 and not bad, seen)


def torn(times: int, seed: int = 1, *, copies: bool = True) -> Verdict:
    """Cut the journal of a killed service at a random place, or change it there."""
    tally, chance = Tally(), random.Random(f"torn/{seed}")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        rows = evening(folder / "live", copies=copies, killed=True)
        wal = (folder / "live" / WAL).read_bytes()
        for number in range(times):
            place = folder / str(number)
            shutil.copytree(folder / "live", place)
            at = chance.randrange(len(wal))
            cut = chance.random() < 0.5
            damaged, touched = (wal[:at], range(at, len(wal))) if cut else harmed(wal, at, chance)
            (place / WAL).write_bytes(damaged)
            tally.judge(place, rows, f"{number}: {touched} of {len(wal)}")
            shutil.rmtree(place)
    return tally.verdict("torn journals")


def damages(times: int, seed: int = 1, *, copies: bool = True) -> Verdict:
    """Change the file at a random place, every other time where its structure is; or cut it."""
    tally, chance = Tally(), random.Random(f"damages/{seed}")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        rows = evening(folder / "whole", copies=copies)
        whole = (folder / "whole" / FILE_NAME).read_bytes()
        with closing(sqlite3.connect(folder / "whole" / FILE_NAME)) as db:
            (page,) = db.execute("PRAGMA page_size").fetchone()
            roots = [root for (root,) in db.execute("SELECT rootpage FROM sqlite_master")]
        for number in range(times):
            place = folder / str(number)
            shutil.copytree(folder / "whole", place)
            at = chance.randrange(len(whole))
            if number % 2:
                at = (chance.choice([1, *roots]) - 1) * page + chance.randrange(page)
            damaged, touched = harmed(whole, at, chance)
            if number % 10 == 0:
                damaged, touched = whole[:at], range(at, len(whole))
            (place / FILE_NAME).write_bytes(damaged)
            tally.judge(place, rows, f"{number}: {touched} of {len(whole)}")
            shutil.rmtree(place)
    return tally.verdict("damages")


def harmed(whole: bytes, at: int, chance: random.Random, page: int = 4096) -> tuple[bytes, range]:
    """Return the bytes with a bit, some bytes, a sector, or half or all of a page changed; and
    where.
    """
    changed, start = bytearray(whole), at - at % page
    kind = chance.choice(("bit", "bit", "byte", "bytes", "sector", "page", "half"))
    if kind == "bit":
        touched = range(at, at + 1)
        changed[at] ^= 1 << chance.randrange(8)
    elif kind in {"byte", "bytes"}:
        touched = range(at, min(at + (1 if kind == "byte" else 16), len(whole)))
        for place in touched:
            changed[place] ^= chance.randrange(1, 256)
    else:
        first, size = {
            "sector": (at - at % 512, 512),
            "page": (start, page),
            "half": (start + page // 2, page // 2),
        }[kind]
        touched = range(first, min(first + size, len(whole)))
        changed[touched.start : touched.stop] = bytes(len(touched))
    return bytes(changed), touched


def evening(folder: Path, *, copies: bool, killed: bool = False) -> Rows:
    """Play two games; return their rows. `killed`: leave the files as a killed service does."""
    with closing(log := EventLog(folder)):
        table = Table(log)
        for number, game in enumerate(sorted(RULESETS)):
            play(table, game, random.Random(number), log if copies else None)
        rows = {game: log.rows(game) for game in log.games}
        if killed:
            shutil.copytree(folder, folder.with_name("killed"))
    if killed:
        shutil.rmtree(folder)
        folder.with_name("killed").rename(folder)
    return rows


def play(table: Table, game: str, chance: random.Random, copied: EventLog | None) -> None:
    """Play so many rows of a game that nobody wins; copy the log at the end of each turn."""
    seats = tuple(SeatSetup(f"P{n}", MONSTERS[n]) for n in range(4))
    say(table, TableSet(game, RULESETS[game].editions[0], seats), GameStarted(0))
    turn = 0
    while (now := table.snapshot()).rev < ROWS:
        position, asked = now.state.game, now.state.question
        assert position is not None
        if copied is not None and position.turn.number != turn:
            turn = position.turn.number
            copy_log(copied.path, now.table, ended=False)
        weak = [m.seat for m in position.monsters if m.alive and (m.health < 7 or m.stars > 9)]
        if weak or asked is None:
            dials = ((Number.HEALTH, 10), (Number.STARS, 0))
            say(table, Corrected(tuple(Correction(Seat(s), w, v) for s in weak for w, v in dials)))
        else:
            say(table, random_event(Position.of(position), chance, 0.2))


def say(table: Table, *events: Input) -> int:
    """Submit events as one command; return the new revision."""
    now = table.snapshot()
    return table.submit(Submission(f"stress-{now.table}-{now.rev:06}", now.rev, events))


# -- a full disk, a read-only one -------------------------------------------------------------


def disk(times: int = 1) -> Verdict:
    """Play on a disk that fills up, then on one that is read-only, in a mount namespace (needs
    root): play goes on with the red mark, and is saved by itself once the disk works.
    """
    with tempfile.TemporaryDirectory() as folder:
        mounted = f"mount -t tmpfs -o size={SMALL} tmpfs {folder}"
        made = f"{mounted} && exec {sys.executable} -m tests.stress --on {folder}"
        done = subprocess.run(
            ["unshare", "--mount", "sh", "-c", made],
            capture_output=True,
            text=True,
            cwd=ROOT,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            timeout=WITHIN_S,
            check=False,
        )
    if not done.stdout:
        return Verdict("disk", 0, ok=False, seen={"not run": done.stderr.strip()[-200:]})
    seen = json.loads(done.stdout)
    ok = all(value for value in seen.values() if isinstance(value, bool))
    return Verdict("disk", times, ok, seen)


def on_small_disk(folder: Path) -> dict[str, Any]:
    """Fill the disk and free it, then mount it read-only and writable again, during a game."""
    seen: dict[str, Any] = {}
    table = Table(EventLog(folder / "data"))
    seats = tuple(SeatSetup(f"P{n}", MONSTERS[n]) for n in range(4))
    game = min(RULESETS)
    say(table, TableSet(game, RULESETS[game].editions[0], seats), GameStarted(0))
    ballast = folder / "ballast"
    with ballast.open("wb") as file, _until_full():
        while True:
            os.write(file.fileno(), bytes(4096))
    rev = [_act(table) for _ in range(60)][-1]
    seen["full_played_on"] = rev == table.snapshot().rev
    seen["full_marked"] = not table.snapshot().saved
    ballast.unlink()
    seen["full_saved_again_s"] = _until_saved(table)
    table.close()
    _remount(folder, "ro")
    table = Table(EventLog(folder / "data"))
    before = table.snapshot().rev
    rev = [_act(table) for _ in range(5)][-1]
    seen["read_only_played_on"] = table.snapshot().rev == rev == before + 5
    seen["read_only_marked"] = not table.snapshot().saved
    _remount(folder, "rw")
    seen["read_only_saved_again_s"] = _until_saved(table)
    table.close()
    with closing(EventLog(folder / "data")) as log:
        seen["all_there"] = log.count("g1") == before + 5 and not log.notices
    return seen


@contextmanager
def _until_full() -> Iterator[None]:
    try:
        yield
    except OSError:
        return


def _act(table: Table) -> int:
    """Set a number; return the revision."""
    value = table.snapshot().rev % 10
    return say(table, Corrected((Correction(Seat(0), Number.ENERGY, value),)))


def _remount(folder: Path, how: str) -> None:
    subprocess.run(["mount", "-o", f"remount,{how}", str(folder)], check=True)


def _until_saved(table: Table) -> float:
    """Return the seconds until the table saved by itself."""
    began = time.monotonic()
    while not table.snapshot().saved and time.monotonic() < began + WITHIN_S:
        time.sleep(0.05)
    return round(time.monotonic() - began, 2)


def main(arguments: Sequence[str]) -> int:
    """Print the verdicts of what is asked for, of everything by default; return the exit status."""
    made = argparse.ArgumentParser(prog="python -m tests.stress", description=__doc__)
    for name in ("kills", "torn", "damages"):
        made.add_argument(f"--{name}", type=int, default=0, metavar="N")
    made.add_argument("--disk", action="store_true")
    made.add_argument("--on", type=Path, help=argparse.SUPPRESS)
    wanted = made.parse_args(arguments)
    if wanted.on is not None:
        print(json.dumps(on_small_disk(wanted.on)))
        return 0
    named = {name: getattr(wanted, name) for name in ("kills", "torn", "damages", "disk")}
    if not any(named.values()):
        named = {"kills": TIMES, "torn": TIMES, "damages": TIMES, "disk": 1}
    programs: dict[str, Callable[[int], Verdict]]
    programs = {"kills": kills, "torn": torn, "damages": damages, "disk": disk}
    verdicts = []
    for name, times in named.items():
        if times:
            verdicts.append(programs[name](int(times)))
            print(msgspec.json.encode(verdicts[-1]).decode(), flush=True)
    return 0 if all(one.ok for one in verdicts) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
