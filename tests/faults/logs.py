"""The log on a failing, full or read-only disk; long logs; backups during play."""

from __future__ import annotations

import json
import os
import resource
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from random import Random
from typing import Any

import msgspec
from companion.storage.copies.backups import back_up, restore_files, unpacked_backup
from companion.storage.schema import Schema

from companion.engine import (
    RULESETS,
    Choice,
    Chosen,
    Corrected,
    Correction,
    Game,
    Number,
    Position,
    Seat,
)
from companion.service.views.view import MONSTERS
from companion.table import GameStarted, Input, SeatSetup, Submission, Table, TableSet, Undone
from companion.table.database import FILE_NAME, StoredRow
from companion.table.log import EventLog
from companion.virtual import random_event
from tests.faults import Effort, Fault, Outcome

ROOT = Path(__file__).parent.parent.parent
WITHIN_S = 60.0
SAVED_AGAIN_S = 5.0
SMALL = "600k"
ROWS = (1_000, 10_000)
MOST_MB, MOST_S, MOST_RATIO = 40.0, 1.5, 11.0
A_SECOND = 100
"""Commands while a backup is made."""


def faults(effort: Effort) -> Iterator[Fault]:
    """Return every fault of this module."""
    step = effort.choose(6, 1)
    name = "the n-th I/O error while a log is opened"
    yield Fault(name, f"all or nothing at every n (in steps of {step})", lambda: _opening(step))
    yield Fault("the n-th I/O error while rows are written", "all or nothing at every n", _writing)
    yield Fault(
        f"a disk of {SMALL} fills up, then takes no more writing at all",
        f"no exit, red mark, saved again ≤ {SAVED_AGAIN_S:.0f} s after space returns",
        _small_disk,
    )
    rows = effort.choose((40, 400), ROWS)
    yield Fault(
        f"a log of {rows[1]:,} rows beside one of {rows[0]:,}",
        f"RSS + ≤ {MOST_MB:.0f} MB, opened in ≤ {MOST_S} s of the processor,"
        f" ≤ {MOST_RATIO:.0f} × the shorter",
        lambda: _long(rows, effort.choose(2, 5)),
    )
    backups = effort.choose(3, 20)
    yield Fault(
        f"{backups} backups at {A_SECOND} commands a second, restored",
        "the digest that the table had; no command waits for one",
        lambda: _backups(backups),
    )


# -- I/O errors -------------------------------------------------------------------------------


class Disk:
    """A disk whose n-th statement from now on fails; 0: none does."""

    def __init__(self) -> None:
        self.left = 0

    def touched(self) -> None:
        """Count a statement. Raises sqlite3.OperationalError where it is to fail."""
        self.left -= 1
        if self.left == 0:
            error = sqlite3.OperationalError("disk I/O error")
            error.sqlite_errorcode = sqlite3.SQLITE_IOERR
            raise error


@contextmanager
def failing(disk: Disk) -> Iterator[None]:
    """Put connections opened meanwhile on this disk."""

    class Connection(sqlite3.Connection):
        def execute(self, *given: Any) -> sqlite3.Cursor:
            disk.touched()
            return super().execute(*given)

    real = sqlite3.connect

    def connect(*given: Any, **more: Any) -> sqlite3.Connection:
        disk.touched()
        made: sqlite3.Connection = real(*given, **more, factory=Connection)
        return made

    sqlite3.connect = connect  # type: ignore[assignment]
    try:
        yield
    finally:
        sqlite3.connect = real


def a_row(n: int) -> StoredRow:
    """Any row."""
    return StoredRow(
        at="2026-01-01T00:00:00",
        who="",
        command_id=f"command-{n}",
        event="{}",
        rules_version="1",
        digest=f"{n:032x}",
    )


