"""Photos and the process that reads them, apart from the camera's.

A picture comes from a stranger's phone, and decoders have faults. So its reader may die of it
without the camera noticing, it has a bound on its memory, and a picture that it died of, or that
took it too long, is refused from then on without being looked at. Where there is a camera the
process is there only while photos come: started by one, let go `Patience.idle_s` after the last.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Future
from dataclasses import replace

from companion.vision.errors import ReaderError, SourceError
from companion.vision.process.messages import Alive, Command, PhotoBegun, PhotoRead, Said, Setup
from companion.vision.process.pending import Pending
from companion.vision.process.supervisor import Patience, Supervisor, Watchdog
from companion.vision.readings import DiceReading


class Photos(Supervisor):
    """The reader of photos. Thread-safe."""

    def __init__(self, setup: Setup, patience: Patience) -> None:
        super().__init__("photos", replace(setup, source=None), patience)
        self._pending = Pending()
        self._idle_s = patience.idle_s if setup.source is not None else float("inf")
        self._asked_at = float("-inf")

    @property
    def waiting(self) -> int:
        """How many photos have no answer yet."""
        return len(self._pending.commands())

    def read(self, encoded: bytes) -> Future[DiceReading]:
        """The reading of a photo, soon; PhotoError or ReaderError in its place.

        One that a process was reading for too long, or when it died, is not read again, by
        whomever it is sent; one that was still to be read is, by the next process but no other;
        none that has waited longer than `Patience.photo_s`.
        """
        with self._lock:
            command, answer = self._pending.take(encoded, self._patience.photo_s)
            if command is not None:
                self._asked_at = self._now()
                self._outbox.put(command)
        self._wanted.set()
        if self._closing.is_set():
            self._pending.close()
        return answer

    def close(self) -> None:
        """The process is gone, and nobody waits for a photo any more."""
        super().close()
        self._pending.close()

    def _is_wanted(self) -> bool:
        is_recent = self._now() - self._asked_at < self._idle_s
        return bool(self._pending.commands()) or is_recent

    def _commands(self) -> Sequence[Command]:
        return self._pending.commands()

    def _hear(self, said: Said, watch: Watchdog) -> None:
        match said:
            case Alive():
                watch.alive(said, self._now())
            case PhotoBegun():
                watch.photo_begun(self._now())
                self._pending.begin(said.number)
            case PhotoRead():
                watch.photo_read(self._now())
                self._pending.answer(said.number, said.outcome)

    def _overdue(self) -> None:
        self._pending.overdue()

    def _lost(self, reason: ReaderError | SourceError) -> None:
        self._asked_at = float("-inf")  # whoever comes next starts another
        self._pending.lost(reason)
