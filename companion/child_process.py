"""Runs a module in a child process, and kills it together with its process group."""

from __future__ import annotations

import multiprocessing
import os
import signal
import subprocess
import sys
import threading
from contextlib import suppress


class ChildProcess:
    """A process that runs `module`, and the connection to it. OSError if it cannot be started.

    It leads its own process group. Its first argument is the connection's file descriptor, followed
    by `arguments`. It is a fresh interpreter, not a fork.
    """

    def __init__(self, module: str, *arguments: str) -> None:
        self.connection, theirs = multiprocessing.Pipe()
        try:
            number = theirs.fileno()
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-m", module, str(number), *arguments],
                stdin=subprocess.DEVNULL,
                pass_fds=(number,),
                start_new_session=True,
                env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
            )
        except OSError:
            self.connection.close()
            raise
        finally:
            theirs.close()

    @property
    def pid(self) -> int:
        """The process id."""
        return self._process.pid

    def exchange(self, request: bytes, within_s: float) -> bytes | None:
        """Send a request and return the answer; None if it was late, and the process was killed.
        OSError or EOFError if it died.

        The time limit covers sending too: a hung process may not even read the request.
        """
        late = threading.Event()

        def give_up() -> None:
            late.set()
            self.kill()

        timer = threading.Timer(within_s, give_up)
        timer.daemon = True
        timer.start()
        try:
            self.connection.send_bytes(request)
            return self.connection.recv_bytes()
        except (OSError, EOFError):
            if late.is_set():
                return None
            raise
        finally:
            timer.cancel()

    def kill(self) -> None:
        """Kill the process group: the process and the programs that it has started."""
        with suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)

    def close(self, within_s: float) -> None:
        """Kill the process, wait at most `within_s` for it to exit, and close the connection. A
        process stuck in a driver may outlive the wait."""
        self.kill()
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(within_s)
        self.connection.close()
