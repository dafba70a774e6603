"""`python -m tests.box [SUITE…]`: the package on a clean Debian, from installation to purge.

For each suite: a minimal Debian under its own systemd, without a network. The package is
installed, serves, reads stills inside the unit's sandbox, survives a freeze and three crashes, is
updated, refuses one version, steps back from another, serves a second table, is removed and purged.
One line a step; exit status 1 at the first that fails.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from companion.vision.pictures import cv2
from companion.vision.sources.frames import video_frames
from tests.box.box import (
    BEGINS,
    COMPANION,
    DOES_NOT_START,
    FAILS_ITS_TEST,
    GOOD,
    HOME,
    STATE,
    UNIT,
    VERSIONS,
    Box,
    expect,
    packages,
)
from tests.box.machine import CACHE, ROOT, Machine, MachineError, booted

CLIPS = sorted((ROOT / "tests" / "clips").glob("*.mp4"))
SUITES = ("bookworm", "trixie")
MOST_EXPOSED = 2.0
WATCHDOG_S = 30.0
RESTART_S = 20.0
"""From the watchdog's end until phones are answered: abort, pause, start on a busy machine."""

TRIED = """[Unit]
Description=A command inside the sandbox of Monster Table
[Service]
Type=oneshot
ExecStart={command}
"""


LOG = "journalctl -q --no-pager -n 40 -o cat"


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
        # A package is installed also if its service is not started; only here it says so.
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
    for unit in (UNIT, "monster-table@bar"):
        state = box.machine.run("systemctl", "is-active", unit).stdout.strip()
        expect(state in {"inactive", "unknown"}, f"{unit}: {state}")
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
    """MachineError if it is not: asked before minutes go into what it would look at."""
    expect(shutil.which("lintian") is not None, "this needs apt install lintian")


def lint(package: Path) -> str:
    """Return what lintian says of the package; MachineError if it finds an error."""
    done = subprocess.run(
        ["lintian", "--fail-on", "error,warning", "--allow-root", str(package)],
        capture_output=True,
        text=True,
        check=False,
    )
    expect(done.returncode == 0, done.stdout)
    return done.stdout.strip() or "nothing to report"


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
    for name, game in names:
        command = f"/{HOME}/current/bin/companion read /{STATE}/stills/{name} --game {game} --json"
        there = sandboxed(box, command)
        here = subprocess.run(
            [*COMPANION, "read", str(folder / name), "--game", game, "--json"],
            capture_output=True,
            text=True,
            cwd=ROOT,
            check=True,
        ).stdout
        expect(read(there) == read(here), there)
    return f"{len(names)} stills are read inside the sandbox as outside"


def read(printed: str) -> object:
    """Return what was read: the verdict, and of each die what a table would see."""
    row = json.loads(printed.strip().splitlines()[-1])
    dice = [[die[key] for key in ("face", "colour", "flat", "problem")] for die in row["dice"]]
    return row["game"], row["sure"], row["problems"], dice


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


def went_back(box: Box) -> str:
    """Serve the version before by hand, and the newer one again."""
    box.moves()
    box.machine.ask(f"/{HOME}/go-back")
    box.serves(BEGINS)
    box.machine.ask(f"/{HOME}/go-back")
    box.serves(GOOD)
    return f"{GOOD} to {BEGINS} and back; {box.lost()}"


def stopped(box: Box) -> str:
    """Install over a stopped and over a masked service; it serves the new version when started."""
    box.machine.ask("systemctl", "stop", UNIT)
    for version, masked in ((GOOD, False), (DOES_NOT_START, True), (GOOD, True)):
        if masked:
            box.machine.ask("systemctl", "mask", UNIT)
        done = box.dpkg(version)
        expect(done.returncode == 0, done.stderr)
        expect(is_active(box) == "inactive", is_active(box))
    box.machine.ask("systemctl", "unmask", UNIT)
    expect(is_active(box) == "inactive", is_active(box))
    box.machine.ask("systemctl", "start", UNIT)
    box.serves(GOOD)
    return "it stayed stopped and masked, and serves the new version once it is started"


