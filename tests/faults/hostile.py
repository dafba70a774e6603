"""One hostile spectator and one hostile stranger, while six seated phones play on in a long game;
then one hostile player, while the five others do.

`python -m tests.faults.hostile [SECONDS]` prints the quiet figure of the same run beside the
attacked one, what memory grew by, and how long the service takes to stop amid the attack.
`python -m tests.faults.hostile SECONDS WHO [ONLY]`: one attacker, with the acts that are named so.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import random
import signal
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import msgspec

from companion.engine import Corrected, Correction, Number, Roll
from companion.engine import Seat as SeatNumber
from companion.table import Input, Submission, Table
from companion.table.log import FILE_NAME, EventLog, saved_rows
from companion.virtual import random_event
from tests.crowd import ROOT, Line, Phone, connected, new_game, running, stream_of
from tests.faults import Effort, Fault, Outcome
from tests.faults.attacks import GAMES
from tests.faults.phones import resident_mb
from tests.service.phone import Json

SERVE = "import sys; from companion.cli import main; main()"
SEATS = 6
PAUSE_S = 0.25
"""Between two commands of one phone."""
LONGEST_S = 30.0
"""A command that is not answered by then is not answered at all."""
P99_MS, GROWN_MB, STOP_S = 250, 80, 3
GUESTS, PLAYER = ("stranger", "spectator"), ("player",)
LONG_ROWS = 10_000
EVENTS = range(20)
"""Those of one command, where a log is made."""


def faults(effort: Effort) -> Iterator[Fault]:
    """Return every fault of this module."""
    quiet, attacked = effort.choose(0.5, 20.0), effort.choose(2.0, 60.0)
    rows = effort.choose(400, LONG_ROWS)
    yield Fault(
        f"a hostile spectator and a hostile stranger, {attacked:.0f} s",
        f"others' commands p99 ≤ {P99_MS} ms, RSS ≤ +{GROWN_MB} MB, no seated stream cut",
        lambda: evening_outcome(attacked_for(GUESTS, attacked, quiet, rows)),
    )
    yield Fault(
        f"a hostile player, {attacked:.0f} s of photos: malformed, slow, 8 MB",
        f"others' commands p99 ≤ {P99_MS} ms, RSS ≤ +{GROWN_MB} MB, no seated stream cut",
        lambda: evening_outcome(attacked_for(PLAYER, attacked, quiet, 20)),
    )
    moments = effort.choose((0.5,), (0.5, 2.0, 5.0, 15.0, 40.0))
    yield Fault(
        f"SIGTERM at {len(moments)} moments of the attack",
        f"ends ≤ {STOP_S} s, status 0",
        lambda: stopped(moments),
    )

    yield Fault(
        "SIGTERM while the disk takes nothing and a command waits for it",
        f"ends ≤ {STOP_S} s, status 0, all rows that were answered saved",
        lambda: asyncio.run(_stalled()),
    )


Seen = dict[str, Json]
"""What came back to attackers, by who they are."""
Attack = Callable[[], AbstractAsyncContextManager[Callable[[], Awaitable[Seen]]]]
"""Begins an attack, which is over after the block; what it gives waits for what was seen."""


@dataclass
class Waits:
    """The responses that six phones got, and after how long, ms."""

    ms: list[float] = field(default_factory=list)
    unanswered: int = 0
    strange: int = 0
    """Answers that are neither yes nor "look again"."""

    @property
    def p99(self) -> float:
        return round(statistics.quantiles(self.ms, n=100, method="inclusive")[98], 1)

    def __str__(self) -> str:
        return (
            f"{len(self.ms)} commands p50 {statistics.median(self.ms):.1f} p99 {self.p99} "
            f"max {max(self.ms):.0f} ms"
        )


@dataclass
class Evening:
    """The effect of an attack on an evening."""

    quiet: Waits
    attacked: Waits
    streams_cut: int
    grown_mb: float
    answers: Seen


@dataclass
class Seat:
    """A seated phone: its stream, and the connection for its commands."""

    number: int
    phone: Phone
    listening: Line
    line: Line
    sent: int = 0

    async def play(self, waits: Waits, seconds: float) -> None:
        """Send commands steadily."""
        until = time.perf_counter() + seconds
        await asyncio.sleep(PAUSE_S * self.number / SEATS)
        while time.perf_counter() < until:
            self.sent += 1
            number = {"seat": self.number, "what": "energy", "value": self.sent % 50}
            event = {"type": "Corrected", "numbers": [number], "places": [], "reason": ""}
            await self.say(waits, event, command=f"seat-{self.number}-command-{self.sent}")
            await asyncio.sleep(PAUSE_S)

    async def say(self, waits: Waits, *events: Json, command: str) -> None:
        """Send a command; reconnect where the connection was closed, as browsers do."""
        body = {"command_id": command, "base_rev": self.phone.view.rev, "events": events}
        began = time.perf_counter()
        try:
            async with asyncio.timeout(LONGEST_S):
                status, _, _ = await self._ask(body)
        except (TimeoutError, OSError, asyncio.IncompleteReadError):
            waits.unanswered += 1
            return
        waits.ms.append((time.perf_counter() - began) * 1000)
        waits.strange += status not in {200, 409}

    async def _ask(self, body: Json) -> tuple[int, dict[str, str], bytes]:
        try:
            return await self.line.ask("POST", "/api/commands", body)
        except (OSError, asyncio.IncompleteReadError):
            headers = self.line.headers
            self.line = await connected(self.line.port, address(self.number))
            self.line.headers = headers
            return await self.line.ask("POST", "/api/commands", body)


def address(seat: int) -> str:
    """Return the loopback address of a seat's phone."""
    return f"127.0.0.{10 + seat}"


