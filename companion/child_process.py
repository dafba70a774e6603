"""Other processes of this program: each started for one module, and killed with all it started."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from contextlib import suppress
from multiprocessing.connection import Connection


def start_child(module: str, connection: Connection, *words: str) -> subprocess.Popen[bytes]:
    """Start `module` in a process that leads its own group; its first argument is the number of the
    connection. It loads nothing of the caller, so that it starts fast and stays small.
    """
    number = connection.fileno()
    return subprocess.Popen(
        [sys.executable, "-P", "-m", module, str(number), *words],
        stdin=subprocess.DEVNULL,
        pass_fds=(number,),
        start_new_session=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
    )


def kill_child(process: subprocess.Popen[bytes]) -> None:
    """Kill the process and the programs that it has started."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