def two_tables(box: Box) -> str:
    """Serve a second table; each has its games, one that is killed comes back, both are updated."""
    data, title = f"/{STATE}/tables/bar", "At the bar"
    port, unit = 8082, "monster-table@bar.service"
    options = ("--title", title, "--port", str(port), "--camera", "none")
    box.machine.ask("companion", "setup", "--data", data, *options)
    box.machine.ask("systemctl", "enable", "--now", unit)
    box.serves(GOOD, port=port, title=title)
    first, before = box.main_pid(), box.main_pid(unit)
    box.send(before, "SIGKILL")
    took = box.until_another(before, RESTART_S, unit)
    expect(box.main_pid() == first, "the first table was restarted, too")
    done = box.dpkg(FAILS_ITS_TEST)
    expect(done.returncode != 0 and box.main_pid() == first, done.stderr)
    done = box.dpkg(GOOD)
    expect(done.returncode == 0 and box.main_pid() != first, done.stderr)
    box.serves(GOOD)
    box.serves(GOOD, port=port, title=title)
    return f"killed, the second answers again after {took:.1f} s beside the first; both are updated"


def is_active(box: Box) -> str:
    """Return the service's state as systemd names it."""
    return box.machine.run("systemctl", "is-active", UNIT).stdout.strip()


def bundled(box: Box) -> str:
    """Make a support bundle as a person does: what the service printed and the log are in it."""
    command = "cd /root && companion doctor --bundle - > help.json 2> help.txt"
    done = box.machine.run("sh", "-c", command)
    expect(done.returncode in {0, 1}, done.stderr)  # 1: the machine has no network
    made = json.loads((box.machine.root / "root" / "help.json").read_text("utf-8"))
    expect([one for one in made["found"] if one["about"] == "log"] != [], str(made["found"]))
    expect(any("systemd" in line for line in made["log"]), str(made["log"]))
    return f"{len(made['log'])} lines of the service, {len(made['found'])} diagnoses"


def hotspot(box: Box) -> str:
    """Set up a Wi-Fi of the box's own, with a cable in place of one; a phone is led to the page."""
    stands_in(box, "nmcli", f'echo "$*" >>{CALLED}')
    stands_in(box, "avahi-publish", 'echo "$*"; exec sleep infinity')
    box.machine.ask("python3", "-c", WRITE, "/root/password", "back\\slash 12\r\n")
    command = f"/{HOME}/hotspot"
    refused = box.machine.run(command, "Our Table", "/dev/null")
    expect(refused.returncode == 2, refused.stderr)
    expect(box.machine.run("test", "-e", CALLED).returncode == 1, "a wrong Wi-Fi was made")
    printed = box.machine.ask(command, "Our Table", "/root/password")
    expect("/j#" not in printed, printed)
    made = box.machine.ask("cat", WIFI)
    expect(f"ssid={''.join(f'{byte};' for byte in b'Our Table')}\n" in made, made)
    expect("psk=back\\\\slash 12\n" in made, made)
    expect(
        box.machine.ask("stat", "-c", "%a %U", WIFI).split() == ["600", "root"], "others read it"
    )
    settings = (box.machine.root / STATE / "settings.toml").read_text("utf-8")
    expect("hotspot = true" in settings and "back" in settings, settings)
    with phone(box.machine) as asks:
        expect(asks() == "204", asks())
        box.machine.ask("companion", "setup", "--port", "8081")
        box.machine.ask("systemctl", "restart", UNIT)
        expect(asks() == "204", asks())
        announced = box.machine.ask("journalctl", "-q", "-o", "cat", "-u", "monster-table-avahi")
        expect("_http._tcp 8081 path=/" in announced, announced)
        box.machine.ask("systemctl", "stop", UNIT)
        expect(asks() == "ConnectionRefusedError", asks())
        box.machine.ask("companion", "setup", "--port", "8080")
        box.machine.ask("systemctl", "start", UNIT)
        expect(asks() == "204", asks())
    box.serves(GOOD)
    return "a phone is led from port 80 to the service, at 8080 and at 8081; Avahi names the port"


