"""Supervise one process of the reader: start it, listen to it, kill it and start it again.

Subclasses of `Supervisor` define its work: the camera (`companion.vision.process.camera`), whose
process always runs, and photos (`companion.vision.process.photos`), whose process runs while there
are any.
"""

from __future__ import annotations

import multiprocessing
import queue
import subprocess
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection

from companion.child_process import kill_child, start_child
from companion.vision.errors import ReaderError, SourceError
from companion.vision.process.messages import (
    Alive,
    CameraSetup,
    ChildCommand,
    ChildMessage,
    HandOver,
    StartFailed,
)

CHILD = "companion.vision.process.child"
"""The module of the other process. Only it loads the networks, and it loads nothing of the
service."""


@dataclass(frozen=True, slots=True)
class Timeouts:
    """Time limits for the other process, in seconds, and the clock that measures them."""

    start_s: float = 30.0
    """To load the networks and answer first: a cold SD card is slow."""
    open_s: float = 10.0
    """To show the first picture of a source that is being opened."""
    open_at_most_s: float = 60.0
    """The limit of `open_s`, which doubles while a camera shows no picture after opening."""
    stall_s: float = 1.65
    """Without a new picture or a message. A message may follow its picture by a quarter of a
    second, so a stalled process is noticed within two seconds."""
    restart_s: float = 0.25
    """Before a restart; doubled each time the process dies soon after its start. A camera that
    stalled is reopened at once."""
    end_s: float = 2.0
    """For a killed process to be gone; with a hanging driver it may never be."""
    restart_at_most_s: float = 30.0
    settled_s: float = 60.0
    """The lifetime after which a death has nothing to do with the start."""
    photo_s: float = 15.0
    """To read a photo, once begun; also how long a photo may wait."""
    idle_s: float = 60.0
    """Without a photo, before the process that reads them ends, where there is a camera."""
    clock: Callable[[], float] = time.monotonic


Outbox = queue.SimpleQueue[ChildCommand | CameraSetup | None]
"""What a process is still to be sent; None ends it."""


