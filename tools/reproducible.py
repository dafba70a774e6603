"""Build wheel and sdist twice, from two copies of the checkout, and compare them byte by byte.

`python -m tools.reproducible [FOLDER]`: the copies have other paths, times, umasks, time zones and
languages; each builds the phone app anew. Prints the SHA-256 of each file; exit 1 where one
differs. FOLDER gets the files.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

ROOT: Final = Path(__file__).parent.parent
TARGETS: Final = ("sdist", "wheel")
A_DAY_S: Final = 86_400
PLACES: Final = (
    ("a", 0o022, {"TZ": "UTC", "LC_ALL": "C.UTF-8"}),
    ("another/and deeper", 0o077, {"TZ": "Pacific/Auckland", "LC_ALL": "C"}),
)
"""Where each copy is, its umask, and its environment."""


def copy_checkout(to: Path) -> None:
    """Copy the files that git knows, as they are now, and the packages of npm."""
    listed = subprocess.run(
        ["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True
    ).stdout
    for name in listed.decode().split("\0"):
        if name and (ROOT / name).is_file():
            (to / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, to / name)
    packages = ROOT / "webui" / "node_modules"
    if packages.is_dir():
        shutil.copytree(packages, to / "webui" / "node_modules", symlinks=True)


def build(source: Path, out: Path, umask: int, environment: dict[str, str]) -> dict[str, bytes]:
    """Build both files, and return their content by name."""
    for target in TARGETS:
        subprocess.run(
            [sys.executable, "-m", "hatchling", "build", "-t", target, "-d", str(out)],
            cwd=source,
            env={**os.environ, **environment},
            umask=umask,
            stdout=subprocess.DEVNULL,
            check=True,
        )
    return {path.name: path.read_bytes() for path in sorted(out.iterdir())}


def main(arguments: list[str]) -> int:
    """Build, compare, print; return the exit status."""
    built = []
    with TemporaryDirectory() as folder:
        for number, (place, umask, environment) in enumerate(PLACES):
            source = Path(folder, place)
            copy_checkout(source)
            for path in source.rglob("*.py"):
                os.utime(path, (A_DAY_S * (number + 1), A_DAY_S * (number + 1)))
            built.append(build(source, Path(folder, f"out{number}"), umask, environment))
    first, second = built
    for name, content in first.items():
        same = "the same twice" if second.get(name) == content else "DIFFERS"
        print(f"{hashlib.sha256(content).hexdigest()}  {name}  {same}")
    if arguments:
        Path(arguments[0]).mkdir(parents=True, exist_ok=True)
        for name, content in first.items():
            Path(arguments[0], name).write_bytes(content)
    return 0 if first == second else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
