"""`python -m tests.box [SUITE…]`: the package on a clean Debian, from installation to purge.

For each suite: a minimal Debian under its own systemd, without a network. The package is
installed, serves, reads stills inside the unit's sandbox, survives a freeze and three crashes, is
updated, refuses one update, steps back from another, is removed and purged. One line a step; exit
status 1 at the first that fails.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from companion.table.log import EventLog
from companion.vision.opencv import cv2
from companion.vision.pictures.frames import video_frames
from tests.box.game import known
from tests.box.machine import CACHE, ROOT, Machine, MachineError, booted, debian
from tests.box.packages import BEGINS, DOES_NOT_START, FAILS_ITS_TEST, GOOD, packages

CLIPS = sorted((ROOT / "tests" / "clips").glob("*.mp4"))
SUITES = ("bookworm", "trixie")
HOME = "usr/lib/monster-table"
STATE = "var/lib/monster-table"
SPOOL = "var/spool/monster-table"
UNIT = "monster-table.service"
MOST_EXPOSED = 2.0
WATCHDOG_S = 30.0
RESTART_S = 20.0
"""From the watchdog's end until phones are answered: abort, pause, start on a busy machine."""
UPDATE_S = 400.0

COMPANION = (sys.executable, "-c", "from companion.cli import main; main()")

TRIED = """[Unit]
Description=A command inside the sandbox of Monster Table
[Service]
Type=oneshot
ExecStart={command}
"""


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

    def serves(self, version: str, *, safe: bool = False) -> str:
        """Check which version answers over loopback."""
        answer = self.machine.ask("python3", "-c", HEALTH)
        health = json.loads(answer)
        expect(health == {"version": version, "saved": True, "safe": safe}, answer)
        return answer

    def main_pid(self) -> str:
        """Return the number of the service's first process."""
        return self.machine.ask("systemctl", "show", UNIT, "-p", "MainPID", "--value")

    def send(self, pid: str, name: str) -> None:
        """Send a signal to a process; a minimal Debian has no `kill`."""
        self.machine.ask("python3", "-c", f"import os, signal; os.kill({pid}, signal.{name})")

    def until_another(self, before: str, limit_s: float) -> float:
        """Wait until another process answers; return the seconds."""
        began = time.monotonic()
        while time.monotonic() - began < limit_s:
            state = self.machine.ask("systemctl", "show", UNIT, "-p", "ActiveState", "--value")
            if state == "active" and self.main_pid() not in (before, "0"):
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
                    for table in log.tables
                    for seq, row in enumerate(log.rows(table), start=1)
                }
        missing = [one for one, place in acknowledged.items() if found.get(one) != place]
        expect(not missing, f"lost: {missing}")
        return f"{len(acknowledged)} acknowledged commands, none lost"

    def update(self, version: str) -> dict[str, object]:
        """Ask for an update as the service's user does, and return its last status."""
        self.put(self.packages[version], "var/tmp/update.deb")
        self.machine.run("companion", "update", "/var/tmp/update.deb", limit_s=UPDATE_S)
        status: dict[str, object] = json.loads(
            (self.machine.root / SPOOL / "status.json").read_text("utf-8")
        )
        return status


HEALTH = """
import sys, urllib.request
print(urllib.request.urlopen('http://127.0.0.1:8080/api/health', timeout=10).read().decode())
"""


def expect(holds: bool, seen: object) -> None:
    """MachineError with what was seen, where it is not as it must be."""
    if not holds:
        raise MachineError(str(seen))


def install(box: Box) -> str:
    """Install the first version; it serves afterwards."""
    box.put(box.packages[BEGINS], "root/first.deb")
    box.machine.ask("dpkg", "-i", "/root/first.deb")
    return box.serves(BEGINS)


def sandbox(box: Box) -> str:
    """Rate the units' exposure, and list the service's restrictions as the kernel has them."""
    rated = box.machine.ask("systemd-analyze", "security", "--no-pager", UNIT)
    exposure = float(re.findall(r"exposure level for \S+: ([\d.]+)", rated)[0])
    expect(exposure <= MOST_EXPOSED, rated)
    lines = box.machine.ask("cat", f"/proc/{box.main_pid()}/status")
    kernel = dict(line.split(":\t", 1) for line in lines.splitlines() if ":\t" in line)
    expect(kernel["CapEff"].strip("0") == "" and kernel["NoNewPrivs"] == "1", lines)
    expect(kernel["Seccomp"] == "2", lines)
    return f"exposure {exposure}; no capability, no new privileges, system calls filtered"


