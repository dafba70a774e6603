"""`python -m tests.box.arm64 [FOLDER]`: the package on 64-bit ARM, emulated.

A Debian root for arm64 is unpacked, not started: its programs run by QEMU's user emulation, in a
user namespace that alone knows them, so the machine around it is not changed. The package is
installed, serves, reads 60 stills as this machine does, is updated, refuses one version, steps back
from another, is removed and purged. The stills are those of FOLDER, else ten of each rest of the
clips. One line a step; every figure is one of the emulation.

There is no systemd: `tests/box/systemctl.py` starts the service by its unit, without sandbox,
limits and watchdog. There is no udev, Avahi or camera either, and Debian's own packages are
unpacked without being configured.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from companion.vision.opencv import cv2
from companion.vision.pictures.frames import video_frames
from tests.box.box import COMPANION, Box
from tests.box.machine import CACHE, MIRROR, ROOT, ROOT_S, Machine, MachineError, first_process
from tests.box.packages import BEGINS, VERSIONS, packages
from tests.box.readings import Comparison
from tests.box.steps import (
    install,
    lint,
    lintian_is_there,
    purged,
    refused,
    removed,
    stepped_back,
    take,
    updated,
)

CLIPS = sorted((ROOT / "tests" / "clips").glob("*.mp4"))
STANDS_IN = Path(__file__).with_name("systemctl.py")
QEMU = "/usr/bin/qemu-aarch64-static"
SUITE = "bookworm"
INCLUDE = "?essential,python3,python3-venv,adduser,libstdc++6,passwd"
OF_A_REST = 10
PATIENCE = 9.0
"""Emulation takes ten times as long, and more on a busy machine."""

ELF = r":qemu-aarch64:M::\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\xb7\x00:"
MASK = r"\xff\xff\xff\xff\xff\xff\xff\x00\xff\xff\xff\xff\xff\xff\xff\xff\xfe\xff\xff\xff:"

ENTER = """
set -e
root=$1
read -r _
ip link set lo up
mount --bind "$root" "$root"
mount -t proc proc "$root/proc"
mount -t tmpfs tmpfs "$root/dev"
for device in null zero full random urandom tty; do
    touch "$root/dev/$device"
    mount --bind "/dev/$device" "$root/dev/$device"
done
mkdir "$root/dev/shm"
mount -t tmpfs tmpfs "$root/dev/shm"
mount -t binfmt_misc binfmt_misc "$root/proc/sys/fs/binfmt_misc"
printf '%s' "$PROGRAMS" >"$root/proc/sys/fs/binfmt_misc/register"
exec chroot "$root" sleep infinity </dev/null
"""


@contextmanager
def emulated(folder: Path) -> Iterator[Machine]:
    """Unpack a root for arm64, and yield a machine of it; end all of it afterwards."""
    missing = [tool for tool in ("mmdebstrap", Path(QEMU).name) if shutil.which(tool) is None]
    if missing or os.geteuid():
        raise MachineError("this needs root, and apt install mmdebstrap qemu-user-static")
    archive = CACHE / f"{SUITE}-arm64.tar"
    if not archive.is_file():
        new = archive.with_suffix(".new.tar")
        options = ["--quiet", "--variant=extract", "--arch=arm64"]
        includes = [f"--include={one}" for one in INCLUDE.split(",")]
        command = ["mmdebstrap", *options, *includes, SUITE, str(new), MIRROR]
        subprocess.run(command, check=True, timeout=ROOT_S)
        new.replace(archive)
    root = folder / "root"
    root.mkdir()
    subprocess.run(["tar", "-C", str(root), "-xf", str(archive)], check=True)
    _finish(root)
    outer = _started(root)
    try:
        yield Machine(root, first_process(outer, "sleep"), PATIENCE)
    finally:
        # QEMU's process does not end with its parent.
        children = Path(f"/proc/{outer.pid}/task/{outer.pid}/children")
        for child in children.read_text().split():
            os.kill(int(child), signal.SIGKILL)
        outer.kill()
        outer.wait()
        shutil.rmtree(root, ignore_errors=True)


def _started(root: Path) -> subprocess.Popen[bytes]:
    """Start the namespaces; numbers of users are the same inside and outside."""
    apart = ["--user", "--mount", "--pid", "--net", "--propagation", "private"]
    outer = subprocess.Popen(
        ["unshare", *apart, "--fork", "--kill-child", "sh", "-c", ENTER, "arm64", str(root)],
        stdin=subprocess.PIPE,
        env=os.environ | {"PROGRAMS": f"{ELF}{MASK}{QEMU}:FP"},
    )
    own = Path("/proc/self/ns/user").readlink()
    while Path(f"/proc/{outer.pid}/ns/user").readlink() == own:
        time.sleep(0.05)
    for kind in ("uid_map", "gid_map"):
        Path(f"/proc/{outer.pid}/{kind}").write_text("0 0 65536")
    assert outer.stdin is not None
    outer.stdin.write(b"go\n")
    outer.stdin.close()
    return outer


def _finish(root: Path) -> None:
    """Do what the configuration of Debian's own packages would have done."""
    shutil.copy(QEMU, root / QEMU.lstrip("/"))
    for name in ("passwd", "group"):
        shutil.copy(root / f"usr/share/base-passwd/{name}.master", root / "etc" / name)
    for name in ("etc/shadow", "etc/gshadow", "var/lib/dpkg/status", "var/lib/dpkg/available"):
        (root / name).touch()
    for name in ("info", "updates"):
        (root / "var/lib/dpkg" / name).mkdir(exist_ok=True)
    # Debian's own packages are unpacked, and not in the list of what is installed.
    (root / "etc/dpkg/dpkg.cfg.d/unpacked").write_text("force-depends\n")
    (root / "run/systemd/system").mkdir(parents=True)
    command = root / "usr/bin/systemctl"
    command.write_text(f"#!/usr/bin/python3\n{STANDS_IN.read_text('utf-8')}")
    command.chmod(0o755)


