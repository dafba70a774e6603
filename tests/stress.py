"""`make stress`: kills, torn journals, damaged files, bad disks, a hostile guest.

`python -m tests.stress [--kills N] [--torn N] [--damages N] [--disk] [--guest SECONDS]`:
without options, all of it. Prints one JSON object for each; exit status 1 if something came about
that must not.
"""

from __future__ import annotations

import argparse
import asyncio
import http.client
import json
import os
import random
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import msgspec

from companion.engine import RULESETS, Corrected, Correction, Number, Position, Seat
from companion.service.views.view import MONSTERS
from companion.table import GameStarted, Input, SeatSetup, Submission, Table, TableSet
from companion.table.backup import copy_after_turn
from companion.table.database import FILE_NAME, StoredRow
from companion.table.log import EventLog
from companion.virtual import random_event
from tests.crowd import Crowd, Line, address, connected, crowd, stream_of
from tests.player import Play, compared
from tests.service.phone import Json
from tests.waiting import WITHIN_S

ROOT = Path(__file__).parent.parent
SERVE = "from companion.cli import main; main()"
TIMES = 500
ROWS = 110
"""Of each of the two games of an evening."""
WAL = f"{FILE_NAME}-wal"
SMALL = "1500k"
SEATS = 4
PAUSE_S = 0.25
"""Between two commands of one phone."""
P99_MS, GROWN_MB, STOP_S = 250.0, 80.0, 3.0
HANGING_UP = (ConnectionError, asyncio.IncompleteReadError, asyncio.LimitOverrunError, OSError)
Rows = dict[str, tuple[StoredRow, ...]]


class Verdict(msgspec.Struct):
    """What one kind of trouble came to. `ok`: nothing happened that must not."""

    what: str
    count: int
    ok: bool
    seen: dict[str, Any]


# -- kills ------------------------------------------------------------------------------------


def kills(times: int, seed: int = 1) -> Verdict:
    """Kill the service with -9 at random moments of play, and start it again on the same data.

    Every acknowledged command must be there, and every command whole or not at all.
    """
    slowest_s = 0.0
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder)
        service, info, _ = _started(data, 0)
        play = Play(int(info["url"].rpartition(":")[2]), random.Random(seed))
        for number in range(1, times + 1):
            play.join(info["join"].partition("#")[2])
            _play_until_killed(play, service, play.chance.uniform(0.02, 0.5))
            if number < times:
                service, info, took_s = _started(data, play.port)
                slowest_s = max(slowest_s, took_s)
        lost, half, noticed = compared(play, data)
    seen = {"acknowledged": len(play.acknowledged), "lost": lost, "half": half, "notices": noticed}
    # A kill in the midst of a write is said: that takes microseconds, so it is rare.
    ok = bool(play.acknowledged) and not lost and not half and 50 * noticed <= times
    return Verdict("kills", times, ok, {**seen, "slowest_start_s": round(slowest_s, 2)})


