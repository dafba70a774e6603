"""The hub between state and event streams: the newest view, and the streams that wait for it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import count
from typing import Final

from companion.service.views.update import EncodedView, NumberedView, encode
from companion.service.wire import StreamEvent, ViewerKind

MOST_VIEWERS: Final = 8
"""Streams of televisions and overlays."""


@dataclass(eq=False, slots=True)
class Listener:
    """One open stream. `wake` is set when there is something to send: a newer view, a `beat`, or
    its `end`. Views that are replaced before they are sent are skipped.
    """

    key: str
    wake: asyncio.Event = field(default_factory=asyncio.Event)
    beat: bool = False
    end: StreamEvent | None = None
    gone: bool = False
    viewer: ViewerKind | None = None


class Hub:
    """Keeps the newest view and wakes listeners. `publish` may be called from any thread, one call
    at a time; all else on the server's loop.
    """

    def __init__(self, view: NumberedView) -> None:
        self._viewer_names = count(1)
        self._loop: asyncio.AbstractEventLoop | None = None
        self._listeners: list[Listener] = []
        self._newest = encode(view)
        self._followers: tuple[Callable[[], None], ...] = ()

    def subscribe(self, follower: Callable[[], None]) -> None:
        """Have `follower` called after each published view, by the thread that published it; it
        must return at once.
        """
        self._followers = (*self._followers, follower)

    def bind(self, loop: asyncio.AbstractEventLoop) -> None:
        """Set the event loop on which listeners are woken."""
        self._loop = loop

    @property
    def newest(self) -> EncodedView:
        """The newest view that was published."""
        return self._newest

    def publish(self, view: NumberedView) -> None:
        """Replace the newest view, and wake every listener."""
        self._newest = encode(view)
        loop = self._loop
        if loop is not None and not loop.is_closed():
            loop.call_soon_threadsafe(self._wake)
        for follower in self._followers:
            follower()

    def open(self, key: str) -> Listener:
        """Open a stream for the browser `key`, and end its older one."""
        for other in self._listeners:
            if other.key == key:
                self._end(other, StreamEvent.REPLACED)
        listener = Listener(key)
        listener.wake.set()
        self._listeners.append(listener)
        return listener

    def open_viewer(self, kind: ViewerKind) -> Listener | None:
        """Open a stream for one more viewer; None if there are too many.

        Viewers of one kind share a token, so none of them ends the stream of another.
        """
        if sum(each.viewer is not None for each in self._listeners) >= MOST_VIEWERS:
            return None
        listener = self.open(f"{kind} {next(self._viewer_names)}")
        listener.viewer = kind
        return listener

    def viewers(self, kind: ViewerKind) -> int:
        """Return how many viewers of this kind listen."""
        return sum(each.viewer is kind for each in tuple(self._listeners))

    def close(self, listener: Listener) -> None:
        """End the stream without a last event."""
        listener.gone = True
        listener.wake.set()
        if listener in self._listeners:
            self._listeners.remove(listener)

    def beat(self) -> None:
        """Have every stream send a heartbeat."""
        for listener in self._listeners:
            listener.beat = True
            listener.wake.set()

    def stop(self) -> None:
        """End every stream."""
        for listener in tuple(self._listeners):
            self.close(listener)

    def _wake(self) -> None:
        for listener in self._listeners:
            listener.wake.set()

    def _end(self, listener: Listener, why: StreamEvent) -> None:
        listener.end = why
        listener.wake.set()
