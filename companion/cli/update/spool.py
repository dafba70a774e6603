"""The spool folder: the request, the package, and how far the helper has got with it."""

from __future__ import annotations

import hashlib
import os
import secrets
import shutil
from contextlib import suppress
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Final, Literal

import msgspec
from msgspec import Meta

from companion.cli.update.package import Package, UpdateError
from companion.files import open_regular, replace_file, write_atomically

SPOOL: Final = Path("/var/spool/monster-table")
REQUEST, STATUS = "request.json", "status.json"
FORM: Final = 1
GROUP_READS: Final = 0o640
"""The helper is root; nobody else reads what is asked."""
LONGEST: Final = 4096
CHUNK: Final = 1 << 20
MARGIN: Final = 50 << 20
"""Bytes that stay free beside two copies of the package."""
Text = Annotated[str, Meta(max_length=500)]


class Action(StrEnum):
    """What is asked of the helper."""

    INSTALL = "install"
    BACK = "back"
    """Serve the version before this one again."""


Step = Literal[
    "received", "checked", "unpacked", "tested", "switched", "healthy", "ready",
    "refused", "stepped-back", "failed",
]  # fmt: skip
"""How far the helper has got, in this order. "ready" ends an update of a service that is stopped:
the new version serves once it is started. The last three end an update that failed: nothing was
changed; the version before serves again; neither serves."""


class Request(msgspec.Struct, frozen=True, omit_defaults=True):
    """What the helper is asked; of a step back, the fields of the file are left out."""

    form: int
    id: str
    action: Action
    file: str = ""
    size: int = 0
    sha256: str = ""
    version: str = ""
    older: bool = False


class Status(msgspec.Struct, frozen=True):
    """How far the helper has got with the request `id`. `reason`: one line of English."""

    id: Text
    step: Step
    done: bool = False
    ok: bool = False
    reason: Text = ""


_STATUS: Final = msgspec.json.Decoder(Status)


class Spool:
    """One spool folder, and what this command has put there."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._id = secrets.token_hex(8)

    def install(self, path: Path, package: Package, *, older: bool = False) -> None:
        """Put the package and the request there; UpdateError where that cannot be."""
        self._check()
        name = f"{self._id}.deb"
        try:
            if shutil.disk_usage(self._folder).free < 2 * package.size + MARGIN:
                needed = (2 * package.size + MARGIN) >> 20
                raise UpdateError("error.update.no_room", path=str(self._folder), needed=needed)
            sha256 = self._copy(path, self._folder / name, package.size)
            request = Request(
                FORM, self._id, Action.INSTALL, name, package.size, sha256, package.version, older
            )
            self._ask(request)
        except OSError as refusal:
            raise self._refused(refusal) from refusal

    def step_back(self) -> None:
        """Put the request for the version before there; UpdateError where that cannot be."""
        self._check()
        try:
            self._ask(Request(FORM, self._id, Action.BACK))
        except OSError as refusal:
            raise self._refused(refusal) from refusal

    def status(self) -> Status | None:
        """Return how far the helper has got; None where it has not begun with this request."""
        try:
            with open_regular(self._folder / STATUS) as file:
                found = _STATUS.decode(file.read(LONGEST))
        except (OSError, ValueError, RecursionError):  # msgspec's errors are ValueErrors
            return None
        return found if found.id == self._id else None

    def withdraw(self) -> bool:
        """Take the request back; return whether it was still there."""
        try:
            (self._folder / REQUEST).unlink()
        except OSError:
            return False
        self._remove_package()
        return True

    def _check(self) -> None:
        if not self._folder.is_dir():
            raise UpdateError("error.update.no_helper", path=str(self._folder))

    def _refused(self, refusal: OSError) -> UpdateError:
        self._remove_package()
        if isinstance(refusal, FileExistsError):
            return UpdateError("error.update.busy")
        reason = refusal.strerror or ""
        return UpdateError("error.update.spool", path=str(self._folder), reason=reason)

    def _remove_package(self) -> None:
        for name in (f"{self._id}.deb", f"{self._id}.part"):
            with suppress(OSError):
                (self._folder / name).unlink(missing_ok=True)

    def _copy(self, path: Path, to: Path, most: int) -> str:
        """Copy the file, at most so many bytes; return its hash."""
        made, digest, left = to.with_suffix(".part"), hashlib.sha256(), most
        with path.open("rb") as given, made.open("xb") as copy:
            while left and (chunk := given.read(min(CHUNK, left))):
                digest.update(chunk)
                copy.write(chunk)
                left -= len(chunk)
        made.chmod(GROUP_READS)
        replace_file(made, to)
        return digest.hexdigest()

    def _ask(self, request: Request) -> None:
        """Put the request there as a whole; FileExistsError where another one waits."""
        written = self._folder / f"{self._id}.request"
        write_atomically(written, msgspec.json.encode(request), mode=GROUP_READS)
        try:
            os.link(written, self._folder / REQUEST)
        finally:
            written.unlink()