class Supervisor(ABC):
    """Keeps one process running while it is wanted, on a thread of its own."""

    def __init__(self, name: str, setup: CameraSetup, timeouts: Timeouts) -> None:
        self._timeouts = timeouts
        self._now = timeouts.clock
        self._setup = setup
        self._lock = threading.Lock()
        self._outbox: Outbox | None = None
        """The commands for the process that runs, if one does. What later ones need is in the setup
        and in `_commands`; the rest is void without a process."""
        self._wanted = threading.Event()
        self._outdated = threading.Event()
        """Set when the process that runs was started with a setup that no longer holds."""
        self._closing = threading.Event()
        self._thread = threading.Thread(target=self._supervise, name=name, daemon=True)

    def start(self) -> None:
        """Start supervising; call once, before anything else."""
        self._thread.start()

    def close(self) -> None:
        """End the process and the supervision."""
        self._closing.set()
        self._wanted.set()
        if self._thread.is_alive():
            self._thread.join()

    def restart(self, setup: Callable[[CameraSetup], CameraSetup]) -> None:
        """Change the setup, and start the process that runs again with it."""
        with self._lock:
            self._setup = setup(self._setup)
            self._outdated.set()
        self._wanted.set()

    def send(
        self, command: ChildCommand, setup: Callable[[CameraSetup], CameraSetup] | None = None
    ) -> None:
        """Send a command to the process, and change the setup of later ones by `setup`."""
        with self._lock:
            if setup is not None:
                self._setup = setup(self._setup)
            self._put(command)

    def _put(self, command: ChildCommand) -> None:
        """Send a command to the process that runs, if any; call with the lock held."""
        if self._outbox is not None:
            self._outbox.put(command)

    @abstractmethod
    def _is_wanted(self) -> bool:
        """Whether a process is needed, now or soon."""

    @abstractmethod
    def _replaced(self) -> None:
        """React to a new setup; the process with the one before, if any, is gone."""

    @abstractmethod
    def _commands(self) -> Sequence[ChildCommand]:
        """The commands for a new process besides the setup."""

    @abstractmethod
    def _receive(self, message: ChildMessage, watch: Watchdog) -> None:
        """Take in one message of the process."""

    @abstractmethod
    def _overdue(self) -> None:
        """React to a missed deadline; the process is about to be killed."""

    @abstractmethod
    def _process_lost(self, reason: ReaderError | SourceError) -> None:
        """React to the loss of the process and of all its work."""

    def _watchdog(self) -> Watchdog:
        """The watchdog of a new process."""
        return Watchdog(self._now(), self._timeouts)

    def _supervise(self) -> None:
        """Run one process after the other until closed."""
        pause_s = self._timeouts.restart_s
        while self._wait_until_wanted():
            started = self._now()
            reason = self._run_once()
            if self._closing.is_set():
                return
            if reason is None:
                continue
            self._process_lost(reason)
            if isinstance(reason, SourceError) or (
                self._now() - started > self._timeouts.settled_s
            ):
                pause_s = self._timeouts.restart_s
            if isinstance(reason, ReaderError):
                self._pause(pause_s)
                pause_s = min(2 * pause_s, self._timeouts.restart_at_most_s)

    def _wait_until_wanted(self) -> bool:
        """Wait until a process is wanted (True) or all is closed (False)."""
        while not self._closing.is_set():
            self._wanted.clear()
            if self._outdated.is_set():
                self._outdated.clear()
                self._replaced()
            if self._is_wanted():
                return True
            self._wanted.wait()
        return False

    def _pause(self, pause_s: float) -> None:
        """Wait for `pause_s`, for new work or for closing."""
        self._wanted.clear()
        if not self._commands() and not self._closing.is_set():
            self._wanted.wait(pause_s)

    def _run_once(self) -> ReaderError | SourceError | None:
        """Run one process to its end; the reason for it, None where it was no longer needed."""
        try:
            process, ours = _start()
        except OSError:  # no memory, processes or descriptors are left
            return ReaderError("error.camera.reader_died")
        with self._lock:
            outbox: Outbox = queue.SimpleQueue()
            self._outbox = outbox
            outbox.put(self._setup)
            for command in self._commands():
                outbox.put(command)
        sender = threading.Thread(
            target=_send, args=(ours, outbox), name=f"{self._thread.name}-out", daemon=True
        )
        sender.start()
        try:
            return self._listen(ours)
        finally:
            with self._lock:
                self._outbox = None
            outbox.put(None)
            kill_child(process)
            with suppress(subprocess.TimeoutExpired):
                process.wait(self._timeouts.end_s)
            sender.join(self._timeouts.end_s)
            ours.close()

    def _listen(self, connection: Connection) -> ReaderError | SourceError | None:
        """Take in messages until the process dies, stalls or is no longer wanted."""
        watch = self._watchdog()
        while not (self._closing.is_set() or self._outdated.is_set()) and self._is_wanted():
            now = self._now()
            # A message that has arrived counts, however late this machine reads it.
            if not connection.poll(max(0.0, min(0.1, watch.deadline - now))):
                if now > watch.deadline:
                    self._overdue()
                    return watch.reason()
                continue
            try:
                message: ChildMessage = connection.recv()
            except (EOFError, OSError):
                return ReaderError("error.camera.reader_died")
            if isinstance(message, StartFailed):
                return message.problem
            if isinstance(message, HandOver):
                return None
            self._receive(message, watch)
        return None


class Watchdog:
    """The deadline by which the process must show something new."""

    def __init__(self, now: float, timeouts: Timeouts) -> None:
        self.deadline = now + timeouts.start_s
        self._timeouts = timeouts
        self._pictures = 0
        self._was_open = False
        self._is_dark = False
        self._has_answered = False
        self._reads_photo = False

    def reason(self) -> ReaderError | SourceError:
        """The reason for giving up the process after its deadline: it never started or hangs in a
        photo; or else its camera failed."""
        if not self._has_answered or self._reads_photo:
            return ReaderError("error.camera.reader_died")
        return SourceError("error.camera.black" if self._is_dark else "error.camera.stalled")

    def alive(self, message: Alive, now: float) -> bool:
        """Extend the deadline where something is new; True for a new picture."""
        self._has_answered = True
        is_new = message.pictures != self._pictures
        if is_new or not message.open:
            self.deadline = now + self._timeouts.stall_s
        elif not self._was_open:
            self.deadline = now + self._timeouts.open_s
        self._pictures = message.pictures
        self._was_open = message.open
        self._is_dark = message.dark
        return is_new

    def photo_begun(self, now: float) -> None:
        """Set the deadline for a photo that is being read."""
        self._reads_photo = True
        self.deadline = now + self._timeouts.photo_s

    def photo_read(self, now: float) -> None:
        """Set the deadline after a photo."""
        self._reads_photo = False
        self.deadline = now + self._timeouts.stall_s


def _start() -> tuple[subprocess.Popen[bytes], Connection]:
    """Start a process; return it, and the line to it. Raises OSError."""
    ours, theirs = multiprocessing.Pipe()
    try:
        return start_child(CHILD, theirs), ours
    except OSError:
        ours.close()
        raise
    finally:
        theirs.close()


def _send(connection: Connection, outbox: Outbox) -> None:
    """Send what is in the outbox; a process that does not listen blocks only this thread."""
    while (command := outbox.get()) is not None:
        try:
            connection.send(command)
        except OSError:
            return
