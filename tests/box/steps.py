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
    box.put(box.packages[BEGINS], "root/first.deb")
    done = box.machine.run("dpkg", "-i", "/root/first.deb")
    expect(done.returncode == 0, done.stderr)
    try:
        return box.serves(BEGINS)
    except MachineError as silent:
        # A package is installed also where its service is not started; only here it says so.
        raise MachineError(f"{silent}\ndpkg ended with 0, and said: {done.stderr}") from silent


def updated(box: Box) -> str:
    """Update to a release that works."""
    box.moves()
    status = box.update(GOOD)
    expect(status["ok"] is True and status["step"] == "healthy", status)
    box.serves(GOOD)
    return f"{status['from']} to {status['to']}; {box.lost()}"


def refused(box: Box) -> str:
    """Ask for a release that fails its self-test; nothing changes."""
    before = box.main_pid()
    status = box.update(FAILS_ITS_TEST)
    expect(status["ok"] is False and status["step"] == "refused", status)
    expect(box.main_pid() == before, "the service was restarted")
    box.serves(GOOD)
    return str(status["reason"])


def stepped_back(box: Box) -> str:
    """Ask for a release that does not start; the one before serves again."""
    box.moves()
    status = box.update(DOES_NOT_START)
    expect(status["ok"] is False and status["step"] == "stepped-back", status)
    box.serves(GOOD)
    return f"{status['reason']}; {GOOD} serves again; {box.lost()}"


def by_dpkg(box: Box) -> str:
    """Install a release that does not start by dpkg; it says so, and the one before serves."""
    box.put(box.packages[DOES_NOT_START], "root/broken.deb")
    done = box.machine.run("dpkg", "-i", "/root/broken.deb")
    expect(done.returncode != 0, "dpkg took a release that does not start")
    box.serves(GOOD)
    box.put(box.packages[GOOD], "root/good.deb")
    box.machine.ask("dpkg", "-i", "/root/good.deb")
    box.serves(GOOD)
    return "dpkg reports the failure, and installs the good one over it"


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
    found = box.machine.run(
        "find", "/usr", "/var/lib", "/var/spool", "/etc", "-xdev", "-name", "*monster*"
    )
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