ALLOWED = {
    "send to loopback",
    "send to a private address",
    "write to the state folder",
    "open /dev/null",
    "open /dev/full",
}
"""Of what tests/box/probe.py tries: what the sandbox must let through."""
LOOP_CONTROL = ("10", "237")
"""A device that anybody can open, outside the sandbox."""
LOOPBACK_TOO = ("10.1.2.3/32", "203.0.113.1/32")


def probed(box: Box) -> str:
    """Try inside the sandbox what a service that was taken over would; the kernel refuses."""
    for address in LOOPBACK_TOO:
        inside = ["nsenter", "-t", str(box.machine.pid), "-n"]
        subprocess.run([*inside, "ip", "address", "add", address, "dev", "lo"], check=True)
    box.machine.ask("mknod", "-m", "666", "/dev/probe", "c", *LOOP_CONTROL)
    box.machine.ask("setpriv", "--reuid=nobody", "--clear-groups", "head", "-c0", "/dev/probe")
    box.put(Path(__file__).with_name("probe.py"), f"{STATE}/probe.py")
    found = json.loads(sandboxed(box, f"/usr/bin/python3 /{STATE}/probe.py"))
    allowed = {tried for tried, seen in found.items() if seen == "allowed"}
    expect(allowed == ALLOWED, found)
    return ", ".join(f"{tried}: {seen}" for tried, seen in found.items())


def stills(box: Box) -> str:
    """Read stills inside the sandbox of the unit; the readings are those of this machine."""
    folder = box.machine.root / STATE / "stills"
    folder.mkdir(exist_ok=True)
    names = []
    for clip in CLIPS:
        labels = json.loads(clip.with_suffix(".json").read_text("utf-8"))
        middles = {
            (one["settled_frame"] + one["next_motion_frame"]) // 2 for one in labels["throws"]
        }
        for frame in video_frames(str(clip)):
            if frame.index in middles:
                name = f"{clip.stem}-{frame.index}.png"
                cv2.imwrite(str(folder / name), frame.image)
                names.append((name, labels["game"]))
    same = 0
    for name, game in names:
        there = sandboxed(
            box, f"/{HOME}/current/bin/companion read /{STATE}/stills/{name} --game {game} --json"
        )
        here = subprocess.run(
            [*COMPANION, "read", str(folder / name), "--game", game, "--json"],
            capture_output=True,
            text=True,
            cwd=ROOT,
            check=True,
        ).stdout
        same += reading(there) == reading(here)
    expect(same == len(names) > 0, f"{same} of {len(names)} are the same")
    return f"{same} of {len(names)} readings inside the sandbox equal those outside"


def reading(line: str) -> object:
    """Return a reading without the path of its picture and the time it took."""
    row = json.loads(line.strip().splitlines()[-1])
    return {key: value for key, value in row.items() if key not in {"image", "source", "ms"}}


def sandboxed(box: Box, command: str) -> str:
    """Run a command under the unit's own settings; return what it printed."""
    unit = (box.machine.root / "usr/lib/systemd/system" / UNIT).read_text("utf-8")
    own = unit.partition("[Service]\n")[2].partition("\n[Install]")[0]
    apart = ("Exec", "Type=", "Restart", "WatchdogSec=", "NotifyAccess=", "TimeoutStartSec=")
    kept = "\n".join(line for line in own.splitlines() if not line.startswith(apart))
    path = box.machine.root / "run/systemd/system/monster-table-tried.service"
    output = f"StandardOutput=file:/{STATE}/tried.out\n"
    path.parent.mkdir(parents=True, exist_ok=True)
    text = TRIED.format(command=command) + output + kept
    box.machine.ask("sh", "-c", f"mkdir -p /{path.parent.relative_to(box.machine.root)}")
    box.machine.ask("python3", "-c", WRITE, f"/{path.relative_to(box.machine.root)}", text)
    out = box.machine.root / STATE / "tried.out"
    out.unlink(missing_ok=True)
    box.machine.ask("systemctl", "daemon-reload")
    box.machine.ask("systemctl", "start", "monster-table-tried.service")
    return out.read_text("utf-8")


