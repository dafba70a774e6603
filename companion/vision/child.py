"""The camera's process: opens the source, watches its pictures and reports what it sees.

It may be killed at any moment, and it ends by itself when the service is gone. The service imports
nothing from here.
"""

from __future__ import annotations

# The first import on purpose: if this library cannot run on the machine it kills the process,
# and it must be this process, at once, before any picture is held.
import companion.onnx_runtime  # noqa: F401  # isort: skip

import logging
import os
import re
import signal
import sys
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Final, assert_never

import numpy as np
from msgspec.structs import replace as with_fields

from companion.vision.box import Lesson, Profile, add_lesson, load_box
from companion.vision.camera_setup import Prints, SetupSession
from companion.vision.messages import (
    AcceptScene,
    Alive,
    BoxRecognised,
    CameraChanged,
    CameraSetup,
    ChildCommand,
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
    RestartMe,
    SendFootage,
    SetupState,
    SetupStep,
    ShowPicture,
    SmallPicture,
    Stage,
    StartFailed,
    TakeSetupStep,
    TrayChanged,
    UseProfile,
    UseRules,
)
from companion.vision.pictures import AnyFrame, EncodedFrame, Image, cv2, jpeg, png, scaled_size
from companion.vision.read.reader import Expected, Reader, photo_frame, read_photo
from companion.vision.readings import (
    CameraState,
    DiceReading,
    PhotoError,
    ReaderError,
    SourceError,
    TrayReading,
    VisionError,
)
from companion.vision.report import Footage
from companion.vision.sources.kinds import FrameSource, FrameStream, Throw, ThrowingStream
from companion.vision.watch.watcher import Unnamed, Voted, Watcher

_PERSONAL = re.compile(rb"\xff[\xe1-\xed\xef\xfe]")
"""The markers of a JPEG behind which stands who took it, where and when."""

ALIVE_EVERY_S = 0.25
"""The interval of `Alive` messages, s."""

RETRY_S = 0.5
"""The interval at which a missing device is looked for, s."""

RETRY_AT_MOST_S = 2.0
"""The limit of that interval, which doubles for a device that is there but does not open."""

IDLE_S = 0.1
"""The interval of looks at an idle tray of a camera, s; otherwise every picture is looked at."""


BUFFERS = 4
"""The number of buffers that a hanging driver may repeat in turn."""

_LIBRARY_ERRORS = (
    *(ArithmeticError, LookupError, MemoryError, RuntimeError, TypeError, ValueError),
    cv2.error,
)
"""Unexpected errors of libraries on a picture; any other error ends the process."""

_LOG = logging.getLogger(__name__)


