"""Many tables on one broker: how long from a move to the hub's page, and what broker and hub cost.

`python -m tests.bench hub`; TABLES, SECONDS and PAUSE (seconds between moves of one table) in the
environment ask for other than 100 tables, 60 seconds and 5.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from tests.bench import Figure
from tests.mqtt.broker import Broker, reachable
from tests.ports import free_port

TABLES = int(os.environ.get("TABLES", "100"))
SECONDS = float(os.environ.get("SECONDS", "60"))
PAUSE = float(os.environ.get("PAUSE", "5"))
PROCESSES = 4
LATE_S = 30.0
TICK = os.sysconf("SC_CLK_TCK")


@dataclass
class Watching:
    """What a page of the hub has shown, and when."""

    port: int
    shown: dict[tuple[str, str, int], float] = field(default_factory=dict)
    """The first time at which this many rows of a table's game were shown."""
    latest: dict[str, tuple[str, int]] = field(default_factory=dict)
    bytes: int = 0

    def run(self) -> None:
        with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/api/hub/stream") as stream:
            for line in stream:
                self.bytes += len(line)
                if line.startswith(b"data: "):
                    at = time.monotonic()
                    for table in json.loads(line[6:])["tables"]:
                        card = table["card"]
                        self.latest[table["name"]] = (card["log"], table["rows"])
                        self.shown.setdefault((table["name"], card["log"], card["rows"]), at)


def cpu_s(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICK


def rss_mb(pid: int) -> float:
    status = Path(f"/proc/{pid}/status").read_text()
    line = next(one for one in status.splitlines() if one.startswith("VmRSS"))
    return int(line.split()[1]) / 1024


def crowd(folder: Path, broker: Broker, number: int) -> subprocess.Popen[str]:
    share = [TABLES // PROCESSES + (n < TABLES % PROCESSES) for n in range(PROCESSES)]
    numbers = (broker.port, sum(share[:number]), share[number], SECONDS, PAUSE)
    return subprocess.Popen(
        [sys.executable, "-m", "tests.mqtt.crowd", str(folder), *map(str, numbers)],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip


def tell(processes: list[subprocess.Popen[str]]) -> None:
    for process in processes:
        assert process.stdin is not None
        process.stdin.write("\n")
        process.stdin.flush()


def figures() -> Iterator[Figure]:
    """Return delays, and CPU and memory of broker and hub."""
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        (folder / "broker").mkdir()
        with Broker(folder / "broker").running() as broker:
            yield from measured(folder, broker)


def measured(folder: Path, broker: Broker) -> Iterator[Figure]:
    settings, port = folder / "hub.toml", free_port()
    settings.write_text(f'broker = "mqtt://127.0.0.1:{broker.port}"')
    options = ("--mqtt", settings, "--data", folder / "hub", "--host", "127.0.0.1", "--port", port)
    hub = subprocess.Popen(
        [sys.executable, "-c", "from companion.cli import main; main()", "hub", *map(str, options)],
        stderr=subprocess.DEVNULL,
    )
    reachable(port)
    watching = Watching(port)
    threading.Thread(target=watching.run, daemon=True).start()
    crowds = [crowd(folder / "tables", broker, n) for n in range(PROCESSES)]
    moves: list[tuple[str, str, int, float]] = []
    readers = [threading.Thread(target=read, args=(one, moves), daemon=True) for one in crowds]
    for reader in readers:
        reader.start()
    wait(lambda: len(watching.latest) == TABLES, 300.0)
    first, began = len(moves), time.monotonic()
    assert broker.process is not None
    pids = {"broker": broker.process.pid, "hub": hub.pid}
    before = {name: cpu_s(pid) for name, pid in pids.items()}
    tell(crowds)
    time.sleep(SECONDS)
    took = time.monotonic() - began
    cost = {name: (cpu_s(pid) - before[name]) / took for name, pid in pids.items()}
    memory = {name: rss_mb(pid) for name, pid in pids.items()}
    wait(lambda: sum(not table for table, *_ in moves) == PROCESSES, LATE_S)
    made = [move for move in moves[first:] if move[0]]
    ends = {table: (log, rev) for table, log, rev, _ in moves if table}
    wait(lambda: all(watching.latest[table] == end for table, end in ends.items()), LATE_S)
    whole = sum(watching.latest[table] == end for table, end in ends.items())
    tell(crowds)
    delays = sorted(1000 * (shown_at(watching, *move[:3]) - move[3]) for move in made)
    yield Figure("hub.tables", len(ends), "tables")
    yield Figure("hub.tables_whole_at_the_end", whole, "tables")
    yield Figure("hub.moves", len(made), "moves")
    yield Figure("hub.moves_a_second", round(len(made) / took, 1), "1/s")
    for name, share in (("p50", 0.5), ("p99", 0.99), ("max", 1.0)):
        at = min(len(delays) - 1, int(share * len(delays)))
        yield Figure(f"hub.move_to_page_{name}", round(delays[at], 1), "ms")
    yield Figure("hub.stream", round(watching.bytes / took / 1000, 1), "kB/s")
    for name in pids:
        yield Figure(f"hub.{name}_cpu", round(100 * cost[name], 2), "% of a core")
        yield Figure(f"hub.{name}_rss", round(memory[name], 1), "MB")
    hub.terminate()
    hub.wait(120)
    for process in crowds:
        process.wait(120)


def read(process: subprocess.Popen[str], moves: list[tuple[str, str, int, float]]) -> None:
    assert process.stdout is not None
    for line in process.stdout:
        moves.append(tuple(json.loads(line)))


def shown_at(watching: Watching, table: str, log: str, rev: int) -> float:
    """Return when the page first showed this row of the table, or one after it."""
    later = (
        at for (name, game, rows), at in tuple(watching.shown.items())
        if name == table and game == log and rows >= rev
    )  # fmt: skip
    return min(later, default=float("inf"))


def wait(true: Callable[[], bool], within_s: float) -> None:
    until = time.monotonic() + within_s
    while not true() and time.monotonic() < until:
        time.sleep(0.05)