WRITE = "import pathlib, sys; pathlib.Path(sys.argv[1]).write_text(sys.argv[2])"


def freeze(box: Box) -> str:
    """Stop the service's process for good; the watchdog restarts it within its limit."""
    box.moves()
    before = box.main_pid()
    box.send(before, "SIGSTOP")
    took = box.until_another(before, WATCHDOG_S + RESTART_S)
    box.serves(BEGINS)
    return f"frozen, answers again after {took:.1f} s; {box.lost()}"


def crashes(box: Box) -> str:
    """Kill the service three times; then it starts in safe mode, and leaves it by a restart."""
    box.machine.ask("systemctl", "restart", UNIT)
    pauses = []
    for _ in range(3):
        box.moves()
        before = box.main_pid()
        box.send(before, "SIGKILL")
        pauses.append(f"{box.until_another(before, 60.0):.1f} s")
    box.serves(BEGINS, safe=True)
    box.machine.ask("systemctl", "restart", UNIT)
    box.serves(BEGINS)
    return f"killed three times, back after {', '.join(pauses)}, then in safe mode; {box.lost()}"


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


def hotspot(box: Box) -> str:
    """Set up a Wi-Fi of the box's own, with commands in place of a network card."""
    for tool in ("nmcli", "nft"):
        box.machine.ask("ln", "-s", "true", f"/usr/bin/{tool}")
    box.machine.ask("python3", "-c", WRITE, "/root/password", "back\\slash 12\n")
    command = f"/{HOME}/hotspot/set-up"
    refused = box.machine.run(command, "Our Table", "/etc/hostname")
    expect(refused.returncode == 2, refused.stderr)
    box.machine.ask(command, "Our Table", "/root/password")
    folder = "/etc/NetworkManager/system-connections"
    key_file = box.machine.ask("cat", f"{folder}/monster-table-hotspot.nmconnection")
    expect({"ssid=Our Table", "psk=back\\\\slash 12"} <= {*key_file.splitlines()}, key_file)
    settings = (box.machine.root / STATE / "settings.toml").read_text("utf-8")
    expect("hotspot = true" in settings, settings)
    box.serves(GOOD)
    return "key file, name server and settings are written; a short password is refused"


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


STEPS: Sequence[Callable[[Box], str]] = (
    install,
    sandbox,
    probed,
    stills,
    freeze,
    crashes,
    updated,
    refused,
    stepped_back,
    by_dpkg,
    hotspot,
    removed,
    purged,
)


def walk(suite: str, built: dict[str, Path], folder: Path) -> None:
    """Take every step on one suite, and print a line for each."""
    archive = debian(suite, CACHE)
    with booted(archive, folder / suite) as machine:
        version = machine.ask("systemctl", "--version").splitlines()[0]
        print(f"{suite}: {version}, Python {machine.ask('python3', '--version')}", flush=True)
        box = Box(machine, built, folder / f"{suite}.json")
        for step in STEPS:
            began = time.monotonic()
            try:
                seen = step(box)
            except MachineError:
                log = machine.run("journalctl", "-q", "--no-pager", "-n", "40", "-o", "cat").stdout
                print(f"{suite}: {step.__name__} failed; the journal ends with:\n{log}", flush=True)
                raise
            took = time.monotonic() - began
            print(f"{suite}: {step.__name__} ({took:.0f} s): {seen}", flush=True)


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


def main(suites: list[str]) -> int:
    """Walk through the suites; return the exit status."""
    CACHE.mkdir(parents=True, exist_ok=True)
    try:
        built = packages(CACHE, "amd64", (BEGINS, GOOD, FAILS_ITS_TEST, DOES_NOT_START))
        print(f"lintian {built[BEGINS].name}: {lint(built[BEGINS])}", flush=True)
        with TemporaryDirectory(prefix="monster-table-box-", dir=CACHE) as folder:
            for suite in suites or SUITES:
                walk(suite, built, Path(folder))
    except (MachineError, subprocess.SubprocessError) as failed:
        print(f"The package does not work: {failed}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
