"""What is done to a machine with the package on any processor, from installation to purge."""

from __future__ import annotations

import shutil
import subprocess
import time
from collections.abc import Callable, Iterable
from pathlib import Path

from tests.box.box import HOME, STATE, UNIT, Box, expect
from tests.box.machine import MachineError
from tests.box.packages import BEGINS, DOES_NOT_START, FAILS_ITS_TEST, GOOD

LOG = "journalctl -q --no-pager -n 40 -o cat || tail -n 40 /run/monster-table.log"


def take(steps: Iterable[Callable[[Box], str]], box: Box, name: str) -> None:
    """Take the steps, and print a line for each; of one that fails the end of the log, too."""
    for step in steps:
        began = time.monotonic()
        try:
            seen = step(box)
        except MachineError:
            log = box.machine.run("sh", "-c", LOG).stdout
            print(f"{name}: {step.__name__} failed; the log ends with:\n{log}", flush=True)
            raise
        took = time.monotonic() - began
        print(f"{name}: {step.__name__} ({took:.0f} s): {seen}", flush=True)


def install(box: Box) -> str:
    """Install the first version; it serves afterwards."""
    done = box.dpkg(BEGINS)
    expect(done.returncode == 0, done.stderr)
    try:
        return box.serves(BEGINS)
    except MachineError as silent:
        # A package is installed also where its service is not started; only here it says so.
        raise MachineError(f"{silent}\ndpkg ended with 0, and said: {done.stderr}") from silent


def updated(box: Box) -> str:
    """Install a version that works over the one that serves."""
    box.moves()
    done = box.dpkg(GOOD)
    expect(done.returncode == 0, done.stderr)
    box.serves(GOOD)
    return f"{BEGINS} to {GOOD}; {box.lost()}"


def refused(box: Box) -> str:
    """Install one that fails its self-test; the one before goes on, without a restart."""
    before = box.main_pid()
    done = box.dpkg(FAILS_ITS_TEST)
    expect(done.returncode != 0 and "fails its test" in done.stderr, done.stderr)
    expect(box.main_pid() == before, "the service was restarted")
    box.serves(GOOD)
    return said(done)


def stepped_back(box: Box) -> str:
    """Install one that does not start; the one before serves again, and a good one may follow."""
    box.moves()
    done = box.dpkg(DOES_NOT_START)
    expect(done.returncode != 0 and "does not start" in done.stderr, done.stderr)
    box.serves(GOOD)
    lost = box.lost()
    again = box.dpkg(GOOD)
    expect(again.returncode == 0, again.stderr)
    box.serves(GOOD)
    return f"{said(done)}; {lost}"


def said(done: subprocess.CompletedProcess[str]) -> str:
    """Return the line that the package prints about its failure."""
    return next(one for one in done.stderr.splitlines() if one.startswith("monster-table: "))


def removed(box: Box) -> str:
    """Remove the package; the log stays."""
    box.machine.ask("dpkg", "-r", "monster-table")
    expect(not (box.machine.root / HOME).exists(), "something is left in /usr/lib")
    expect((box.machine.root / STATE / "table.db").is_file(), "the log is gone")
    state = box.machine.run("systemctl", "is-active", UNIT).stdout.strip()
    expect(state in {"inactive", "unknown"}, state)
    return box.lost()


def purged(box: Box) -> str:
    """Purge the package; nothing of it stays."""
    box.machine.ask("dpkg", "-P", "monster-table")
    found = box.machine.run("find", "/usr", "/var/lib", "/etc", "-xdev", "-name", "*monster*")
    kept = [line for line in found.stdout.splitlines() if "/dpkg/" not in line]
    expect(not kept, kept)
    expect(box.machine.run("id", "monster-table").returncode != 0, "the user is still there")
    return "no file and no user is left"


def lintian_is_there() -> None:
    """MachineError where it is not: asked before minutes go into what it would look at."""
    expect(shutil.which("lintian") is not None, "this needs apt install lintian")


def lint(package: Path) -> str:
    """Return what lintian says of the package; MachineError where it finds an error."""
    done = subprocess.run(
        ["lintian", "--fail-on", "error,warning", "--allow-root", str(package)],
        capture_output=True,
        text=True,
        check=False,
    )
    expect(done.returncode == 0, done.stdout)
    return done.stdout.strip() or "nothing to report"
