"""One update that was asked for: taken from the spool, made beside, tested, switched to, watched.

The spool belongs to the service, so nothing in it is trusted: sizes are bounded, links are not
followed, and of a package only the wheels are taken. Root runs nothing that comes out of it.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import stat
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from box_package import take_wheels, version_of_package
from box_paths import Box, ReleaseError
from box_releases import is_older, make, prune, served, served_before, version_of
from box_trial import NothingServesError, SteppedBackError, serve, settle, start_again

REQUEST = "request.json"
STATUS = "status.json"
REQUEST_BYTES = 4096
PACKAGE_BYTES = 600 << 20
TEMPORARY = Path("/var/tmp")
"""A package is hundreds of megabytes: /tmp may be in memory."""

LEFT_S = 3600.0
"""After so long nobody copies a package into the spool any more."""

ID = re.compile(r"[0-9a-f]{16}")
SHA256 = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True, slots=True)
class Request:
    """What the spool asks for: a package to install, or the release before (`package` is empty)."""

    id: str
    package: str = ""
    size: int = 0
    sha256: str = ""
    older: bool = False


def read_request(content: bytes) -> Request:
    """Return the request; ReleaseError where it is none."""
    try:
        given = json.loads(content)
    except (ValueError, RecursionError) as bad:
        raise ReleaseError("the request is not JSON") from bad
    if not isinstance(given, dict) or given.get("form") != 1:
        raise ReleaseError("the request has a form that is not known here")
    asked = _text(given, "id", ID)
    if given.get("action") == "back":
        return Request(asked)
    if given.get("action") != "install":
        raise ReleaseError("the request asks for nothing that is known here")
    size = given.get("size")
    if type(size) is not int or not 0 < size <= PACKAGE_BYTES:
        raise ReleaseError(f"the package is empty or larger than {PACKAGE_BYTES >> 20} MB")
    if given.get("file") != f"{asked}.deb":
        raise ReleaseError("the request names a file that is not its own")
    sha256, older = _text(given, "sha256", SHA256), given.get("older") is True
    return Request(asked, f"{asked}.deb", size, sha256, older)


def _text(given: dict[str, object], key: str, form: re.Pattern[str]) -> str:
    value = given.get(key)
    if not isinstance(value, str) or not form.fullmatch(value):
        raise ReleaseError(f"the request has no {key}")
    return value


@contextmanager
def spool_file(spool: int, name: str, most: int) -> Iterator[BinaryIO]:
    """Open a plain file of the spool, never a link, and no longer than `most`."""
    flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
    try:
        handle = os.open(name, flags, dir_fd=spool)
    except OSError as failed:
        raise ReleaseError(f"{name} cannot be read: {failed.strerror}") from failed
    info = os.fstat(handle)
    if not stat.S_ISREG(info.st_mode) or info.st_size > most:
        os.close(handle)
        raise ReleaseError(f"{name} is not a plain file of at most {most} bytes")
    with os.fdopen(handle, "rb") as file:
        yield file


class Status:
    """The steps of one update, for whoever asked; written whole each time."""

    def __init__(self, box: Box, spool: int, asked: str) -> None:
        self._spool, self._asked = spool, asked
        self._from, self.to = version_of(served(box)), ""

    def step(self, step: str, reason: str = "", *, done: bool = False, ok: bool = False) -> None:
        """Write how far the update is, if that can be: the update itself goes on all the same."""
        content = {"form": 1, "id": self._asked, "step": step, "done": done, "ok": ok}
        content |= {"from": self._from, "to": self.to, "reason": reason[:500]}
        with suppress(OSError):
            print(f"{step}{': ' if reason else ''}{reason}", flush=True)
        with suppress(OSError):
            self._write(json.dumps(content))

    def _write(self, content: str) -> None:
        name = f".{STATUS}.{os.getpid()}"
        _remove(self._spool, name)
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
        handle = os.open(name, flags, 0o644, dir_fd=self._spool)
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            os.fchmod(handle, 0o644)
            file.write(f"{content}\n")
            file.flush()
            os.fsync(handle)
        _remove(self._spool, STATUS, folders_only=True)
        os.replace(name, STATUS, src_dir_fd=self._spool, dst_dir_fd=self._spool)


def answer_request(box: Box) -> bool:
    """Carry out the request that lies in the spool; False where nothing came of it."""
    with _opened(box.spool) as spool:
        return spool is None or _answer(box, spool)


def settle_trial(box: Box) -> None:
    """Step back from a trial that was interrupted, and say so to who asked for it.

    What a helper that was killed has left is removed in any case.
    """
    tried = version_of(served(box))
    trial = settle(box)
    if trial is None:
        prune(box)
        return
    with _opened(box.spool) as spool:
        if spool is not None:
            status = Status(box, spool, trial.asked)
            status.to = tried
            reason = f"the trial of {tried} was interrupted"
            if trial.leads_back:
                status.step("stepped-back", reason, done=True)
            else:
                status.step("failed", f"{reason}; nothing before it starts", done=True)
    start_again(box)
    prune(box)


@contextmanager
def _opened(folder: Path) -> Iterator[int | None]:
    try:
        spool = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    except FileNotFoundError:
        yield None
        return
    try:
        yield spool
    finally:
        os.close(spool)


def _answer(box: Box, spool: int) -> bool:
    status = Status(box, spool, "")
    try:
        if REQUEST not in os.listdir(spool):  # whoever asked has withdrawn it
            return True
        try:
            with spool_file(spool, REQUEST, REQUEST_BYTES) as file:
                content = file.read(REQUEST_BYTES)
        finally:
            _remove(spool, REQUEST)  # also nonsense, which would start this unit again and again
        request = read_request(content)
        status = Status(box, spool, request.id)
        status.step("received")
        release = _asked_for(box, spool, request, status)
        status.to = version_of(release)
        runs = serve(box, release, status.step, request.id)
    except SteppedBackError as failed:
        status.step("stepped-back", str(failed), done=True)
    except NothingServesError as failed:
        status.step("failed", str(failed), done=True)
    except (ReleaseError, OSError) as refused:
        status.step("refused", str(refused), done=True)
    else:
        status.step("healthy" if runs else "ready", done=True, ok=True)
        return True
    finally:
        prune(box)
        _tidy(spool)
    return False


def _asked_for(box: Box, spool: int, request: Request, status: Status) -> Path:
    """Return the release that is asked for, made if it is not there."""
    if request.package:
        return _install(box, spool, request, status)
    before = served_before(box)
    if before is None:
        raise ReleaseError("there is no earlier release to step back to")
    return before


def _tidy(spool: int) -> None:
    """Remove what requests that were broken off have left; another may be in the making."""
    for name in os.listdir(spool):
        with suppress(OSError):
            written = os.stat(name, dir_fd=spool, follow_symlinks=False).st_mtime
            if name not in (REQUEST, STATUS) and time.time() - written > LEFT_S:
                _remove(spool, name)


def _remove(spool: int, name: str, *, folders_only: bool = False) -> None:
    """Remove a file or a folder of the spool; what is below a folder is not followed out of it."""
    with suppress(FileNotFoundError):
        if stat.S_ISDIR(os.stat(name, dir_fd=spool, follow_symlinks=False).st_mode):
            shutil.rmtree(name, dir_fd=spool)
        elif not folders_only:
            os.unlink(name, dir_fd=spool)


def _install(box: Box, spool: int, request: Request, status: Status) -> Path:
    box.releases.mkdir(parents=True, exist_ok=True)
    with (
        tempfile.TemporaryDirectory(prefix="monster-table-", dir=TEMPORARY) as folder,
        tempfile.TemporaryDirectory(prefix=".wheels-", dir=box.releases) as wheels,
    ):
        # What opens the package has the rights of the service.
        Path(folder).chmod(0o711)
        package = Path(folder, "package.deb")
        try:
            _take(spool, request, package)
        finally:
            _remove(spool, request.package)
        status.to = version_of_package(box, package)
        if is_older(status.to, version_of(served(box))) and not request.older:
            raise ReleaseError(f"{status.to} is older than what serves; --older installs it")
        status.step("checked")
        take_wheels(box, package, Path(wheels))
        release = make(box, Path(wheels), status.to)
        status.step("unpacked")
    if release == served(box):
        raise ReleaseError(f"{status.to} serves already")
    return release


def _take(spool: int, request: Request, package: Path) -> None:
    """Copy the package to where only root writes; what is checked there stays as it is."""
    digest, size = hashlib.sha256(), 0
    with spool_file(spool, request.package, PACKAGE_BYTES) as source, package.open("xb") as copy:
        while block := source.read(1 << 20):
            size += len(block)
            if size > request.size:
                break
            digest.update(block)
            copy.write(block)
    if size != request.size or digest.hexdigest() != request.sha256:
        raise ReleaseError("the package is not the one that was announced; copy it again")
