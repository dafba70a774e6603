"""The wheels of a release: the list that names them with their hashes, and how they are unpacked.

The list and the wheels come out of a package that anybody may have made, and root unpacks them. So
no installer is run, which would read options and run code: a wheel is an archive whose files are
written below one folder, and the list has one form.
"""

from __future__ import annotations

import configparser
import hashlib
import re
import shutil
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZIP_STORED, BadZipFile, ZipFile, ZipInfo

from box_paths import ReleaseError

REQUIREMENTS = "requirements.txt"
LIST_BYTES = 1 << 20
MOST_WHEELS = 500
MOST_FILES = 100_000
MOST_BYTES = 2 << 30
"""What one release may take: some five times what it does take."""
SCRIPT = "#!{python}\nimport sys\nfrom {module} import {name}\nsys.exit({name}())\n"

_NAME, _VERSION = r"[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?", r"[0-9][A-Za-z0-9._+!]*"
LINE = re.compile(
    rf"(?P<name>{_NAME})==(?P<version>{_VERSION}) *(?P<elsewhere>; sys_platform == 'win32')?"
    r"(?P<hashes>(?: +--hash=sha256:[0-9a-f]{64})+) *"
)
WHEEL = re.compile(
    rf"(?P<name>[A-Za-z0-9][A-Za-z0-9._]*)-(?P<version>{_VERSION})(?:-[0-9][A-Za-z0-9_.]*)?"
    r"-(?P<pythons>[a-z0-9_.]+)-(?P<abis>[a-z0-9_.]+)-[A-Za-z0-9_.]+\.whl"
)
ENTRY = re.compile(r"(?P<module>[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*):(?P<name>[A-Za-z_]\w*)", re.ASCII)
DAMAGED = (
    BadZipFile, zlib.error, OSError, EOFError, NotImplementedError, RuntimeError, ValueError,
)  # fmt: skip
"""What an archive that is none, or is cut off, makes `zipfile` raise."""


@dataclass(frozen=True, slots=True)
class Named:
    """A line of the list: a package in one version, and the hashes that its wheels may have."""

    name: str
    version: str
    hashes: frozenset[str]


def read_list(wheels: Path) -> bytes:
    """Return the list beside the wheels; ReleaseError where there is none."""
    try:
        with (wheels / REQUIREMENTS).open("rb") as file:
            content = file.read(LIST_BYTES + 1)
    except OSError as failed:
        raise ReleaseError(f"there is no {REQUIREMENTS} beside the wheels: {failed}") from failed
    if len(content) > LIST_BYTES:
        raise ReleaseError(f"{REQUIREMENTS} is too long")
    return content


def named_by(content: bytes) -> dict[str, Named]:
    """Return what a list names, by name; ReleaseError at the first line of another form."""
    try:
        lines = content.decode("ascii").replace("\\\n", " ").splitlines()
    except UnicodeDecodeError as foreign:
        raise ReleaseError(f"{REQUIREMENTS} is not plain text") from foreign
    found: dict[str, Named] = {}
    for number, line in enumerate(lines, start=1):
        read = LINE.fullmatch(line)
        if read is None:
            raise ReleaseError(
                f"{REQUIREMENTS} has a line that does not name a version and its hashes: {number}"
            )
        name = _plain(read["name"])
        if name in found:
            raise ReleaseError(f"{REQUIREMENTS} names {name} twice")
        if not read["elsewhere"]:
            hashes = frozenset(re.findall(r"sha256:([0-9a-f]{64})", read["hashes"]))
            found[name] = Named(name, read["version"], hashes)
    return found


def _plain(name: str) -> str:
    return re.sub(r"[._-]+", "-", name).lower()


def chosen(wheels: Path, named: dict[str, Named], python: str) -> list[Path]:
    """Return the best wheel for this Python of each package that is named, in the same order.

    ReleaseError where there is none, or anything beside the list that it does not name.
    """
    best: dict[str, tuple[int, Path]] = {}
    for number, path in enumerate(sorted(wheels.iterdir())):
        if path.name == REQUIREMENTS:
            continue
        read = WHEEL.fullmatch(path.name)
        if read is None or path.is_symlink() or not path.is_file() or number > MOST_WHEELS:
            raise ReleaseError("there is something else than wheels among the wheels")
        name = _plain(read["name"])
        if name not in named or named[name].version != read["version"]:
            raise ReleaseError(f"{REQUIREMENTS} does not name {path.name}")
        fit = _fit(python, read["pythons"].split("."), read["abis"].split("."))
        if fit > best.get(name, (0, path))[0]:
            best[name] = (fit, path)
    missing = sorted(named.keys() - best.keys())
    if missing:
        raise ReleaseError(f"there is no {missing[0]} for Python {python} among the wheels")
    return [best[name][1] for name in named]


