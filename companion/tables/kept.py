"""One table's process, kept running: started, watched, started again where it died or is frozen.

The process speaks to its keeper as to a service manager (sd_notify): it reports when phones are
answered, and that its event loop, its table and its log still answer. It ends when its standard
input does, so no table outlives its keeper.
"""

from __future__ import annotations

import asyncio
import os
import socket
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

import msgspec

from companion.tables.settings import TableSettings

LONGEST_LINE = 64 * 1024
LONGEST_MESSAGE = 4096
BEFORE_US = ("NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID")


class State(StrEnum):
    """What one sees of a table from outside."""

    STARTING = "starting"
    OPEN = "open"
    AGAIN = "again"
    """It stopped, and is started again in a moment."""
    CLOSED = "closed"


class Ended(StrEnum):
    """Why a table's process ended."""

    DIED = "died"
    FROZEN = "frozen"
    LATE = "late"
    """It was not ready in time."""
    REFUSED = "refused"
    """Its settings or its data folder are wrong; its own line on standard error says how."""


class Joining(msgspec.Struct, frozen=True):
    """How phones join one table: a line that its process prints."""

    url: str
    join: str
    code: str
    addresses: tuple[str, ...]


_JOINING = msgspec.json.Decoder(Joining)


@dataclass(frozen=True, slots=True)
class KeepPatience:
    """How long a table's process may take; `_s` are seconds."""

    start_s: float = 180.0
    """Until phones are answered: a damaged log is recovered first."""
    silent_s: float = 20.0
    """Without a ping; it pings four times as often."""
    end_s: float = 6.0
    """To end when asked; then it is killed."""
    again_s: float = 0.5
    """Before the first new start; each further one waits twice as long."""
    again_at_most_s: float = 30.0
    steady_s: float = 60.0
    """After so long the next new start is a first one."""
    look_s: float = 1.0
    """Between two looks at the file that names the tables."""


class KeptTable:
    """Keeps one table's process running, on the event loop, until it is cancelled.

    `follow` is called after each change of what others see: `state`, `joining`, `ended`.
    """

    def __init__(
        self,
        settings: TableSettings,
        command: Sequence[str],
        runtime: Path,
        follow: Callable[[KeptTable], None],
        patience: KeepPatience | None = None,
    ) -> None:
        self.settings = settings
        self.state = State.STARTING
        self.joining: Joining | None = None
        self.ended: Ended | None = None
        """Why the process ended the last time."""
        self.pid: int | None = None
        self.wait_s = 0.0
        """How long it waits before the next start."""
        self._command, self._follow = tuple(command), follow
        self._address = runtime / settings.name
        self._patience = patience or KeepPatience()
        self._ready, self._heard_at = asyncio.Event(), 0.0

    async def keep(self) -> None:
        """Start the process, again and again; on being cancelled, end it."""
        failures = 0
        while True:
            began = time.monotonic()
            self.ended = await self._run()
            steady = time.monotonic() - began > self._patience.steady_s
            failures = 0 if steady else failures
            self.wait_s = min(
                self._patience.again_s * 2.0 ** min(failures, 10), self._patience.again_at_most_s
            )
            failures += 1
            self._show(State.AGAIN)
            await asyncio.sleep(self.wait_s)
            self._show(State.STARTING)

    def _show(self, state: State) -> None:
        self.state = state
        self._follow(self)

    async def _run(self) -> Ended:
        """Run one process to its end, and return why it ended."""
        self._ready.clear()
        with _Hearing(self._address, self._hear):
            try:
                process = await self._start()
            except OSError:  # no memory, no process left
                return Ended.DIED
            self.pid = process.pid
            reading = asyncio.create_task(self._read(process))
            guarding = asyncio.create_task(self._watch(process))
            try:
                status = await process.wait()
                return self._why(status, guarding)
            finally:
                self.pid = self.joining = None
                guarding.cancel()
                await self._end(process)
                reading.cancel()

    async def _start(self) -> asyncio.subprocess.Process:
        return await asyncio.create_subprocess_exec(
            *self._command,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            env=self._environment(),
            limit=LONGEST_LINE,
            start_new_session=True,
        )

    def _why(self, status: int, guarding: asyncio.Task[Ended]) -> Ended:
        if guarding.done() and not guarding.cancelled():
            return guarding.result()
        return Ended.REFUSED if status == 2 else Ended.DIED

    async def _end(self, process: asyncio.subprocess.Process) -> None:
        """End the process: as asked, or killed after a while."""
        if process.returncode is not None:
            return
        with suppress(ProcessLookupError):
            process.terminate()
        with suppress(TimeoutError):
            async with asyncio.timeout(self._patience.end_s):
                await process.wait()
        _kill(process)
        await process.wait()

    async def _read(self, process: asyncio.subprocess.Process) -> None:
        """Take in how phones join, whenever the process prints it."""
        assert process.stdout is not None
        while line := await _line(process.stdout):
            with suppress(msgspec.MsgspecError):
                self.joining = _JOINING.decode(line)
                self._follow(self)

    async def _watch(self, process: asyncio.subprocess.Process) -> Ended:
        """Kill the process where it is not ready in time, or is silent for too long."""
        try:
            async with asyncio.timeout(self._patience.start_s):
                await self._ready.wait()
        except TimeoutError:
            _kill(process)
            return Ended.LATE
        self._show(State.OPEN)
        while (left := self._heard_at + self._patience.silent_s - time.monotonic()) > 0:
            await asyncio.sleep(left)
        _kill(process)
        return Ended.FROZEN

    def _hear(self, message: bytes) -> None:
        """Take in a message of the process."""
        lines = message.split(b"\n")
        if b"WATCHDOG=1" in lines or b"READY=1" in lines:
            self._heard_at = time.monotonic()
        if b"READY=1" in lines:
            self._ready.set()

    def _environment(self) -> dict[str, str]:
        ours = {name: value for name, value in os.environ.items() if name not in BEFORE_US}
        return {
            **ours,
            "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
            "NOTIFY_SOCKET": str(self._address),
            "WATCHDOG_USEC": str(round(self._patience.silent_s * 1e6)),
        }


class _Hearing:
    """Receives the messages of one process for as long as the block lasts."""

    def __init__(self, address: Path, hear: Callable[[bytes], None]) -> None:
        self._address, self._hear = address, hear
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_NONBLOCK)

    def __enter__(self) -> None:
        self._address.unlink(missing_ok=True)
        self._socket.bind(str(self._address))
        asyncio.get_running_loop().add_reader(self._socket, self._receive)

    def __exit__(self, *_: object) -> None:
        asyncio.get_running_loop().remove_reader(self._socket)
        self._socket.close()
        self._address.unlink(missing_ok=True)

    def _receive(self) -> None:
        with suppress(OSError):
            self._hear(self._socket.recv(LONGEST_MESSAGE))


def _kill(process: asyncio.subprocess.Process) -> None:
    """Kill a process, stopped or not; its camera's process ends with it."""
    with suppress(ProcessLookupError):
        process.kill()


async def _line(stream: asyncio.StreamReader) -> bytes:
    """Return the next line; what is longer than a line may be is passed over."""
    while True:
        try:
            return await stream.readline()
        except ValueError:
            continue
