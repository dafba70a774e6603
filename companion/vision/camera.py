"""A camera and its reader, in a process of their own: the side the service holds.

    camera = Camera(Setup(source("/dev/v4l/by-id/..."), game="new-york"), report=reports.put)
    camera.start()
    ...
    camera.expect(6)                # the engine says how many dice; None: what the game allows
    reading = camera.read_photo(encoded).result(timeout=20)
    camera.close()

`report` is called with `CameraSeen`, `TraySeen` and `DiceRead` (`companion.vision.messages`), on a
thread of the camera's own, one at a time and in order. No method here waits for the other process,
whatever state that is in; `read_photo` gives a future. A reading is a proposal made once, when the
dice have come to rest: whether anybody waits for a roll is for the caller to know, and `newest`
keeps it for a question that opens a moment later.

The other process is killed and started again when it shows no new picture for two seconds, or only
black ones all of a sudden, or says nothing for as long, or dies; a source that says it is being
started has longer. It looks for a device that is gone twice a second. While it reads a photo it
sees and says nothing else, and has longer. A recording plays once from `start()`, at its own speed
or slower on a machine that cannot keep up, and then the camera has ended. With `source=None` there
is no camera, and the process is started by the first photo.
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
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass, replace
from multiprocessing.connection import Connection
from typing import assert_never

from companion.vision.errors import ReaderError, SourceError
from companion.vision.learning import Lesson, taught
from companion.vision.messages import (
    Alive,
    CameraSeen,
    Command,
    DiceRead,
    Expect,
    Learn,
    PhotoBegun,
    PhotoRead,
    Play,
    ReadNow,
    Report,
    Said,
    Setup,
    TraySeen,
    Unfit,
)
from companion.vision.pending import Pending
from companion.vision.readings import DiceReading, Tray
from companion.vision.states import CameraState, Problem, TrayState


@dataclass(frozen=True, slots=True)
class Patience:
    """How long, in seconds, the other process may take for what, and by which clock."""

    start_s: float = 30.0
    """To load the networks and answer first: a cold SD card is slow."""
    open_s: float = 10.0
    """To show the first picture of a source that is being opened."""
    stall_s: float = 2.0
    """Without a new picture, or without a word."""
    again_s: float = 0.25
    """Before it is started again; doubled each time it dies soon after its start. A camera that
    stalled is opened again at once, and a photo is not made to wait."""
    end_s: float = 2.0
    """For a process that was killed to be gone: one whose driver hangs may never be."""
    again_at_most_s: float = 30.0
    settled_s: float = 60.0
    """A process that lived so long did not die of its start."""
    photo_s: float = 15.0
    """To read a photo, for the process that has begun it and for whoever waits for it: a phone's
    picture on a small machine takes longer than a camera may be silent."""
    clock: Callable[[], float] = time.monotonic


class Camera:
    """A camera with its reader. Thread-safe."""

    def __init__(
        self,
        setup: Setup,
        report: Callable[[Report], None],
        patience: Patience | None = None,
    ) -> None:
        self._report = report
        self._patience = patience or Patience()
        self._now = self._patience.clock
        self._setup = setup
        self._state = CameraState.NONE if setup.source is None else CameraState.STARTING
        self._tray = Tray(state=TrayState.EMPTY)
        self._newest: DiceReading | None = None
        self._heard_at = self._now()
        self._lock = threading.Lock()
        self._outbox: queue.SimpleQueue[Command | Setup | None] = queue.SimpleQueue()
        self._photos = Pending()
        self._wanted = threading.Event()
        self._closing = threading.Event()
        self._thread = threading.Thread(target=self._supervise, name="camera", daemon=True)

    @property
    def state(self) -> CameraState:
        """What the camera is doing."""
        return self._state

    @property
    def tray(self) -> Tray:
        """What the tray was doing when last seen."""
        return self._tray

    @property
    def newest(self) -> DiceReading | None:
        """The last reading, however old."""
        return self._newest

    @property
    def silent_s(self) -> float:
        """How long there has been no new picture."""
        return self._now() - self._heard_at

    def start(self) -> None:
        """The source is being opened; once, before anything else."""
        if self._setup.source is not None:
            self._wanted.set()
        self._thread.start()

    def close(self) -> None:
        """The process is gone and nothing more is reported."""
        self._closing.set()
        self._wanted.set()
        if self._thread.is_alive():
            self._thread.join()
        self._photos.close()

    def expect(self, count: int | None) -> None:
        """So many dice are expected from now on; None: as many as the game allows."""
        with self._lock:
            self._setup = replace(self._setup, expected=count)
            self._outbox.put(Expect(count))

    def play(self, game: str) -> None:
        """The dice of this game lie on the table from now on."""
        with self._lock:
            self._setup = replace(self._setup, game=game)
            self._outbox.put(Play(game))

    def learn(self, lesson: Lesson) -> None:
        """What the table has said of dice is known from now on, by later processes too."""
        with self._lock:
            self._setup = replace(self._setup, learnt=taught(self._setup.learnt, lesson))
            self._outbox.put(Learn(lesson))

    def read_now(self) -> None:
        """What lies in the tray is reported once it rests, although nothing has moved."""
        with self._lock:
            self._outbox.put(ReadNow())

    def read_photo(self, encoded: bytes) -> Future[DiceReading]:
        """The reading of an uploaded photo, soon; PhotoError or ReaderError in its place.

        One that a process was reading for too long, or when it died, is not read again; one that
        was still to be read is, by the next process but no other; none that has waited longer than
        `Patience.photo_s`.
        """
        with self._lock:
            command, answer = self._photos.take(encoded, self._patience.photo_s)
            self._outbox.put(command)
        self._wanted.set()
        if self._closing.is_set():
            self._photos.close()
        return answer

    def _supervise(self) -> None:
        """Keeps one process going until the camera is closed."""
        pause_s = self._patience.again_s
        self._wanted.wait()
        while not self._closing.is_set():
            started = self._now()
            reason = self._live_once()
            if self._closing.is_set():
                return
            self._lost(reason)
            if isinstance(reason, SourceError) or (
                self._now() - started > self._patience.settled_s
            ):
                pause_s = self._patience.again_s
            if isinstance(reason, ReaderError):
                self._pause(pause_s)
                pause_s = min(2 * pause_s, self._patience.again_at_most_s)

    def _pause(self, pause_s: float) -> None:
        """So much time has passed, or a photo wants its answer, or the camera is to be closed."""
        self._wanted.clear()
        if not self._photos.commands() and not self._closing.is_set():
            self._wanted.wait(pause_s)

    def _live_once(self) -> ReaderError | SourceError:
        """Runs one process to its end, which is always untimely; the reason is returned."""
        ours, theirs = multiprocessing.Pipe()
        with self._lock:
            # Commands for the process before are void, but a photo still waits for its answer.
            outbox = self._outbox = queue.SimpleQueue()
            outbox.put(replace(self._setup, known=self._newest))
            for command in self._photos.commands():
                outbox.put(command)
        process = _started(theirs)
        theirs.close()
        sender = threading.Thread(target=_send, args=(ours, outbox), name="camera-out", daemon=True)
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

    def _listen(self, connection: Connection) -> ReaderError | SourceError:
        """Takes what the process says, until it dies or stalls."""
        patience = self._patience
        watch = Watchdog(self._now(), patience)
        while not self._closing.is_set():
            now = self._now()
            # What it has said counts, however late this machine gets round to hearing it.
            if not connection.poll(max(0.0, min(0.1, watch.deadline - now))):
                if now > watch.deadline:
                    self._photos.overdue()
                    return watch.reason()
                continue
            try:
                said: Said = connection.recv()
            except (EOFError, OSError):
                break
            if isinstance(said, Unfit):
                return said.problem
            self._hear(said, watch)
        return ReaderError("error.camera.reader_died")

    def _hear(self, said: Report | Alive | PhotoBegun | PhotoRead, watch: Watchdog) -> None:
        """One message of the process is taken in, and passed on where it is a report."""
        match said:
            case Alive():
                if watch.alive(said, self._now()):
                    self._heard_at = self._now()
            case PhotoBegun():
                watch.photo_begun(self._now())
                self._photos.begin(said.number)
            case PhotoRead():
                watch.photo_read(self._now())
                self._photos.answer(said.number, said.outcome)
            case CameraSeen():
                self._state = said.state
                self._report(said)
            case TraySeen():
                self._tray = said.tray
                self._report(said)
            case DiceRead():
                self._newest = said.reading
                self._report(said)
            case _:
                assert_never(said)

    def _lost(self, reason: ReaderError | SourceError) -> None:
        """The process is gone: everything it was doing is void, and the listener knows."""
        self._photos.lost(reason)
        if self._setup.source is not None:
            self._state = CameraState.LOST
            self._report(CameraSeen(CameraState.LOST, reason))
        problem = Problem.READER if isinstance(reason, ReaderError) else None
        self._tray = Tray(state=TrayState.PROBLEM, problem=problem)
        self._report(TraySeen(self._tray))


class Watchdog:
    """Until when the process must have shown something new."""

    def __init__(self, now: float, patience: Patience) -> None:
        self.deadline = now + patience.start_s
        self._patience = patience
        self._pictures = 0
        self._was_open = False
        self._is_dark = False
        self._has_spoken = False
        self._left_s: float | None = None
        """How long it still had when it began to read a photo; None where it reads none."""

    def reason(self) -> ReaderError | SourceError:
        """Why the process is given up once the deadline is past: it was never there, or is lost in
        a photo; or it is there, and its camera is what fails."""
        if not self._has_spoken or self._left_s is not None:
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
        self._left_s = self.deadline - now
        self.deadline = now + self._patience.photo_s

    def photo_read(self, now: float) -> None:
        """The photo is read: it has as long as it had before, but long enough for a picture."""
        left_s, self._left_s = self._left_s or 0.0, None
        self.deadline = now + max(left_s, self._patience.stall_s)


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
        [sys.executable, "-P", "-m", "companion.vision.camera_process", str(number)],
        stdin=subprocess.DEVNULL,
        pass_fds=(number,),
        start_new_session=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
    )


def _end(process: subprocess.Popen[bytes]) -> None:
    """The process is killed, and the programs that it has started with it."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
