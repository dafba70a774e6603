"""One process of the reader at a time: started, listened to, killed and started anew.

What all of that serves is for those who derive from `Supervisor` to say: the camera
(`companion.vision.process.camera`), whose process is always there, and photos
(`companion.vision.process.photos`), whose process is there while there are any.
"""

from __future__ import annotations

import multiprocessing
import os
import queue
import signal
import subprocess
import sys
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection

from companion.vision.errors import ReaderError, SourceError
from companion.vision.process.messages import Alive, Command, Said, Setup, Spent, Unfit


@dataclass(frozen=True, slots=True)
class Patience:
    """How long, in seconds, the other process may take for what, and by which clock."""

    start_s: float = 30.0
    """To load the networks and answer first: a cold SD card is slow."""
    open_s: float = 10.0
    """To show the first picture of a source that is being opened."""
    open_at_most_s: float = 60.0
    """Doubled up to this for a camera that showed none when it was opened before."""
    stall_s: float = 1.65
    """Without a new picture, or without a word. A word of a picture may come a quarter of a second
    after it: what hangs is lost within two."""
    again_s: float = 0.25
    """Before it is started again; doubled each time it dies soon after its start. A camera that
    stalled is opened again at once."""
    end_s: float = 2.0
    """For a process that was killed to be gone: one whose driver hangs may never be."""
    again_at_most_s: float = 30.0
    settled_s: float = 60.0
    """A process that lived so long did not die of its start."""
    photo_s: float = 15.0
    """To read a photo, for the process that has begun it and for whoever waits for it."""
    idle_s: float = 60.0
    """Without a photo, before the process that reads them is let go, where there is a camera."""
    clock: Callable[[], float] = time.monotonic


class Supervisor(ABC):
    """Keeps one process going while it is wanted, on a thread of its own."""

    def __init__(self, name: str, setup: Setup, patience: Patience) -> None:
        self._patience = patience
        self._now = patience.clock
        self._setup = setup
        self._lock = threading.Lock()
        self._outbox: queue.SimpleQueue[Command | Setup | None] = queue.SimpleQueue()
        self._wanted = threading.Event()
        self._closing = threading.Event()
        self._thread = threading.Thread(target=self._supervise, name=name, daemon=True)

    def start(self) -> None:
        """The process is started once it is wanted; once, before anything else."""
        self._thread.start()

    def close(self) -> None:
        """The process is gone, and nothing more is heard of it."""
        self._closing.set()
        self._wanted.set()
        if self._thread.is_alive():
            self._thread.join()

    def tell(self, command: Command, setup: Callable[[Setup], Setup] | None = None) -> None:
        """Send this to the process; later ones begin with what `setup` makes of the setup."""
        with self._lock:
            if setup is not None:
                self._setup = setup(self._setup)
            self._outbox.put(command)

    @abstractmethod
    def _is_wanted(self) -> bool:
        """Whether there is anything for a process to do, now or later."""

    @abstractmethod
    def _commands(self) -> Sequence[Command]:
        """Messages for a new process besides the setup."""

    @abstractmethod
    def _hear(self, said: Said, watch: Watchdog) -> None:
        """Take in one message of the process."""

    @abstractmethod
    def _overdue(self) -> None:
        """The process has let its deadline go by, and is about to be killed."""

    @abstractmethod
    def _lost(self, reason: ReaderError | SourceError) -> None:
        """The process is gone before its time: everything it was doing is void."""

    def _watchdog(self) -> Watchdog:
        """Who decides how long a new process may take."""
        return Watchdog(self._now(), self._patience)

    def _supervise(self) -> None:
        """Keeps one process going until all is closed."""
        pause_s = self._patience.again_s
        while self._waits():
            started = self._now()
            reason = self._live_once()
            if self._closing.is_set():
                return
            if reason is None:
                continue
            self._lost(reason)
            if isinstance(reason, SourceError) or (
                self._now() - started > self._patience.settled_s
            ):
                pause_s = self._patience.again_s
            if isinstance(reason, ReaderError):
                self._pause(pause_s)
                pause_s = min(2 * pause_s, self._patience.again_at_most_s)

    def _waits(self) -> bool:
        """Returns True once a process is wanted, False when all is closed."""
        while not self._closing.is_set():
            self._wanted.clear()
            if self._is_wanted():
                return True
            self._wanted.wait()
        return False

    def _pause(self, pause_s: float) -> None:
        """So much time has passed, or something waits to be done, or all is to be closed."""
        self._wanted.clear()
        if not self._commands() and not self._closing.is_set():
            self._wanted.wait(pause_s)

    def _live_once(self) -> ReaderError | SourceError | None:
        """Runs one process to its end; the reason is returned, None where it was let go."""
        ours, theirs = multiprocessing.Pipe()
        with self._lock:
            # Commands for the process before are void.
            outbox = self._outbox = queue.SimpleQueue()
            outbox.put(self._setup)
            for command in self._commands():
                outbox.put(command)
        process = _started(theirs)
        theirs.close()
        sender = threading.Thread(
            target=_send, args=(ours, outbox), name=f"{self._thread.name}-out", daemon=True
        )
        sender.start()
        try:
            return self._listen(ours)
        finally:
            outbox.put(None)
            _end(process)
            with suppress(subprocess.TimeoutExpired):
                process.wait(self._patience.end_s)
            sender.join(self._patience.end_s)
            ours.close()

    def _listen(self, connection: Connection) -> ReaderError | SourceError | None:
        """Takes what the process says, until it dies or stalls or is not wanted any more."""
        watch = self._watchdog()
        while not self._closing.is_set() and self._is_wanted():
            now = self._now()
            # What it has said counts, however late this machine gets round to hearing it.
            if not connection.poll(max(0.0, min(0.1, watch.deadline - now))):
                if now > watch.deadline:
                    self._overdue()
                    return watch.reason()
                continue
            try:
                said: Said = connection.recv()
            except (EOFError, OSError):
                return ReaderError("error.camera.reader_died")
            if isinstance(said, Unfit):
                return said.problem
            if isinstance(said, Spent):
                return None
            self._hear(said, watch)
        return None


