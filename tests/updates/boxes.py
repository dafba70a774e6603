"""Machines, releases, wheels and packages for the tests of the update helper."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path
from zipfile import ZipFile

from box_paths import Box
from box_releases import COMPLETE
from box_update import answer_request

COMPANION = """
import sys
def main():
    if "--self-test" in sys.argv and {test_fails}:
        sys.exit("the networks are missing")
"""
ID = "0123456789abcdef"
HERE = f"-py{sys.version_info.major}.{sys.version_info.minor}-0"
"""What the name of a release ends with that was made for this Python."""
ELSEWHERE = "-py3.9-0"


def machine(tmp_path: Path) -> Box:
    """A machine without a running systemd."""
    made = Box(
        tmp_path / "home",
        tmp_path / "state",
        tmp_path / "spool",
        "root",
        "no.service",
        tmp_path / "none",
    )
    for folder in (made.home, made.state, made.spool):
        folder.mkdir()
    return made


def release(
    box: Box, name: str, version: str = "1.0", *, test_fails: bool = False, python: str = HERE
) -> Path:
    """A release that is there already, with a command that does nothing."""
    folder = box.releases / f"{name}{python}"
    (folder / "bin").mkdir(parents=True)
    (folder / COMPLETE).write_text(f"{version}\n")
    script(folder / "bin/companion", f"exit {int(test_fails)}")
    return folder


def script(path: Path, *lines: str) -> None:
    """Write a program of the shell."""
    path.write_text("\n".join(("#!/bin/sh", *lines, "")))
    path.chmod(0o755)


def systemctl(box: Box, folder: Path, *lines: str, state: str = "ActiveState=active") -> str:
    """Let systemd run, with these lines in place of its command and the service in this state;
    return the PATH to it.
    """
    box.systemd.mkdir()
    tools = folder / "tools"
    tools.mkdir()
    shows = f'[ "$1" = show ] && {{ echo "{state}"; exit 0; }}'
    script(tools / "systemctl", shows, *lines)
    return f"{tools}:{os.environ['PATH']}"


def ask_back(box: Box) -> dict[str, object]:
    """Ask for the release before; return the last status."""
    (box.spool / "request.json").write_text(json.dumps({"form": 1, "id": ID, "action": "back"}))
    answer_request(box)
    return status_of(box)


def status_of(box: Box) -> dict[str, object]:
    """Return what the spool says of the last update."""
    status: dict[str, object] = json.loads((box.spool / "status.json").read_text())
    return status


def wheels(
    folder: Path, version: str, *, test_fails: bool = False, entry: str = "monster:main"
) -> Path:
    """A folder with one wheel that has a command, and the list with its hash."""
    folder.mkdir(parents=True)
    info = f"monster_table-{version}.dist-info"
    path = folder / f"monster_table-{version}-py3-none-any.whl"
    with ZipFile(path, "w") as wheel:
        wheel.writestr("monster.py", COMPANION.format(test_fails=test_fails))
        wheel.writestr(
            f"{info}/METADATA", f"Metadata-Version: 2.1\nName: monster-table\nVersion: {version}\n"
        )
        wheel.writestr(
            f"{info}/WHEEL",
            "Wheel-Version: 1.0\nGenerator: t\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        )
        wheel.writestr(f"{info}/entry_points.txt", f"[console_scripts]\ncompanion = {entry}\n")
        wheel.writestr(f"{info}/RECORD", "")
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    (folder / "requirements.txt").write_text(f"monster-table=={version} --hash=sha256:{digest}\n")
    return folder


def package(
    folder: Path, version: str, *, name: str = "monster-table", test_fails: bool = False
) -> Path:
    """A package that has little more than wheels."""
    root = folder / f"root-{version}"
    wheels(root / "usr/lib/monster-table/wheels", version, test_fails=test_fails)
    return pack(root, version, name)


def pack(root: Path, version: str, name: str = "monster-table") -> Path:
    """Build the package of a folder, for this machine."""
    (root / "DEBIAN").mkdir()
    here = subprocess.run(
        ["dpkg", "--print-architecture"], capture_output=True, text=True, check=True
    )
    control = f"Package: {name}\nVersion: {version}\nArchitecture: {here.stdout.strip()}\n"
    (root / "DEBIAN/control").write_text(
        f"{control}Maintainer: nobody <n@example.org>\nDescription: a test\n"
    )
    built = root.with_name(f"{version}.deb")
    subprocess.run(["dpkg-deb", "-Znone", "--build", root, built], check=True, capture_output=True)
    return built


def ask(box: Box, deb: Path, **other: object) -> dict[str, object]:
    """Ask for a package as the command does; return the last status."""
    content = deb.read_bytes()
    (box.spool / f"{ID}.deb").write_bytes(content)
    request: dict[str, object] = {"form": 1, "id": ID, "action": "install", "file": f"{ID}.deb"}
    request |= {"size": len(content), "sha256": hashlib.sha256(content).hexdigest()}
    (box.spool / "request.json").write_text(json.dumps(request | other))
    answer_request(box)
    assert sorted(path.name for path in box.spool.iterdir()) == ["status.json"]
    return status_of(box)


def with_members(deb: Path, *members: bytes) -> Path:
    """Put members, headers and data, at the end of the archive of a package's files."""
    content = deb.read_bytes()
    begin = content.index(b"data.tar  ")
    head, files = content[begin : begin + 60], content[begin + 60 :].rstrip(b"\0")
    files += b"\0" * (-len(files) % 512) + b"".join(members) + b"\0" * 1024
    head = head[:48] + f"{len(files):<10}".encode() + head[58:]
    deb.write_bytes(content[:begin] + head + files)
    return deb
