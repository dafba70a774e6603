"""The stream's other end: the newest view, and the browsers that wait for a newer one."""

from __future__ import annotations

import asyncio
import threading
from dataclasses import dataclass, field

from companion.service.wire import StreamEvent


@dataclass(eq=False, slots=True)
class Listener:
    """One open stream. Only the newest view is ever kept for it; a slow phone skips the others."""

    key: str
    address: str
    wake: asyncio.Event = field(default_factory=asyncio.Event)
    beat: bool = False
    end: StreamEvent | None = None
    gone: bool = False


class Hub:
    """Publishes from any thread; everything else belongs to the server's loop."""

    def __init__(self, run: str, per_address: int) -> None:
        self._run, self._per_address = run, per_address
        self._loop: asyncio.AbstractEventLoop | None = None
        self._listeners: list[Listener] = []
        self._lock = threading.Lock()
        self._count = 0
        self._newest = b"null"

    def bind(self, loop: asyncio.AbstractEventLoop) -> None:
        """From now on listeners are woken on this loop."""
        self._loop = loop

    @property
    def newest(self) -> tuple[str, bytes]:
        """The id and the JSON of the newest view."""
        with self._lock:
            return f"{self._run}-{self._count}", self._newest

    def publish(self, view: bytes) -> None:
        """The view is the newest, and whoever listens gets it."""
        with self._lock:
            self._count += 1
            self._newest = view
            loop = self._loop
        if loop is not None and not loop.is_closed():
            loop.call_soon_threadsafe(self._wake)

    def open(self, key: str, address: str) -> Listener | None:
        """A stream for the browser `key`, whose older one ends; None: the address has too many."""
        for other in self._listeners:
            if other.key == key:
                self._end(other, StreamEvent.REPLACED)
        listening = [each for each in self._listeners if each.end is None]
        if sum(each.address == address for each in listening) >= self._per_address:
            return None
        listener = Listener(key, address)
        listener.wake.set()
        self._listeners.append(listener)
        return listener

    def close(self, listener: Listener) -> None:
        """End the stream: nothing is sent by it any more."""
        listener.gone = True
        listener.wake.set()
        if listener in self._listeners:
            self._listeners.remove(listener)

    def beat(self) -> None:
        """Every stream says that it lives."""
        for listener in self._listeners:
            listener.beat = True
            listener.wake.set()

    def stop(self) -> None:
        """Every stream ends."""
        for listener in tuple(self._listeners):
            self.close(listener)

    def _wake(self) -> None:
        for listener in self._listeners:
            listener.wake.set()

    def _end(self, listener: Listener, why: StreamEvent) -> None:
        listener.end = why
        listener.wake.set()