def run(connection: Connection, setup: CameraSetup) -> None:
    """Watch and answer commands until the other end of the connection closes; say so and end if the
    reader cannot be made."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the service's to act on
    try:
        try:
            process = _CameraProcess(connection, setup)
        except VisionError as error:
            connection.send(StartFailed(ReaderError(error.key, **error.params)))
        else:
            process.run_forever()
    except (EOFError, BrokenPipeError, ConnectionResetError):
        # The service is gone. A program that reads the camera must not go on without it.
        os.killpg(0, signal.SIGKILL)


def _learn(reader: Reader, lessons: Sequence[Lesson]) -> None:
    """Teach the reader, in its thread; what fails is logged."""
    try:
        reader.learn(*lessons)
    except Exception:
        _LOG.exception("rolls teach nothing")


class _Recogniser:
    """Recognises dice of other boxes, in the thread in which readers learn. A reader for each box
    is made once, when strange dice are first seen."""

    def __init__(self) -> None:
        self._readers: dict[tuple[Path, int], tuple[str, Reader]] = {}

    def __call__(self, reader: Reader, boxes: KeptBoxes, rest: Unnamed) -> str | None:
        """Return whose dice these are, as in `BoxRecognised`; None if no box is sure."""
        game = rest.expected.rules.game
        others = {"": reader.with_profile(Profile())} if reader.known(game) else {}
        for name, path in boxes:
            try:
                of_game, other = self._reader_of(path, reader)
            except (OSError, VisionError) as error:
                _LOG.warning("the dice of %s are not recognised: %s", path, error)
                continue
            if of_game == game:
                others[name] = other
        return reader.recognise(others, *rest)

    def _reader_of(self, path: Path, reader: Reader) -> tuple[str, Reader]:
        key = path, path.stat().st_mtime_ns
        if key not in self._readers:
            box = load_box(path)
            profile = Profile(dice={box.game: box.pictures()})
            self._readers[key] = box.game, reader.with_profile(profile, box.played)
        return self._readers[key]


class _CameraProcess:
    def __init__(self, connection: Connection, setup: CameraSetup) -> None:
        self._connection = connection
        reader = Reader.shipped(setup.profile)
        self._reader, self._of_photos = reader, reader.without_tray()
        self._teacher = ThreadPoolExecutor(1, "readers")
        """Makes and teaches readers beside the pictures: the service would take the time for a
        failure."""
        self._teach(setup.learned)
        self._next: tuple[Future[Reader], UseProfile] | None = None
        """The reader that is being made."""
        self._later: list[ReadNow | Learn] = []
        """What that one is asked as well."""
        self._boxes, self._recogniser = setup.boxes, _Recogniser()
        self._recognised: Future[str | None] | None = None
        """Whose the strange dice in the tray are, if that is being found out."""
        self._was_recognised = False
        """Whether a box was recognised since dice could last be named: it is not tried again."""
        self._profile = setup.profile
        self._session: SetupSession | None = None
        """The running set-up."""
        self._is_picture_due = self._has_sent_prints = False
        self._known = setup.known
        """The last dice read: while they lie unmoved, they are not reported as a new roll."""
        self._learned = self._learned_then = setup.learned
        """What the table has taught so far, and until the last reading was reported."""
        source = setup.source
        at_once = source is not None and not source.live
        expected = Expected(setup.rules, setup.expected)
        self._watcher = Watcher(reader, expected, setup.known, at_once=at_once)
        self._feed = Feed(source, last=setup.last) if source is not None else None
        self._photo: tuple[Voted | None, tuple[Lesson, ...]] = None, ()
        """The last photo, and what was taught until then."""
        self._tray: TrayReading | None = None
        self._camera: CameraChanged | None = None
        self._sent_at = self._next_at = float("-inf")
        self._is_live = source is not None and source.live

    def run_forever(self) -> None:
        """Watch and answer commands for ever; EOFError once the service is gone."""
        while True:
            self._send_alive()
            self._send_recognised()
            self._use_next()
            wait_s = (
                ALIVE_EVERY_S if self._feed is None else max(0.0, self._next_at - time.monotonic())
            )
            while self._connection.poll(wait_s):
                self._execute(self._connection.recv())
                wait_s = 0.0
            if self._feed is None:
                continue
            frame = self._feed.take(0.05)
            self._send_camera_state(self._feed.seen)
            if frame is not None:
                self._look(frame)

    def _look(self, frame: AnyFrame) -> None:
        assert self._feed is not None
        if self._is_picture_due:
            self._is_picture_due = False
            self._connection.send(SmallPicture(small_jpeg(frame.decode().image)))
        if self._session is not None:
            self._look_for_setup(frame, self._session)
            return
        result = self._watcher.see(frame)
        self._feed.looked_at(is_dark=result.is_dark, is_blank=result.is_blank)
        self._next_at = time.monotonic() + (IDLE_S if result.is_idle and self._is_live else 0.0)
        has_changed, self._tray = result.tray != self._tray, result.tray
        if has_changed:
            self._sent_at = float("-inf")
            self._send_alive()
        if result.reading is not None:
            self._known = result.reading
            self._learned_then = self._learned
            self._connection.send(DiceRead(result.reading, result.tray))
        elif result.unnamed is not None:
            known = self._know(result.unnamed)
            self._connection.send(DiceRead(known, result.tray, is_new=False))
        elif has_changed:
            self._connection.send(TrayChanged(result.tray))
        if result.reading is not None or result.unnamed is not None:
            self._recognise()

    def _recognise(self) -> None:
        """Have another box recognised if too few of the dice can be named."""
        rest, self._recognised = self._watcher.unnamed, None
        self._was_recognised &= rest is not None
        if rest is not None and not self._was_recognised:
            self._recognised = self._teacher.submit(
                self._recogniser, self._reader, self._boxes, rest
            )

    def _send_recognised(self) -> None:
        recognised = self._recognised
        if recognised is None or not recognised.done():
            return
        self._recognised = None
        if recognised.exception() is not None:
            _LOG.error("no box was recognised", exc_info=recognised.exception())
        elif (box := recognised.result()) is not None:
            self._was_recognised = True
            self._connection.send(BoxRecognised(self._watcher.expected.rules.game, box))

    def _look_for_setup(self, frame: AnyFrame, session: SetupSession) -> None:
        """Show a frame to the set-up; rolls are not read meanwhile."""
        assert self._feed is not None
        seen = session.see(frame)
        self._feed.looked_at(is_dark=session.is_dark, is_blank=session.is_blank)
        if seen is None:
            return
        if seen.stage is not Stage.RESULT:
            self._has_sent_prints &= seen.stage is Stage.TEST
        elif not self._has_sent_prints:
            self._has_sent_prints = True
            self._connection.send(SetupState(prints=session.prints()))
        self._connection.send(SetupState(seen))

    def _take_setup_step(self, command: TakeSetupStep) -> None:
        """Take a step of the set-up. At its end, dice in the tray are not a new roll."""
        session, rules = self._session, self._watcher.expected.rules
        if command.step is SetupStep.BEGIN:
            profile = self._profile

            def with_prints(prints: Prints) -> Reader:
                return self._reader.with_profile(with_fields(profile, dice={rules.game: prints}))

            self._session = SetupSession(self._reader, rules, with_prints, profile.tray)
            self._has_sent_prints = False
        elif session is not None:
            match command.step:
                case SetupStep.PLACE:
                    session.place()
                case SetupStep.SHOW:
                    session.show(command.face)
                case SetupStep.SKIP:
                    session.skip()
                case SetupStep.UNDO:
                    session.undo()
                case SetupStep.TEST:
                    session.test()
                case SetupStep.END:
                    self._session = None
                    lying = session.lying(self._watcher.expected)
                    if lying is not None:
                        self._know(lying)
                    self._watch_again()

    def _know(self, reading: DiceReading) -> DiceReading:
        """Take these dice as known, as of the roll that was read last."""
        roll = self._known.roll if self._known is not None else 0
        self._known = with_fields(reading, roll=roll)
        return self._known

    def _watch_again(self) -> None:
        """Watch with the present reader. Dice known so far are not reported again."""
        expected = self._watcher.expected
        self._watcher = Watcher(self._reader, expected, self._known, at_once=False)

    def _use(self, command: UseProfile) -> None:
        """Have a reader made for another tray or other prints, and taught; until then the present
        one reads."""
        made = self._teacher.submit(self._reader.with_profile, command.profile, command.learned)
        self._next = made, command
        self._later = [one for one in self._later if isinstance(one, ReadNow)]
        self._recognised = None

    def _use_next(self) -> None:
        """Read with the reader that was asked for, once it is made; if it cannot be, nothing
        changes."""
        if self._next is None or not self._next[0].done():
            return
        (made, command), self._next = self._next, None
        if made.exception() is None:
            self._switch(made.result(), command)
        else:
            _LOG.error("the profile cannot be used", exc_info=made.exception())
        later, self._later = self._later, []
        for late in later:
            self._execute(late)

    def _switch(self, reader: Reader, command: UseProfile) -> None:
        self._reader, self._of_photos = reader, reader.without_tray()
        self._profile = command.profile
        self._learned, self._boxes, self._recognised = command.learned, command.boxes, None
        if self._session is not None:
            self._session.use(reader, command.profile.tray)
        self._watch_again()

    def _execute(self, command: ChildCommand) -> None:
        if self._next is not None and isinstance(command, ReadNow | Learn):
            self._later.append(command)
            return
        match command:
            case Expect(count):
                self._watcher.expect(count)
            case UseRules(rules):
                self._watcher.play(rules)
                self._recognised = None
            case Learn(lesson):
                self._learned = add_lesson(self._learned, lesson)
                self._teach((lesson,))
            case AcceptScene(reopen):
                self._watcher.accept_scene()
                if reopen and self._is_live:
                    self._connection.send(RestartMe())
            case ReadNow():
                self._watcher.read_now()
            case Throw() | ClearTray():
                is_done = self._feed is not None and self._feed.throw(command)
                if is_done and isinstance(command, Throw):  # it is reported however it falls
                    self._watcher.read_now()
            case TakeSetupStep():
                self._take_setup_step(command)
            case ShowPicture():
                self._is_picture_due = True
            case UseProfile():
                self._use(command)
            case SendFootage(number, of_photo):
                self._connection.send(FootageKept(number, self._footage(of_photo=of_photo)))
            case ReadPhoto(number, _, until) if time.monotonic() > until:
                self._connection.send(PhotoRead(number, PhotoError("error.photo.too_slow")))
            case ReadPhoto(number, encoded):
                self._connection.send(PhotoBegun(number))
                self._connection.send(PhotoRead(number, self._read(number, encoded)))
            case _:
                assert_never(command)

    def _teach(self, lessons: tuple[Lesson, ...]) -> None:
        self._teacher.submit(_learn, self._reader, lessons)

    def _footage(self, *, of_photo: bool) -> Footage | None:
        """The pictures of the last photo, or of the last reading reported; None without any."""
        if of_photo:
            voted, learned = self._photo
            profile = with_fields(self._profile, tray=None)  # which holds for the camera
            return footage_of(voted, profile, learned)
        return footage_of(self._watcher.voted, self._profile, self._learned_then)

    def _read(self, number: int, encoded: bytes) -> DiceReading | VisionError:
        """Read a photo, or give the reason why not; no Python error in it ends the process."""
        expected = self._watcher.expected
        try:
            frame = photo_frame(encoded, number)
            reading = read_photo(frame, self._of_photos, expected)
        except VisionError as error:
            return error
        except _LIBRARY_ERRORS:
            _LOG.exception("a photo could not be read")
            return PhotoError("error.photo.damaged")
        self._photo = Voted(reading, (frame,), expected), self._learned
        return reading

    def _send_alive(self) -> None:
        now = time.monotonic()
        if now - self._sent_at >= ALIVE_EVERY_S:
            self._sent_at = now
            feed = self._feed
            alive = feed.alive() if feed is not None else Alive(0, open=False)
            self._connection.send(alive)

    def _send_camera_state(self, seen: CameraChanged) -> None:
        if seen != self._camera:
            self._camera = seen
            self._connection.send(seen)


class Feed:
    """The frames of one source; a live source that has stopped is reopened."""

    def __init__(
        self,
        source: FrameSource,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
        last: LastPictures | None = None,
    ) -> None:
        self._source = source
        self._last = last or LastPictures()
        self._clock = clock
        self._sleep = sleep
        self._playing: FrameStream | None = None
        self._retry_at = float("-inf")
        self._retry_s = RETRY_S
        self._pictures = 0
        self._was_lit = self._is_dark = False
        self.seen = CameraChanged(CameraState.STARTING)

    def take(self, timeout_s: float) -> AnyFrame | None:
        """A camera's newest frame, or a recording's next; None if none comes in time."""
        if self.seen.state is CameraState.ENDED or not self._opened():
            self._sleep(timeout_s)
            return None
        assert self._playing is not None
        try:
            frame = self._playing.take(timeout_s)
        except EOFError:
            self.seen = CameraChanged(CameraState.ENDED)
            return None
        except SourceError as error:
            self._close(error)
            return None
        if frame is None or (self._source.live and self._is_old(frame)):
            return None
        self._retry_s = RETRY_S
        if self.seen.state is not CameraState.OK:
            height, width = frame.decode().image.shape[:2]
            self.seen = CameraChanged(CameraState.OK, size=(width, height))
        return frame

    def throw(self, command: Throw | ClearTray) -> bool:
        """Have the source throw dice, or take them up; whether it can."""
        if not self._opened() or not isinstance(self._playing, ThrowingStream):
            return False
        if isinstance(command, Throw):
            self._playing.throw(command)
        else:
            self._playing.clear()
        return True

    def _is_old(self, frame: AnyFrame) -> bool:
        """Whether the frame equals one of the last pictures bit by bit: noise makes real pictures
        differ, so only a hanging camera repeats one. Blank ones may really be equal."""
        checksum, before = frame.checksum(), self._last.checksums
        if checksum in before:
            return not self._last.is_blank
        self._last = replace(self._last, checksums=(*before, checksum)[-BUFFERS:])
        return False

    def looked_at(self, *, is_dark: bool, is_blank: bool) -> None:
        """Record whether the picture just taken was black, and whether it was uniform.

        A picture that is not black counts as new, as does a black one of a source that was never
        lit. A source that turns black may be a failed camera, so its black pictures do not count
        and it is restarted; if it is still black then, it is night, and it stays open.
        """
        self._was_lit = self._was_lit or not is_dark
        self._is_dark = is_dark
        self._last = replace(self._last, is_blank=is_blank)
        if not (is_dark and self._was_lit and self._source.live):
            self._pictures += 1

    def alive(self) -> Alive:
        """Make the `Alive` message for the source's current state."""
        playing, is_over = self._playing, self.seen.state is CameraState.ENDED
        is_open = playing is not None and not is_over
        return Alive(self._pictures, open=is_open, dark=self._is_dark, last=self._last)

    def _opened(self) -> bool:
        """Whether frames may come; opens the source if it is time to try."""
        if self._playing is not None:
            return True
        now = self._clock()
        if now < self._retry_at:
            return False
        self._retry_at = now + RETRY_S
        if not self._source.present():
            return False
        self._playing = self._source.play()
        return True

    def _close(self, error: SourceError) -> None:
        """Record that the source has stopped. A recording has ended; a camera is tried again."""
        self._playing = None
        if self.seen.problem is None or self.seen.problem.key != error.key:
            self.seen = CameraChanged(CameraState.LOST, error)
        is_there = self._source.present()
        self._retry_s = min(2 * self._retry_s, RETRY_AT_MOST_S) if is_there else RETRY_S
        wait_s = self._retry_s if self._source.live else float("inf")
        self._retry_at = self._clock() + wait_s


