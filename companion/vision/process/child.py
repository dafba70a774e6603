"""The camera's own process: opens the source, looks at its pictures, says what it sees.

It may be killed at any moment, and it ends by itself when the service is gone.
"""

from __future__ import annotations

# The first import on purpose: where this library cannot run on the machine it kills the process,
# and it must be this process, at once, before any picture is held.
import onnxruntime  # noqa: F401  # isort: skip

import logging
import os
import resource
import signal
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from multiprocessing.connection import Connection
from pathlib import Path
from typing import assert_never

from companion.vision.errors import PhotoError, ReaderError, SourceError, VisionError
from companion.vision.opencv import cv2
from companion.vision.pictures.frames import Shot
from companion.vision.process.messages import (
    Alive,
    CameraSeen,
    Command,
    DiceRead,
    Expect,
    LastShown,
    Learn,
    PhotoBegun,
    PhotoRead,
    Play,
    ReadNow,
    ReadPhoto,
    Setup,
    Spent,
    TraySeen,
    Unfit,
)
from companion.vision.read.photo import read_photo
from companion.vision.read.reader import Expected, Reader
from companion.vision.readings import DiceReading, Tray
from companion.vision.sources.kinds import Player, Source
from companion.vision.states import CameraState
from companion.vision.watch.watcher import Known, Watcher

WORD_S = 0.25
"""How often the process says that it is alive."""

LOOK_S = 0.5
"""How often a device that is gone is looked for."""

LOOK_AT_MOST_S = 2.0
"""And one that is there but does not open: doubled up to this."""

IDLE_S = 0.1
"""How often a camera's tray is looked at while nothing happens in it; else every picture is."""


PHOTO_ROOM = 144 << 20
"""So many bytes more than at its start a process that reads photos may take; the largest photo
takes two thirds of it."""

PHOTO_REST = PHOTO_ROOM * 4 // 9
"""If it keeps so many after a photo, another is to read the next: decoders leak what they break
off, and what they are refused at the limit is refused to good photos as well."""

BUFFERS = 4
"""A driver that hangs may hand out its few buffers in turn."""

_UNFORESEEN = (
    *(ArithmeticError, LookupError, MemoryError, RuntimeError, TypeError, ValueError),
    cv2.error,
)
"""What a picture may still bring about in a library; whatever else it does ends the process."""

_LOG = logging.getLogger(__name__)


