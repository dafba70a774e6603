"""The forecasts' process as the service sees it: started when something is asked, ended when idle.

    forecasts = ForecastProcess(folder, Patience())
    found = forecasts.advice(AdviceAsked(position.game))   # waits; UnavailableError says why not
    forecasts.close()

It answers one question after the other. A process that dies is started once more, and asked once
more; one that is late is killed.
"""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import msgspec

from companion.child_process import ChildProcess
from companion.errors import KeyedError
from companion.forecast.messages import (
    AdviceAsked,
    AdviceFound,
    AnyAsked,
    AnyFound,
    Failed,
    StoryAsked,
    StoryFound,
)

CHILD: Final = "companion.forecast.child"
TRIES: Final = 2
_FOUND: Final[msgspec.json.Decoder[AnyFound]] = msgspec.json.Decoder(AnyFound)
_BROKEN: Final = (OSError, EOFError, msgspec.MsgspecError)
"""What a process that dies in the middle of an answer leaves behind."""


class UnavailableError(KeyedError):
    """There is no forecast."""


@dataclass(frozen=True, slots=True)
class Patience:
    """Bounds on time and waiting; `_s` are seconds."""

    answer_s: float = 30.0
    """For one answer, the start of the process included: a cold SD card is slow."""
    whole_s: float = 45.0
    """For an answer with those before it in the queue."""
    idle_s: float = 180.0
    """Without a question, before the process ends and its memory is free."""
    waiting: int = 8
    """Questions in the queue; more are refused."""
    end_s: float = 2.0


class ForecastProcess:
    """Asks the process that holds the networks in `folder`. Thread-safe.

    `refusal`: the key of a sentence, if no process may be started; then nothing is answered.
    """

    def __init__(
        self, folder: Path, patience: Patience | None = None, *, refusal: str = ""
    ) -> None:
        self._folder, self._patience, self._refusal = folder, patience or Patience(), refusal
        self._places = threading.BoundedSemaphore(self._patience.waiting + 1)
        self._asking = threading.Lock()
        """Held by whoever asks the process."""
        self._lock = threading.Lock()
        """Guards what stands below."""
        self._closed = False
        self._child: ChildProcess | None = None
        self._idle: threading.Timer | None = None

    def advice(self, asked: AdviceAsked) -> AdviceFound:
        """Return the advice; UnavailableError if there is none."""
        found = self._ask(asked)
        assert isinstance(found, AdviceFound)
        return found

    def story(self, asked: StoryAsked) -> StoryFound:
        """Return the chances turn by turn; UnavailableError if there are none."""
        found = self._ask(asked)
        assert isinstance(found, StoryFound)
        return found

    @property
    def pid(self) -> int | None:
        """The number of the process; None while none runs."""
        child = self._child
        return None if child is None else child.pid

    def close(self) -> None:
        """End the process, without waiting for what it computes."""
        with self._lock:
            self._closed = True
            if self._child is not None:
                self._child.kill()
        if self._asking.acquire(timeout=self._patience.end_s):
            self._end_child()
            self._asking.release()

    def _ask(self, asked: AnyAsked) -> AdviceFound | StoryFound:
        if self._refusal:
            raise UnavailableError(self._refusal)
        question, late = msgspec.json.encode(asked), time.monotonic() + self._patience.whole_s
        if not self._places.acquire(blocking=False):
            raise UnavailableError("error.forecast.busy")
        try:
            if not self._asking.acquire(timeout=self._patience.whole_s):
                raise UnavailableError("error.forecast.late")
            try:
                found = self._answer(question, late - time.monotonic())
            finally:
                self._asking.release()
        finally:
            self._places.release()
        if isinstance(found, Failed):
            raise UnavailableError(found.key, **found.params)
        return found

    def _answer(self, question: bytes, within_s: float) -> AnyFound:
        for _ in range(TRIES):
            try:
                child = self._running_child()
                if child is None:
                    break
                answer = child.exchange(question, min(within_s, self._patience.answer_s))
                if answer is None:
                    self._end_child()
                    return Failed("error.forecast.late")
                found = _FOUND.decode(answer)
                self._end_when_idle()
                return found
            except _BROKEN:
                self._end_child()
        return Failed("error.forecast.stopped")

    def _running_child(self) -> ChildProcess | None:
        """Return the process, started if none runs; None once all is closed."""
        with self._lock:
            if self._closed:
                return None
            if self._idle is not None:
                self._idle.cancel()
            if self._child is None:
                self._child = ChildProcess(CHILD, str(self._folder))
            return self._child

    def _end_when_idle(self) -> None:
        self._idle = threading.Timer(self._patience.idle_s, self._end_idle)
        self._idle.daemon = True
        self._idle.start()

    def _end_idle(self) -> None:
        """End the process, unless somebody asks it now: then another timer follows."""
        if self._asking.acquire(blocking=False):
            self._end_child()
            self._asking.release()

    def _end_child(self) -> None:
        """End the process; call with `_asking` held."""
        if self._idle is not None:
            self._idle.cancel()
        child, self._child = self._child, None
        if child is not None:
            child.close(self._patience.end_s)
