"""A camera and its reader in another process: the service's side of it.

`report` is called with `CameraChanged`, `TrayChanged` and `DiceRead` (`companion.vision.messages`),
on a thread of the camera's own, one at a time and in order. No method here waits for the other
process; `read_photo` returns a future. A reading is reported once, when the dice have come to rest.
The caller knows whether a roll is awaited.

The other process is killed and restarted when for two seconds it shows no new picture, suddenly
shows only black ones or sends no message, or when it dies; a source that is being opened has
longer. It looks for a missing device twice a second. A recording plays once from
`start()`, at its own speed or slower on a slow machine, and then the camera has ended. With
`source=None` there is no camera, until `use_source` gives one; the first photo starts the process.

Photos are read by the same process, one at a time between two pictures of the camera. One that ends
the process, or takes too long, is refused, and so are its bytes from then on.
"""

from __future__ import annotations

import queue
import threading
import time
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, replace
from hashlib import blake2b
from itertools import count
from multiprocessing.connection import Connection

from companion.child_process import ChildProcess
from companion.engine import Face
from companion.vision.box import Lesson, Profile, add_lesson, rules_of
from companion.vision.messages import (
    AcceptScene,
    Alive,
    BoxRecognised,
    CameraChanged,
    CameraSetup,
    ChildCommand,
    ChildMessage,
    ClearTray,
    DiceRead,
    Expect,
    FootageKept,
    KeptBoxes,
    LastPictures,
    Learn,
    PhotoBegun,
    PhotoRead,
    ReadNow,
    ReadPhoto,
    Report,
    RestartMe,
    SendFootage,
    SetupState,
    SetupStep,
    ShowPicture,
    SmallPicture,
    StartFailed,
    TakeSetupStep,
    TrayChanged,
    UseProfile,
    UseRules,
)
from companion.vision.readings import (
    CameraState,
    DiceReading,
    PhotoError,
    ReaderError,
    ReadingProblem,
    SourceError,
    TrayReading,
    TrayState,
    VisionError,
)
from companion.vision.report import Footage
from companion.vision.sources.kinds import FrameSource, Throw

CHILD = "companion.vision.child"
"""The module of the other process. Only it loads the networks, and it loads nothing of the
service."""
_MOST_REFUSED = 64
"""The number of refused photos that are recognised when sent again."""


@dataclass(frozen=True, slots=True)
class Timeouts:
    """Time limits for the other process, in seconds, and the clock that measures them."""

    start_s: float = 30.0
    """To load the networks and answer first: a cold SD card is slow."""
    open_s: float = 10.0
    """To show the first picture of a source that is being opened."""
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
    """How long a photo may wait to be read."""
    photo_read_s: float = 5.0
    """To read a photo, once begun: the camera's pictures wait meanwhile."""
    clock: Callable[[], float] = time.monotonic


@dataclass(frozen=True, slots=True)
class _Photo:
    command: ReadPhoto
    digest: bytes
    answer: Future[DiceReading]


Outbox = queue.SimpleQueue[ChildCommand | CameraSetup | None]
"""What a process is still to be sent; None ends it."""


