"""Build the Debian package: `python -m tools.deb --architecture arm64 --out dist`.

The package carries this checkout's wheel and, for every Python of `PYTHONS`, the wheels that
`packaging/wheels.lock` names with their hashes. Built twice from the same commit it is the same
bytes. What the package does on a machine is in `packaging/`.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import format_datetime
from pathlib import Path
from tempfile import TemporaryDirectory

from tools.deb.copyright import write_copyright

ROOT = Path(__file__).parent.parent.parent
PACKAGING = ROOT / "packaging"
LOCK = PACKAGING / "wheels.lock"
PYTHONS = ("3.11", "3.13")
"""Those of Debian 12 and 13."""
MACHINES = {"amd64": "x86_64", "arm64": "aarch64"}
GLIBC = ("manylinux_2_28", "manylinux_2_27", "manylinux_2_17", "manylinux2014")
NAME = "monster-table"
HOME = Path("usr", "lib", NAME)
DOC = Path("usr", "share", "doc", NAME)
UNITS = Path("usr", "lib", "systemd", "system")
FURTHER = {
    "the companion of a board game": "the table %i",
    "DATA=/var/lib/monster-table": "DATA=/var/lib/monster-table/tables/%i",
    "StateDirectory=monster-table": "StateDirectory=monster-table/tables/%i",
}
"""What the template of further tables has in place of what stands in the service's unit."""
GUIDES = ("install.md",)
"""Pages of docs/ that the package carries; its units name them."""


class BuildError(Exception):
    """The package cannot be built; the message gives the reason."""


@dataclass(frozen=True, slots=True)
class Build:
    """What is built, of what, and the time that all its files carry."""

    architecture: str
    version: str
    wheel: Path
    wheels: Path
    epoch: int


def source_date() -> int:
    """Return `SOURCE_DATE_EPOCH`, else the time of the commit. BuildError where there is none."""
    given = os.environ.get("SOURCE_DATE_EPOCH")
    if given is None:
        command = ["git", "log", "-1", "--format=%ct"]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
        given = done.stdout.strip()
    if not given.isdecimal():
        raise BuildError("set SOURCE_DATE_EPOCH: this is no checkout of git")
    return int(given)


def build_wheel(folder: Path) -> Path:
    """Build this checkout's wheel in `folder`."""
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(command, cwd=ROOT, check=True, stdout=sys.stderr)
    (wheel,) = folder.glob("*.whl")
    return wheel


def download(architecture: str, folder: Path) -> None:
    """Fetch the wheels of the lock for the architecture; each must have a hash that it names."""
    folder.mkdir(parents=True, exist_ok=True)
    platforms = [f"--platform={glibc}_{MACHINES[architecture]}" for glibc in GLIBC]
    for python in PYTHONS:
        tags = [f"--abi=cp{python.replace('.', '')}", "--abi=abi3", "--abi=none"]
        only = ["--no-deps", "--require-hashes", "--only-binary=:all:", "--implementation=cp"]
        pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "download", "-q"]
        where = [f"--python-version={python}", "-d", str(folder), "-r", str(LOCK)]
        subprocess.run([*pip, *only, *platforms, *tags, *where], check=True)


def requirements(wheel: Path) -> str:
    """Return the lock and this checkout's wheel, each with its hash."""
    lock = LOCK.read_text("utf-8")
    if "python_version" in lock or "python_full_version" in lock:
        raise BuildError(f"{LOCK.name} must name one version of each package for every Python")
    name, version = wheel.name.split("-")[:2]
    digest = hashlib.sha256(wheel.read_bytes()).hexdigest()
    return f"{lock}{name.replace('_', '-')}=={version} --hash=sha256:{digest}\n"


def stage(build: Build, root: Path) -> None:
    """Lay out the package's files in `root`."""
    shutil.copytree(PACKAGING / "root", root)
    shutil.copytree(
        PACKAGING / "helper", root / HOME / "helper", ignore=shutil.ignore_patterns("__pycache__")
    )
    write_template(root / UNITS)
    wheels = root / HOME / "wheels"
    wheels.mkdir()
    for wheel in (*sorted(build.wheels.glob("*.whl")), build.wheel):
        shutil.copyfile(wheel, wheels / wheel.name)
    (wheels / "requirements.txt").write_text(requirements(build.wheel), "utf-8")
    doc = root / DOC
    doc.mkdir(parents=True)
    for guide in GUIDES:
        shutil.copyfile(ROOT / "docs" / guide, doc / guide)
    _write_gzip(doc / "changelog.gz", (ROOT / "CHANGELOG.md").read_text("utf-8"))
    _write_gzip(doc / "changelog.Debian.gz", _debian_changelog(build))
    for manual in (root / "usr" / "share" / "man").rglob("*.1"):
        _write_gzip(manual.with_name(f"{manual.name}.gz"), manual.read_text("utf-8"))
        manual.unlink()
    write_copyright(doc, ROOT / "LICENSE", wheels)
    _write_control(build, root)
    _same_everywhere(root, build.epoch)


