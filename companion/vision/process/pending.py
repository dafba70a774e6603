"""Photos waiting for a reading, across restarts of the process. Thread-safe; starts no process."""

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

MAX_LOSSES = 2
"""The lost processes after which a waiting photo is given up."""


MAX_REMEMBERED = 64
"""The number of refused pictures that are recognised when sent again."""


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
    """The hash of a picture that is not read again, and its refusal."""

    digest: bytes
    refusal: PhotoError


class Pending:
    """All photos without an answer. Thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._waiting: dict[int, _Waiting] = {}
        self._count = 0
        self._begun: int | None = None
        self._fatal: deque[_Fatal] = deque(maxlen=MAX_REMEMBERED)

    def add(self, encoded: bytes, within_s: float) -> tuple[ReadPhoto | None, Future[DiceReading]]:
        """Add a photo: the command for the process, and the future of its answer. Reading must
        begin within `within_s` seconds. A photo that ended a process before is refused at once,
        without a command."""
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
        """The commands for a new process, oldest photo first."""
        with self._lock:
            return [photo.command for photo in self._waiting.values()]

    def begin(self, number: int) -> None:
        """Record that the process is reading this photo now."""
        with self._lock:
            self._begun = number

    def answer(self, number: int, outcome: DiceReading | VisionError) -> None:
        """Answer a photo with its reading or its refusal."""
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
        """Refuse the photo that is being read, for good: it takes too long."""
        with self._lock:
            number = self._begun
        if number is not None:
            self._refuse_for_good(number, PhotoError("error.photo.too_slow"))

    def lost(self, reason: ReaderError | SourceError) -> None:
        """Handle the loss of the process. The photo that it was reading is refused for good, so
        that it cannot end the next one too. Where it was reading none, photos that lost MAX_LOSSES
        processes are given up."""
        with self._lock:
            begun = self._begun
        if begun is not None:
            self._refuse_for_good(begun, PhotoError("error.photo.fatal"))
            return
        with self._lock:
            for photo in self._waiting.values():
                photo.losses += 1
            over = [number for number, photo in self._waiting.items() if photo.losses >= MAX_LOSSES]
        # A camera's fault is no answer to a photo.
        is_readers = isinstance(reason, ReaderError)
        self._give_up(over, reason if is_readers else PhotoError("error.photo.too_slow"))

    def close(self) -> None:
        """Answer all waiting photos with an error."""
        with self._lock:
            over = list(self._waiting)
        self._give_up(over, ReaderError("error.camera.reader_died"))

    def _refuse_for_good(self, number: int, refusal: PhotoError) -> None:
        """Refuse this photo and every other, waiting or later, with the same bytes."""
        with self._lock:
            photo = self._waiting.get(number)
            if photo is None:
                return
            self._fatal.append(_Fatal(photo.digest, refusal))
            same = [n for n, other in self._waiting.items() if other.digest == photo.digest]
        self._give_up(same, refusal)

    def _give_up(self, numbers: list[int], reason: VisionError) -> None:
        """Answer these photos with an error."""
        for number in numbers:
            self.answer(number, reason)
        with self._lock:
            self._begun = None