def run(connection: Connection, setup: Setup) -> None:
    """Looks and answers until the other end of the connection is closed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the service's to act on
    try:
        _live(connection, setup)
    except (EOFError, BrokenPipeError, ConnectionResetError):
        # The service is gone. A program that reads the camera must not go on without it.
        os.killpg(0, signal.SIGKILL)


def _live(connection: Connection, setup: Setup) -> None:
    """Looks and answers; where there is nothing to read with it says so and is done."""
    try:
        process = _CameraProcess(connection, setup)
    except VisionError as error:
        connection.send(Unfit(ReaderError(error.key, **error.params)))
    else:
        if setup.source is None:
            process.limit_memory()
        process.go_on()


def _data_bytes() -> int:
    """How much memory of its own the process has asked for."""
    return int(Path("/proc/self/statm").read_text().split()[5]) * os.sysconf("SC_PAGE_SIZE")


class _CameraProcess:
    """One life of the process."""

    def __init__(self, connection: Connection, setup: Setup) -> None:
        self._connection = connection
        self._enough: int | None = None
        reader = Reader.shipped(setup.profile, setup.learnt)
        self._reader, self._of_photos = reader, reader.off_sheet()
        source = setup.source
        known = Known(setup.known, at_once=source is not None and not source.live)
        expected = Expected(setup.rules, setup.expected)
        self._watcher = Watcher(reader, expected, known)
        self._feed = Feed(source, last=setup.last) if source is not None else None
        self._tray: Tray | None = None
        self._camera: CameraSeen | None = None
        self._said_at = self._next_at = float("-inf")
        self._is_live = source is not None and source.live

    def limit_memory(self) -> None:
        """From now on it gets PHOTO_ROOM and no more: what a picture asks for beyond that ends in
        an error here, and not in a machine that swaps."""
        most = _data_bytes() + PHOTO_ROOM
        resource.setrlimit(resource.RLIMIT_DATA, (most, most))
        self._enough = most - PHOTO_ROOM + PHOTO_REST

    def go_on(self) -> None:
        """Looks and answers; EOFError once nobody listens."""
        while True:
            self._say_alive()
            wait_s = WORD_S if self._feed is None else max(0.0, self._next_at - time.monotonic())
            while self._connection.poll(wait_s):
                self._do(self._connection.recv())
                wait_s = 0.0
            if self._feed is None:
                continue
            frame = self._feed.take(0.05)
            self._say_camera(self._feed.seen)
            if frame is not None:
                self._look(frame)

    def _look(self, frame: Shot) -> None:
        assert self._feed is not None
        try:
            sight = self._watcher.see(frame)
        except VisionError as error:
            # Pictures that the profile's sheet was not measured in; photos are read all the same.
            self._feed = None
            self._say_camera(CameraSeen(CameraState.LOST, error))
            return
        self._feed.looked_at(is_dark=sight.is_dark, is_blank=sight.is_blank)
        self._next_at = time.monotonic() + (IDLE_S if sight.is_idle and self._is_live else 0.0)
        if sight.tray != self._tray:
            self._tray = sight.tray
            self._said_at = float("-inf")
            self._say_alive()
            self._connection.send(TraySeen(sight.tray))
        if sight.reading is not None:
            self._connection.send(DiceRead(sight.reading))

    def _do(self, command: Command) -> None:
        match command:
            case Expect(count):
                self._watcher.expect(count)
            case Play(rules):
                self._watcher.play(rules)
            case Learn(lesson):
                self._reader.learn(lesson)
            case ReadNow():
                self._watcher.read_now()
            case ReadPhoto(number, _, until) if time.monotonic() > until:
                self._connection.send(PhotoRead(number, PhotoError("error.photo.too_slow")))
            case ReadPhoto(number, encoded):
                self._connection.send(PhotoBegun(number))
                self._connection.send(PhotoRead(number, self._read(encoded)))
                if self._enough is not None and _data_bytes() > self._enough:
                    self._connection.send(Spent())
            case _:
                assert_never(command)

    def _read(self, encoded: bytes) -> DiceReading | VisionError:
        """What the photo shows, or why it is not read; nothing that is in it ends the process."""
        try:
            return read_photo(encoded, self._of_photos, self._watcher.expected)
        except VisionError as error:
            return error
        except _UNFORESEEN:
            _LOG.exception("a photo could not be read")
            return PhotoError("error.photo.unreadable")

    def _say_alive(self) -> None:
        now = time.monotonic()
        if now - self._said_at >= WORD_S:
            self._said_at = now
            feed = self._feed
            alive = feed.alive() if feed is not None else Alive(0, open=False)
            self._connection.send(alive)

    def _say_camera(self, seen: CameraSeen) -> None:
        if seen != self._camera:
            self._camera = seen
            self._connection.send(seen)


class Feed:
    """The frames of one source, opened again where it is live and has stopped."""

    def __init__(
        self,
        source: Source,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
        last: LastShown | None = None,
    ) -> None:
        self._source = source
        self._last = last or LastShown()
        self._clock = clock
        self._sleep = sleep
        self._playing: Player | None = None
        self._try_at = float("-inf")
        self._pause_s = LOOK_S
        self._pictures = 0
        self._was_lit = self._is_dark = False
        self.seen = CameraSeen(CameraState.STARTING)

    def take(self, timeout_s: float) -> Shot | None:
        """A camera's newest frame, or a recording's next; None where none comes in time."""
        if self.seen.state is CameraState.ENDED or not self._opened():
            self._sleep(timeout_s)
            return None
        assert self._playing is not None
        try:
            frame = self._playing.take(timeout_s)
        except EOFError:
            self.seen = CameraSeen(CameraState.ENDED)
            return None
        except SourceError as error:
            self._close(error)
            return None
        if frame is None or (self._source.live and self._is_old(frame)):
            return None
        self._pause_s = LOOK_S
        if self.seen.state is not CameraState.OK:
            self.seen = CameraSeen(CameraState.OK)
        return frame

    def _is_old(self, frame: Shot) -> bool:
        """Whether it is one of the last pictures again, to the last bit.

        No lens sees that, only a camera that has hung shows it, be it opened anew; and dice that it
        caught in flight must not be taken for dice at rest. But one all black or all white picture
        may be like another.
        """
        trace, before = frame.trace(), self._last.traces
        if trace in before:
            return not self._last.is_blank
        self._last = replace(self._last, traces=(*before, trace)[-BUFFERS:])
        return False

    def looked_at(self, *, is_dark: bool, is_blank: bool) -> None:
        """The picture just taken was black, or not; black or white all over, or not.

        One that was not, or that is like all before it, is a new picture. But what goes black
        while it is looked at may be a camera that has failed, and adds none, so that it is
        started again; if it is black still, it is night, and nobody restarts it until morning.
        """
        self._was_lit = self._was_lit or not is_dark
        self._is_dark = is_dark
        self._last = replace(self._last, is_blank=is_blank)
        if not (is_dark and self._was_lit and self._source.live):
            self._pictures += 1

    def alive(self) -> Alive:
        """How far it has come."""
        playing, is_over = self._playing, self.seen.state is CameraState.ENDED
        is_open = playing is not None and not is_over and not playing.is_starting()
        return Alive(self._pictures, open=is_open, dark=self._is_dark, last=self._last)

    def _opened(self) -> bool:
        """Whether frames may come: opens the source where it is time to try."""
        if self._playing is not None:
            return True
        now = self._clock()
        if now < self._try_at:
            return False
        self._try_at = now + LOOK_S
        if not self._source.present():
            return False
        self._playing = self._source.play()
        return True

    def _close(self, error: SourceError) -> None:
        """The source has stopped. A recording stays so; a camera is tried again."""
        self._playing = None
        if self.seen.problem is None or self.seen.problem.key != error.key:
            self.seen = CameraSeen(CameraState.LOST, error)
        is_there = self._source.present()
        self._pause_s = min(2 * self._pause_s, LOOK_AT_MOST_S) if is_there else LOOK_S
        wait_s = self._pause_s if self._source.live else float("inf")
        self._try_at = self._clock() + wait_s


if __name__ == "__main__":
    with Connection(int(sys.argv[1])) as service, suppress(EOFError):
        run(service, service.recv())
