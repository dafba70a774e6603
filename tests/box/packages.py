"""Packages of several versions out of one wheel: a good update, and two that must not stay."""

from __future__ import annotations

import base64
import csv
import hashlib
import io
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from tools.deb import Build, build_wheel, download, pack, source_date

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
    """Write the wheel once more as of another version, broken where `BREAKS` says so."""
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