def _opening(step: int) -> Outcome:
    """Each statement of an opening fails once: of a whole file, a damaged one, a missing one."""
    wrong: list[str] = []
    tried = 0
    for kind in ("whole", "damaged", "none", "before"):
        for n in count(1, step):
            with tempfile.TemporaryDirectory() as name:
                folder = Path(name)
                rows = _prepared(folder, kind)
                disk = Disk()
                with failing(disk):
                    disk.left = n
                    log = EventLog(folder)
                    finished, disk.left = disk.left > 0, 0
                    tried += 1
                    if log.rows("g1")[:8] != rows[:8] or len(log.rows("g1")) != len(rows):
                        wrong.append(f"{kind} {n}: {len(log.rows('g1'))} rows at once")
                    disk.left = 1 + n // 2  # and once more, while it is tried again
                    log.append("g1", [a_row(99)])
                    disk.left = 0
                    if len(log.rows("g1")) != len(rows) + 1:
                        wrong.append(f"{kind} {n}: {len(log.rows('g1'))} rows meanwhile")
                    if not log.save():
                        wrong.append(f"{kind} {n}: not saved")
                    log.close()
                again = EventLog(folder)
                if len(again.rows("g1")) != len(rows) + 1:
                    wrong.append(f"{kind} {n}: {len(again.rows('g1'))} rows later")
                again.close()
            if finished:
                break
    return Outcome(f"{tried} openings, {len(wrong)} wrong {wrong[:3]}", ok=not wrong)


def _prepared(folder: Path, kind: str) -> tuple[StoredRow, ...]:
    """Make a folder with a log of that kind; return it and the rows that must be there."""
    if kind == "none":
        return ()
    rows = tuple(a_row(n) for n in range(20))
    log = EventLog(folder)
    log.append("g1", rows)
    log.close()
    if kind == "damaged":
        content = bytearray((folder / FILE_NAME).read_bytes())
        content[content.index(b"command-12")] ^= 1
        (folder / FILE_NAME).write_bytes(content)
    if kind == "before":
        db = sqlite3.connect(folder / FILE_NAME)
        db.executescript(
            "DROP TABLE tip; DROP TABLE notice; PRAGMA user_version=0; PRAGMA application_id=0"
        )
        db.close()
    return rows


def _writing() -> Outcome:
    """Each statement of a command's rows fails once; all rows are written, or none."""
    wrong: list[str] = []
    first, rows = (a_row(1), a_row(2)), (a_row(5), a_row(6), a_row(7))
    for n in count(1):
        with tempfile.TemporaryDirectory() as name:
            disk = Disk()
            with failing(disk):
                log = EventLog(Path(name))
                log.append("g1", first)
                disk.left = n
                saved = log.append("g1", rows)
                finished, disk.left = disk.left > 0, 0
                with sqlite3.connect(Path(name) / FILE_NAME) as db:
                    (there,) = db.execute("SELECT count(*) FROM row").fetchone()
                db.close()
                if there != (5 if saved else 2) or log.rows("g1") != (*first, *rows):
                    wrong.append(f"{n}: {there} rows on the disk")
                if not log.save():
                    wrong.append(f"{n}: not saved")
                log.close()
            again = EventLog(Path(name))
            if again.rows("g1") != (*first, *rows) or again.notices:
                wrong.append(f"{n}: {len(again.rows('g1'))} rows later")
            again.close()
        if finished:
            return Outcome(f"{n} statements, {len(wrong)} wrong {wrong[:3]}", ok=not wrong)
    raise AssertionError("it never ends")


# -- full and read-only -----------------------------------------------------------------------


class Small(msgspec.Struct):
    """The results on a small disk."""

    played: bool
    marked: bool
    saved_again_s: float
    read_only_played: bool
    read_only_marked: bool
    read_only_saved_again_s: float
    rows: bool


