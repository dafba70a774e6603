"""Photos that wait for their reading, while processes come and go."""

from __future__ import annotations

import threading
import time
from concurrent.futures import Future
from dataclasses import dataclass

from companion.vision.errors import PhotoError, ReaderError, SourceError, VisionError
from companion.vision.messages import ReadPhoto
from companion.vision.readings import DiceReading

LIVES = 2
"""A photo that so many processes were lost with is given up: the next would fare no better."""


@dataclass(slots=True)
class _Waiting:
    command: ReadPhoto
    answer: Future[DiceReading]
    losses: int = 0


class Pending:
    """Every photo that was taken in and has no answer yet. Thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._waiting: dict[int, _Waiting] = {}
        self._count = 0
        self._begun: int | None = None

    def take(self, encoded: bytes, within_s: float) -> tuple[ReadPhoto, Future[DiceReading]]:
        """The photo waits: what to tell the process, and where its answer will be. None begins to
        read it after so many seconds."""
        answer: Future[DiceReading] = Future()
        answer.set_running_or_notify_cancel()
        with self._lock:
            self._count += 1
            command = ReadPhoto(self._count, encoded, time.monotonic() + within_s)
            self._waiting[command.number] = _Waiting(command, answer)
        return command, answer

    def commands(self) -> list[ReadPhoto]:
        """What to tell a process that knows of no photo yet, oldest first."""
        with self._lock:
            return [photo.command for photo in self._waiting.values()]

    def begin(self, number: int) -> None:
        """The process is reading this photo now, and nothing else."""
        with self._lock:
            self._begun = number

    def answer(self, number: int, outcome: DiceReading | VisionError) -> None:
        """The photo is read, or refused; whoever waits for it knows."""
        with self._lock:
            self._begun = None
            photo = self._waiting.pop(number, None)
        if photo is None:
            return
        if isinstance(outcome, DiceReading):
            photo.answer.set_result(outcome)
        else:
            photo.answer.set_exception(outcome)

    def overdue(self) -> None:
        """The photo that is being read takes too long, and waits no more."""
        with self._lock:
            number = self._begun
        if number is not None:
            self.answer(number, PhotoError("error.photo.too_slow"))

    def lost(self, reason: ReaderError | SourceError) -> None:
        """The process is gone: the photo that it was reading is given up, for it must not end the
        next one too; so is any other whose second process this was."""
        with self._lock:
            over = [] if self._begun is None else [self._begun]
            for number, photo in self._waiting.items():
                photo.losses += 1
                if photo.losses >= LIVES and number not in over:
                    over.append(number)
        # What ails a camera is no answer to somebody who has sent a photo.
        is_readers = isinstance(reason, ReaderError)
        self._give_up(over, reason if is_readers else PhotoError("error.photo.too_slow"))

    def close(self) -> None:
        """Nobody waits for a photo any more."""
        with self._lock:
            over = list(self._waiting)
        self._give_up(over, ReaderError("error.camera.reader_died"))

    def _give_up(self, numbers: list[int], reason: VisionError) -> None:
        for number in numbers:
            self.answer(number, reason)
        with self._lock:
            self._begun = None
