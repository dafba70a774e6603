"""A camera and its reader in another process: the service's side of it.

    setup = CameraSetup(parse_source("/dev/v4l/by-id/..."), rules_of("new-york"))
    camera = Camera(setup, report=reports.put)
    camera.start()
    ...
    camera.expect(6)                # the dice of the next roll; None: as many as the game allows
    reading = camera.read_photo(encoded).result(timeout=20)
    camera.close()

`report` is called with `CameraChanged`, `TrayChanged` and `DiceRead`
(`companion.vision.process.messages`), on a thread of the camera's own, one at a time and in order.
No method here waits for the other process; `read_photo` returns a future. A reading is reported
once, when the dice have come to rest. The caller knows whether a roll is awaited, and `newest`
keeps the reading for a question that opens a moment later.

The other process is killed and restarted when for two seconds it shows no new picture, suddenly
shows only black ones or sends no message, or when it dies; a source that reports that it is
starting has longer. It looks for a missing device twice a second. A recording plays once from
`start()`, at its own speed or slower on a slow machine, and then the camera has ended. With
`source=None` there is no camera, until `use_source` gives one.

Photos are read by a process of their own (`companion.vision.process.photos`), so that no photo can
stop the camera.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field, replace
from itertools import count

from companion.engine import Face
from companion.vision.box.learning import Lesson, add_lesson
from companion.vision.box.profile import Profile
from companion.vision.box.rules import rules_of
from companion.vision.errors import ReaderError, SourceError, VisionError
from companion.vision.pictures.metadata import without_metadata
from companion.vision.process.messages import (
    AcceptScene,
    Alive,
    CameraChanged,
    CameraSetup,
    ChildCommand,
    ChildMessage,
    ClearTray,
    DiceRead,
    Expect,
    FootageKept,
    LastPictures,
    Learn,
    Play,
    ReadNow,
    Report,
    SendFootage,
    SetUp,
    SetupLook,
    SetupPicture,
    SetupPrints,
    SetupStep,
    ShowPicture,
    TrayChanged,
    UseProfile,
)
from companion.vision.process.photos import Photos
from companion.vision.process.supervisor import Supervisor, Timeouts, Watchdog
from companion.vision.readings import DiceReading, TrayReading
from companion.vision.report.form import Footage
from companion.vision.setup.values import SetupSeen
from companion.vision.sources.kinds import FrameSource, Throw
from companion.vision.states import CameraState, ReadingProblem, TrayState

_MANY = 9


@dataclass(frozen=True, slots=True)
class SetupState:
    """The newest messages of a set-up."""

    seen: SetupSeen | None = None
    picture: bytes = b""
    """A JPEG."""
    prints: dict[Face, tuple[bytes, ...]] = field(default_factory=dict)
    """PNGs by face, once all faces were shown."""


class Camera(Supervisor):
    """A camera with its reader, and the process that reads photos. Thread-safe."""

    def __init__(
        self,
        setup: CameraSetup,
        report: Callable[[Report], None],
        timeouts: Timeouts | None = None,
    ) -> None:
        timeouts = timeouts or Timeouts()
        super().__init__("camera", setup, timeouts)
        self._report = report
        self._state = CameraState.NONE if setup.source is None else CameraState.STARTING
        self._tray = TrayReading(state=TrayState.EMPTY)
        self._newest: DiceReading | None = None
        self._pictured_at = self._now()
        self._why: VisionError | None = None
        self._fruitless = 0
        """The processes lost in a row since the last new picture."""
        self._asked: dict[int, Future[Footage | None]] = {}
        self._numbers = count(1)
        self._photos = Photos(setup, timeouts)
        self._setting_up: SetupState | None = None

    @property
    def state(self) -> CameraState:
        """The camera's state."""
        return self._state

    @property
    def tray(self) -> TrayReading:
        """The tray's state when last seen."""
        return self._tray

    @property
    def newest(self) -> DiceReading | None:
        """The last reading, however old."""
        return self._newest

    @property
    def silent_s(self) -> float:
        """The seconds since the last new picture."""
        return self._now() - self._pictured_at

    @property
    def photos_waiting(self) -> int:
        """The number of photos without an answer."""
        return self._photos.waiting

    def start(self) -> None:
        """Start opening the source, if there is one; call once, before anything else."""
        super().start()
        self._photos.start()

    def close(self) -> None:
        """End the processes; nothing is reported afterwards."""
        super().close()
        self._photos.close()

    @property
    def source(self) -> FrameSource | None:
        """The source that is read."""
        with self._lock:
            return self._setup.source

    def use_source(self, source: FrameSource | None) -> None:
        """Read another source from now on, in a process of its own; None: no source."""
        self.restart(lambda setup: replace(setup, source=source, known=None, last=LastPictures()))

    def expect(self, count: int | None) -> None:
        """Expect this number of dice from now on; None for as many as the game allows."""
        self._send_to_both(Expect(count), lambda setup: replace(setup, expected=count))

    def play(self, game: str) -> None:
        """Read the dice of this game from now on. VisionError where there is no such game."""
        rules = rules_of(game)
        self._send_to_both(Play(rules), lambda setup: replace(setup, rules=rules))

    def learn(self, lesson: Lesson) -> None:
        """Use a lesson's prints from now on, in later processes too."""
        self._send_to_both(
            Learn(lesson), lambda setup: replace(setup, learnt=add_lesson(setup.learnt, lesson))
        )

    def accept_scene(self, *, reopen: bool = False) -> None:
        """Take camera, light and dice as they are from now on; with `reopen` the camera adjusts
        itself to the light anew, and holds that."""
        self.send(AcceptScene(reopen))

    def read_now(self) -> None:
        """Report the dice in the tray once they rest, even if nothing has moved."""
        self.send(ReadNow())

    def throw(self, command: Throw | ClearTray) -> None:
        """Have the source throw dice of its own, or take them up."""
        self.send(command)

    def read_photo(self, encoded: bytes) -> Future[DiceReading]:
        """Read an uploaded photo; the future raises PhotoError or ReaderError instead."""
        return self._photos.read(encoded)

    @property
    def profile(self) -> Profile:
        """The sheet and the prints that are used."""
        with self._lock:
            return self._setup.profile

    def use(self, profile: Profile) -> None:
        """Use another sheet or other prints from now on, and forget those that play taught."""
        self._send_to_both(
            UseProfile(profile), lambda setup: replace(setup, profile=profile, learnt={})
        )

    @property
    def setting_up(self) -> SetupState | None:
        """The newest state of the set-up; None where none runs, or its process was lost."""
        return self._setting_up

    def set_up(self, step: SetupStep, face: Face | None = None) -> None:
        """Take a step of the set-up. Where none runs, only one to begin has an effect."""
        with self._lock:
            if step is SetupStep.BEGIN:
                self._setting_up = SetupState()
            elif step is SetupStep.END:
                self._setting_up = None
        self.send(SetUp(step, face))

    def request_picture(self) -> None:
        """Have the set-up's newest picture replaced by the camera's next one."""
        self.send(ShowPicture())

    def _set_up_seen(self, message: SetupLook | SetupPicture | SetupPrints) -> None:
        """Keep what the set-up's process sent; late messages of one that was ended are dropped."""
        with self._lock:
            state = self._setting_up
            if state is None:
                return
            match message:
                case SetupLook(seen):
                    self._setting_up = replace(state, seen=seen)
                case SetupPicture(picture):
                    self._setting_up = replace(state, picture=picture)
                case SetupPrints(prints):
                    self._setting_up = replace(state, prints=prints)

    def footage(self) -> Future[Footage | None]:
        """Fetch the pictures that the last reading was decided from; None where there are none."""
        number, answer = next(self._numbers), Future[Footage | None]()
        if self._state is not CameraState.OK and self._state is not CameraState.ENDED:
            answer.set_result(None)
            return answer
        with self._lock:
            self._asked[number] = answer
        self.send(SendFootage(number))
        return answer

    def photo_footage(self, encoded: bytes) -> Footage:
        """The footage of a photo that is sent to be read now, without its metadata."""
        with self._lock:
            setup = self._setup
        return Footage(
            0, 0.0, (without_metadata(encoded),), setup.expected, setup.profile, setup.learnt
        )

    def _send_to_both(
        self, command: ChildCommand, setup: Callable[[CameraSetup], CameraSetup]
    ) -> None:
        self.send(command, setup)
        self._photos.send(command, setup)

    def _is_wanted(self) -> bool:
        return self._setup.source is not None

    def _commands(self) -> Sequence[ChildCommand]:
        return ()

    def _receive(self, message: ChildMessage, watch: Watchdog) -> None:
        """Take in one message of the process, and pass it on where it is a report."""
        match message:
            case Alive():
                if watch.alive(message, self._now()):
                    self._pictured_at = self._now()
                    self._fruitless = 0
                with self._lock:
                    self._setup = replace(self._setup, last=message.last)
            case CameraChanged(state=CameraState.STARTING) if self._state is CameraState.LOST:
                pass  # it is lost until it shows something new
            case CameraChanged():
                self._state = message.state
                self._why = message.problem
                self._report(message)
            case TrayChanged():
                self._tray = message.tray
                self._report(message)
            case SetupLook() | SetupPicture() | SetupPrints():
                self._set_up_seen(message)
            case DiceRead():
                self._newest = message.reading
                with self._lock:
                    self._setup = replace(self._setup, known=message.reading)
                self._report(message)
            case FootageKept():
                with self._lock:
                    answer = self._asked.pop(message.number, None)
                if answer is not None:
                    answer.set_result(message.footage)

    def _replaced(self) -> None:
        """Report that another source is being opened; a set-up in the one before has ended."""
        self._setting_up, self._why, self._fruitless = None, None, 0
        self._tray, self._newest = TrayReading(state=TrayState.EMPTY), None
        self._state = CameraState.NONE if self.source is None else CameraState.STARTING
        self._report(CameraChanged(self._state))

    def _overdue(self) -> None:
        """Do nothing: no request to the camera's process has an answer."""

    def _answer_without_footage(self) -> None:
        """Answer what the last process was asked for: no other one has its pictures."""
        with self._lock:
            asked, self._asked = self._asked, {}
        for answer in asked.values():
            answer.set_result(None)

    def _watchdog(self) -> Watchdog:
        self._answer_without_footage()  # the process before may have been replaced on purpose
        timeouts = self._timeouts
        longer = 2 ** max(0, self._fruitless - 1)
        open_s = min(timeouts.open_s * longer, timeouts.open_at_most_s)
        return Watchdog(self._now(), replace(timeouts, open_s=open_s))

    def _process_lost(self, reason: ReaderError | SourceError) -> None:
        """Report that the process is gone, and with it a set-up and the pictures it kept."""
        self._setting_up = None
        self._answer_without_footage()
        self._fruitless = min(self._fruitless + 1, _MANY)
        is_known = self._state is CameraState.LOST and _key(self._why) == reason.key
        self._state, self._why = CameraState.LOST, reason
        if not is_known:
            self._report(CameraChanged(CameraState.LOST, reason))
        problem = ReadingProblem.READER if isinstance(reason, ReaderError) else None
        tray, self._tray = self._tray, TrayReading(state=TrayState.PROBLEM, problem=problem)
        if tray != self._tray or not is_known:
            self._report(TrayChanged(self._tray))


def _key(problem: VisionError | None) -> str | None:
    return problem.key if problem is not None else None
