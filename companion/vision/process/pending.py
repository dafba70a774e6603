"""Photos that wait for their reading, while processes come and go."""

from __future__ import annotations

import threading
import time
from collections import deque
from concurrent.futures import Future
from dataclasses import dataclass, field
from hashlib import blake2b

from companion.vision.errors import PhotoError, ReaderError, SourceError, VisionError
from companion.vision.process.messages import ReadPhoto
from companion.vision.readings import DiceReading

LIVES = 2
"""A photo that so many processes were lost with is given up: the next would fare no better."""


REMEMBERED = 64
"""So many pictures that ended their reader, or took it too long, are known again."""


@dataclass(slots=True)
class _Waiting:
    command: ReadPhoto
    digest: bytes
    answer: Future[DiceReading] = field(default_factory=Future)
    losses: int = 0

    def __post_init__(self) -> None:
        self.answer.set_running_or_notify_cancel()


@dataclass(frozen=True, slots=True)
class _Fatal:
    """A picture that is not read again, by its hash, and how it is refused."""

    digest: bytes
    refusal: PhotoError


class Pending:
    """Every photo that was taken in and has no answer yet. Thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._waiting: dict[int, _Waiting] = {}
        self._count = 0
        self._begun: int | None = None
        self._fatal: deque[_Fatal] = deque(maxlen=REMEMBERED)

    def take(self, encoded: bytes, within_s: float) -> tuple[ReadPhoto | None, Future[DiceReading]]:
        """The photo waits: what to tell the process, and where its answer will be. None begins to
        read it after so many seconds. One that ended a process before is refused at once, and there
        is nothing to tell."""
        digest = blake2b(encoded, digest_size=16).digest()
        with self._lock:
            self._count += 1
            command = ReadPhoto(self._count, encoded, time.monotonic() + within_s)
            photo = _Waiting(command, digest)
            refusals = [each.refusal for each in self._fatal if each.digest == digest]
            if not refusals:
                self._waiting[command.number] = photo
        if refusals:
            photo.answer.set_exception(refusals[0])
        return (None if refusals else command), photo.answer

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
            self._refuse_for_good(number, PhotoError("error.photo.too_slow"))

    def lost(self, reason: ReaderError | SourceError) -> None:
        """The process is gone: the photo that it was reading is refused for good, for it must not
        end the next one too. Where it was reading none, those whose second process it was are given
        up."""
        with self._lock:
            begun = self._begun
        if begun is not None:
            self._refuse_for_good(begun, PhotoError("error.photo.fatal"))
            return
        with self._lock:
            for photo in self._waiting.values():
                photo.losses += 1
            over = [number for number, photo in self._waiting.items() if photo.losses >= LIVES]
        # What ails a camera is no answer to somebody who has sent a photo.
        is_readers = isinstance(reason, ReaderError)
        self._give_up(over, reason if is_readers else PhotoError("error.photo.too_slow"))

    def close(self) -> None:
        """Nobody waits for a photo any more."""
        with self._lock:
            over = list(self._waiting)
        self._give_up(over, ReaderError("error.camera.reader_died"))

    def _refuse_for_good(self, number: int, refusal: PhotoError) -> None:
        """The photo gets this answer, and so does whoever sends, or has sent, the same picture."""
        with self._lock:
            photo = self._waiting.get(number)
            if photo is None:
                return
            self._fatal.append(_Fatal(photo.digest, refusal))
            same = [n for n, other in self._waiting.items() if other.digest == photo.digest]
        self._give_up(same, refusal)

    def _give_up(self, numbers: list[int], reason: VisionError) -> None:
        for number in numbers:
            self.answer(number, reason)
        with self._lock:
            self._begun = None
