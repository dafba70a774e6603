"""Commands that are repeated, concurrent, late or invalid; and long random play."""

from __future__ import annotations

import asyncio
import itertools
import random
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

import msgspec

from companion.engine import RULESETS, Corrected, Position
from companion.service import wire
from companion.service.views.view import MONSTERS
from companion.table import (
    Entry,
    GameStarted,
    Input,
    SeatSetup,
    Submission,
    Table,
    TableSet,
    replay,
)
from companion.table.log import EventLog
from companion.virtual import random_event
from tests.crowd import Crowd, Line, address, connected, crowd, next_events, running, stream_of
from tests.faults import Effort, Fault, Outcome
from tests.faults.phones import SERVICE, resident_mb
from tests.service.phone import Json

COPIES = 100
FAR = timedelta(days=3652)


def faults(effort: Effort) -> Iterator[Fault]:
    """Return every fault of this module."""
    yield Fault(
        f"one command {COPIES} times in parallel", "applied once, the same answer", _duplicated
    )
    rounds = effort.choose(100, 1_000)
    yield Fault(
        f"two phones, {rounds} random interleavings, stale, doubled and out of order",
        "no lost update, nothing twice, equal digests",
        lambda: _interleaved(rounds),
    )
    yield Fault(
        "clock jumps of ± 10 years", "no effect on order and state", lambda: _jumping(effort)
    )
    commands, seconds = effort.choose(300, 100_000), effort.choose(10.0, 3_600.0)
    yield Fault(
        f"soak: {commands} random commands, over {seconds:.0f} s"
        if effort.long
        else f"soak: {commands} random commands, {seconds:.0f} s at most",
        "0 errors, RSS ≤ +5 %, descriptors flat",
        lambda: _soaked(commands, seconds, effort),
    )


def _duplicated() -> Outcome:
    """Many connections of one browser send the same command at once."""
    with (
        tempfile.TemporaryDirectory() as folder,
        running(["-m", SERVICE, folder]) as (_, info),
    ):
        answers, rev = asyncio.run(_copies(info))
    statuses = sorted({status for status, _ in answers})
    different = len({body for _, body in answers})
    seen = f"statuses {statuses}, {different} different answers, the log grew to {rev} rows"
    return Outcome(seen, statuses == [200] and different == 1 and rev == 3)