def footage_of(
    voted: Voted | None, profile: Profile, learned: tuple[Lesson, ...]
) -> Footage | None:
    """Make the footage of a reading; None without one. `learned`: what the table had taught until
    then."""
    if voted is None:
        return None
    return Footage(
        frame=voted.reading.frame,
        at_s=voted.reading.at_s,
        frames=tuple(map(_file_of, voted.frames)),
        expected=voted.expected.count,
        profile=profile,
        learned=learned,
    )


def _file_of(shot: AnyFrame) -> bytes:
    """The picture as a JPEG or PNG that decodes to the pixels that were read: a camera's JPEG as it
    came, unless it may say more."""
    image = shot.decode().image
    if isinstance(shot, EncodedFrame) and image.any() and _PERSONAL.search(shot.encoded) is None:
        return shot.encoded
    return png(image)


_LONGEST: Final = 640
"""The longest side of a picture for the phone, px."""


def small_jpeg(image: Image) -> bytes:
    """Encode a picture (H, W, 3) as a JPEG of at most _LONGEST px."""
    size = scaled_size(image, min(1.0, _LONGEST / max(image.shape[:2])))
    return jpeg(np.asarray(cv2.resize(image, size, interpolation=cv2.INTER_AREA), np.uint8))


if __name__ == "__main__":
    logging.basicConfig(level=logging.WARNING, stream=sys.stderr)
    with Connection(int(sys.argv[1])) as service, suppress(EOFError):
        run(service, service.recv())
