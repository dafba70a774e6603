"""What is taken out of a package that somebody handed in: its version, and its wheels.

Debian's own tool opens it with the rights of the service; root reads two fields and plain files.
"""

from __future__ import annotations

import io
import re
import subprocess
import tarfile
import threading
from pathlib import Path
from typing import IO, Self

from box_command import VARIABLES, as_service, end_session, last_line, printable, without_rights
from box_paths import Box, ReleaseError
from box_wheels import MOST_WHEELS, REQUIREMENTS, WHEEL

PACKAGE = "monster-table"
WHEELS = "usr/lib/monster-table/wheels"
FIELDS = ("Package", "Architecture", "Version")
VERSION = re.compile(r"[0-9][A-Za-z0-9.+~]{0,40}")
ASK_S = 60.0
UNPACK_S = 300.0
UNPACKED_BYTES = 700 << 20
"""Of all that a package holds; wheels are packed already, so a whole one has hardly more."""
MOST_MEMBERS = 10_000
LONGEST_NAME = 4096
"""What Linux takes for a path."""
NAMED_LONG = (tarfile.GNUTYPE_LONGNAME, tarfile.GNUTYPE_LONGLINK)
FILES = (tarfile.REGTYPE, tarfile.AREGTYPE)
MEMBERS = (*FILES, *NAMED_LONG, tarfile.DIRTYPE, tarfile.SYMTYPE, tarfile.LNKTYPE)
"""What a package is made of. `dpkg` refuses the rest too: headers and maps of any length."""
BLOCK = 1 << 20
NOT_AN_ARCHIVE = (
    tarfile.TarError, EOFError, OSError, OverflowError, RecursionError, ValueError,
    subprocess.TimeoutExpired,
)  # fmt: skip


def version_of_package(box: Box, package: Path) -> str:
    """Return the version of the package; ReleaseError where it is not one for this machine."""
    asked = as_service(box, ["dpkg-deb", "-f", str(package), *FIELDS], ASK_S)
    if asked.status:
        raise ReleaseError(f"the package cannot be read: {last_line(asked.output)}")
    fields = dict(line.partition(": ")[::2] for line in asked.output.splitlines())
    name, architecture, version = (printable(fields.get(field, "")) for field in FIELDS)
    here = subprocess.run(
        ["dpkg", "--print-architecture"], capture_output=True, text=True, check=True
    ).stdout.strip()
    if name != PACKAGE:
        raise ReleaseError(f"this is a package of {name}, not of {PACKAGE}")
    if architecture != here:
        raise ReleaseError(f"the package is for {architecture}, this is {here}")
    if not VERSION.fullmatch(version):
        raise ReleaseError("the package has no version that is known here")
    return version


def take_wheels(box: Box, package: Path, folder: Path) -> None:
    """Write the wheels of the package, and their list, into the folder; nothing else of it."""
    process = subprocess.Popen(
        without_rights(box, ["dpkg-deb", "--fsys-tarfile", str(package)]),
        env=VARIABLES,
        cwd="/",
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    late = threading.Timer(UNPACK_S, process.kill)
    late.start()
    try:
        with process:
            try:
                assert process.stdout is not None
                stream = _Bounded(process.stdout)
                _take(stream, folder)
                while stream.read(BLOCK):
                    pass
                if process.wait(ASK_S):
                    raise ReleaseError("the package is damaged: copy it again")
            except NOT_AN_ARCHIVE as damaged:
                raise ReleaseError(f"the package cannot be unpacked: {damaged}") from damaged
            finally:
                end_session(process)
    finally:
        late.cancel()


class _Bounded(io.BufferedIOBase):
    """A stream that ends in a ReleaseError where a package holds more than it may."""

    def __init__(self, stream: IO[bytes]) -> None:
        super().__init__()
        self._stream, self._left = stream, UNPACKED_BYTES

    def read(self, size: int | None = -1, /) -> bytes:
        block = self._stream.read(BLOCK if size is None or size < 0 else min(size, BLOCK))
        self._left -= len(block)
        if self._left < 0:
            raise ReleaseError("the package holds more than one of this program may")
        return block


class _Member(tarfile.TarInfo):
    """A member of a package, looked at before `tarfile` reads what belongs to its header."""

    def _proc_member(self, archive: tarfile.TarFile) -> Self:
        """Read on after the header; ReleaseError where no package has such a member."""
        most = LONGEST_NAME if self.type in NAMED_LONG else UNPACKED_BYTES
        if self.type not in MEMBERS or not 0 <= self.size <= most:
            raise ReleaseError("the package holds something that no package has")
        return super()._proc_member(archive)  # type: ignore[misc,no-any-return]  # for subclasses


def _take(stream: _Bounded, folder: Path) -> None:
    taken = 0
    with tarfile.open(fileobj=stream, mode="r|", tarinfo=_Member) as archive:
        for number, member in enumerate(archive):
            if number > MOST_MEMBERS:
                raise ReleaseError("the package holds more files than one of this program may")
            below, _, name = member.name.removeprefix("./").rpartition("/")
            if below != WHEELS:
                continue
            known = name == REQUIREMENTS or WHEEL.fullmatch(name)
            if member.type not in FILES or not known or taken > MOST_WHEELS:
                raise ReleaseError("there is something else than files among the wheels")
            source = archive.extractfile(member)
            assert source is not None
            with (folder / name).open("xb") as copy:
                while block := source.read(BLOCK):
                    copy.write(block)
            taken += 1
    if not taken:
        raise ReleaseError("there are no wheels in the package")
