"""`python -m tests.soak [--minutes N]`: serve, play and watch for an hour; needs root.

`companion serve` runs in a network without a way to any other, with a camera, eight phones and a
television. Some games in quick succession fill its caches, which are bounded. Then the memory and
the descriptors of its processes are looked at every 10 seconds: they may not grow between the first
five of the minutes and the last. After that the service starts again where the network has a
router, and what it sends there is counted. Prints a line a minute and one with the verdict, JSON
objects; exit status 1 where something failed.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from tests.crowd import ROOT
from tests.soak.network import Network, network
from tests.soak.room import Room, camera

COMPANION = Path(sys.executable).parent / "companion"
PHONES = 8
WINDOW_MINUTES, ROUTED_MINUTES = 5.0, 3.0
WARM_GAMES, WARM_AT_MOST_S = 16, 1_200.0
"""After so many games, the caches of finished games and of the rules are full."""
EVERY_S = 10.0
PACE_S = 0.2
"""Between two commands, on average: four turns for one of an evening."""
WARM_PACE_S = 0.03
"""The same while the caches fill."""
GROWTH = 0.05
"""Share by which memory may grow."""
MORE = {"files": 0.5, "threads": 0.5, "sockets": 2.0}
"""So much more of each, on average, is chance: phones sleep as they like."""
MOST = 2
"""Processes of one kind: the camera's reader and the photos'."""
LASTING = ("serve", "companion.vision.child")
END_S = 30.0
PAGE = os.sysconf("SC_PAGE_SIZE")


class SoakError(Exception):
    """The service could not be served or looked at; the message says why."""


@dataclass(frozen=True, slots=True)
class Held:
    """What a process of one kind holds, on average. `mb`: resident memory, MiB."""

    mb: float
    files: float
    """Open descriptors that are no connections."""
    sockets: float
    threads: float
    count: float
    """How many processes there are."""


FIGURES = ("mb", "files", "sockets", "threads", "count")
Sample = dict[str, Held]
"""One moment: by the module that a process runs, `serve` for the service itself."""


def tree(pid: int) -> list[int]:
    """Return the numbers of a process and of all that it has started, itself first."""
    found = [pid]
    for one in found:
        for task in Path(f"/proc/{one}/task").glob("*/children"):
            found += map(int, task.read_text().split())
    return found


def sample(pid: int) -> Sample:
    """Look at the service. SoakError where it is not there any more."""
    seen: dict[str, list[Held]] = {}
    for one in tree(pid):
        try:
            kind, held = "serve" if one == pid else _kind(one), _held(one)
        except (FileNotFoundError, ProcessLookupError) as gone:
            if one == pid:
                raise SoakError("the service has ended") from gone
            continue  # a helper that has done its work
        seen.setdefault(kind, []).append(held)
    return {kind: _each(several) for kind, several in seen.items()}


def _each(several: Sequence[Held]) -> Held:
    """Return what one of them holds on average."""
    figures = [statistics.fmean(getattr(one, name) for one in several) for name in FIGURES]
    return replace(Held(*figures), count=len(several))


def _kind(pid: int) -> str:
    """Return the module that a process runs, and the words that it was given."""
    words = Path(f"/proc/{pid}/cmdline").read_text().split("\0")
    named = words[words.index("-m") + 1 :] if "-m" in words else words
    return " ".join(word for word in named if word and not word.isdecimal())


def _held(pid: int) -> Held:
    process = Path(f"/proc/{pid}")
    pages = int((process / "statm").read_text().split()[1])
    names = list(_descriptors(process))
    sockets = sum(name.startswith("socket:") for name in names)
    threads = len(list((process / "task").iterdir()))
    return Held(pages * PAGE / 2**20, len(names) - sockets, sockets, threads, 1)


def _descriptors(process: Path) -> Iterator[str]:
    for one in (process / "fd").iterdir():
        try:
            yield str(one.readlink())
        except FileNotFoundError:  # closed meanwhile
            continue


@contextmanager
def served(
    net: Network, data: Path, eye: str
) -> Iterator[tuple[subprocess.Popen[str], dict[str, str]]]:
    """Serve on the table's machine; yield the process and the line that it prints."""
    command = [str(COMPANION), "serve", "--data", str(data), "--camera", eye]
    with (data.parent / "serve.log").open("a") as log:
        process: subprocess.Popen[str] = net.table.run(
            subprocess.Popen, command, stdout=subprocess.PIPE, stderr=log, text=True, cwd=ROOT
        )
        assert process.stdout is not None
        try:
            printed = process.stdout.readline()
            if not printed:
                raise SoakError(f"it does not serve: {(data.parent / 'serve.log').read_text()}")
            yield process, json.loads(printed)
        finally:
            process.send_signal(signal.SIGTERM)
            try:
                process.wait(END_S)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
            process.stdout.close()


async def soak(room: Room, pid: int, minutes: float, began: float) -> list[Sample]:
    """Live in the room, and so long after the caches are full; return what the service held then,
    every 10 seconds.
    """
    living = asyncio.create_task(room.spend(WARM_AT_MOST_S + minutes * 60 + 600))
    seen, samples, wanted = 0, list[Sample](), int(minutes * 60 / EVERY_S)
    while len(samples) < wanted:
        await asyncio.sleep(EVERY_S)
        if living.done():
            living.result()
        now, seen = sample(pid), seen + 1
        if room.pace_s == PACE_S:
            samples.append(now)
        elif room.games > WARM_GAMES or time.monotonic() - began > WARM_AT_MOST_S:
            room.pace_s = PACE_S
        if seen % 6 == 0:
            say(
                minute=round((time.monotonic() - began) / 60, 1),
                warm=room.pace_s == PACE_S,
                held=_now(now),
                **_sums(room),
            )
    living.cancel()
    await asyncio.gather(living, return_exceptions=True)
    return samples


