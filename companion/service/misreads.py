"""Reports of misread rolls: keeps what the last ones are made of, and makes their files.

A report is made when a player asks for it, and goes to that player's phone alone. The pictures of
the camera stay in its process; they are fetched when the table puts a roll right, since the next
roll replaces them there, or when a report is asked for.
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from concurrent.futures import TimeoutError as NoAnswerError
from dataclasses import dataclass

from companion.engine import Face
from companion.table import RefusedError
from companion.vision.readings import DiceReading, VisionError
from companion.vision.report import Footage, encode_report, report_of

FETCH_S = 10.0
"""The longest wait for the pictures of the camera's process."""


@dataclass(frozen=True, slots=True)
class _PutRight:
    """A roll that the table put right: its proposal, the faces applied, and its pictures."""

    proposal: str
    applied: tuple[Face, ...]
    footage: Future[Footage | None]


class Misreads:
    """Keeps the pictures of the last roll that was put right. Thread-safe."""

    def __init__(self, fetch: Callable[[bool], Future[Footage | None]]) -> None:
        """`fetch` gets the pictures of the camera's last reading, or of the last photo (True)."""
        self._fetch = fetch
        self._lock = threading.Lock()
        self._put_right: _PutRight | None = None

    @property
    def last(self) -> str:
        """The proposal of the last roll that was put right; empty before the first."""
        found = self._put_right
        return found.proposal if found is not None else ""

    def keep_correction(
        self, proposal: str, reading: DiceReading, applied: Sequence[Face], *, is_photo: bool
    ) -> bool:
        """Keep the pictures of a roll that was applied with other faces than were read; whether
        it was."""
        if Counter(die.face for die in reading.dice) == Counter(applied):
            return False
        with self._lock:
            kept = self._put_right
            if kept is None or kept.proposal != proposal:  # a phone may repeat its command
                footage = self._fetch(is_photo)
                self._put_right = _PutRight(proposal, tuple(applied), footage)
        return True

    def report(
        self,
        proposal: str,
        reading: DiceReading,
        put_right: tuple[Face | None, ...] | None,
        *,
        is_photo: bool,
    ) -> bytes:
        """Make the file of a report. `put_right`: the face of each die as the phone has it.

        RefusedError where the pictures are gone or too large.
        """
        with self._lock:
            kept = self._put_right
            is_kept = kept is not None and kept.proposal == proposal
            footage = kept.footage if kept and is_kept else self._fetch(is_photo)
            applied = kept.applied if kept and is_kept else None
        try:
            found = footage.result(FETCH_S)
        except NoAnswerError:
            found = None
        is_its = found is not None and (found.frame, found.at_s) == (reading.frame, reading.at_s)
        if found is None or not is_its:
            raise RefusedError("error.report.gone")
        try:
            return encode_report(report_of(reading, found, put_right, applied))
        except VisionError as error:
            raise RefusedError(error.key, outdated=False, **error.params) from error
