"""Run a command with a limit to its time and its output, and what a release brings without rights.

Whatever a command leaves behind in its session ends with it, and none has root's terminal.
"""

from __future__ import annotations

import os
import pwd
import selectors
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from box_paths import Box, ReleaseError

OUTPUT_BYTES = 1 << 16
"""Of a command's output the end is kept, which says why it failed."""
SENTENCE = 300
LOOK_S = 0.1
VARIABLES = {"PATH": "/usr/bin:/bin", "LANG": "C.UTF-8", "HOME": "/nonexistent"}


@dataclass(frozen=True, slots=True)
class Ended:
    """How a command has ended: its exit status, and the last that it printed."""

    status: int
    output: str


def run(
    command: Sequence[str], limit_s: float, variables: Mapping[str, str] | None = None
) -> Ended:
    """Run a command without input; ReleaseError where it does not start or end in time."""
    try:
        process = subprocess.Popen(
            command,
            env=VARIABLES | {**(variables or {})},
            cwd="/",
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    except OSError as failed:
        raise ReleaseError(f"{command[0]} does not start: {failed.strerror}") from failed
    with process:
        try:
            end = _read_until_ended(process, limit_s)
        finally:
            end_session(process)
    if end is None:
        raise ReleaseError(f"{Path(command[0]).name} was not done after {limit_s:.0f} s")
    return Ended(process.returncode, end.decode("utf-8", "replace"))


def _read_until_ended(process: subprocess.Popen[bytes], limit_s: float) -> bytes | None:
    """Return the end of the output, None where the time is over first.

    A process that was left behind may hold the pipe open, so its end is not waited for.
    """
    until, end = time.monotonic() + limit_s, b""
    pipe: IO[bytes] | None = process.stdout
    assert pipe is not None
    with selectors.DefaultSelector() as selector:
        selector.register(pipe, selectors.EVENT_READ)
        while time.monotonic() < until:
            gone = has_ended(process)
            if not selector.get_map():
                if gone:
                    return end
                time.sleep(LOOK_S)
            elif selector.select(0 if gone else LOOK_S):
                block = os.read(pipe.fileno(), OUTPUT_BYTES)
                end = (end + block)[-OUTPUT_BYTES:]
                if not block:
                    selector.unregister(pipe)
            elif gone:
                return end
    return None


def has_ended(process: subprocess.Popen[bytes]) -> bool:
    """True once the process has ended; its number stays its own until it is waited for."""
    left = os.WEXITED | os.WNOHANG | os.WNOWAIT
    return process.returncode is not None or os.waitid(os.P_PID, process.pid, left) is not None


def end_session(process: subprocess.Popen[bytes]) -> None:
    """End whatever the process has left in its session, and wait for the process itself."""
    if process.returncode is None:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def without_rights(box: Box, command: Sequence[str], *, in_groups: bool = False) -> list[str]:
    """Return the command as the service's user runs it, who cannot gain rights again.

    The groups of that user, one of which may read the journal, are for what root has asked for at
    a terminal alone. ReleaseError where there is no such user.
    """
    if os.geteuid():
        return [*command]
    try:
        user = pwd.getpwnam(box.user)
    except KeyError as missing:
        raise ReleaseError(f"there is no user {box.user}") from missing
    groups = "--init-groups" if in_groups else "--clear-groups"
    ids = [f"--reuid={user.pw_uid}", f"--regid={user.pw_gid}", groups]
    return ["setpriv", *ids, "--no-new-privs", "--inh-caps=-all", "--", *command]


def as_service(box: Box, command: Sequence[str], limit_s: float) -> Ended:
    """Run a command of a release with the rights of the service alone."""
    variables = {"MONSTER_TABLE_DATA": str(box.state)}
    return run(without_rights(box, command), limit_s, variables)


def last_line(output: str) -> str:
    """Return the last line that says something, as much of it as a sentence can hold."""
    lines = [line for line in map(printable, output.splitlines()) if line]
    return lines[-1] if lines else "no reason was given"


def printable(text: str) -> str:
    """Return text that does nothing to the terminal or the journal that it is printed in."""
    return "".join(sign for sign in text if sign.isprintable()).strip()[:SENTENCE]
