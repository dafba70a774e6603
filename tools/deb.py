"""Build the Debian package: `python -m tools.deb --architecture arm64 --out dist`.

The package carries this checkout's wheel and, for every Python of `PYTHONS`, the wheels that
`packaging/wheels.lock` names with their hashes. Built twice from the same commit it is the same
bytes. What the package does on a machine is in `packaging/`.
"""

from __future__ import annotations

import argparse
import gzip
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import format_datetime
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).parent.parent
PACKAGING = ROOT / "packaging"
PYTHONS = ("3.11", "3.13")
"""Those of Debian 12 and 13."""
MACHINES = {"amd64": "x86_64", "arm64": "aarch64"}
GLIBC = ("manylinux_2_28", "manylinux_2_27", "manylinux_2_17", "manylinux2014")
NAME = "monster-table"
UNITS = Path("usr", "lib", "systemd", "system")
FURTHER = {
    "the companion of a board game\n": "the table %i\n",
    "Wants=monster-table-avahi.service monster-table-hotspot.service\n": "",
    "DATA=/var/lib/monster-table\n": "DATA=/var/lib/monster-table/tables/%i\n",
    "StateDirectory=monster-table\n": "StateDirectory=monster-table/tables/%i\n",
}
"""What the template of further tables has instead of what the service's unit says."""


@dataclass(frozen=True, slots=True)
class Build:
    """What is built, of what, and the time that all its files carry."""

    architecture: str
    version: str
    wheel: Path
    wheels: Path
    epoch: int


def source_date() -> int:
    """Return `SOURCE_DATE_EPOCH`, else the time of the commit."""
    command = ["git", "log", "-1", "--format=%ct"]
    given = os.environ.get("SOURCE_DATE_EPOCH")
    return int(given or subprocess.run(command, cwd=ROOT, capture_output=True, check=True).stdout)


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
        where = [f"--python-version={python}", "-d", str(folder)]
        lock = ["-r", str(PACKAGING / "wheels.lock")]
        subprocess.run([*pip, *only, *platforms, *tags, *where, *lock], check=True)


def stage(build: Build, root: Path) -> None:
    """Lay out the package's files in `root`."""
    shutil.copytree(PACKAGING / "root", root)
    write_template(root / UNITS)
    wheels = root / "usr" / "lib" / NAME / "wheels"
    wheels.mkdir()
    for wheel in (*build.wheels.glob("*.whl"), build.wheel):
        shutil.copyfile(wheel, wheels / wheel.name)
    doc = root / "usr" / "share" / "doc" / NAME
    shutil.copyfile(ROOT / "docs" / "install.md", doc / "install.md")
    _write_gzip(doc / "changelog.gz", (ROOT / "CHANGELOG.md").read_text("utf-8"))
    _write_gzip(doc / "changelog.Debian.gz", _debian_changelog(build))
    for manual in (root / "usr" / "share" / "man").rglob("*.1"):
        _write_gzip(manual.with_name(f"{manual.name}.gz"), manual.read_text("utf-8"))
        manual.unlink()
    _write_control(build, root)
    for path in (root, *root.rglob("*")):  # the same on any machine
        runs = path.is_dir() or path.read_bytes()[:2] == b"#!"
        path.chmod(0o755 if runs else 0o644)
        os.utime(path, (build.epoch, build.epoch))


def write_template(units: Path) -> None:
    """Write the unit of further tables: the service's own, with a data folder for each."""
    text = (units / f"{NAME}.service").read_text("utf-8")
    for own, further in FURTHER.items():
        text = text.replace(own, further)
    (units / f"{NAME}@.service").write_text(text, "utf-8")


def _debian_changelog(build: Build) -> str:
    date = format_datetime(datetime.fromtimestamp(build.epoch, UTC))
    who = "Monster Table contributors <maintainers@monster-table.invalid>"
    what = "  * A build of the upstream version; what changed is in changelog.gz."
    return f"{NAME} ({build.version}) stable; urgency=medium\n\n{what}\n\n -- {who}  {date}\n"


def _write_gzip(path: Path, text: str) -> None:
    path.write_bytes(gzip.compress(text.encode(), 9, mtime=0))


def _write_control(build: Build, root: Path) -> None:
    size = sum(-(-path.stat().st_size // 1024) for path in root.rglob("*") if path.is_file())
    folder = root / "DEBIAN"
    folder.mkdir()
    for source in (PACKAGING / "debian").iterdir():
        text = source.read_text("utf-8")
        text = text.replace("@VERSION@", build.version).replace("@SIZE@", str(size))
        text = text.replace("@ARCHITECTURE@", build.architecture)
        (folder / source.name).write_text(text, "utf-8")


def pack(build: Build, folder: Path) -> Path:
    """Write the package into `folder` and return its path."""
    folder.mkdir(parents=True, exist_ok=True)
    package = folder / f"{NAME}_{build.version}_{build.architecture}.deb"
    with TemporaryDirectory(prefix="monster-table-") as temporary:
        root = Path(temporary, "root")
        stage(build, root)
        # Wheels are compressed already; with more effort the package is not smaller.
        options = ["--root-owner-group", "-Zgzip", "-z1", "--build"]
        environment = os.environ | {"SOURCE_DATE_EPOCH": str(build.epoch)}
        command = ["dpkg-deb", *options, str(root), str(package)]
        subprocess.run(command, env=environment, check=True, stdout=sys.stderr)
    return package


def main(arguments: list[str]) -> int:
    """Build the package and print its path; return the exit status."""
    parser = argparse.ArgumentParser(prog="python -m tools.deb", description=__doc__)
    here = {machine: name for name, machine in MACHINES.items()}.get(os.uname().machine)
    parser.add_argument("--architecture", choices=MACHINES, default=here, required=here is None)
    parser.add_argument("--out", type=Path, default=ROOT / "dist")
    given = parser.parse_args(arguments)
    try:
        with TemporaryDirectory(prefix="monster-table-") as temporary:
            wheel = build_wheel(Path(temporary))
            wheels = given.out / f"wheels-{given.architecture}"
            shutil.rmtree(wheels, ignore_errors=True)
            download(given.architecture, wheels)
            version = wheel.name.split("-")[1]
            build = Build(given.architecture, version, wheel, wheels, source_date())
            print(pack(build, given.out))
    except subprocess.CalledProcessError as failed:
        print(f"The package was not built: {failed}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
