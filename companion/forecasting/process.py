"""The forecasts' process as the service sees it: started when something is asked, ended when idle.

    forecasts = ForecastProcess(folder, Patience())
    found = forecasts.ask(AdviceAsked(position.game))   # waits; UnavailableError says why not
    forecasts.close()

One thread asks one question after the other. A process that dies is started once more, and asked
once more; one that is late is killed.
"""

from __future__ import annotations

import queue
import threading
from concurrent.futures import Future, InvalidStateError
from concurrent.futures import TimeoutError as LateError
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import msgspec

from companion.child_process import ChildProcess
from companion.forecasting.messages import (
    AdviceAsked,
    AdviceFound,
    AnyAsked,
    AnyFound,
    Args,
    Failed,
    StoryAsked,
    StoryFound,
)

CHILD: Final = "companion.forecasting.child"
TRIES: Final = 2
_FOUND: Final[msgspec.json.Decoder[AnyFound]] = msgspec.json.Decoder(AnyFound)
_BROKEN: Final = (OSError, EOFError, msgspec.MsgspecError)
"""What a process that dies in the middle of an answer leaves behind."""


class UnavailableError(Exception):
    """There is no forecast: the `key` of a sentence, and its `params`."""

    def __init__(self, key: str, params: Args | None = None) -> None:
        super().__init__(key)
        self.key, self.params = key, params or {}


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


@dataclass(slots=True)
class _Job:
    asked: bytes
    found: Future[AnyFound]


class ForecastProcess:
    """Asks the process that holds the networks in `folder`. Thread-safe.

    `refusal`: the key of a sentence, where no process may be started; then nothing is answered.
    """

    def __init__(
        self, folder: Path, patience: Patience | None = None, *, refusal: str = ""
    ) -> None:
        self._folder, self._patience, self._refusal = folder, patience or Patience(), refusal
        self._jobs: queue.Queue[_Job | None] = queue.Queue(self._patience.waiting)
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._closed = False
        self._child: _Child | None = None

    def advice(self, asked: AdviceAsked) -> AdviceFound:
        """Return the advice; UnavailableError where there is none."""
        found = self._ask(asked)
        assert isinstance(found, AdviceFound)
        return found

    def story(self, asked: StoryAsked) -> StoryFound:
        """Return the chances turn by turn; UnavailableError where there are none."""
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
            child, thread = self._child, self._thread
        if child is not None:
            child.kill()
        with suppress(queue.Full):
            self._jobs.put_nowait(None)
        if thread is not None:
            thread.join(self._patience.end_s)

    def _ask(self, asked: AnyAsked) -> AdviceFound | StoryFound:
        if self._refusal:
            raise UnavailableError(self._refusal)
        job = _Job(msgspec.json.encode(asked), Future())
        with self._lock:
            if self._closed:
                raise UnavailableError("error.forecast.stopped")
            try:
                self._jobs.put_nowait(job)
            except queue.Full:
                raise UnavailableError("error.forecast.busy") from None
            if self._thread is None:
                self._thread = threading.Thread(target=self._work, name="forecasts", daemon=True)
                self._thread.start()
        try:
            found = job.found.result(self._patience.whole_s)
        except LateError:
            job.found.cancel()
            raise UnavailableError("error.forecast.late") from None
        if isinstance(found, Failed):
            raise UnavailableError(found.key, found.params)
        return found

    def _work(self) -> None:
        """Answer what is asked until nothing is for a while, or all is closed."""
        try:
            while True:
                try:
                    job = self._jobs.get(timeout=0.0 if self._closed else self._patience.idle_s)
                except queue.Empty:
                    job = None
                if job is not None:
                    self._settle(job)
                    continue
                with self._lock:
                    if self._jobs.empty():
                        return
        finally:  # after a defect too: the next question starts another thread
            with self._lock:
                self._end_child()
                self._thread = None

    def _settle(self, job: _Job) -> None:
        """Answer whoever asked; whatever fails, they wait no longer."""
        found: AnyFound = Failed("error.forecast.stopped")
        try:
            found = self._answer(job)
        finally:
            with suppress(InvalidStateError):  # who asked waits no more
                job.found.set_result(found)

    def _answer(self, job: _Job) -> AnyFound:
        if job.found.cancelled():
            return Failed("error.forecast.late")
        for _ in range(TRIES):
            try:
                child = self._running_child()
                if child is None:
                    break
                answer = child.exchange(job.asked, self._patience.answer_s)
                if answer is None:
                    self._end_child()
                    return Failed("error.forecast.late")
                return _FOUND.decode(answer)
            except _BROKEN:
                self._end_child()
        return Failed("error.forecast.stopped")

    def _running_child(self) -> _Child | None:
        """Return the process, started where none runs; None once all is closed."""
        with self._lock:
            if self._closed:
                return None
            if self._child is None:
                self._child = _Child(self._folder)
            return self._child

    def _end_child(self) -> None:
        child, self._child = self._child, None
        if child is not None:
            child.end(self._patience.end_s)


class _Child(ChildProcess):
    """The process that holds the networks in `folder`."""

    def __init__(self, folder: Path) -> None:
        super().__init__(CHILD, str(folder))

    def exchange(self, asked: bytes, within_s: float) -> bytes | None:
        """Return the answer; None where it was late, and the process was killed. OSError or
        EOFError where it died.

        One that hangs may not even read the question, so what is bounded is the whole exchange.
        """
        late = threading.Event()

        def give_up() -> None:
            late.set()
            self.kill()

        timer = threading.Timer(within_s, give_up)
        timer.daemon = True
        timer.start()
        try:
            self.connection.send_bytes(asked)
            return self.connection.recv_bytes()
        except (OSError, EOFError):
            if late.is_set():
                return None
            raise
        finally:
            timer.cancel()