class Camera:
    """A camera with its reader, in a process that is kept running. Thread-safe."""

    def __init__(
        self,
        setup: CameraSetup,
        report: Callable[[Report], None],
        timeouts: Timeouts | None = None,
    ) -> None:
        self._timeouts = timeouts or Timeouts()
        self._now = self._timeouts.clock
        self.setup = setup
        """What later processes start with: the source, the profile, what the table has taught.
        Only replaced, with the lock held."""
        self._report = report
        self._lock = threading.Lock()
        self._outbox: Outbox | None = None
        """The commands for the process that runs, if one does. What later ones need is in the setup
        and in `_photos`; the rest is void without a process."""
        self._wanted = threading.Event()
        self._outdated = threading.Event()
        """Set when the process that runs was started with a setup that no longer holds."""
        self._closing = threading.Event()
        self._thread = threading.Thread(target=self._supervise, name="camera", daemon=True)
        self.state = CameraState.NONE if setup.source is None else CameraState.STARTING
        self.tray = TrayReading(state=TrayState.EMPTY)
        """The tray's state when last seen."""
        self.picture = b""
        """What the camera saw when last asked, small, as a JPEG; empty before."""
        self._pictured_at = self._now()
        self._why: VisionError | None = None
        self._numbers = count(1)
        self._asked: dict[int, Future[Footage | None]] = {}
        self._photos: dict[int, _Photo] = {}
        self._begun: int | None = None
        """The photo that is being read."""
        self._refused: deque[bytes] = deque(maxlen=_MOST_REFUSED)
        """Digests of photos that ended a process."""
        self._reads_photos = False
        """Whether there was a photo, so that a process stays ready for more."""
        self.setup_state: SetupState | None = None
        """The newest state of the set-up; None if none runs, or its process was lost."""
        self.recognised: BoxRecognised | None = None
        """The box whose dice were recognised in the tray, until it or another one is used."""

    @property
    def silent_s(self) -> float:
        """The seconds since the last new picture."""
        return self._now() - self._pictured_at

    def start(self) -> None:
        """Start opening the source, if there is one; call once, before anything else."""
        self._thread.start()

    def close(self) -> None:
        """End the process; nothing is reported afterwards."""
        self._closing.set()
        self._wanted.set()
        if self._thread.is_alive():
            self._thread.join()
        self._give_up_photos(ReaderError("error.camera.reader_died"))

    def use_source(self, source: FrameSource | None) -> None:
        """Read another source from now on, in a process of its own; None: no source."""
        self.recognised = None
        with self._lock:
            self.setup = replace(self.setup, source=source, known=None, last=LastPictures())
            self._outdated.set()
        self._wanted.set()

    def expect(self, count: int | None) -> None:
        """Expect this number of dice from now on; None for as many as the game allows."""
        self._send(Expect(count), lambda setup: replace(setup, expected=count))

    def play(self, game: str) -> None:
        """Read the dice of this game from now on. VisionError if there is no such game."""
        rules = rules_of(game)
        self._send(UseRules(rules), lambda setup: replace(setup, rules=rules))

    def learn(self, lesson: Lesson) -> None:
        """Learn from a roll of the table, or withdraw it; later processes know it too."""
        self._send(
            Learn(lesson), lambda setup: replace(setup, learned=add_lesson(setup.learned, lesson))
        )

    def use(
        self, profile: Profile, learned: tuple[Lesson, ...] = (), boxes: KeptBoxes = ()
    ) -> None:
        """Use another tray or other dice from now on, and of what play has taught only this; dice
        of other `boxes` are recognised."""
        self.recognised = None
        self._send(
            UseProfile(profile, learned, boxes),
            lambda setup: replace(setup, profile=profile, learned=learned, boxes=boxes),
        )

    def accept_scene(self, *, reopen: bool = False) -> None:
        """Take camera, light and dice as they are from now on; with `reopen` the camera adjusts
        itself to the light again, and holds that."""
        self._send(AcceptScene(reopen))

    def read_now(self) -> None:
        """Report the dice in the tray once they rest, even if nothing has moved."""
        self._send(ReadNow())

    def throw(self, command: Throw | ClearTray) -> None:
        """Have the source throw dice of its own, or take them up."""
        self._send(command)

    def take_setup_step(self, step: SetupStep, face: Face | None = None) -> None:
        """Take a step of the set-up. If none runs, only one to begin has an effect."""
        with self._lock:
            if step is SetupStep.BEGIN:
                self.setup_state = SetupState()
            elif step is SetupStep.END:
                self.setup_state = None
        self._send(TakeSetupStep(step, face))

    def request_picture(self) -> None:
        """Have `picture` replaced by the camera's next one."""
        self._send(ShowPicture())

    def read_photo(self, encoded: bytes) -> Future[DiceReading]:
        """Read an uploaded photo; the future raises PhotoError or ReaderError instead.

        A photo that took too long, or that was being read when the process died, is never read
        again, from any sender. The `frame` of its reading is a number of its own.
        """
        answer = Future[DiceReading]()
        answer.set_running_or_notify_cancel()
        digest = blake2b(encoded, digest_size=16).digest()
        with self._lock:
            is_refused = digest in self._refused
            if not is_refused:
                until = time.monotonic() + self._timeouts.photo_s
                command = ReadPhoto(next(self._numbers), encoded, until)
                self._photos[command.number] = _Photo(command, digest, answer)
                self._reads_photos = True
                self._put(command)
        if is_refused:
            answer.set_exception(PhotoError("error.photo.fatal"))
        self._wanted.set()
        if self._closing.is_set():
            self._give_up_photos(ReaderError("error.camera.reader_died"))
        return answer

    def footage(self, *, photo: bool = False) -> Future[Footage | None]:
        """Fetch the pictures that the last reading was decided from, or the last photo; None if
        there are none."""
        number, answer = next(self._numbers), Future[Footage | None]()
        with self._lock:
            if self._outbox is None:
                answer.set_result(None)
                return answer
            self._asked[number] = answer
            self._put(SendFootage(number, photo))
        return answer

    def _send(
        self, command: ChildCommand, setup: Callable[[CameraSetup], CameraSetup] | None = None
    ) -> None:
        """Send a command to the process, and change the setup of later ones by `setup`."""
        with self._lock:
            if setup is not None:
                self.setup = setup(self.setup)
            self._put(command)

    def _put(self, command: ChildCommand) -> None:
        """Send a command to the process that runs, if any; call with the lock held."""
        if self._outbox is not None:
            self._outbox.put(command)

    def _supervise(self) -> None:
        timeouts = self._timeouts
        pause_s = timeouts.restart_s
        while self._wait_until_wanted():
            started = self._now()
            reason = self._run_once()
            if self._closing.is_set():
                return
            if reason is None:
                continue
            is_by_photo = self._begun is not None
            self._process_lost(reason)
            if (
                isinstance(reason, SourceError)
                or is_by_photo
                or self._now() - started > timeouts.settled_s
            ):
                pause_s = timeouts.restart_s
            if isinstance(reason, ReaderError):
                self._pause(pause_s)
                pause_s = min(2 * pause_s, timeouts.restart_at_most_s)

    def _is_wanted(self) -> bool:
        return self.setup.source is not None or self._reads_photos

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
        """Wait for `pause_s`, for a photo, another source or for closing."""
        self._wanted.clear()
        if not (self._photos or self._outdated.is_set() or self._closing.is_set()):
            self._wanted.wait(pause_s)

    def _run_once(self) -> ReaderError | SourceError | None:
        """Run one process to its end; the reason for it, None if it was no longer needed."""
        try:
            process = ChildProcess(CHILD)
        except OSError:  # no memory, processes or descriptors are left
            return ReaderError("error.camera.reader_died")
        with self._lock:
            outbox: Outbox = queue.SimpleQueue()
            self._outbox = outbox
            outbox.put(self.setup)
            if self.setup_state is not None:
                outbox.put(TakeSetupStep(SetupStep.BEGIN))
            for photo in self._photos.values():
                outbox.put(photo.command)
        lines = (process.connection, outbox)
        sender = threading.Thread(target=_send, args=lines, name="camera-out", daemon=True)
        sender.start()
        try:
            return self._listen(process.connection)
        finally:
            with self._lock:
                self._outbox = None
                asked, self._asked = self._asked, {}
            for answer in asked.values():  # no other process has its pictures
                answer.set_result(None)
            outbox.put(None)
            process.kill()
            sender.join(self._timeouts.end_s)
            process.close(self._timeouts.end_s)

    def _listen(self, connection: Connection) -> ReaderError | SourceError | None:
        """Take in messages until the process dies, stalls or is no longer wanted."""
        watch = Watchdog(self._now(), self._timeouts)
        while not (self._closing.is_set() or self._outdated.is_set()) and self._is_wanted():
            now = self._now()
            # A message that has arrived counts, however late this machine reads it.
            if not connection.poll(max(0.0, min(0.1, watch.deadline - now))):
                if now > watch.deadline:
                    return watch.reason()
                continue
            try:
                message: ChildMessage = connection.recv()
            except (EOFError, OSError):
                return ReaderError("error.camera.reader_died")
            if isinstance(message, StartFailed):
                return message.problem
            if isinstance(message, RestartMe):
                return None
            self._receive(message, watch)
        return None

    def _receive(self, message: ChildMessage, watch: Watchdog) -> None:
        match message:
            case Alive():
                if watch.alive(message, self._now()):
                    self._pictured_at = self._now()
                with self._lock:
                    self.setup = replace(self.setup, last=message.last)
            case PhotoBegun(number):
                watch.photo_begun(self._now())
                self._begun = number
            case PhotoRead():
                watch.photo_read(self._now())
                self._photo_read(message)
            case CameraChanged(state=CameraState.STARTING) if self.state is CameraState.LOST:
                pass  # it is lost until it shows something new
            case CameraChanged():
                self.state = message.state
                self._why = message.problem
                self._report(message)
            case TrayChanged():
                self.tray = message.tray
                self._report(message)
            case SetupState():
                with self._lock:  # late messages of a set-up that was ended are dropped
                    if self.setup_state is not None:
                        self.setup_state = self.setup_state.updated(message)
            case SmallPicture():
                self.picture = message.encoded
            case BoxRecognised():
                self.recognised = message
            case DiceRead():
                self.tray = message.tray
                with self._lock:
                    self.setup = replace(self.setup, known=message.reading)
                self._report(message)
            case FootageKept():
                with self._lock:
                    answer = self._asked.pop(message.number, None)
                if answer is not None:
                    answer.set_result(message.footage)

    def _photo_read(self, message: PhotoRead) -> None:
        with self._lock:
            self._begun = None
            photo = self._photos.pop(message.number, None)
        if photo is None:
            return
        if isinstance(message.outcome, DiceReading):
            photo.answer.set_result(message.outcome)
        else:
            photo.answer.set_exception(message.outcome)

    def _refuse_begun(self) -> None:
        """Refuse the photo that is being read, and from now on all with its bytes."""
        with self._lock:
            begun, self._begun = self._photos.get(self._begun or 0), None
            if begun is None:
                return
            self._refused.append(begun.digest)
            same = [n for n, photo in self._photos.items() if photo.digest == begun.digest]
            refused = [self._photos.pop(number) for number in same]
        for photo in refused:
            photo.answer.set_exception(PhotoError("error.photo.fatal"))

    def _give_up_photos(self, reason: VisionError) -> None:
        with self._lock:
            photos, self._photos = self._photos, {}
        for photo in photos.values():
            photo.answer.set_exception(reason)

    def _replaced(self) -> None:
        """Report that another source is being opened; a set-up in the one before has ended."""
        self.setup_state = self._why = None
        self.tray, self.picture = TrayReading(state=TrayState.EMPTY), b""
        self.state = CameraState.NONE if self.setup.source is None else CameraState.STARTING
        self._report(CameraChanged(self.state))

    def _process_lost(self, reason: ReaderError | SourceError) -> None:
        """Report that the process is gone, and with it a set-up and the photo it was reading.
        Other photos wait for the next process, unless the reader itself has failed."""
        self.setup_state = None
        if self._begun is not None:
            self._refuse_begun()
        elif isinstance(reason, ReaderError):
            self._give_up_photos(reason)
        if self.setup.source is None:
            return
        is_known = self.state is CameraState.LOST and _key(self._why) == reason.key
        self.state, self._why = CameraState.LOST, reason
        if not is_known:
            self._report(CameraChanged(CameraState.LOST, reason))
        problem = ReadingProblem.READER if isinstance(reason, ReaderError) else None
        tray, self.tray = self.tray, TrayReading(state=TrayState.PROBLEM, problem=problem)
        if tray != self.tray or not is_known:
            self._report(TrayChanged(self.tray))


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
        """Extend the deadline if something is new; True for a new picture."""
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
        self.deadline = now + self._timeouts.photo_read_s

    def photo_read(self, now: float) -> None:
        """Set the deadline after a photo."""
        self._reads_photo = False
        self.deadline = now + self._timeouts.stall_s


def _send(connection: Connection, outbox: Outbox) -> None:
    """Send what is in the outbox; a process that does not listen blocks only this thread."""
    while (command := outbox.get()) is not None:
        try:
            connection.send(command)
        except OSError:
            return


def _key(problem: VisionError | None) -> str | None:
    return problem.key if problem is not None else None
