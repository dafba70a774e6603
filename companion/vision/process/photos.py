"""The process that reads photos, apart from the camera's.

Photos come from other people's phones, and decoders have faults. So the process may crash without
affecting the camera, its memory is bounded, and a photo that crashed it or took too long is refused
from then on. Where there is a camera, the first photo starts the process, and it ends
`Timeouts.idle_s` after the last one. Which photos wait: `pending`.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Future
from dataclasses import replace

from companion.vision.errors import ReaderError, SourceError
from companion.vision.process.messages import (
    Alive,
    CameraSetup,
    ChildCommand,
    ChildMessage,
    PhotoBegun,
    PhotoRead,
)
from companion.vision.process.pending import Pending
from companion.vision.process.supervisor import Supervisor, Timeouts, Watchdog
from companion.vision.readings import DiceReading


class Photos(Supervisor):
    """Reads photos in a supervised process. Thread-safe."""

    def __init__(self, setup: CameraSetup, timeouts: Timeouts) -> None:
        super().__init__("photos", replace(setup, source=None), timeouts)
        self._pending = Pending()
        self._idle_s = timeouts.idle_s if setup.source is not None else float("inf")
        self._asked_at = float("-inf")

    @property
    def waiting(self) -> int:
        """The number of photos without an answer."""
        return len(self._pending.commands())

    def read(self, encoded: bytes) -> Future[DiceReading]:
        """Read a photo; the future raises PhotoError or ReaderError instead.

        A photo that took too long, or that was being read when a process died, is never read again,
        from any sender. One that was waiting then is read by the next process, but by no further
        one. None is read after `Timeouts.photo_s`.
        """
        with self._lock:
            command, answer = self._pending.add(encoded, self._timeouts.photo_s)
            if command is not None:
                self._asked_at = self._now()
                self._put(command)
        self._wanted.set()
        if self._closing.is_set():
            self._pending.close()
        return answer

    def close(self) -> None:
        """End the process, and answer all waiting photos with an error."""
        super().close()
        self._pending.close()

    def _is_wanted(self) -> bool:
        """Whether the process should run: photos wait, or one came within `idle_s`."""
        is_recent = self._now() - self._asked_at < self._idle_s
        return bool(self._pending.commands()) or is_recent

    def _commands(self) -> Sequence[ChildCommand]:
        """Return the commands for a new process: one for each photo still waiting."""
        return self._pending.commands()

    def _receive(self, message: ChildMessage, watch: Watchdog) -> None:
        """Pass a message of the process on to the watchdog and the photos that wait."""
        match message:
            case Alive():
                watch.alive(message, self._now())
            case PhotoBegun():
                watch.photo_begun(self._now())
                self._pending.begin(message.number)
            case PhotoRead():
                watch.photo_read(self._now())
                self._pending.answer(message.number, message.outcome)

    def _replaced(self) -> None:
        """Do nothing: photos have no source."""

    def _overdue(self) -> None:
        """Refuse for good the photo that takes too long to read."""
        self._pending.overdue()

    def _process_lost(self, reason: ReaderError | SourceError) -> None:
        """Refuse the photo it was reading; start another process only for photos that wait."""
        self._asked_at = float("-inf")  # the next photo starts another process
        self._pending.lost(reason)
