"""A newcomer's road on a clean Debian: `python -m tests.box.road [SUITE…]`.

The package lies in /tmp of a minimal Debian with its own systemd, in a network that leads nowhere.
The `sh box` blocks of `docs/install.md` are typed there. A browser opens the link of the code that
the last one prints, and taps what the pages say, up to the first applied roll. Prints a line a
stage; exit status 1 where the pages do not lead on.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.box.machine import CACHE, ROOT, Machine, MachineError, booted
from tests.box.packages import BEGINS, packages
from tools.docs.road import RoadError, applied, pages, typed

SUITES = ("trixie",)
LINK = re.compile(r"http://\S+/j#\S+")
SUDO = '#!/bin/sh\nexec "$@"\n'
"""On a machine without people everything is typed by root, and a minimal Debian has no `sudo`."""
LAN = """
ip link add lan type veth peer name phones
ip address add 192.168.1.20/24 dev lan
ip link set lan up
ip link set phones up
"""


def walk(machine: Machine, package: Path) -> Iterator[str]:
    """Yield what came of each stage. MachineError or RoadError where the road ends."""
    inside = ["nsenter", "-t", str(machine.pid), "-n"]
    subprocess.run([*inside, "sh", "-euc", LAN], check=True)
    # A Debian may have /tmp in memory, which the root out here does not show.
    shutil.copy(package, f"/proc/{machine.pid}/root/tmp")
    sudo = machine.root / "usr" / "local" / "bin" / "sudo"
    sudo.write_text(SUDO)
    sudo.chmod(0o755)
    printed = ""
    for line in typed(pages(), "box"):
        began = time.monotonic()
        # On a terminal, since a code is shown on one alone.
        typed_there = f"PATH=/usr/local/bin:$PATH; {line}"
        printed = machine.ask("script", "-qec", typed_there, "/dev/null")
        yield f"$ {line} ({time.monotonic() - began:.0f} s)\n{printed}"
    links = LINK.findall(printed)
    if not links:
        raise RoadError("the last command prints no link")
    done = subprocess.run(
        [*inside, sys.executable, "-m", "tools.docs.road", links[0]],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise RoadError(done.stderr)
    yield done.stdout.strip()
    yield f"rolls applied: {applied(machine.ask('companion', 'export', 'g1'))}"


def main(suites: list[str]) -> int:
    """Walk the road on each suite; return the exit status."""
    CACHE.mkdir(parents=True, exist_ok=True)
    try:
        package = packages(CACHE, "amd64", (BEGINS,))[BEGINS]
        for suite in suites or SUITES:
            with (
                TemporaryDirectory(prefix="monster-table-road-", dir=CACHE) as folder,
                booted(suite, Path(folder)) as machine,
            ):
                for stage in walk(machine, package):
                    print(f"{suite}: {stage}", flush=True)
    except (MachineError, RoadError, subprocess.SubprocessError) as failed:
        print(f"The road ends: {failed}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
