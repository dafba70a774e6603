"""`companion serve` in a process of its own, and its service manager: a datagram socket."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.waiting import WITHIN_S

ROOT = Path(__file__).parents[2]
SERVE = "from companion.cli import main; main()"
FREEZES = """
import signal, threading, time
from companion.table import Table
tables, first = [], Table.__init__
def init(table, *given, **named):
    first(table, *given, **named)
    tables.append(table)
Table.__init__ = init
def hold():
    tables[0]._writing.acquire()
    print("frozen", flush=True)
def table_freezes(*_):
    threading.Thread(target=hold).start()
def loop_freezes(*_):
    print("frozen", flush=True)
    threading.Event().wait()
signal.signal(signal.SIGUSR1, table_freezes)
signal.signal(signal.SIGUSR2, loop_freezes)
"""
"""A service that freezes for good: its table by SIGUSR1, its event loop by SIGUSR2."""


@dataclass
class Supervised:
    """A running service, its first line of output, and the messages it sends."""

    process: subprocess.Popen[str]
    info: dict[str, Any]
    manager: socket.socket

    @property
    def port(self) -> int:
        return int(self.info["url"].rpartition(":")[2])

    def message(self) -> list[str]:
        """Return the lines of the next message."""
        return self.manager.recv(4096).decode().split("\n")

    def until(self, line: str) -> None:
        """Wait for a message of this one line."""
        by = time.monotonic() + WITHIN_S
        while self.message() != [line]:
            assert time.monotonic() < by, f"no {line}"

    def pings_until_late(self, limit_s: float, most: int = 20) -> int:
        """Return how many pings come before one is late; `most` if none is."""
        self.manager.settimeout(limit_s)
        for count in range(most):
            try:
                assert self.message() == ["WATCHDOG=1"]
            except TimeoutError:
                return count
        return most

    def line(self) -> str:
        """Return the next line of output."""
        assert self.process.stdout is not None
        return self.process.stdout.readline().strip()

    def end(self, how: signal.Signals) -> str:
        """Send the signal, wait for the end and return what was printed on standard error."""
        self.process.send_signal(how)
        _, shown = self.process.communicate(timeout=WITHIN_S)
        return shown


def manager_socket(name: str) -> socket.socket:
    """Return the socket that NOTIFY_SOCKET=`name` means."""
    manager = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    manager.bind(name.replace("@", "\0", 1))
    manager.settimeout(WITHIN_S)
    return manager


@contextmanager
def supervised(
    data: Path, name: str, *options: str, before: str = "", **environ: str
) -> Iterator[Supervised]:
    """Run the service below a manager whose socket is `name`; `before` is code it runs first."""
    command = [sys.executable, "-c", before + SERVE, "serve", "--host", "127.0.0.1"]
    with (
        manager_socket(name) as manager,
        subprocess.Popen(
            [*command, "--port", "0", "--data", str(data), *options],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            cwd=ROOT,
            env={**os.environ, "PYTHONPATH": str(ROOT), "NOTIFY_SOCKET": name, **environ},
        ) as process,
    ):
        assert process.stdout is not None
        try:
            yield Supervised(process, json.loads(process.stdout.readline()), manager)
        finally:
            process.kill()