def _small_disk() -> Outcome:
    """Run `small_disk` in a mount namespace of its own, where the kernel allows one."""
    with tempfile.TemporaryDirectory() as folder:
        mounted = f"mount -t tmpfs -o size={SMALL} tmpfs {folder}"
        made = f"{mounted} && exec {sys.executable} -m {__name__} {folder}"
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
        return Outcome(f"not run: no mount namespace here ({done.stderr.strip()[:80]})", ok=True)
    seen = msgspec.json.decode(done.stdout, type=Small)
    states = (seen.played, seen.marked, seen.read_only_played, seen.read_only_marked, seen.rows)
    slowest = max(seen.saved_again_s, seen.read_only_saved_again_s)
    text = (
        f"played on {seen.played} and {seen.read_only_played}, red mark {seen.marked} and"
        f" {seen.read_only_marked}, saved again after {slowest:.1f} s, all rows there {seen.rows}"
    )
    return Outcome(text, ok=all(states), timely=slowest <= SAVED_AGAIN_S)


def small_disk(folder: Path) -> Small:
    """Fill the disk and free it, then mount it read-only and writable again, during a game."""
    table = Table(EventLog(folder / "data"))
    _begin(table, min(RULESETS))
    ballast = folder / "ballast"
    with ballast.open("wb") as file:
        _fill(file.fileno())
    rows = [_act(table) for _ in range(60)]
    marked = not table.snapshot().saved
    played = rows[-1] == table.snapshot().rev
    ballast.unlink()
    saved_again_s = _until_saved(table)
    table.close()
    _remount(folder, "ro")
    table = Table(EventLog(folder / "data"))
    before = table.snapshot().rev
    for _ in range(5):
        _act(table)
    seen = Small(
        played,
        marked,
        saved_again_s,
        read_only_played=table.snapshot().rev == before + 5 == rows[-1] + 5,
        read_only_marked=not table.snapshot().saved,
        read_only_saved_again_s=0.0,
        rows=False,
    )
    _remount(folder, "rw")
    seen.read_only_saved_again_s = _until_saved(table)
    table.close()
    log = EventLog(folder / "data")
    seen.rows = log.count("g1") == before + 5 and not log.notices
    log.close()
    return seen


def _fill(file: int) -> None:
    try:
        while True:
            os.write(file, bytes(4096))
    except OSError:
        return


def _remount(folder: Path, how: str) -> None:
    subprocess.run(["mount", "-o", f"remount,{how}", str(folder)], check=True)


def _until_saved(table: Table) -> float:
    """Return the seconds until the table saved by itself."""
    began = time.monotonic()
    while not table.snapshot().saved and time.monotonic() < began + WITHIN_S:
        time.sleep(0.05)
    return time.monotonic() - began


# -- long logs --------------------------------------------------------------------------------


class Opened(msgspec.Struct):
    """The cost of opening a log: seconds on the clock, and of the processor."""

    rows: int
    seconds: float
    cpu_s: float
    rss_mb: float


def _long(lengths: tuple[int, int], tries: int) -> Outcome:
    """Open logs of two lengths, each in a process of its own; take the best of so many tries."""
    found = []
    with tempfile.TemporaryDirectory() as folder:
        for length in lengths:
            place = Path(folder) / str(length)
            long_log(place, length)
            opened_apart = [_opened_apart(place) for _ in range(tries)]
            found.append(min(opened_apart, key=lambda one: one.cpu_s))
    short, long = found
    ratio = long.cpu_s / short.cpu_s
    seen = (
        f"{long.rows} rows: RSS + {long.rss_mb:.1f} MB, {long.cpu_s:.2f} s of the processor in"
        f" {long.seconds:.2f} s; {short.rows} rows: + {short.rss_mb:.1f} MB, {short.cpu_s:.3f} s;"
        f" {ratio:.1f} ×"
    )
    timely = long.cpu_s <= MOST_S and ratio <= MOST_RATIO
    return Outcome(seen, ok=long.rss_mb <= MOST_MB, timely=timely)


def _opened_apart(folder: Path) -> Opened:
    done = subprocess.run(
        [sys.executable, "-m", __name__, "--open", str(folder)],
        capture_output=True,
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        check=True,
    )
    return msgspec.json.decode(done.stdout, type=Opened)