def _fit(python: str, pythons: Sequence[str], abis: Sequence[str]) -> int:
    """Return how well a wheel fits a Python, 0 where it does not."""
    minor = int(python.partition(".")[2])
    own = f"cp3{minor}"
    if own in pythons and own in abis:
        return 3
    stable = [int(tag[3:]) for tag in pythons if re.fullmatch(r"cp3\d{1,2}", tag)]
    if "abi3" in abis and any(tag <= minor for tag in stable):
        return 2
    return int("none" in abis and not {own, "py3", f"py3{minor}"}.isdisjoint(pythons))


def unpacked_size(wheels: Sequence[Path]) -> int:
    """Return the bytes that the wheels take once unpacked; ReleaseError where that is too much."""
    size = files = 0
    for wheel in wheels:
        try:
            with ZipFile(wheel) as archive:
                files += len(archive.infolist())
                size += sum(info.file_size for info in archive.infolist())
        except DAMAGED as damaged:
            raise ReleaseError(f"{wheel.name} is damaged: {damaged}") from damaged
        if size > MOST_BYTES or files > MOST_FILES:
            raise ReleaseError("the wheels hold more than a release may take")
    return size


def unpack(wheel: Path, named: Named, site: Path) -> None:
    """Write the files of a wheel below `site`, once its hash is one of those that are named."""
    try:
        with wheel.open("rb") as file:
            if hashlib.file_digest(file, "sha256").hexdigest() not in named.hashes:
                raise ReleaseError(f"{wheel.name} is not the one that {REQUIREMENTS} names")
            with ZipFile(file) as archive:
                for info, target in _targets(wheel, archive, site):
                    target.parent.mkdir(parents=True, exist_ok=True)
                    with archive.open(info) as source, target.open("xb") as copy:
                        shutil.copyfileobj(source, copy)
    except FileExistsError as twice:
        raise ReleaseError(f"{wheel.name} holds a file that is there already") from twice
    except DAMAGED as damaged:
        raise ReleaseError(f"{wheel.name} is damaged: {damaged}") from damaged


def _targets(wheel: Path, archive: ZipFile, site: Path) -> Iterator[tuple[ZipInfo, Path]]:
    """Yield the files of an archive, and where they go: below `site`, nowhere else."""
    for info in archive.infolist():
        parts = info.filename.rstrip("/").split("/")
        outside = any(part in {"", ".", ".."} or "\\" in part for part in parts)
        # A wheel's `.data` folder goes elsewhere in an environment; none that is carried has one.
        if outside or parts[0].endswith(".data"):
            raise ReleaseError(f"{wheel.name} holds a file that belongs elsewhere")
        if info.compress_type not in (ZIP_STORED, ZIP_DEFLATED):
            raise ReleaseError(f"{wheel.name} is packed in a way that is not known here")
        if not info.is_dir():
            yield info, site.joinpath(*parts)


def write_command(release: Path, site: Path, distribution: str, command: str) -> None:
    """Write a command of one of the wheels into the environment, as an installer would."""
    parser = configparser.ConfigParser(interpolation=None, delimiters=("=",))
    found = sorted(site.glob(f"{distribution}-*.dist-info/entry_points.txt"))
    try:
        parser.read_string(found[0].read_text("utf-8"))
        written = parser["console_scripts"][command]
    except (configparser.Error, IndexError, KeyError, OSError, ValueError) as missing:
        raise ReleaseError(f"the wheels have no command {command}") from missing
    read = ENTRY.fullmatch(written)
    if read is None:
        raise ReleaseError(f"the command {command} of the wheels has a form that is not known here")
    script = release / "bin" / command
    text = SCRIPT.format(python=release / "bin" / "python", **read.groupdict())
    script.write_text(text, "utf-8")
    script.chmod(0o755)
