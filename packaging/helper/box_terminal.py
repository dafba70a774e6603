"""The command `companion`: a release's own, with the rights and the terminal that it may have.

The service may have asked for the release that serves. So started by root it runs as the service's
user, without root's variables and in a session of its own: at a terminal it gets another one, whose
text goes to and fro. Else it could type into root's, or read what is typed there later. Anybody
else runs it only where the release came by dpkg.
"""

from __future__ import annotations

import fcntl
import os
import pwd
import select
import signal
import subprocess
import termios
import tty
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from types import FrameType

from box_command import LOOK_S, end_session, has_ended, without_rights
from box_paths import Box, ReleaseError
from box_releases import OF_PACKAGE, fits, served, served_before

DATA = "MONSTER_TABLE_DATA"
PASSED_ON = (
    "LANG",
    "LC_",
    "TERM",
    "COLUMNS",
    "LINES",
    "NO_COLOR",
    "TZ",
    "SUDO_USER",
    "MONSTER_TABLE_",
)
PATH = "/usr/local/bin:/usr/bin:/bin"
BLOCK = 4096
FORWARDED = (signal.SIGINT, signal.SIGQUIT, signal.SIGTERM, signal.SIGHUP)


def companion(box: Box, arguments: Sequence[str]) -> int:
    """Run a command of the release that serves, and return its exit status.

    ReleaseError where there is none, or the caller must not run it.
    """
    user = os.geteuid()
    command = command_for(box, arguments, user)
    if user:
        os.execve(command[0], command, {DATA: str(box.state), **os.environ})
    apart = without_rights(box, command, in_groups=True)
    return run_apart(apart, passed_on(box, os.environ))


def passed_on(box: Box, variables: Mapping[str, str]) -> dict[str, str]:
    """Return what a release gets of root's variables, some of which may be secrets."""
    kept = {name: value for name, value in variables.items() if name.startswith(PASSED_ON)}
    return {DATA: str(box.state), **kept, "PATH": PATH, "HOME": str(box.state)}


def command_for(box: Box, arguments: Sequence[str], user: int) -> list[str]:
    """Return the command of a release that this user's `companion` stands for."""
    release = served(box)
    if arguments and arguments[0] == "update" and "--back" in arguments:
        # Where the release that serves is broken, the one before still knows how to ask.
        before = served_before(box)
        release = before if fits(before) else release
    if release is None:
        raise ReleaseError(
            "no release is installed: sudo apt install --reinstall /tmp/monster-table_*.deb, "
            "with the package in /tmp"
        )
    if user and not _is_service(box, user) and not (release / OF_PACKAGE).is_file():
        raise ReleaseError(
            "it is not known that apt brought this release, so it runs with the rights of the "
            "service alone: use sudo companion"
        )
    return [str(release / "bin" / "companion"), *arguments]


def _is_service(box: Box, user: int) -> bool:
    with suppress(KeyError):
        return pwd.getpwnam(box.user).pw_uid == user
    return False


def run_apart(command: Sequence[str], variables: Mapping[str, str]) -> int:
    """Run a command in a session of its own and return its exit status, 128 and more of a signal.

    Each of its streams that would be this process's terminal is one of its own. Where the output
    goes elsewhere, the keyboard is left to what shows it.
    """
    here = [stream for stream in (0, 1, 2) if os.isatty(stream)]
    ours, theirs = os.openpty() if here else (None, None)

    def take_terminal() -> None:
        if theirs is not None:
            fcntl.ioctl(theirs, termios.TIOCSCTTY, 0)

    stdin, stdout, stderr = (theirs if stream in here else None for stream in (0, 1, 2))
    if 0 in here and not _is_typed(here):
        stdin = subprocess.DEVNULL
    process = subprocess.Popen(
        command,
        env=variables,
        stdin=stdin,
        stdout=stdout,
        stderr=stderr,
        start_new_session=True,
        preexec_fn=take_terminal,
    )
    with _forwarded(process):
        try:
            if ours is None or theirs is None:
                process.wait()
            else:
                os.close(theirs)
                _relay(process, ours, here)
        finally:
            end_session(process)
    status: int = process.returncode
    return status if status >= 0 else 128 - status


@contextmanager
def _forwarded(process: subprocess.Popen[bytes]) -> Iterator[None]:
    """Hand the signals of a terminal on to the other session."""

    def forward(number: int, _: FrameType | None) -> None:
        if not has_ended(process):
            os.killpg(process.pid, number)

    before = {number: signal.signal(number, forward) for number in FORWARDED}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _relay(process: subprocess.Popen[bytes], ours: int, here: Sequence[int]) -> None:
    """Carry what is typed and what is printed until the process has ended."""
    typed = _is_typed(here) and _is_in_front()
    shown = next((stream for stream in (1, 2) if stream in here), None)
    os.set_blocking(ours, False)

    def resize(*_: object) -> None:
        with suppress(termios.error):
            termios.tcsetwinsize(ours, termios.tcgetwinsize(here[0]))

    resize()
    before = signal.signal(signal.SIGWINCH, resize)
    try:
        with _raw(typed=typed):
            _carry(process, ours, shown, typed=typed)
    finally:
        signal.signal(signal.SIGWINCH, before)
        os.close(ours)


def _is_typed(here: Sequence[int]) -> bool:
    """True where both what is typed and what is printed are this process's terminal."""
    return {0, 1} <= {*here}


def _is_in_front() -> bool:
    with suppress(OSError):
        return os.tcgetpgrp(0) == os.getpgrp()
    return False


def _carry(process: subprocess.Popen[bytes], ours: int, shown: int | None, *, typed: bool) -> None:
    pending = b""
    while True:
        gone = has_ended(process)
        sources = [ours, 0] if typed and not pending else [ours]
        ready, free, _ = select.select(
            sources, [ours] if pending else [], [], 0 if gone else LOOK_S
        )
        if ours in ready:
            try:
                block = os.read(ours, BLOCK)
            except OSError:  # the last process at this terminal has closed it
                process.wait()
                return
            while block:
                block = block[os.write(shown, block) :] if shown is not None else b""
        elif gone:
            return
        if 0 in ready:
            pending = os.read(0, BLOCK)
            typed = bool(pending)
        if free:
            with suppress(BlockingIOError):
                pending = pending[os.write(ours, pending) :]


@contextmanager
def _raw(*, typed: bool) -> Iterator[None]:
    """Let every key through: the other terminal knows what an interrupt or an end is."""
    if not typed:
        yield
        return
    before = termios.tcgetattr(0)
    tty.setraw(0)
    try:
        yield
    finally:
        termios.tcsetattr(0, termios.TCSAFLUSH, before)