@contextlib.contextmanager
def service(data: str = "") -> Iterator[tuple[subprocess.Popen[str], int, str]]:
    """Run the service as users start it, in a process of its own; yield it with its port
    and token.
    """
    with tempfile.TemporaryDirectory() as folder:
        options = ["serve", "--host", "127.0.0.1", "--port", "0", "--data", data or folder]
        with running(["-c", SERVE, *options]) as (process, info):
            port = int(info["url"].rpartition(":")[2])
            yield process, port, info["join"].partition("#")[2]


@contextlib.asynccontextmanager
async def seated(port: int, token: str, phones: int = SEATS) -> AsyncIterator[list[Seat]]:
    """Seat phones, each with an address of its own, in a game of six that has started."""
    seats: list[Seat] = []
    tasks = []
    for number in range(phones):
        line = await connected(port, address(number))
        await line.join(token)
        status, _, answer = await line.ask("POST", "/api/seat", {"seat": number})
        assert status == 200, answer
        listening = await connected(port, address(number))
        listening.headers["Cookie"] = line.headers["Cookie"]
        phone = await stream_of(listening)
        tasks.append(asyncio.create_task(phone.listen()))
        await phone.came.wait()
        seats.append(Seat(number, phone, listening, line))
    started = Waits()
    if seats[0].phone.view.game is None:
        await seats[0].say(started, *new_game(SEATS), command="the-new-game")
    assert not started.strange, "the game has not started"
    async with asyncio.timeout(LONGEST_S):
        while any(seat.phone.view.game is None for seat in seats):
            await asyncio.sleep(0.01)
    try:
        yield seats
    finally:
        for task in tasks:
            task.cancel()
        for seat in seats:
            seat.line.writer.close()
            seat.listening.writer.close()


def long_logs(folder: Path, rows: int) -> None:
    """Write as many games as the attacks refer to; the first and the last, which is continued, have
    so many rows. It awaits a roll, as photos need.
    """
    table, chance = Table(EventLog(folder)), random.Random(1)
    for number in range(1, GAMES + 1):
        _say(table, *msgspec.convert(new_game(SEATS), list[Input]))
        while not isinstance(table.snapshot().state.question, Roll):
            position = table.snapshot().state.position
            assert position is not None
            _say(table, random_event(position, chance, 0))
        last = rows if number in {1, GAMES} else len(EVENTS)
        while table.snapshot().rev < last:
            numbers = ((Correction(SeatNumber(n % SEATS), Number.ENERGY, n % 50),) for n in EVENTS)
            _say(table, *(Corrected(each) for each in numbers))
    table.close()


def _say(table: Table, *events: Input) -> None:
    now = table.snapshot()
    table.submit(Submission(f"{now.table}-row-{now.rev:07}", now.rev, events))


@contextlib.asynccontextmanager
async def attackers(
    port: int, token: str, seconds: float, guests: tuple[str, ...] = GUESTS, only: str = ""
) -> AsyncIterator[Callable[[], Awaitable[Seen]]]:
    """Run these attackers, each in a process of its own, until the block ends; their observations
    can be awaited in it.
    """
    started = {
        who: await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "tests.faults.attacks", who, str(port), token, str(seconds)),
            only,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=ROOT,
        )
        for who in guests
    }

    async def seen() -> Seen:
        answers = {}
        for who, process in started.items():
            output, _ = await asyncio.wait_for(process.communicate(), seconds + 60)
            answers[who] = json.loads(output or b"{}")
        return answers

    try:
        yield seen
    finally:
        for process in started.values():
            if process.returncode is None:
                process.kill()
                await process.wait()


def attacked_for(
    guests: tuple[str, ...], seconds: float, quiet_s: float, rows: int, only: str = ""
) -> Evening:
    """Play an evening with a log of `rows` rows: quiet for a while, then attacked by
    these guests.
    """
    with tempfile.TemporaryDirectory() as folder:
        long_logs(Path(folder), rows)
        with service(folder) as (process, port, token):
            attack = partial(attackers, port, token, seconds, guests, only)
            phones = SEATS - len(guests) if guests == PLAYER else SEATS
            return asyncio.run(
                _evening(process.pid, seated(port, token, phones), attack, seconds, quiet_s)
            )