def stills(given: list[str], folder: Path) -> dict[str, list[Path]]:
    """Return the stills by game: those of a folder with `labels.jsonl`, else of the clips."""
    found: dict[str, list[Path]] = {}
    if given:
        for line in (Path(given[0]) / "labels.jsonl").read_text("utf-8").splitlines():
            label = json.loads(line)
            found.setdefault(label["game"], []).append(Path(given[0]) / label["image"])
        return found
    for clip in CLIPS:
        labels = json.loads(clip.with_suffix(".json").read_text("utf-8"))
        wanted: set[int] = set()
        for rest in labels["throws"]:
            begin, length = rest["settled_frame"], rest["next_motion_frame"] - rest["settled_frame"]
            wanted |= {begin + length * step // (OF_A_REST + 1) for step in range(1, OF_A_REST + 1)}
        for frame in video_frames(str(clip)):
            if frame.index in wanted:
                path = folder / f"{clip.stem}-{frame.index:04}.png"
                cv2.imwrite(str(path), frame.image)
                found.setdefault(labels["game"], []).append(path)
    return found


def compare(machine: Machine, pictures: dict[str, list[Path]]) -> str:
    """Read the stills there and here; MachineError unless each reading is the same."""
    folder = machine.root / "var/tmp/stills"
    folder.mkdir()
    compared, took = Comparison(), 0.0
    for game, paths in pictures.items():
        for path in paths:
            shutil.copy(path, folder)
            (folder / path.name).chmod(0o644)
        began = time.monotonic()
        inside = [f"/var/tmp/stills/{path.name}" for path in paths]
        there = machine.ask("companion", "read", *inside, "--game", game, "--json")
        took += time.monotonic() - began
        here = subprocess.run(
            [*COMPANION, "read", *paths, "--game", game, "--json"],
            capture_output=True,
            text=True,
            cwd=ROOT,
            check=True,
        ).stdout
        compared.add(there, here)
    compared.check()
    return f"{compared}, {took / compared.stills:.1f} s each"


def steps(pictures: dict[str, list[Path]]) -> list[Callable[[Box], str]]:
    """Return the steps that emulation allows."""

    def read_stills(box: Box) -> str:
        return compare(box.machine, pictures)

    return [install, read_stills, updated, refused, stepped_back, removed, purged]


def main(given: list[str]) -> int:
    """Print a line a step; return the exit status."""
    CACHE.mkdir(parents=True, exist_ok=True)
    try:
        lintian_is_there()
        built = packages(CACHE, "arm64", VERSIONS)
        print(f"lintian {built[BEGINS].name}: {lint(built[BEGINS])}", flush=True)
        with TemporaryDirectory(prefix="monster-table-box-", dir=CACHE) as name:
            folder = Path(name)
            pictures = stills(given, folder)
            with emulated(folder) as machine:
                machine.ask("ldconfig")
                there = machine.ask("uname", "-m"), machine.ask("python3", "--version")
                print(f"arm64, emulated: {', '.join(there)}", flush=True)
                box = Box(machine, built, folder / "arm64.json")
                take(steps(pictures), box, "arm64, emulated")
    except (MachineError, subprocess.SubprocessError) as failed:
        print(f"The package does not work: {failed}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
