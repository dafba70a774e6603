"""`python3 -m tests.box.roots [SUITE…] [-- COMMAND…]`: what a newcomer types on a clean Debian.

For each suite: a minimal Debian with `git make python3 python3-venv`, in which an ordinary user
has a clone of this commit. `make run` must serve its page, then COMMAND, by default `make test`,
must succeed. Prints the seconds of each; exit status 1 if one failed. Needs root and Python alone.

The network, its certificates and how pip and npm reach their registries are those of this machine.
What was downloaded is kept for the next time.
"""

from __future__ import annotations

import json
import os
import re
import select
import shlex
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final
from urllib.request import ProxyHandler, build_opener

from tests.box.machine import CACHE, MOUNTS, ROOT, MachineError, unpacked

SUITES = ("bookworm", "trixie")
INCLUDE = "git,make,python3,python3-venv"
USER = "player"
HOME = Path("home", USER)
RUN = 'make run ARGS="--host 127.0.0.1 --port 0"'
TEST = ("make", "test")
RUN_S = 600
TEST_S = 2400
PAGE_S = 30
PASSED_ON: Final = re.compile(
    r"(pip_\w+|npm_config_\w+|\w+_proxy|ssl_cert_(file|dir)|node_extra_ca_certs)", re.IGNORECASE
)
"""The variables by which this machine reaches the registries."""

ENTER = """
shift
for file in /etc/hosts /etc/resolv.conf "$@"; do
    if [ -d "$file" ]; then mkdir -p "$root$file"; else
        mkdir -p "$root${file%/*}"; touch "$root$file"; fi
    mount --bind "$file" "$root$file"
done
mount --bind "$KEPT" "$root$HOME/.cache"
chroot "$root" setpriv --reuid="$USER" --regid="$USER" --init-groups \\
    sh -c "cd ~/monster-table && exec $COMMAND" || exit  # this shell reaps orphans
"""


def registries() -> dict[str, str]:
    """Return how pip and npm reach their registries here, as variables."""
    pip = [sys.executable, "-m", "pip", "config", "list"]
    done = subprocess.run(pip, capture_output=True, text=True, check=False)
    settings = re.findall(r"^(?:global|install)\.([\w-]+)='(.*)'$", done.stdout, re.MULTILINE)
    found = {f"PIP_{name.upper().replace('-', '_')}": value for name, value in settings}
    return found | {name: value for name, value in os.environ.items() if PASSED_ON.fullmatch(name)}


def named_paths(variables: dict[str, str]) -> list[str]:
    """Return the files and folders that the variables name; of an index its packages, too."""
    words = " ".join(variables.values()).split()
    paths = {Path(word) for word in words if word.startswith("/")}
    paths |= {Path(word.removeprefix("file://")).parent for word in words if "file:///" in word}
    return [str(path) for path in sorted(paths) if path.exists()]


@contextmanager
def inside(root: Path, command: str) -> Iterator[subprocess.Popen[str]]:
    """Run a command in the clone, in namespaces of its own; end all it started afterwards."""
    passed = registries()
    own = {
        "PATH": "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin",
        "HOME": f"/{HOME}",
        "USER": USER,
        "LANG": "C.UTF-8",
        "npm_config_cache": f"/{HOME}/.cache/npm",
        "KEPT": str(CACHE / "downloads"),
        "COMMAND": command,
    }
    apart = ["--mount", "--pid", "--ipc", "--propagation", "private", "--fork", "--kill-child"]
    enter = ["setpriv", "--pdeathsig", "KILL", "unshare", *apart, "bash", "-c", MOUNTS + ENTER]
    process = subprocess.Popen(
        [*enter, "root", str(root), *named_paths(passed)],
        env=passed | own,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        yield process
    finally:
        process.kill()
        process.wait()


def cloned(root: Path) -> None:
    """Clone this commit into the home of an ordinary user."""
    subprocess.run(["chroot", str(root), "useradd", "--create-home", USER], check=True)
    clone = root / HOME / "monster-table"
    subprocess.run(["git", "clone", "-q", "--no-hardlinks", str(ROOT), str(clone)], check=True)
    (root / HOME / ".cache").mkdir()
    (CACHE / "downloads").mkdir(exist_ok=True)
    owner = f"/{HOME}"
    subprocess.run(["chroot", str(root), "chown", "-R", f"{USER}:", owner], check=True)
    made = (root / HOME).stat()
    os.chown(CACHE / "downloads", made.st_uid, made.st_gid)


def served(root: Path) -> str:
    """Start the service; return what its page is. MachineError if none is served."""
    with inside(root, RUN) as process:
        assert process.stdout is not None
        ready, _, _ = select.select([process.stdout], [], [], RUN_S)
        line = process.stdout.readline() if ready else ""
        if not line:
            raise MachineError("`make run` serves nothing")
        address = json.loads(line)["url"]
        with build_opener(ProxyHandler({})).open(address, timeout=PAGE_S) as answer:
            page = answer.read().decode()
    if "<script" not in page:
        raise MachineError(f"`make run` serves no page: {page[:200]}")
    return f"{len(page)} bytes"


def tested(root: Path, command: str) -> str:
    """Run the command and show what it prints; return its last line of counts. MachineError if it
    fails.
    """
    counts = ""
    with inside(root, f"timeout {TEST_S} {command}") as process:
        assert process.stdout is not None
        for line in process.stdout:
            print(line, end="", flush=True)
            counts = line.strip("= \n") if " passed" in line else counts
        if process.wait():
            raise MachineError(f"`{command}` ended with {process.returncode}: {counts}")
    return counts


def walk(suite: str, command: str, root: Path) -> Iterator[str]:
    """Yield a line for each of the two commands."""
    unpacked(suite, root, INCLUDE)
    began = time.monotonic()
    cloned(root)
    page = served(root)
    yield f"from the clone to the page of `make run` {time.monotonic() - began:.0f} s ({page})"
    began = time.monotonic()
    counts = tested(root, command)
    yield f"`{command}` {time.monotonic() - began:.0f} s: {counts}"


def main(arguments: list[str]) -> int:
    """Walk through the suites; return the exit status."""
    end = arguments.index("--") if "--" in arguments else len(arguments)
    command = shlex.join(arguments[end + 1 :] or TEST)
    seen, status = [], 0
    for suite in arguments[:end] or SUITES:
        CACHE.mkdir(parents=True, exist_ok=True)
        with TemporaryDirectory(prefix="root-", dir=CACHE) as folder:
            Path(folder).chmod(0o755)
            try:
                for line in walk(suite, command, Path(folder, "root")):
                    seen.append(f"{suite}: {line}")
                    print(seen[-1], flush=True)
            except (MachineError, OSError, subprocess.SubprocessError) as failed:
                seen.append(f"{suite}: {failed}")
                status = 1
    print("\n".join(seen), flush=True)
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