async def _copies(info: Json) -> tuple[list[tuple[int, bytes]], int]:
    """Return all answers to the copies, and the table's revision afterwards; 2 rows set it up."""
    async with crowd(int(info["port"]), info["token"], 1) as many:
        await say(many, many.line, "the-set-up")
        rev = await _until(many, 2)
        lines = [await connected(many.port, address(n)) for n in range(COPIES // 4)]
        for line in lines:
            line.headers["Cookie"] = many.line.headers["Cookie"]
        number = {"seat": 0, "what": "energy", "value": 7}
        events = [{"type": "Corrected", "numbers": [number], "places": [], "reason": ""}]
        body = {"command_id": "the-same-command", "base_rev": rev, "events": events}

        async def four_times(line: Line) -> list[tuple[int, bytes]]:
            found = [await line.ask("POST", "/api/commands", body) for _ in range(4)]
            return [(status, content) for status, _, content in found]

        answers = await asyncio.gather(*map(four_times, lines))
        for line in lines:
            line.writer.close()
        return [one for each in answers for one in each], await _until(many, 3)


async def _until(many: Crowd, rev: int) -> int:
    """Wait until the first phone sees this revision or a later one; return it."""
    phone = many.phones[0]
    async with asyncio.timeout(60):
        while phone.count == 0 or phone.view.rev < rev:
            phone.came.clear()
            await phone.came.wait()
    return phone.view.rev


async def say(many: Crowd, line: Line, command: str, players: int = 6) -> int:
    """Say the next legal command by what the first phone sees; return the status."""
    view = many.phones[0].view
    body = {
        "command_id": command,
        "base_rev": view.rev,
        "events": next_events(view, random.Random(command), players),
    }
    status, _, _ = await line.ask("POST", "/api/commands", body)
    return status


@dataclass
class Acknowledged:
    """The last responses that two phones got to their commands."""

    bases: dict[str, int] = field(default_factory=dict)
    """What each command was made for."""
    statuses: dict[str, int] = field(default_factory=dict)
    withdrawn: int = 0
    """How many were applied, and refused when they came again."""
    broken: int = 0

    def note(self, command: str, status: int) -> None:
        """Note one answer. A command that is refused may be applied when it comes again: where the
        number is again as its phone saw it.
        """
        self.broken += status not in {200, 409}
        self.withdrawn += self.statuses.get(command) == 200 and status != 200
        self.statuses[command] = status

    def of(self, status: int) -> set[str]:
        """Return the commands with this answer."""
        return {command for command, one in self.statuses.items() if one == status}


def _interleaved(rounds: int) -> Outcome:
    """Two phones play, correct and undo at once; the log must agree with the responses."""
    acks = Acknowledged()
    with tempfile.TemporaryDirectory() as folder:
        with running(["-m", SERVICE, folder]) as (_, info):
            again = asyncio.run(_both(info, rounds, acks))
        with closing(EventLog(Path(folder))) as log:
            rows = [row for table in log.games for row in log.rows(table)]
            entries = [tuple(replay(log.rows(table))) for table in log.games]
    # A command is one row after the other, so that another stretch of rows is another time.
    said = [command for command, _ in itertools.groupby(row.command_id for row in rows)]
    said = [command for command in said if "#" not in command]
    applied, refused = acks.of(200), acks.of(409)
    lost, extra = len(applied - set(said)), len(refused & set(said))
    twice = len(said) - len(set(said))
    diverged = sum(entry.refused is not None for each in entries for entry in each)
    overwritten = sum(len(_overwritten(each, acks.bases)) for each in entries)
    seen = (
        f"{len(applied)} applied, {len(refused)} refused, {again} sent again; {lost} lost, "
        f"{extra} applied though refused, {twice} twice, {acks.withdrawn} refused afterwards, "
        f"{overwritten} over a change not seen, {diverged} digests differ"
    )
    wrong = (lost, extra, twice, acks.withdrawn, overwritten, diverged, acks.broken)
    return Outcome(seen, not any(wrong) and bool(applied) and again > 0)


def _overwritten(entries: Sequence[Entry], bases: Mapping[str, int]) -> list[str]:
    """Return the corrections that set a number which their phone had seen otherwise."""
    found = []
    for entry in entries:
        base = bases.get(entry.command_id)
        if not isinstance(entry.event, Corrected) or base is None or not 0 < base <= len(entries):
            continue
        then, now = entries[base - 1].after.game, entry.before.game
        if then is None or now is None:
            continue
        found += [
            entry.command_id
            for one in entry.event.numbers
            if getattr(then.monsters[one.seat], one.what)
            != getattr(now.monsters[one.seat], one.what)
        ]
    return found


async def _both(info: Json, rounds: int, acks: Acknowledged) -> int:
    """Have two phones send their commands; return how many were sent again, or late."""
    chance = random.Random(rounds)
    late: list[tuple[Line, Json]] = []
    again = 0

    async def send(line: Line, body: Json) -> None:
        status, _, _ = await line.ask("POST", "/api/commands", body)
        acks.note(body["command_id"], status)

    async def one_by_one(line: Line, batch: list[tuple[Line, Json]]) -> None:
        for to, body in batch:
            if to is line:
                await send(line, body)

    async with crowd(int(info["port"]), info["token"], 2) as many:
        other = await connected(many.port, address(50))
        other.headers["Cookie"] = many.line.headers["Cookie"]
        for n in range(rounds):
            sent: list[tuple[Line, Json]] = []
            for name, phone, line in zip(
                ("first", "other"), many.phones, (many.line, other), strict=True
            ):
                lag = chance.choice((0, 0, 0, 1, 2)) if n % 2 else 0
                command = f"{name}-{n:06}"
                acks.bases[command] = max(0, phone.view.rev - lag)
                events = _some_act(phone.view, chance)
                body = {
                    "command_id": command, "base_rev": acks.bases[command], "events": events,
                }  # fmt: skip
                sent.append((line, body))
            # One in six is sent again later on; one in six waits while others overtake it.
            due, late = late, []
            again += len(due)
            for one in list(sent):
                drawn = chance.random()
                if drawn < 1 / 3:
                    late.append(one)
                if drawn < 1 / 6:
                    sent.remove(one)
            chance.shuffle(due)
            for batch in (sent, due):
                await asyncio.gather(*[one_by_one(line, batch) for line in (many.line, other)])
        other.writer.close()
    return again


def _some_act(view: wire.View, chance: random.Random) -> list[Json]:
    """Draw a legal event, a correction, or an undo of the last command."""
    if view.game is not None and view.undo is not None and chance.random() < 0.15:
        return [{"type": "Undone", "seq": view.undo.seq}]
    if view.game is not None and chance.random() < 0.25:
        number = {"seat": chance.randrange(2), "what": "energy", "value": chance.randrange(10)}
        return [{"type": "Corrected", "numbers": [number], "places": [], "reason": ""}]
    return next_events(view, chance, 2)


def _jumping(effort: Effort) -> Outcome:
    """The wall clock jumps with every command; the same game is played with a steady one."""
    steady, jumping = (_played_by(clock, effort) for clock in (False, True))
    same = [one for one, _ in steady] == [one for one, _ in jumping]
    backwards = sum(b < a for (_, a), (_, b) in itertools.pairwise(jumping))
    digests = "equal" if same else "different"
    seen = f"{len(jumping)} rows, {backwards} times back in time, digests {digests}"
    return Outcome(seen, same and backwards > 0)


def _played_by(jumps: bool, effort: Effort) -> list[tuple[str, str]]:
    """Play one game, always the same; return digest and wall time of each row after reopening."""
    chance, wild = random.Random(1), random.Random(2)
    base = datetime(2026, 11, 25, tzinfo=UTC)
    with tempfile.TemporaryDirectory() as folder:
        table = Table(
            EventLog(Path(folder)), lambda: base + (wild.choice((-FAR, FAR)) if jumps else FAR)
        )
        seats = tuple(SeatSetup(f"P{n}", MONSTERS[n]) for n in range(3))
        game = next(iter(RULESETS))
        _submit(table, TableSet(game, "first", seats), GameStarted(0))
        for _ in range(effort.choose(60, 400)):
            state = table.snapshot().state
            if state.game is None or state.question is None:
                break
            _submit(table, random_event(Position.of(state.game), chance, 0.2))
        table.close()
        with closing(EventLog(Path(folder))) as log:
            return [(row.digest, row.at) for row in log.rows(log.games[-1])]


def _submit(table: Table, *events: Input) -> None:
    rev = table.snapshot().rev
    table.submit(Submission(f"jump-{rev:05}", rev, events))


@dataclass
class Soak:
    """The results of a long evening of random commands."""

    sent: int = 0
    applied: int = 0
    errors: int = 0
    slept: int = 0


def _soaked(commands: int, seconds: float, effort: Effort) -> Outcome:
    """Legal, stale, forbidden and malformed commands, and phones that sleep at random."""
    done = Soak()
    with (
        tempfile.TemporaryDirectory() as folder,
        running(["-m", SERVICE, folder]) as (process, info),
    ):
        weights = asyncio.run(
            _weighed_soak(info, process.pid, commands, seconds, done, paced=effort.long)
        )
    (before, opened), (after, open_after) = weights
    grown = (after / before - 1) * 100
    seen = (
        f"{done.sent} sent, {done.applied} applied, {done.errors} errors, {done.slept} sleeps, "
        f"RSS {before:.0f} → {after:.0f} MB ({grown:+.1f} %), descriptors {opened} → {open_after}"
    )
    flat = open_after <= opened + 2 and (grown <= 5 or not effort.long)
    return Outcome(seen, not done.errors and flat and done.applied > done.sent // 2)


async def _weighed_soak(
    info: Json, pid: int, commands: int, seconds: float, done: Soak, *, paced: bool
) -> list[tuple[float, int]]:
    """Return memory, MB, and descriptors after a fifth and at the end; a fifth warms up what is
    loaded or kept on first use.

    A long soak spreads the commands over its time and then has had both; a short one stops at
    whichever comes first.
    """
    chance, began = random.Random(commands), time.monotonic()
    weights = []
    async with crowd(int(info["port"]), info["token"], 6) as many:
        for share in (0.2, 1.0):
            while done.sent < commands * share:
                due = began + seconds * done.sent / commands
                if paced:
                    await asyncio.sleep(max(0.0, due - time.monotonic()))
                elif time.monotonic() >= began + seconds * share:
                    break
                await _soak(many, chance, done)
            weights.append((resident_mb(pid), _descriptors(pid)))
    return weights


async def _soak(many: Crowd, chance: random.Random, done: Soak) -> None:
    """Send one command; now and then a phone sleeps."""
    status = await _random_command(many, chance, f"soak-{done.sent:08}")
    done.sent += 1
    done.applied += status == 200
    done.errors += status >= 500
    if chance.random() < 0.02:
        await _sleep_and_wake(many, chance)
        done.slept += 1


async def _random_command(many: Crowd, chance: random.Random, command: str) -> int:
    """Send one command, most of them legal; return the status."""
    view = many.phones[0].view
    body: Json = {"command_id": command, "base_rev": view.rev, "events": _some_act(view, chance)}
    slip = chance.random()
    if slip < 0.05:
        body["base_rev"] = chance.randrange(-5, 10**6)
    elif slip < 0.10:
        body["events"] = [{"type": "Chosen", "seat": chance.randrange(9), "option": "x" * 40}]
    elif slip < 0.15:
        body = {"events": [[[{}]]], chance.choice(("a", "base_rev")): None}
    many.phones[0].came.clear()
    status, _, answer = await many.line.ask("POST", "/api/commands", body)
    if status == 200:
        await _until_or_new(many, msgspec.json.decode(answer)["rev"], view.table)
    return status


async def _until_or_new(many: Crowd, rev: int, table: str) -> None:
    """Wait until the first phone sees the revision, or another game."""
    phone = many.phones[0]
    async with asyncio.timeout(60):
        while phone.view.rev < rev and phone.view.table == table:
            phone.came.clear()
            await phone.came.wait()


async def _sleep_and_wake(many: Crowd, chance: random.Random) -> None:
    """One phone's stream ends without a word, and a new one of the same browser opens."""
    place = chance.randrange(1, len(many.lines))
    cookie = many.lines[place].headers["Cookie"]
    many.lines[place].writer.transport.abort()
    line = await connected(many.port, address(place))
    line.headers["Cookie"] = cookie
    phone = await stream_of(line)
    many.tasks.append(asyncio.create_task(phone.listen()))
    many.lines[place], many.phones[place] = line, phone


def _descriptors(pid: int) -> int:
    """Count the open descriptors of a process."""
    return sum(1 for _ in Path(f"/proc/{pid}/fd").iterdir())