def write_template(units: Path) -> None:
    """Write the unit of further tables: the service's own, with a data folder for each."""
    text = (units / f"{NAME}.service").read_text("utf-8")
    for own, further in FURTHER.items():
        text = text.replace(f"{own}\n", f"{further}\n")
    (units / f"{NAME}@.service").write_text(text, "utf-8")


def _debian_changelog(build: Build) -> str:
    date = format_datetime(datetime.fromtimestamp(build.epoch, UTC))
    who = "Monster Table contributors <maintainers@monster-table.invalid>"
    what = "  * A build of the upstream version; what changed is in changelog.gz."
    return f"{NAME} ({build.version}) stable; urgency=medium\n\n{what}\n\n -- {who}  {date}\n"


def _write_gzip(path: Path, text: str) -> None:
    path.write_bytes(gzip.compress(text.encode(), 9, mtime=0))


def _files(root: Path) -> Iterator[Path]:
    return (path for path in sorted(root.rglob("*")) if path.is_file() and not path.is_symlink())


def _write_control(build: Build, root: Path) -> None:
    files = list(_files(root))
    sums = [
        f"{hashlib.md5(path.read_bytes(), usedforsecurity=False).hexdigest()}  "
        f"{path.relative_to(root).as_posix()}\n"
        for path in files
    ]
    size = sum(-(-path.stat().st_size // 1024) for path in files)
    folder = root / "DEBIAN"
    folder.mkdir()
    for source in sorted((PACKAGING / "debian").iterdir()):
        text = source.read_text("utf-8")
        text = text.replace("@VERSION@", build.version).replace("@SIZE@", str(size))
        text = text.replace("@ARCHITECTURE@", build.architecture)
        (folder / source.name).write_text(text, "utf-8")
        if text.startswith("#!"):
            (folder / source.name).chmod(0o755)
    (folder / "md5sums").write_text("".join(sums), "utf-8")


def _same_everywhere(root: Path, epoch: int) -> None:
    """Give every file the mode and time that it has on any machine."""
    for path in (root, *root.rglob("*")):
        runs = path.is_dir() or path.read_bytes()[:2] == b"#!"
        path.chmod(0o755 if runs else 0o644)
        os.utime(path, (epoch, epoch))


def pack(build: Build, folder: Path) -> Path:
    """Write the package into `folder` and return its path."""
    folder.mkdir(parents=True, exist_ok=True)
    package = folder / f"{NAME}_{build.version}_{build.architecture}.deb"
    with TemporaryDirectory(prefix="monster-table-") as temporary:
        root = Path(temporary, "root")
        stage(build, root)
        # Wheels are compressed already; with more effort the package is not smaller.
        command = [
            "dpkg-deb",
            "--root-owner-group",
            "-Zgzip",
            "-z1",
            "--build",
            str(root),
            str(package),
        ]
        environment = os.environ | {"SOURCE_DATE_EPOCH": str(build.epoch)}
        subprocess.run(command, env=environment, check=True, stdout=sys.stderr)
    return package


def main(arguments: list[str]) -> int:
    """Build the package and print its path; return the exit status."""
    parser = argparse.ArgumentParser(prog="python -m tools.deb", description=__doc__)
    here = {machine: name for name, machine in MACHINES.items()}.get(os.uname().machine)
    parser.add_argument("--architecture", choices=MACHINES, default=here, required=here is None)
    parser.add_argument("--out", type=Path, default=ROOT / "dist")
    parser.add_argument("--wheel", type=Path, help="a wheel that is built already")
    given = parser.parse_args(arguments)
    try:
        with TemporaryDirectory(prefix="monster-table-") as temporary:
            wheel = given.wheel or build_wheel(Path(temporary))
            wheels = given.out / f"wheels-{given.architecture}"
            shutil.rmtree(wheels, ignore_errors=True)
            download(given.architecture, wheels)
            version = wheel.name.split("-")[1]
            build = Build(given.architecture, version, wheel, wheels, source_date())
            print(pack(build, given.out))
    except (BuildError, subprocess.CalledProcessError) as failed:
        print(f"The package was not built: {failed}", file=sys.stderr)
        return 1
    return 0