async def _evening(
    pid: int,
    sitting: AbstractAsyncContextManager[list[Seat]],
    attack: Attack,
    seconds: float,
    quiet_s: float,
) -> Evening:
    async with sitting as seats:
        quiet, attacked = Waits(), Waits()
        await asyncio.gather(*(seat.play(quiet, quiet_s) for seat in seats))
        before, peak = resident_mb(pid), [0.0]
        watch = asyncio.create_task(_watch(pid, peak))
        async with attack() as seen:
            await asyncio.sleep(0.5)  # Python has to start
            await asyncio.gather(*(seat.play(attacked, seconds) for seat in seats))
            answers = await seen()
        watch.cancel()
        cut = sum(seat.phone.ended for seat in seats)
    return Evening(quiet, attacked, cut, peak[0] - before, answers)


async def _watch(pid: int, peak: list[float]) -> None:
    while True:
        peak[0] = max(peak[0], resident_mb(pid))
        await asyncio.sleep(0.1)


def evening_outcome(evening: Evening) -> Outcome:
    """Return the evening as an outcome."""
    quiet, attacked = evening.quiet, evening.attacked
    requests = sum(sum(seen.values()) for seen in evening.answers.values())
    seen = (
        f"quiet {quiet}; attacked {attacked}, {attacked.unanswered} unanswered, {attacked.strange} "
        f"refused; {evening.streams_cut} streams cut; RSS {evening.grown_mb:+.1f} MB; "
        f"{requests} hostile acts"
    )
    lost = attacked.unanswered + attacked.strange + evening.streams_cut
    sound = lost == 0 and evening.grown_mb <= GROWN_MB and requests > 0
    return Outcome(seen, sound, attacked.p99 <= P99_MS)


def stopped(moments: tuple[float, ...]) -> Outcome:
    """Send SIGTERM at each of these moments of a separate attack."""
    ends = [asyncio.run(_stopped(after)) for after in moments]
    slowest = max(took for took, _ in ends)
    statuses = sorted({status for _, status in ends})
    seen = f"slowest {slowest:.1f} s, statuses {statuses}"
    return Outcome(seen, statuses == [0], slowest <= STOP_S)


async def _stalled() -> Outcome:
    """Another process locks the file when a command comes; then the signal is sent."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / FILE_NAME
        with service(folder) as (process, port, token):
            async with seated(port, token) as seats:
                answered = seats[0].phone.view.rev
                with contextlib.closing(sqlite3.connect(file, isolation_level=None)) as other:
                    other.execute("BEGIN IMMEDIATE")
                    play = asyncio.create_task(seats[0].play(Waits(), LONGEST_S))
                    await asyncio.sleep(2 * PAUSE_S)
                    took, status = await _terminated(process)
                    play.cancel()
        saved = len(saved_rows(file, "g1"))
    seen = f"{took:.1f} s, status {status}, {saved} of {answered} rows saved"
    return Outcome(seen, status == 0 and saved == answered, took <= STOP_S)


async def _stopped(after: float) -> tuple[float, int]:
    """Return the seconds from the signal to the end of the process, and its status; 60 s: it did
    not end.
    """
    with service() as (process, port, token):
        async with seated(port, token) as seats, attackers(port, token, after + 2):
            play = [asyncio.create_task(seat.play(Waits(), after + 2)) for seat in seats]
            await asyncio.sleep(after)
            took, status = await _terminated(process)
            for task in play:
                task.cancel()
    return took, status


async def _terminated(process: subprocess.Popen[str]) -> tuple[float, int]:
    began = time.perf_counter()
    process.send_signal(signal.SIGTERM)
    status = await asyncio.to_thread(_wait, process)
    return time.perf_counter() - began, status


def _wait(process: subprocess.Popen[str]) -> int:
    try:
        return process.wait(60)
    except subprocess.TimeoutExpired:
        return -1


def main(seconds: float, who: str = "", only: str = "") -> int:
    """Print the results; return 0 where the service survived and was in time."""
    outcomes = []
    for guests in (GUESTS, PLAYER) if not who else ((who,),):
        evening = attacked_for(guests, seconds, seconds / 3, LONG_ROWS, only)
        for guest, seen in evening.answers.items():
            print(f"{guest}:")
            for what, count in seen.items():
                print(f"  {what}: {count}")
        outcomes.append(_shown(evening_outcome(evening)))
    if not who:
        moments = tuple(seconds * share for share in (0.01, 0.05, 0.2, 0.5))
        outcomes += [_shown(stopped(moments)), _shown(asyncio.run(_stalled()))]
    return 0 if all(outcomes) else 1


def _shown(outcome: Outcome) -> bool:
    """Print an outcome; return whether it is good and in time."""
    good = outcome.ok and outcome.timely is not False
    print(outcome.seen, "ok" if good else "FAILED", flush=True)
    return good


if __name__ == "__main__":
    wanted = float(sys.argv[1]) if len(sys.argv) > 1 else 60.0
    sys.exit(main(wanted, *sys.argv[2:]))
