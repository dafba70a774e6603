"""A camera and its reader, in a process of their own: the side the service holds.

    camera = Camera(Setup(source("/dev/v4l/by-id/..."), rules_of("new-york")), report=reports.put)
    camera.start()
    ...
    camera.expect(6)                # the engine says how many dice; None: what the game allows
    reading = camera.read_photo(encoded).result(timeout=20)
    camera.close()

`report` is called with `CameraSeen`, `TraySeen` and `DiceRead`
(`companion.vision.process.messages`), on a thread of the camera's own, one at a time and in order.
No method here waits for the other process, whatever state that is in; `read_photo` gives a future.
A reading is a proposal made once, when the dice have come to rest: whether anybody waits for a
roll is for the caller to know, and `newest` keeps it for a question that opens a moment later.

The other process is killed and started again when it shows no new picture for two seconds, or only
black ones all of a sudden, or says nothing for as long, or dies; a source that says it is being
started has longer. It looks for a device that is gone twice a second. A recording plays once from
`start()`, at its own speed or slower on a machine that cannot keep up, and then the camera has
ended. With `source=None` there is no camera.

Photos are read by a process of their own (`companion.vision.process.photos`): whatever a picture
does to its reader, the camera goes on.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import replace

from companion.vision.box.learning import Lesson, taught
from companion.vision.box.rules import rules_of
from companion.vision.errors import ReaderError, SourceError, VisionError
from companion.vision.process.messages import (
    Alive,
    CameraSeen,
    Command,
    DiceRead,
    Expect,
    Learn,
    Play,
    ReadNow,
    Report,
    Said,
    Setup,
    TraySeen,
)
from companion.vision.process.photos import Photos
from companion.vision.process.supervisor import Patience, Supervisor, Watchdog
from companion.vision.readings import DiceReading, Tray
from companion.vision.states import CameraState, Problem, TrayState

_MANY = 9


class Camera(Supervisor):
    """A camera with its reader, and the reader of photos. Thread-safe."""

    def __init__(
        self,
        setup: Setup,
        report: Callable[[Report], None],
        patience: Patience | None = None,
    ) -> None:
        patience = patience or Patience()
        super().__init__("camera", setup, patience)
        self._report = report
        self._state = CameraState.NONE if setup.source is None else CameraState.STARTING
        self._tray = Tray(state=TrayState.EMPTY)
        self._newest: DiceReading | None = None
        self._heard_at = self._now()
        self._why: VisionError | None = None
        self._fruitless = 0
        """So many processes in a row were lost since the last new picture."""
        self._photos = Photos(setup, patience)

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

    @property
    def photos_waiting(self) -> int:
        """How many photos have no answer yet."""
        return self._photos.waiting

    def start(self) -> None:
        """The source is being opened; once, before anything else."""
        if self._setup.source is not None:
            super().start()
        self._photos.start()

    def close(self) -> None:
        """The processes are gone and nothing more is reported."""
        super().close()
        self._photos.close()

    def expect(self, count: int | None) -> None:
        """So many dice are expected from now on; None: as many as the game allows."""
        self._tell_both(Expect(count), lambda setup: replace(setup, expected=count))

    def play(self, game: str) -> None:
        """The dice of this game lie on the table from now on. VisionError where there is none."""
        rules = rules_of(game)
        self._tell_both(Play(rules), lambda setup: replace(setup, rules=rules))

    def learn(self, lesson: Lesson) -> None:
        """What the table has said of dice is known from now on, by later processes too."""
        self._tell_both(
            Learn(lesson), lambda setup: replace(setup, learnt=taught(setup.learnt, lesson))
        )

    def read_now(self) -> None:
        """What lies in the tray is reported once it rests, although nothing has moved."""
        self.tell(ReadNow())

    def read_photo(self, encoded: bytes) -> Future[DiceReading]:
        """The reading of an uploaded photo, soon; PhotoError or ReaderError in its place."""
        return self._photos.read(encoded)

    def _tell_both(self, command: Command, setup: Callable[[Setup], Setup]) -> None:
        self.tell(command, setup)
        self._photos.tell(command, setup)

    def _is_wanted(self) -> bool:
        return self._setup.source is not None

    def _commands(self) -> Sequence[Command]:
        return ()

    def _hear(self, said: Said, watch: Watchdog) -> None:
        """One message of the process is taken in, and passed on where it is a report."""
        match said:
            case Alive():
                if watch.alive(said, self._now()):
                    self._heard_at = self._now()
                    self._fruitless = 0
                with self._lock:
                    self._setup = replace(self._setup, last=said.last)
            case CameraSeen(state=CameraState.STARTING) if self._state is CameraState.LOST:
                pass  # it is lost until it shows something new
            case CameraSeen():
                self._state = said.state
                self._why = said.problem
                self._report(said)
            case TraySeen():
                self._tray = said.tray
                self._report(said)
            case DiceRead():
                self._newest = said.reading
                with self._lock:
                    self._setup = replace(self._setup, known=said.reading)
                self._report(said)

    def _overdue(self) -> None:
        """Nobody waits for anything that it was to do."""

    def _watchdog(self) -> Watchdog:
        patience = self._patience
        longer = 2 ** max(0, self._fruitless - 1)
        open_s = min(patience.open_s * longer, patience.open_at_most_s)
        return Watchdog(self._now(), replace(patience, open_s=open_s))

    def _lost(self, reason: ReaderError | SourceError) -> None:
        """The process is gone: everything it was doing is void, and the listener knows."""
        self._fruitless = min(self._fruitless + 1, _MANY)
        is_known = self._state is CameraState.LOST and _key(self._why) == reason.key
        self._state, self._why = CameraState.LOST, reason
        if not is_known:
            self._report(CameraSeen(CameraState.LOST, reason))
        problem = Problem.READER if isinstance(reason, ReaderError) else None
        tray, self._tray = self._tray, Tray(state=TrayState.PROBLEM, problem=problem)
        if tray != self._tray or not is_known:
            self._report(TraySeen(self._tray))


def _key(problem: VisionError | None) -> str | None:
    return problem.key if problem is not None else None