def opened(folder: Path) -> Opened:
    """Measure opening this log in this process."""
    before, began, worked = _resident_mb(), time.perf_counter(), time.process_time()
    table = Table(EventLog(folder))
    seconds, cpu_s = time.perf_counter() - began, time.process_time() - worked
    return Opened(table.snapshot().rev, seconds, cpu_s, _resident_mb() - before)


def _resident_mb() -> float:
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize() / 1e6


def long_log(folder: Path, length: int) -> None:
    """Write a game that nobody wins, of so many rows, with undo and corrections.

    Nobody buys, so that late rows cost no more than early ones: only their number is compared.
    """
    table, chance = Table(EventLog(folder)), Random(1)
    _begin(table, min(RULESETS))
    while (now := table.snapshot()).rev < length:
        game, asked = now.state.game, now.state.question
        assert game is not None
        weak = [m.seat for m in game.monsters if m.alive and (m.health < 7 or m.stars > 9)]
        if asked is None:
            back = now.state.line.since(max(3, now.state.line.seq - 40))
            _say(table, Undone(back[0]))
        elif weak:
            dials = ((Number.HEALTH, 10), (Number.STARS, 0))
            _say(table, Corrected(tuple(Correction(Seat(s), w, v) for s in weak for w, v in dials)))
        elif chance.random() < 0.03 and now.state.line.seq > 3:
            _say(table, Undone(now.state.line.seq))
        elif isinstance(asked, Choice) and any(one.key == "end" for one in asked.open()):
            _say(table, Chosen(asked.seat, "end"))
        else:
            _say(table, random_event(Position.of(game), chance, 0.2))
    table.close()


# -- backups ----------------------------------------------------------------------------------


def _backups(times: int) -> Outcome:
    """Back up a table during play; restore each backup and compare its digest."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        table = Table(EventLog(folder / "data"))
        _begin(table, min(RULESETS))
        digests, slowest, stop = {}, [0.0], threading.Event()

        def act() -> None:
            while not stop.wait(1 / A_SECOND):
                began = time.perf_counter()
                rev = _act(table)
                slowest[0] = max(slowest[0], time.perf_counter() - began)
                digests[rev] = Position.of(_position(table)).digest()

        player = threading.Thread(target=act)
        player.start()
        manifests = []
        for n in range(times):
            manifests.append(back_up(folder / "data", folder / f"{n}.zip"))
            stop.wait(0.05)
        stop.set()
        player.join()
        table.close()
        wrong = 0
        for n, manifest in enumerate(manifests):
            with unpacked_backup(folder / f"{n}.zip", folder / str(n), Schema()) as (made, _):
                restore_files(made, folder / str(n), manifest)
            again = Table(EventLog(folder / str(n)))
            rows = manifest.tables["g1"].rows
            wrong += rows in digests and Position.of(_position(again)).digest() != digests[rows]
            wrong += again.snapshot().rev != rows
            again.close()
            shutil.rmtree(folder / str(n))
    most_ms = slowest[0] * 1000
    seen = f"{len(digests)} commands meanwhile, the slowest {most_ms:.0f} ms; {wrong} wrong"
    return Outcome(seen, ok=not wrong)


def _position(table: Table) -> Game:
    game = table.snapshot().state.game
    assert game is not None
    return game


def _begin(table: Table, game: str) -> None:
    seats = tuple(SeatSetup(f"P{n}", MONSTERS[n]) for n in range(4))
    _say(table, TableSet(game, RULESETS[game].editions[0], seats), GameStarted(0))


def _act(table: Table) -> int:
    """Set a number; return the revision."""
    value = table.snapshot().rev % 10
    return _say(table, Corrected((Correction(Seat(0), Number.ENERGY, value),)))


def _say(table: Table, *events: Input) -> int:
    rev = table.snapshot().rev
    return table.submit(Submission(f"logs-{table.snapshot().table}-{rev:07}", rev, events))


if __name__ == "__main__":
    if sys.argv[1] == "--open":
        print(msgspec.json.encode(opened(Path(sys.argv[2]))).decode())
    else:
        print(json.dumps(msgspec.to_builtins(small_disk(Path(sys.argv[1])))))