def _started(data: Path, port: int) -> tuple[subprocess.Popen[str], Json, float]:
    """Start the service; return it, its first line, and the seconds until it answered."""
    began = time.monotonic()
    options = ["--host", "127.0.0.1", "--port", str(port), "--data", str(data), "--camera", "none"]
    service = subprocess.Popen(
        [sys.executable, "-c", SERVE, "serve", *options],
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
                served = {game: tuple(log.read(game)) for game in log.games}
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

    def verdict(self, what: str) -> Verdict:
        """Return what was seen, and whether it may be."""
        lossy = [lost for lost in self.lost if lost > 0]
        bad = {"refused": self.refused, "wrong": self.wrong, "unsaid": self.unsaid}
        few = {"lossy": len(lossy), "rows_lost": sum(lossy), "most_lost": max(lossy, default=0)}
        seen: dict[str, Any] = {**bad, **few, "worst": self.worst[:3]}
        return Verdict(what, self.damages, self.damages > 0 and not any(bad.values()), seen)


def torn(times: int, seed: int = 1, *, copies: bool = True) -> Verdict:
    """Cut the journal of a killed service at a random place, or change it there."""
    return _judged("torn journals", WAL, times, random.Random(f"torn/{seed}"), copies=copies)


def damages(times: int, seed: int = 1, *, copies: bool = True) -> Verdict:
    """Change the file at a random place, every other time where its structure is; or cut it."""
    return _judged("damages", FILE_NAME, times, random.Random(f"damages/{seed}"), copies=copies)


def _judged(what: str, name: str, times: int, chance: random.Random, *, copies: bool) -> Verdict:
    tally, is_journal = Tally(), name == WAL
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        rows = evening(folder / "closed", copies=copies, killed=folder / "killed")
        source = folder / ("killed" if is_journal else "closed")
        whole = (source / name).read_bytes()
        for number in range(times):
            place = folder / str(number)
            shutil.copytree(source, place)
            at = chance.randrange(len(whole))
            if number % 2 and not is_journal:  # the first pages are the roots of the tables
                at %= 5 * 4096
            damaged, touched = harmed(whole, at, chance)
            if chance.random() < (0.5 if is_journal else 0.1):
                damaged, touched = whole[:at], range(at, len(whole))
            (place / name).write_bytes(damaged)
            tally.judge(place, rows, f"{number}: {touched} of {len(whole)}")
            shutil.rmtree(place)
    return tally.verdict(what)


def harmed(whole: bytes, at: int, chance: random.Random) -> tuple[bytes, range]:
    """Return the bytes with some bits changed, or with a sector or a page zeroed; and where."""
    changed, size = bytearray(whole), chance.choice((1, 1, 16, 512, 2048, 4096))
    start = at if size < 512 else at - at % size
    touched = range(start, min(start + size, len(whole)))
    for place in touched:
        changed[place] = 0 if size >= 512 else changed[place] ^ (1 << chance.randrange(8))
    return bytes(changed), touched


def evening(folder: Path, *, copies: bool, killed: Path | None = None) -> Rows:
    """Play two games; return their rows. `killed`: a folder for the files as a kill leaves them."""
    with closing(log := EventLog(folder)):
        table = Table(log)
        for number, game in enumerate(sorted(RULESETS)):
            play(table, game, random.Random(number), log if copies else None)
        if killed is not None:
            shutil.copytree(folder, killed)
        return {game: tuple(log.read(game)) for game in log.games}


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
            copy_after_turn(copied.path, now.game_id, ended=False)
        weak = [m.seat for m in position.monsters if m.alive and (m.health < 7 or m.stars > 9)]
        if weak or asked is None:
            dials = ((Number.HEALTH, 10), (Number.STARS, 0))
            say(table, Corrected(tuple(Correction(Seat(s), w, v) for s in weak for w, v in dials)))
        else:
            say(table, random_event(Position.of(position), chance, 0.2))


def say(table: Table, *events: Input) -> int:
    """Submit events as one command; return the new revision."""
    now = table.snapshot()
    return table.submit(Submission(f"stress-{now.game_id}-{now.rev:06}", now.rev, events))


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
    with ballast.open("wb") as file, suppress(OSError):
        while True:
            os.write(file.fileno(), bytes(4096))
    seen["full_played_on"], seen["full_marked"] = _played_unsaved(table)
    ballast.unlink()
    seen["full_saved_again"] = table.save()
    table.close()
    _remount(folder, "ro")
    table = Table(EventLog(folder / "data"))
    seen["read_only_played_on"], seen["read_only_marked"] = _played_unsaved(table)
    _remount(folder, "rw")
    seen["read_only_saved_again"] = table.save()
    rev = table.snapshot().rev
    table.close()
    with closing(EventLog(folder / "data")) as log:
        seen["all_there"] = log.count("g1") == rev and not log.notices
    return seen


def _played_unsaved(table: Table, acts: int = 60) -> tuple[bool, bool]:
    """Set numbers; return whether that went well, and whether the table says it is not saved."""
    before = table.snapshot().rev
    for n in range(acts):
        say(table, Corrected((Correction(Seat(0), Number.ENERGY, n % 10),)))
    return table.snapshot().rev == before + acts, not table.snapshot().saved


def _remount(folder: Path, how: str) -> None:
    subprocess.run(["mount", "-o", f"remount,{how}", str(folder)], check=True)


# -- a hostile guest --------------------------------------------------------------------------


def guest(seconds: int) -> Verdict:
    """Attack the service as a guest who has joined, and without joining, while four phones play;
    then stop it amid the attack.
    """
    with tempfile.TemporaryDirectory() as folder:
        evening(Path(folder), copies=False)
        service, info, _ = _started(Path(folder), 0)
        port = int(info["url"].rpartition(":")[2])
        seen = asyncio.run(_attacked(service, port, info["join"].partition("#")[2], seconds))
        assert service.stdout is not None
        service.stdout.close()
    ok = seen["p99_ms"] <= P99_MS and seen["grown_mb"] <= GROWN_MB and seen["stopped_s"] <= STOP_S
    ok = ok and not (seen["failed"] or seen["cut"] or seen["status"]) and seen["acts"] > 0
    return Verdict("hostile guest", seconds, ok, seen)


async def _attacked(
    service: subprocess.Popen[str], port: int, token: str, seconds: int
) -> dict[str, Any]:
    async with crowd(port, token, SEATS) as many:
        for n, stream in enumerate(many.lines):
            line = await _another(stream, n)
            assert (await line.ask("POST", "/api/seat", {"seat": n}))[0] == 200
        quiet, _ = await _played(many, seconds / 5)
        before = _resident_mb(service.pid)
        Path(f"/proc/{service.pid}/clear_refs").write_text("5")  # the peak counts from now on
        words = ("-m", "tests.stress", f"--as-guest={port}/{token}/{seconds + 10}")
        attacker = await asyncio.create_subprocess_exec(
            *(sys.executable, *words), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, cwd=ROOT
        )
        assert attacker.stdout is not None
        await attacker.stdout.readline()  # it has joined
        waits, failed = await _played(many, seconds)
        grown = _resident_mb(service.pid, "VmHWM") - before
        cut, began = sum(phone.ended for phone in many.phones), time.monotonic()
        service.send_signal(signal.SIGTERM)
        status = await asyncio.to_thread(service.wait, WITHIN_S)
        stopped_s = time.monotonic() - began
        answers = json.loads((await attacker.communicate())[0])
    times = {"quiet_p99_ms": _p99(quiet), "p99_ms": _p99(waits), "stopped_s": round(stopped_s, 2)}
    counts = {"commands": len(waits), "failed": failed, "cut": cut, "acts": sum(answers.values())}
    return {**times, **counts, "grown_mb": round(grown, 1), "status": status}


async def _another(stream: Line, n: int) -> Line:
    """Open one more connection of the n-th phone."""
    line = await connected(stream.port, address(n + 1))
    line.headers = stream.headers
    return line


async def _played(many: Crowd, seconds: float) -> tuple[list[float], int]:
    """Send commands from all phones; return how long each took, ms, and how many failed."""
    waits, failed, until = list[float](), 0, time.monotonic() + seconds

    async def play(n: int) -> None:
        nonlocal failed
        line, sent = await _another(many.lines[n], n), 0
        while time.monotonic() < until:
            sent += 1
            number = {"seat": n, "what": "energy", "value": sent % 50}
            rev = many.phones[n].view.rev
            body = {
                "command_id": f"seat-{n}-{rev}-{time.monotonic_ns()}",
                "base_rev": rev,
                "events": [{"type": "Corrected", "numbers": [number], "places": [], "reason": ""}],
            }
            began = time.perf_counter()
            for _ in range(2):  # browsers connect again, too
                try:
                    async with asyncio.timeout(30):
                        status, _, _ = await line.ask("POST", "/api/commands", body)
                    break
                except (TimeoutError, *HANGING_UP):
                    status, line = 0, await _another(many.lines[n], n)
            waits.append((time.perf_counter() - began) * 1000)
            failed += status not in {200, 409}
            await asyncio.sleep(PAUSE_S)

    await asyncio.gather(*map(play, range(SEATS)))
    return waits, failed


def _p99(waits: list[float]) -> float:
    return round(statistics.quantiles(waits, n=100, method="inclusive")[98], 1)


def _resident_mb(pid: int, what: str = "VmRSS") -> float:
    status = Path(f"/proc/{pid}/status").read_text()
    return int(status.partition(f"{what}:")[2].split()[0]) / 1000


@dataclass
class Guest:
    """The attacker: in turn all kinds of acts run at once, and one kind alone."""

    port: int
    until: float
    cookies: list[str] = field(default_factory=list)
    chance: random.Random = field(default_factory=lambda: random.Random(1))
    seen: Counter[str] = field(default_factory=Counter)

    async def line(self, source: str = "127.0.0.77") -> Line:
        """Open a connection, with one of its cookies or with none."""
        line = await connected(self.port, source)
        line.headers["Cookie"] = self.chance.choice(self.cookies)
        return line

    def head(self, method: str, path: str, *more: str) -> bytes:
        """Return the head of a request as the page sends it."""
        at = f"127.0.0.1:{self.port}"
        lines = [f"{method} {path} HTTP/1.1", f"Host: {at}", f"Origin: http://{at}"]
        lines += ["X-Monster-Table: 1", f"Cookie: {self.chance.choice(self.cookies)}", *more]
        return "\r\n".join([*lines, "", ""]).encode()

    async def ask(self, method: str, path: str, body: object = None) -> None:
        """Send ten requests, one after the other."""
        line = await self.line()
        for _ in range(10):
            await line.ask(method, path, body)
        line.writer.close()

    async def send(self, data: bytes, hold_s: float = 0.0, drips: int = 0) -> None:
        """Send bytes, then some one by one; read nothing for a while, or the first of an answer."""
        line = await self.line()
        try:
            line.writer.write(data)
            for _ in range(drips):
                line.writer.write(b"x")
                await line.writer.drain()
                await asyncio.sleep(0.3)
            if hold_s:
                line.writer.transport.pause_reading()  # type: ignore[attr-defined]
                await asyncio.sleep(hold_s)
            else:
                await line.reader.read(64)
        finally:
            line.writer.transport.abort()

    async def stream(self, hold_s: float) -> None:
        """Open a stream from one of many addresses and leave it."""
        line = await self.line(f"127.0.0.{self.chance.randrange(100, 110)}")
        try:
            await stream_of(line)
            await asyncio.sleep(hold_s)
        finally:
            line.writer.transport.abort()

    def acts(self) -> list[tuple[str, int, Callable[[], Awaitable[None]]]]:
        """Return the kinds of acts: name, how many at once, and one of them."""
        draw, post = self.chance, "Content-Type: application/json"
        long = self.head("POST", "/api/join", "Content-Length: 60000", post)
        parked = self.head("POST", "/api/join", "Transfer-Encoding: chunked", post)
        parked += b"c000\r\n" + b" " * 0xC000
        photo = self.head(
            "POST", "/api/photo", "Content-Type: image/jpeg", "Content-Length: 8000000"
        )
        wide = b"GET / HTTP/1.1\r\n" + b"a:b\r\n" * 60_000 + b"\r\n"
        faces = ["attack"] * 6
        command = {"command_id": "x" * 60, "base_rev": 0, "events": [{"type": "PutOff"}] * 20}
        gets = ["/", "/locales/is.json", "/api/state", "/api/log", "/api/games", "/api/games/g1"]
        gets += ["/api/explain/0/health", "/api/qr.svg", "/api/nothing"]
        return [
            *((path, 4, partial(self.ask, "GET", path)) for path in gets),
            ("nothing", 24, lambda: self.ask("GET", f"/{draw.random()}")),
            ("codes", 4, lambda: self.ask("POST", "/api/join", {"code": f"{draw.random()}"[2:8]})),
            ("large codes", 2, lambda: self.ask("POST", "/api/join", {"code": "x" * 60_000})),
            ("previews", 8, lambda: self.ask("POST", "/api/preview", {"faces": faces})),
            ("commands", 4, lambda: self.ask("POST", "/api/commands", command)),
            ("seats", 2, lambda: self.ask("POST", "/api/seat", {"seat": 1, "take_over": True})),
            ("half heads", 150, lambda: self.send(b"GET / HTTP/1.1\r\nHost: x", 8)),
            ("wide heads", 2, lambda: self.send(wide)),
            ("long lines", 2, lambda: self.send(b"GET /" + b"x" * 250_000)),
            ("garbage", 2, lambda: self.send(draw.randbytes(5_000))),
            ("pipelines", 2, lambda: self.send(self.head("GET", "/icon.svg") * 800)),
            ("slow bodies", 30, lambda: self.send(long, drips=20)),
            ("parked bodies", 60, lambda: self.send(parked, 8)),
            ("photos", 4, lambda: self.send(photo)),
            ("never read", 60, lambda: self.send(self.head("GET", "/api/log") * 20, 3)),
            ("streams", 6, lambda: self.stream(0)),
            ("kept streams", 100, lambda: self.stream(0.5)),
        ]

    async def attack(self, token: str) -> None:
        """Join with eight browsers, and attack until the time is over."""
        for _ in range(8):
            line = await connected(self.port, "127.0.0.77")
            await line.join(token)
            self.cookies.append(line.headers["Cookie"])
            line.writer.close()
        self.cookies += ["none=none"] * 8
        print(flush=True)
        acts = self.acts()
        with suppress(TimeoutError):
            async with asyncio.timeout_at(self.until), asyncio.TaskGroup() as tasks:
                for number, (name, count, act) in enumerate(acts):
                    for _ in range(count):
                        tasks.create_task(self._again(number, len(acts), name, act))

    async def _again(
        self, number: int, kinds: int, name: str, act: Callable[[], Awaitable[None]]
    ) -> None:
        while True:
            window = int(self.until - asyncio.get_running_loop().time())
            if window % 2 and window // 2 % kinds != number:
                await asyncio.sleep(0.05)
                continue
            with suppress(TimeoutError, *HANGING_UP):
                async with asyncio.timeout(10):
                    await act()
            self.seen[name] += 1
            await asyncio.sleep(0.001)


async def as_guest(port: int, token: str, seconds: float) -> Counter[str]:
    """Attack for so long, with the lowest priority; return how often each act was done."""
    os.nice(19)
    made = Guest(port, asyncio.get_running_loop().time() + seconds)
    with suppress(*HANGING_UP):  # the service ends before
        await made.attack(token)
    return made.seen


PROGRAMS: dict[str, tuple[Callable[[int], Verdict], int]] = {
    "kills": (kills, TIMES),
    "torn": (torn, TIMES),
    "damages": (damages, TIMES),
    "disk": (disk, 1),
    "guest": (guest, 30),
}
"""What there is, and how often or for how long each happens by default."""


def main(arguments: Sequence[str]) -> int:
    """Print the verdicts of what is asked for, of everything by default; return the exit status."""
    made = argparse.ArgumentParser(prog="python -m tests.stress", description=__doc__)
    for name, (_, times) in PROGRAMS.items():
        made.add_argument(f"--{name}", type=int, nargs="?", const=times, default=0, metavar="N")
    made.add_argument("--on", type=Path, help=argparse.SUPPRESS)
    made.add_argument("--as-guest", help=argparse.SUPPRESS)
    wanted = made.parse_args(arguments)
    if wanted.on is not None:
        print(json.dumps(on_small_disk(wanted.on)))
        return 0
    if wanted.as_guest is not None:
        port, token, seconds = wanted.as_guest.split("/")
        print(json.dumps(asyncio.run(as_guest(int(port), token, float(seconds)))))
        return 0
    asked = {name: getattr(wanted, name) for name in PROGRAMS if getattr(wanted, name)}
    verdicts = []
    for name, times in (asked or {name: times for name, (_, times) in PROGRAMS.items()}).items():
        verdicts.append(PROGRAMS[name][0](times))
        print(msgspec.json.encode(verdicts[-1]).decode(), flush=True)
    return 0 if all(one.ok for one in verdicts) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
