"""Other processes of this program: each started for one module, and killed with all it started."""

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

    It leads its own group; its first argument is the number of the connection. It loads nothing of
    the caller, so that it starts fast and stays small.
    """

    def __init__(self, module: str, *words: str) -> None:
        self.connection, theirs = multiprocessing.Pipe()
        try:
            number = theirs.fileno()
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-m", module, str(number), *words],
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
        """The number of the process."""
        return self._process.pid

    def exchange(self, asked: bytes, within_s: float) -> bytes | None:
        """Return the answer; None if it was late, and the process was killed. OSError or EOFError
        if it died.

        One that hangs may not even read the question, so what is bounded is the whole exchange.
        """
        late = threading.Event()

        def give_up() -> None:
            late.set()
            self.kill()

        timer = threading.Timer(within_s, give_up)
        timer.daemon = True
        timer.start()
        try:
            self.connection.send_bytes(asked)
            return self.connection.recv_bytes()
        except (OSError, EOFError):
            if late.is_set():
                return None
            raise
        finally:
            timer.cancel()

    def kill(self) -> None:
        """Kill the process and the programs that it has started."""
        with suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)

    def end(self, within_s: float) -> None:
        """Kill the process, wait for its end, and close the connection; with a hanging driver it
        may never end."""
        self.kill()
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(within_s)
        self.connection.close()