def _now(one: Sample) -> dict[str, dict[str, float]]:
    return {
        kind: {name: round(getattr(held, name), 1) for name in FIGURES}
        for kind, held in one.items()
    }


def _sums(room: Room) -> dict[str, float]:
    return {
        "games": room.games,
        "turns": len(room.turns),
        "commands": room.applied,
        "from_the_camera": room.from_the_camera,
        "views": room.views,
        "faults": len(room.faults),
    }


def say(**what: object) -> None:
    print(json.dumps(what), flush=True)


def means(samples: Sequence[Sample]) -> Sample:
    """Return the averages of each kind of process, over the moments at which it was there."""
    kinds = {kind for one in samples for kind in one}
    return {
        kind: Held(
            *(
                statistics.fmean(getattr(one[kind], name) for one in samples if kind in one)
                for name in FIGURES
            )
        )
        for kind in sorted(kinds)
    }


def growth(first: Sample, last: Sample) -> list[str]:
    """Return what grew from one window to the other."""
    grown = [f"{kind}: {held.count} processes" for kind, held in last.items() if held.count > MOST]
    for kind in first.keys() & last.keys():
        before, after = first[kind], last[kind]
        if after.mb > before.mb * (1 + GROWTH):
            grown.append(f"{kind}: memory")
        grown += [
            f"{kind}: {name}"
            for name, more in MORE.items()
            if getattr(after, name) > getattr(before, name) + more
        ]
    return grown


def idle(room: Room, minutes: float) -> list[str]:
    """Return what nobody did: a table that refuses everything does not grow either."""
    none = [name for name in ("applied", "from_the_camera", "views") if not getattr(room, name)]
    few = [] if len(room.turns) >= 2 * minutes else [f"{len(room.turns)} turns"]
    return [*(f"no {name}" for name in none), *few]


def gone(first: Sample, last: Sample) -> list[str]:
    """Return the processes that ended; those for stories end by themselves."""
    return [f"{kind}: gone" for kind in LASTING if kind in first and kind not in last]


def run(net: Network, minutes: float, folder: Path) -> list[str]:
    """Soak, then look for packets that a router would pass on; return what failed."""
    data, failed = folder / "data", list[str]()
    with camera_of(net) as eye:
        with served(net, data, eye) as (process, joining):
            if net.has_route():
                raise SoakError("the network has a way out")
            room = room_of(joining)
            began = time.monotonic()
            samples = net.room.run(asyncio.run, soak(room, process.pid, minutes, began))
        size = int(WINDOW_MINUTES * 60 / EVERY_S)
        first, last = means(samples[:size]), means(samples[-size:])
        failed += growth(first, last)
        failed += [*room.faults, *idle(room, minutes), *gone(first, last)]
        say(
            first=_now(first),
            last=_now(last),
            minutes=minutes,
            answers=dict(room.answers),
            **_sums(room),
        )
        say(packets=net.wire.packets, outside=dict(net.wire.outside), route=net.has_route())
        failed += net.wire.outside
        net.add_route()
        before = net.wire.packets
        with served(net, data, eye) as (process, _):
            net.room.run(asyncio.run, room.spend(ROUTED_MINUTES * 60))
        say(
            packets=net.wire.packets - before, outside=dict(net.wire.outside), route=net.has_route()
        )
        failed += net.wire.outside
    net.send_outside()
    deadline = time.monotonic() + END_S
    while not net.wire.outside and time.monotonic() < deadline:
        time.sleep(0.1)
    if not net.wire.outside:
        failed.append("a packet that was sent outside was not seen")
    return failed


def room_of(joining: dict[str, str]) -> Room:
    """Return the room of people who have scanned the code that the service prints."""
    port = int(joining["url"].rpartition(":")[2])
    return Room(port, joining["join"].partition("#")[2], PHONES, WARM_PACE_S)


@contextmanager
def camera_of(net: Network) -> Iterator[str]:
    """Serve the camera's pictures in the room."""
    held = camera()
    try:
        yield net.room.run(held.__enter__)
    finally:
        net.room.run(held.__exit__, None, None, None)


def main(given: Sequence[str]) -> int:
    """Soak; return the exit status."""
    made = argparse.ArgumentParser(prog="python -m tests.soak", description=__doc__)
    made.add_argument("--minutes", type=float, default=60.0, help="after warming up")
    minutes = made.parse_args(given).minutes
    if minutes < 2 * WINDOW_MINUTES:
        made.error(f"--minutes must be {2 * WINDOW_MINUTES:.0f} or more")
    with tempfile.TemporaryDirectory() as folder, network(PHONES + 1) as net:
        try:
            failed = run(net, minutes, Path(folder))
        except SoakError as wrong:
            failed = [str(wrong)]
        log = (Path(folder) / "serve.log").read_text()
    say(verdict="failed" if failed else "ok", failed=failed, log=log[-2000:])
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