CABLE = """
ip link add wifi type veth peer name phone netns {phone}
ip address add 10.42.0.1/24 dev wifi
ip link set wifi up
nsenter -t {phone} -n ip address add 10.42.0.50/24 dev phone
nsenter -t {phone} -n ip link set phone up
"""
ASKS = """
import urllib.request
asked = urllib.request.Request("http://10.42.0.1/generate_204")
asked.add_header("Host", "connectivitycheck.gstatic.com")
try:
    print(urllib.request.urlopen(asked, timeout=10).status)
except OSError as refused:
    print(type(getattr(refused, "reason", refused)).__name__)
"""


@contextmanager
def phone(machine: Machine) -> Iterator[Callable[[], str]]:
    """A network of its own with a cable to the machine; yields what asks for the internet there."""
    with subprocess.Popen(["unshare", "--net", "cat"], stdin=subprocess.PIPE) as process:
        here = Path("/proc/self/ns/net").readlink()
        while Path(f"/proc/{process.pid}/ns/net").readlink() == here:
            time.sleep(0.05)
        cable = CABLE.format(phone=process.pid)
        inside = ["nsenter", "-t", str(machine.pid), "-n"]
        subprocess.run([*inside, "sh", "-euc", cable], check=True)
        asks = ["nsenter", "-t", str(process.pid), "-n", sys.executable, "-c", ASKS]
        yield lambda: subprocess.run(
            asks, capture_output=True, text=True, check=True
        ).stdout.strip()
        assert process.stdin is not None
        process.stdin.close()


CALLED = "/run/called"
WIFI = "/etc/NetworkManager/system-connections/monster-table-hotspot.nmconnection"


def stands_in(box: Box, name: str, line: str) -> None:
    """Put a command of one line in the place of one that a minimal Debian lacks."""
    box.machine.ask("python3", "-c", WRITE, f"/usr/bin/{name}", f"#!/bin/sh\n{line}\n")
    box.machine.ask("chmod", "755", f"/usr/bin/{name}")


def purged_on_a_disk(box: Box) -> str:
    """Purge the package, whose data lie on a disk of its own."""
    box.machine.ask("mount", "-t", "tmpfs", "tmpfs", f"/{STATE}")
    box.machine.ask("touch", f"/{STATE}/table.db")
    box.machine.ask("dpkg", "-P", "monster-table")
    expect(box.machine.ask("ls", "-A", f"/{STATE}") == "", "the log is still there")
    box.machine.ask("umount", f"/{STATE}")
    box.machine.ask("rm", "-r", f"/{STATE}")
    return purged(box)


STEPS: Sequence[Callable[[Box], str]] = (
    install,
    sandbox,
    probed,
    stills,
    freeze,
    crashes,
    bundled,
    updated,
    refused,
    went_back,
    stepped_back,
    stopped,
    hotspot,
    two_tables,
    removed,
    purged_on_a_disk,
)


def walk(suite: str, built: dict[str, Path], folder: Path) -> None:
    """Take every step on one suite, and print a line for each."""
    with booted(suite, folder / suite) as machine:
        version = machine.ask("systemctl", "--version").splitlines()[0]
        print(f"{suite}: {version}, Python {machine.ask('python3', '--version')}", flush=True)
        box = Box(machine, built, folder / f"{suite}.json")
        take(STEPS, box, suite)


def main(suites: list[str]) -> int:
    """Walk through the suites; return the exit status."""
    CACHE.mkdir(parents=True, exist_ok=True)
    try:
        lintian_is_there()
        built = packages(CACHE, "amd64", VERSIONS)
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
