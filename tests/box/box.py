"""A machine with the package: what is asked of it, what was played there, what must be kept; and
the package in several versions: a good update, and two that must not stay.
"""

from __future__ import annotations

import base64
import csv
import hashlib
import io
import json
import subprocess
import sys
import time
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from companion.table.log import EventLog
from tests.box.game import known
from tests.box.machine import ROOT, Machine, MachineError
from tools.deb import Build, build_wheel, download, pack, source_date

HOME = "usr/lib/monster-table"
STATE = "var/lib/monster-table"
UNIT = "monster-table.service"
COMPANION = (sys.executable, "-c", "from companion.cli import main; main()")
"""The command, of this checkout."""


@dataclass(frozen=True, slots=True)
class Box:
    """A machine with the package, and what was played at its table."""

    machine: Machine
    packages: dict[str, Path]
    play: Path

    def put(self, source: Path, path: str) -> None:
        """Copy a file into the machine."""
        target = self.machine.root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(source.read_bytes())

    def serves(self, version: str, *, safe: bool = False, port: int = 8080, title: str = "") -> str:
        """Check which version answers over loopback."""
        answer = self.machine.ask("python3", "-c", HEALTH, str(port))
        health = json.loads(answer)
        expected = {"version": version, "saved": True, "safe": safe, "table": title}
        expect(health == expected, answer)
        return answer

    def main_pid(self, unit: str = UNIT) -> str:
        """Return the number of the service's first process."""
        return self.machine.ask("systemctl", "show", unit, "-p", "MainPID", "--value")

    def send(self, pid: str, name: str) -> None:
        """Send a signal to a process; a minimal Debian has no `kill`."""
        self.machine.ask("python3", "-c", f"import os, signal; os.kill({pid}, signal.{name})")

    def until_another(self, before: str, limit_s: float, unit: str = UNIT) -> float:
        """Wait until another process answers; return the seconds."""
        began = time.monotonic()
        while time.monotonic() - began < limit_s:
            state = self.machine.ask("systemctl", "show", unit, "-p", "ActiveState", "--value")
            if state == "active" and self.main_pid(unit) not in (before, "0"):
                return time.monotonic() - began
            time.sleep(0.25)
        raise MachineError(f"nothing answers after {limit_s:.0f} s")

    def moves(self) -> int:
        """Play at the table; return how many commands were acknowledged in all."""
        invitation = json.loads((self.machine.root / STATE / "invitation").read_text("utf-8"))
        token = invitation["links"][0].partition("#")[2]
        inside = ["nsenter", "-t", str(self.machine.pid), "-n", sys.executable]
        done = subprocess.run(
            [*inside, "-m", "tests.box.game", str(self.play), token],
            capture_output=True,
            text=True,
            cwd=ROOT,
            check=False,
        )
        expect(done.returncode == 0, done.stderr)
        return int(done.stdout)

    def lost(self) -> str:
        """Compare the log with what was acknowledged; it must all be there."""
        acknowledged = known(self.play).acknowledged
        with TemporaryDirectory() as folder:
            for file in (self.machine.root / STATE).glob("table.db*"):
                Path(folder, file.name).write_bytes(file.read_bytes())
            with closing(EventLog(Path(folder))) as log:
                found = {
                    row.command_id: (table, seq)
                    for table in log.games
                    for seq, row in enumerate(log.read(table), start=1)
                }
        missing = [one for one, place in acknowledged.items() if found.get(one) != place]
        expect(not missing, f"lost: {missing}")
        return f"{len(acknowledged)} acknowledged commands, none lost"

    def dpkg(self, version: str) -> subprocess.CompletedProcess[str]:
        """Install a version as a person does."""
        self.put(self.packages[version], "root/monster-table.deb")
        return self.machine.run("dpkg", "-i", "/root/monster-table.deb")


HEALTH = """
import sys, urllib.request
url = f'http://127.0.0.1:{sys.argv[1]}/api/health'
print(urllib.request.urlopen(url, timeout=10).read().decode())
"""


def expect(holds: bool, seen: object) -> None:
    """MachineError with what was seen, if it is not as it must be."""
    if not holds:
        raise MachineError(str(seen))


# -- packages --

BEGINS = "0.1.0"
GOOD = "0.2.0"
DOES_NOT_START = "0.3.0"
FAILS_ITS_TEST = "0.4.0"
VERSIONS = (BEGINS, GOOD, FAILS_ITS_TEST, DOES_NOT_START)

COMMANDS = "companion/cli/__init__.py"
BREAKS = {
    DOES_NOT_START: "import os, sys\n"
    "if 'serve' in sys.argv and 'NOTIFY_SOCKET' in os.environ:\n"
    "    sys.exit('this release does not start, on purpose')\n",
    FAILS_ITS_TEST: "import sys\n"
    "if '--self-test' in sys.argv:\n"
    "    sys.exit('this release fails its test, on purpose')\n",
}
"""What is added to the commands of a release that must not stay."""


def packages(folder: Path, architecture: str, versions: tuple[str, ...]) -> dict[str, Path]:
    """Build the package in each version, and return their paths."""
    wheels = folder / f"wheels-{architecture}"
    download(architecture, wheels)
    built = folder / "wheel"
    built.mkdir(exist_ok=True)
    for old in built.glob("*.whl"):
        old.unlink()
    original = build_wheel(built)
    found: dict[str, Path] = {}
    for version in versions:
        wheel = with_version(original, version, folder)
        build = Build(architecture, version, wheel, wheels, source_date())
        found[version] = pack(build, folder)
    return found


def with_version(original: Path, version: str, folder: Path) -> Path:
    """Write the wheel once more as of another version, broken if `BREAKS` says so."""
    name, before = original.name.split("-")[:2]
    wheel = folder / original.name.replace(f"-{before}-", f"-{version}-")
    record, rows = f"{name}-{version}.dist-info/RECORD", []
    with ZipFile(original) as source, ZipFile(wheel, "w", ZIP_DEFLATED) as copy:
        for info in source.infolist():
            content = source.read(info)
            path = info.filename.replace(
                f"{name}-{before}.dist-info", f"{name}-{version}.dist-info"
            )
            if path == record:
                continue
            if path.endswith(".dist-info/METADATA"):
                content = content.replace(
                    f"\nVersion: {before}\n".encode(), f"\nVersion: {version}\n".encode()
                )
            if path == COMMANDS:
                content += BREAKS.get(version, "").encode()
            digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=")
            rows.append((path, f"sha256={digest.decode()}", len(content)))
            copy.writestr(ZipInfo(path, info.date_time), content)
        listing = io.StringIO()
        csv.writer(listing, lineterminator="\n").writerows([*rows, (record, "", "")])
        copy.writestr(ZipInfo(record, info.date_time), listing.getvalue())
    return wheel