class Watchdog:
    """Until when the process must have shown something new."""

    def __init__(self, now: float, patience: Patience) -> None:
        self.deadline = now + patience.start_s
        self._patience = patience
        self._pictures = 0
        self._was_open = False
        self._is_dark = False
        self._has_spoken = False
        self._reads_photo = False

    def reason(self) -> ReaderError | SourceError:
        """Why the process is given up once the deadline is past: it was never there, or is lost in
        a photo; or it is there, and its camera is what fails."""
        if not self._has_spoken or self._reads_photo:
            return ReaderError("error.camera.reader_died")
        return SourceError("error.camera.black" if self._is_dark else "error.camera.stalled")

    def alive(self, said: Alive, now: float) -> bool:
        """The deadline is put off where something is new; True where a picture is."""
        self._has_spoken = True
        is_new = said.pictures != self._pictures
        if is_new or not said.open:
            self.deadline = now + self._patience.stall_s
        elif not self._was_open:
            self.deadline = now + self._patience.open_s
        self._pictures = said.pictures
        self._was_open = said.open
        self._is_dark = said.dark
        return is_new

    def photo_begun(self, now: float) -> None:
        """A photo is being read, and nothing else is done meanwhile."""
        self._reads_photo = True
        self.deadline = now + self._patience.photo_s

    def photo_read(self, now: float) -> None:
        """The photo is read."""
        self._reads_photo = False
        self.deadline = now + self._patience.stall_s


def _send(connection: Connection, outbox: queue.SimpleQueue[Command | Setup | None]) -> None:
    """Sends what is put into the outbox; a process that does not listen blocks only this thread."""
    while (command := outbox.get()) is not None:
        try:
            connection.send(command)
        except OSError:
            return


def _started(connection: Connection) -> subprocess.Popen[bytes]:
    """The other process, the leader of a group of its own. It loads the networks; the service never
    does. Nor does it load what the service has loaded: it must be there soon after a fault."""
    number = connection.fileno()
    return subprocess.Popen(
        [sys.executable, "-P", "-m", "companion.vision.process.child", str(number)],
        stdin=subprocess.DEVNULL,
        pass_fds=(number,),
        start_new_session=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
    )


def _end(process: subprocess.Popen[bytes]) -> None:
    """The process is killed, and the programs that it has started with it."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
