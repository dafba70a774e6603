"""A machine of its own: a Debian root, with systemd as its first process in namespaces.

The network namespace has the loopback interface alone, so whatever would reach for the network
fails. Needs root; nothing outside the folder is changed.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "monster-table"
"""Where archives and packages are kept between runs."""
MIRROR = "http://deb.debian.org/debian"
INCLUDE = "python3,python3-venv,adduser,systemd-sysv,udev,nftables"
BOOT_S = 60.0
COMMAND_S = 400.0
ROOT_S = 900.0
NEEDED = {"mmdebstrap": "mmdebstrap", "unshare": "util-linux", "dpkg-deb": "dpkg"}

MOUNTS = """
set -e
root=$1
mount --bind "$root" "$root"
mount -t proc proc "$root/proc"
mount -t sysfs -o ro sysfs "$root/sys"
mount -t tmpfs tmpfs "$root/run"
mount -t tmpfs tmpfs "$root/dev"
for device in null zero full random urandom tty; do
    touch "$root/dev/$device"
    mount --bind "/dev/$device" "$root/dev/$device"
done
mkdir "$root/dev/pts" "$root/dev/shm"
mount -t devpts -o newinstance,ptmxmode=0666,mode=620 devpts "$root/dev/pts"
ln -s pts/ptmx "$root/dev/ptmx"
ln -s /proc/self/fd "$root/dev/fd"
mount -t tmpfs tmpfs "$root/dev/shm"
"""
"""What a program finds in every root."""

BOOT = """
mount -t tmpfs tmpfs "$root/sys/fs/cgroup"
mount -t cgroup2 cgroup2 "$root/sys/fs/cgroup"
ip link set lo up
exec env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin container=box \\
    chroot "$root" /lib/systemd/systemd --unit=multi-user.target
"""


class MachineError(Exception):
    """The machine cannot be made, or did not do what it was asked; the message says why."""


def unpacked(suite: str, root: Path, include: str = INCLUDE) -> None:
    """Unpack a minimal Debian with these packages; its archive is made once, and again if it is
    damaged.
    """
    missing = sorted(NEEDED[tool] for tool in NEEDED if shutil.which(tool) is None)
    if missing or os.geteuid():
        raise MachineError(f"this needs root, and {' '.join(missing) or 'nothing else'}")
    made_of = hashlib.sha256(include.encode()).hexdigest()[:8]
    archive = CACHE / f"{suite}-{made_of}.tar"
    if archive.is_file() and _extracted(archive, root):
        return
    CACHE.mkdir(parents=True, exist_ok=True)
    new = archive.with_suffix(f".{os.getpid()}.tar")
    options = ["--quiet", "--variant=minbase", f"--include={include}"]
    command = ["mmdebstrap", *options, suite, str(new), MIRROR]
    subprocess.run(command, check=True, timeout=ROOT_S)
    new.replace(archive)
    if not _extracted(archive, root):
        raise MachineError(f"{archive} cannot be unpacked")


def _extracted(archive: Path, root: Path) -> bool:
    """Empty the folder and unpack the archive there; False if it is damaged."""
    shutil.rmtree(root, ignore_errors=True)
    root.mkdir(parents=True)
    return (
        subprocess.run(["tar", "-C", str(root), "-xf", str(archive)], check=False).returncode == 0
    )


@dataclass(frozen=True, slots=True)
class Machine:
    """A running machine, by the number of its first process out here."""

    root: Path
    pid: int

    def run(self, *command: str) -> subprocess.CompletedProcess[str]:
        """Run a command in the machine, and return what it printed."""
        home = f"/proc/{self.pid}/root"
        enter = ["nsenter", "-t", str(self.pid), "-a", f"-r{home}", f"-w{home}"]
        clean = ["env", "-i", "PATH=/usr/sbin:/usr/bin:/sbin:/bin", "LANG=C.UTF-8", "HOME=/root"]
        return subprocess.run(
            [*enter, *clean, *command],
            capture_output=True,
            text=True,
            errors="replace",
            timeout=COMMAND_S,
            check=False,
        )

    def ask(self, *command: str) -> str:
        """Run a command that must succeed, and return its output."""
        done = self.run(*command)
        if done.returncode:
            raise MachineError(f"{' '.join(command)}: {(done.stderr or done.stdout).strip()}")
        return done.stdout.strip()


@contextmanager
def booted(suite: str, folder: Path) -> Iterator[Machine]:
    """Unpack a root, start its systemd, and yield the machine; end all of it afterwards."""
    root = folder / "root"
    unpacked(suite, root)
    apart = ["--mount", "--pid", "--net", "--uts", "--ipc", "--cgroup", "--propagation", "private"]
    dies_too = ["setpriv", "--pdeathsig", "KILL", "unshare", *apart, "--fork", "--kill-child"]
    command = [*dies_too, "bash", "-c", MOUNTS + BOOT, "box", str(root)]
    with (folder / "console.log").open("w") as console:
        outer = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=console, stderr=console)
    try:
        machine = Machine(root, first_process(outer, "systemd"))
        _wait_for_boot(machine)
        yield machine
    finally:
        outer.send_signal(signal.SIGKILL)
        outer.wait()
        shutil.rmtree(root, ignore_errors=True)


def first_process(outer: subprocess.Popen[bytes], name: str) -> int:
    """Wait until the first process of the namespaces runs this program; return its number."""
    until = time.monotonic() + BOOT_S
    children = Path(f"/proc/{outer.pid}/task/{outer.pid}/children")
    while time.monotonic() < until:
        for child in children.read_text().split():
            if Path(f"/proc/{child}/comm").read_text().strip() == name:
                return int(child)
        time.sleep(0.1)
    raise MachineError(f"{name} does not start in a namespace here")


def _wait_for_boot(machine: Machine) -> None:
    until = time.monotonic() + BOOT_S
    while (state := machine.run("systemctl", "is-system-running").stdout.strip()) != "running":
        if time.monotonic() > until:
            failed = machine.run("systemctl", "--failed", "--no-legend").stdout.strip()
            raise MachineError(f"the machine is {state or 'silent'}: {failed}")
        time.sleep(0.5)
