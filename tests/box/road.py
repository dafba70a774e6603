"""A newcomer's road by the text of the pages alone, up to the first applied roll.

`python -m tests.box.road` builds the wheel and types the `sh road` blocks of the pages in an empty
home, with bash and without a checkout; the last one serves. `python -m tests.box.road SUITE…` types
the `sh box` blocks on a minimal Debian with its own systemd, in a network that leads nowhere; the
last one prints a link. Then a browser does what the lists behind `<!-- road -->` say: `**words**`
are tapped, `` `words` `` are typed, `*words*` must be seen. Prints a line a stage; exit status 1,
with the line of the page, if the road ends early.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from playwright.sync_api import Error, Page

from tests.box.machine import CACHE, ROOT, Machine, MachineError, booted
from tests.box.packages import BEGINS, packages
from tests.browser.conftest import chromium
from tools.deb import build_wheel

PAGES = ("install.md", "first-evening.md")
"""The pages in the order in which a newcomer reads them."""
BLOCK = re.compile(r"^```sh (?P<kind>\w+)\n(?P<lines>.*?)^```$", re.MULTILINE | re.DOTALL)
LIST = re.compile(r"^<!-- road -->\n((?:\d+\. .*\n(?:   .*\n)*)+)", re.MULTILINE)
STEP = re.compile(r"\*\*(?P<tap>[^*]+)\*\*|`(?P<type>[^`]+)`|(?<!\*)\*(?P<see>[^*]+)\*(?!\*)")
LINK = re.compile(r"http://\S+/j#\S+")
PATIENCE_S = 60.0
SUDO = '#!/bin/sh\nexec "$@"\n'
"""On a machine without people everything is typed by root, and a minimal Debian has no `sudo`."""
LAN = """
ip link add lan type veth peer name phones
ip address add 192.168.1.20/24 dev lan
ip link set lan up
ip link set phones up
"""


class RoadError(Exception):
    """The pages do not lead on; the message says why."""


@dataclass(frozen=True, slots=True)
class Step:
    """One thing to do: `kind` is tap, type or see."""

    kind: str
    words: str


def pages() -> list[str]:
    """Return the pages, in order."""
    return [(ROOT / "docs" / page).read_text("utf-8") for page in PAGES]


def typed(texts: Iterable[str], kind: str) -> list[str]:
    """Return the lines of the shell blocks of a kind: `road` with the wheel, `box` with the
    package.
    """
    found = (one for text in texts for one in BLOCK.finditer(text))
    return [line for one in found if one["kind"] == kind for line in one["lines"].splitlines()]


def steps(texts: Iterable[str]) -> list[Step]:
    """Return what the lists of the pages say to tap, to type and to see, in order."""
    return [
        Step(kind, words)
        for text in texts
        for one in LIST.findall(text)
        for found in STEP.finditer(one)
        for kind, words in found.groupdict().items()
        if words is not None
    ]


def applied(log: str, errors: str = "") -> int:
    """Return how many rolls an exported log holds. RoadError if there is none."""
    rolls = log.count('"DiceRolled"')
    if not rolls:
        raise RoadError(f"no roll was applied: {errors or log}")
    return rolls


def tap_through(link: str) -> str:
    """Do the steps of the pages on one phone, which scanned the link. RoadError at the first that
    fails.
    """
    todo = steps(pages())
    with chromium() as browser:
        page = browser.new_context(
            viewport={"width": 390, "height": 844}, locale="en-GB", reduced_motion="reduce"
        ).new_page()
        page.set_default_timeout(PATIENCE_S * 1000)
        page.goto(link)
        for number, step in enumerate(todo, 1):
            try:
                _do(page, step)
            except Error as failed:
                seen = page.locator("body").inner_text()
                said = f"step {number}, {step.kind} “{step.words}”: not on the phone"
                raise RoadError(f"{said}, which shows:\n{seen}") from failed
    return f"{len(todo)} steps"


def _do(page: Page, step: Step) -> None:
    if step.kind == "type":
        page.locator("input[type=text]:visible").fill(step.words)
    elif step.kind == "tap":
        words = re.compile(rf"^\s*(\d+ )?{re.escape(step.words)}", re.IGNORECASE)
        page.locator("button:visible:enabled", has_text=words).first.click()
    else:
        page.get_by_text(step.words).locator("visible=true").first.wait_for()


def with_wheel(folder: Path) -> Iterator[str]:
    """Walk the road in an empty home; yield each stage. RoadError if it ends early."""
    *before, last = typed(pages(), "road")
    build_wheel(folder)
    yield "wheel built"
    done = _bash(folder, "\n".join(["set -eu", *before]))
    if done.returncode:
        raise RoadError(f"the commands ended with {done.returncode}: {before}\n{done.stderr}")
    yield f"{len(before)} commands"
    with _served(folder, last) as link:
        yield tap_through(link)
    done = _bash(folder, "~/monster-table/bin/companion export g1")
    yield f"rolls applied: {applied(done.stdout, done.stderr)}"


def _bash(folder: Path, text: str) -> subprocess.CompletedProcess[str]:
    command = ["bash", "-c", text]
    return subprocess.run(
        command, cwd=folder, env=_variables(folder), capture_output=True, text=True, check=False
    )


def _variables(folder: Path) -> dict[str, str]:
    kept = {key: os.environ[key] for key in ("LANG", "PATH", "TMPDIR") if key in os.environ}
    return {**kept, "HOME": str(folder)}


@contextmanager
def _served(folder: Path, line: str) -> Iterator[str]:
    """Run the last line, on a free port of loopback; yield the link that the QR code holds."""
    with subprocess.Popen(
        ["bash", "-c", f"exec {line} --host 127.0.0.1 --port 0"],
        cwd=folder,
        env=_variables(folder),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        printed = process.stdout.readline()
        if not printed:
            raise RoadError(f"{line} did not serve")
        try:
            yield json.loads(printed)["join"]
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait(PATIENCE_S)


def with_package(machine: Machine, package: Path) -> Iterator[str]:
    """Walk the road on a Debian; yield each stage. MachineError or RoadError if it ends early."""
    inside = ["nsenter", "-t", str(machine.pid), "-n"]
    subprocess.run([*inside, "sh", "-euc", LAN], check=True)
    # A Debian may have /tmp in memory, which the root out here does not show.
    shutil.copy(package, f"/proc/{machine.pid}/root/tmp")
    sudo = machine.root / "usr" / "local" / "bin" / "sudo"
    sudo.write_text(SUDO)
    sudo.chmod(0o755)
    printed = ""
    for line in typed(pages(), "box"):
        # On a terminal, since a code is shown on one alone.
        typed_there = f"PATH=/usr/local/bin:$PATH; {line}"
        printed = machine.ask("script", "-qec", typed_there, "/dev/null")
        yield f"$ {line}\n{printed}"
    links = LINK.findall(printed)
    if not links:
        raise RoadError("the last command prints no link")
    tap = f"import sys; from tests.box.road import tap_through; print(tap_through({links[0]!r}))"
    done = subprocess.run(
        [*inside, sys.executable, "-c", tap], cwd=ROOT, capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise RoadError(done.stderr)
    yield done.stdout.strip()
    yield f"rolls applied: {applied(machine.ask('companion', 'export', 'g1'))}"


def stages(suites: list[str], folder: Path) -> Iterator[str]:
    """Walk the road with the wheel, or with the package on each suite; yield each stage."""
    if not suites:
        yield from with_wheel(folder)
        return
    package = packages(CACHE, "amd64", (BEGINS,))[BEGINS]
    for suite in suites:
        (folder / suite).mkdir()
        with booted(suite, folder / suite) as machine:
            yield from with_package(machine, package)


def main(suites: list[str]) -> int:
    """Walk the road; return the exit status."""
    CACHE.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(prefix="monster-table-road-", dir=CACHE) as folder:
        began = time.monotonic()
        try:
            for stage in stages(suites, Path(folder)):
                print(f"{time.monotonic() - began:.0f} s: {stage}", flush=True)
        except (MachineError, RoadError, subprocess.SubprocessError) as failed:
            print(f"The road ends: {failed}", file=sys.stderr)
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
